/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/writer/profile_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/seal.h"
#include "support/command/memory.h"

/* Room for `bytes` more, zeroed. */
static char *grow(struct hd_writer *writer, size_t bytes) {
  if (bytes > writer->limit - writer->size) {
    writer->limit = 2 * (writer->size + bytes);
    writer->bytes = hd_grow(writer->bytes, writer->limit, 1);
  }
  char *place = writer->bytes + writer->size;
  writer->size += bytes;
  return memset(place, 0, bytes);
}

void hd_writer_begin(struct hd_writer *writer, const struct hd_file_header *header) {
  char *place = grow(writer, HD_HEADER_BYTES);
  struct hd_file_header made = *header;
  hd_layout_set(&made);
  made.block_count = 0;
  memcpy(place, &made, sizeof made);
}

static struct hd_block_header *last_block(const struct hd_writer *writer) {
  return (void *)(writer->bytes + writer->block);
}

static void seal_block(const struct hd_writer *writer, uint32_t units) {
  struct hd_block_header *block = last_block(writer);
  block->span = units;
  hd_seal_block(block);
}

/* Fills the last block's last unit up. */
static void end_block(struct hd_writer *writer) {
  if (writer->block == 0)
    return;
  const size_t used = writer->size - writer->block;
  const size_t units = (used + HD_BLOCK_BYTES - 1) / HD_BLOCK_BYTES;
  grow(writer, units * HD_BLOCK_BYTES - used);
  seal_block(writer, (uint32_t)units);
  writer->block = 0;
}

void hd_writer_begin_block(struct hd_writer *writer, enum hd_block_type type) {
  end_block(writer);
  const size_t at = writer->size;
  struct hd_block_header *block = (void *)grow(writer, HD_BLOCK_HEADER_BYTES);
  *block = (struct hd_block_header){.magic = HD_BLOCK_MAGIC, .type = (uint16_t)type, .owner = HD_NONE};
  writer->block = at;
}

void hd_writer_add(struct hd_writer *writer, const void *record, size_t bytes) {
  char *place = grow(writer, bytes);
  memcpy(place, record, bytes);
  last_block(writer)->count++;
}

void hd_writer_add_text(struct hd_writer *writer, enum hd_text_kind kind, uint32_t id, const char *text, size_t bytes) {
  const struct hd_text_record record = {.kind = (uint16_t)kind, .id = id, .bytes = (uint32_t)bytes};
  const size_t padded = sizeof record + ((bytes + 7) & ~(size_t)7);
  char *place = grow(writer, padded);
  memcpy(place, &record, sizeof record);
  memcpy(place + sizeof record, text, bytes);
  last_block(writer)->count += (uint32_t)padded; /* of this type: bytes */
}

void hd_writer_add_block(struct hd_writer *writer, const struct hd_block_header *block, const void *content,
                         size_t bytes) {
  hd_writer_begin_block(writer, (enum hd_block_type)block->type);
  memcpy(grow(writer, bytes), content, bytes);
  last_block(writer)->count = block->count;
}

/* ---- rows ---- */

/* What goes into a row's cell of a state (or hd_cell_kind). A class's intrusion goes with its first state that has any
 * time, or with its first. */
static struct hd_row_cell cell_of(const struct hd_row *row, uint32_t kind, bool classes_written[HD_INTRUSION_CLASSES]) {
  if (kind == HD_CELL_CPU)
    return (struct hd_row_cell){.ticks = row->cpu_ns};
  if (hd_cell_is_idle(kind)) /* its idle time is in the program's row */
    return (struct hd_row_cell){0};
  if (kind == HD_CELL_UNRESOLVED)
    return (struct hd_row_cell){row->unresolved.ticks - row->unresolved.regions, (int64_t)row->unresolved.waiting};
  if (kind == HD_CELL_UNRESOLVED_REGIONS)
    return (struct hd_row_cell){row->unresolved.regions + row->unresolved.idle, (int64_t)row->unresolved.idle};
  if (kind == HD_CELL_REFUSED)
    return (struct hd_row_cell){.ticks = row->shares.refused};
  if (kind == HD_CELL_CHUNKS)
    return (struct hd_row_cell){row->shares.chunks, (int64_t)row->shares.iterations};
  if (kind == HD_CELL_TASKS)
    return (struct hd_row_cell){row->shares.created, (int64_t)row->shares.elsewhere};
  if (kind == HD_CELL_MPI)
    return (struct hd_row_cell){.ticks = row->shares.mpi_bytes};
  if (kind == HD_CELL_STATIC)
    return (struct hd_row_cell){row->shares.static_iterations, row->shares.number};
  struct hd_row_cell cell = {.ticks = row->ticks[kind]};
  const enum hd_intrusion_class class = hd_intrusion_class_of(kind);
  if (!classes_written[class] && (cell.ticks != 0 || kind == HD_WAIT_LAST || class != HD_INTRUSION_WAITING)) {
    cell.intrusion = row->intrusion.ticks[class];
    classes_written[class] = true;
  }
  return cell;
}

void hd_writer_add_row(struct hd_writer *writer, const struct hd_row *row) {
  struct hd_row_record record = {
      .profile = row->node, .thread = row->thread & (HD_ROW_THREADS_MOST - 1), .visits = row->visits};
  record.refused = row->refused & ((1u << (HD_REFUSED_SECTION + 1)) - 1);
  bool classes_written[HD_INTRUSION_CLASSES] = {false};
  for (uint32_t kind = 0; kind < HD_CELL_KINDS; kind++) {
    const struct hd_row_cell cell = cell_of(row, kind, classes_written);
    if (cell.ticks == 0 && cell.intrusion == 0)
      continue;
    struct hd_row_cell *place = hd_row_claim(&record, kind);
    if (!place) {
      hd_writer_add(writer, &record, sizeof record);
      record = (struct hd_row_record){.profile = record.profile, .thread = record.thread};
      place = hd_row_claim(&record, kind);
    }
    *place = cell;
  }
  hd_writer_add(writer, &record, sizeof record);
}

/* ---- the end ---- */

bool hd_writer_end(struct hd_writer *writer) {
  end_block(writer);
  const size_t units = (writer->size - HD_HEADER_BYTES) / HD_BLOCK_BYTES;
  if (units > UINT32_MAX)
    return false;
  struct hd_file_header *header = (void *)writer->bytes;
  header->block_count = (uint32_t)units;
  hd_seal_header(header);
  return true;
}

/* A link is not made over an existing file; where there are no links, the check comes a moment before. */
static bool put_in_place(const char *temporary, const char *path, bool replace) {
  if (replace)
    return rename(temporary, path) == 0;
  if (link(temporary, path) == 0) {
    unlink(temporary);
    return true;
  }
  if (errno == EEXIST)
    return false;
  struct stat status;
  if (lstat(path, &status) == 0) {
    errno = EEXIST;
    return false;
  }
  return rename(temporary, path) == 0;
}

bool hd_writer_save(const struct hd_writer *writer, const char *path, bool replace) {
  char temporary[PATH_MAX];
  const char *slash = strrchr(path, '/');
  const int directory = slash ? (int)(slash - path) + 1 : 0;
  const int length = snprintf(temporary, sizeof temporary, "%.*s.heddle-XXXXXX", directory, path);
  struct stat status;
  if (length < 0 || (size_t)length >= sizeof temporary) {
    errno = ENAMETOOLONG;
    return false;
  }
  if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
    errno = S_ISDIR(status.st_mode) ? EISDIR : EEXIST;
    return false;
  }
  const int file = mkostemp(temporary, O_CLOEXEC);
  if (file < 0)
    return false;
  FILE *out = fdopen(file, "w");
  hd_need(out);
  bool done = fwrite(writer->bytes, 1, writer->size, out) == writer->size;
  done = fclose(out) == 0 && done && put_in_place(temporary, path, replace);
  const int error = errno;
  if (!done)
    unlink(temporary);
  errno = error;
  return done;
}

void hd_writer_free(struct hd_writer *writer) {
  free(writer->bytes);
  *writer = (struct hd_writer){0};
}
