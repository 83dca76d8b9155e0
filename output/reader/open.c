/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/reader/open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/model/counts.h"
#include "output/model/memory.h"
#include "output/reader/reader_internal.h"
#include "store/seal.h"
#include "support/command/memory.h"
#include "support/command/profile_clock.h"

/* A running program's file changes while it is copied, and a record may refer to one that was added after its block was
 * copied. Two equal copies are one that is whole; of a program that never pauses the last is taken. */
enum { EQUAL_TRIES = 5, LIVE_TRIES = 10 };

enum { MAPPED_FROM_BYTES = 16 << 20 };

/* ---- the header ---- */

static bool check_magic(struct hd_reader *reader) {
  if (reader->size == 0)
    return hd_reader_fail(reader, "the file is empty");
  const size_t known = reader->size < 8 ? reader->size : 8;
  if (memcmp(reader->bytes, HD_MAGIC, known) == 0)
    return true;
  if (reader->size >= 6 && memcmp(reader->bytes, "HEDDLE", 6) == 0)
    return hd_reader_fail(reader, "damaged by a transfer in text mode; copy it again in binary mode");
  return hd_reader_fail(reader, "not a Heddle profile%s", hd_reader_name_other(reader->bytes, reader->size));
}

static bool check_layout(struct hd_reader *reader) {
  const struct hd_file_header *header = (const void *)reader->bytes;
  if (header->byte_order == __builtin_bswap32(HD_BYTE_ORDER))
    return hd_reader_fail(reader, "written on a machine of the other byte order; read it on such a machine");
  if (header->byte_order != HD_BYTE_ORDER)
    return hd_reader_fail(reader, "damaged: impossible byte order");
  if (header->version > HD_FORMAT_VERSION)
    return hd_reader_fail(reader, "written by a newer Heddle (format %u, this reads %u); use that version's heddle",
                          header->version, HD_FORMAT_VERSION);
  if (header->version == 0)
    return hd_reader_fail(reader, "damaged: format 0 does not exist");
  if (header->version != HD_FORMAT_VERSION)
    return hd_reader_fail(reader, "written by an older Heddle (format %u, this reads %u); use that version's heddle",
                          header->version, HD_FORMAT_VERSION);
  return hd_layout_is_known(header) ||
         hd_reader_fail(reader, "damaged: its record sizes are not those of format %u", HD_FORMAT_VERSION);
}

/* The file's claim about its own size, given its header. */
static uint64_t claimed_bytes(const struct hd_file_header *header) {
  return HD_HEADER_BYTES + (uint64_t)header->block_count * HD_BLOCK_BYTES;
}

static bool check_size(struct hd_reader *reader) {
  const struct hd_file_header *header = (const void *)reader->bytes;
  const uint64_t claimed = claimed_bytes(header);
  if (claimed > reader->size)
    return hd_reader_fail(reader, "cut short: %zu of %llu bytes", reader->size, (unsigned long long)claimed);
  reader->unit_count = header->block_count;
  return true;
}

/* What is neither sealed nor still without a seal has lost a bit of that word. */
static bool check_seal(struct hd_reader *reader) {
  const struct hd_file_header *header = (const void *)reader->bytes;
  reader->sealed = header->seal != 0;
  return !reader->sealed || hd_seal_header_holds(reader->bytes) ||
         hd_reader_fail(reader, "damaged: its header is not the one that was saved (checksum)");
}

/* Ticks to seconds. Clocks that count nanoseconds need no calibration. */
static bool take_clock(struct hd_reader *reader) {
  struct hd_model *model = reader->model;
  const struct hd_file_header *header = &model->header;
  if (header->clock_kind == HD_CLOCK_MONOTONIC || header->clock_kind == HD_CLOCK_EXTERNAL) {
    model->seconds_per_tick = 1e-9;
    return true;
  }
  if (header->clock_kind != HD_CLOCK_TSC)
    return hd_reader_fail(reader, "damaged: unknown clock %u", header->clock_kind);
  const struct hd_clock_pair first = header->clock_first;
  const struct hd_clock_pair last = header->clock_last;
  if (last.ticks <= first.ticks || last.ns <= first.ns)
    return hd_reader_fail(reader, "its clock was never calibrated: the program ended while the tool was starting");
  model->seconds_per_tick = 1e-9 * (double)(last.ns - first.ns) / (double)(last.ticks - first.ticks);
  return true;
}

static bool take_header(struct hd_reader *reader) {
  struct hd_model *model = reader->model;
  model->path = hd_model_copy(model, reader->path, strlen(reader->path));
  memcpy(&model->header, reader->bytes, sizeof model->header);
  struct hd_file_header *header = &model->header;
  header->host[sizeof header->host - 1] = '\0';
  header->runtime[sizeof header->runtime - 1] = '\0';
  header->program[sizeof header->program - 1] = '\0';
  if (reader->present.ticks != 0 && header->end_ticks == 0) {
    header->clock_last = reader->present;
    reader->now_ticks = hd_profile_clock_ticks(header, &reader->present);
  }
  return take_clock(reader);
}

/* ---- all, in order ---- */

static bool check_header(struct hd_reader *reader) {
  return check_magic(reader) &&
         (reader->size >= HD_HEADER_BYTES ||
          hd_reader_fail(reader, "cut short: %zu bytes, less than its header", reader->size)) &&
         check_layout(reader) && check_size(reader) && check_seal(reader);
}

static bool read_all(struct hd_reader *reader) {
  if (!check_header(reader) || !take_header(reader) || !hd_reader_check_counters(reader) ||
      !hd_reader_walk_blocks(reader))
    return false;
  hd_reader_take_back(reader);
  if (!hd_reader_take_records(reader) || !hd_reader_find_end(reader) || !hd_reader_take_levels(reader) ||
      !hd_reader_close_threads(reader) || !hd_reader_close_teams(reader) || !hd_reader_take_counts(reader) ||
      !hd_reader_take_samples(reader) || !hd_reader_take_loops(reader) || !hd_reader_take_tasks(reader) ||
      !hd_reader_take_paths(reader) || !hd_reader_take_locks(reader) || !hd_reader_take_watched(reader) ||
      !hd_reader_take_overhead(reader) ||
      !hd_reader_sum_up(reader))
    return false;
  reader->model->trace_bytes = reader->record_count[HD_BLOCK_TRACE];
  hd_reader_find_losses(reader->model);
  hd_model_sum_counts(reader->model);
  hd_reader_add_notes(reader->model);
  return true;
}

/* The memory that the bytes lie in, if any, becomes the model's; on failure it is freed. */
static bool parse(struct hd_reader *reader, struct hd_row_source source, struct hd_model **model) {
  reader->bytes = source.bytes;
  reader->model = hd_new(1, sizeof *reader->model);
  reader->source = reader->model->source = hd_model_allocate(reader->model, sizeof *reader->source);
  *reader->source = source;
  if (read_all(reader)) {
    *model = reader->model;
    *reader->error = '\0'; /* an earlier try may have failed */
  } else {
    hd_model_free(reader->model);
  }
  return *model;
}

bool hd_profile_parse(const char *path, const void *bytes, size_t size, struct hd_model **model, char *error,
                      size_t error_bytes) {
  struct hd_reader reader = {.path = path, .size = size, .error = error, .error_bytes = error_bytes};
  *model = NULL;
  if (!parse(&reader, (struct hd_row_source){.bytes = bytes}, model))
    return false;
  hd_model_need_rows(*model);
  return true;
}

/* ---- files ---- */

/* How much of the file there is: no more than its header claims. */
static bool find_size(struct hd_reader *reader, int file, struct hd_file_header *header, size_t *wanted) {
  struct stat status;
  if (fstat(file, &status) != 0)
    return hd_reader_fail(reader, "%s", strerror(errno));
  if (!S_ISREG(status.st_mode))
    return hd_reader_fail(reader,
                          S_ISDIR(status.st_mode) ? "is a directory; name a profile in it" : "not a regular file");
  *wanted = (size_t)status.st_size;
  *header = (struct hd_file_header){0};
  if (*wanted <= HD_HEADER_BYTES)
    return true;
  const bool known = pread(file, header, sizeof *header, 0) == (ssize_t)sizeof *header &&
                     memcmp(header->magic, HD_MAGIC, sizeof header->magic) == 0 && header->byte_order == HD_BYTE_ORDER;
  const uint64_t claimed = known ? claimed_bytes(header) : HD_HEADER_BYTES;
  if (claimed < *wanted)
    *wanted = (size_t)claimed;
  return true;
}

/* Reads `bytes` from there, or as many as there are. */
static bool read_at(struct hd_reader *reader, int file, char *to, size_t at, size_t bytes, size_t *got) {
  for (*got = 0; *got < bytes;) {
    const ssize_t part = pread(file, to + *got, bytes - *got, (off_t)(at + *got));
    if (part < 0 && errno == EINTR)
      continue;
    if (part < 0)
      return hd_reader_fail(reader, "%s", strerror(errno));
    if (part == 0)
      break;
    *got += (size_t)part;
  }
  return true;
}

/* Block by block: of a trace only that it is there. */
static bool read_without_trace(struct hd_reader *reader, int file, char *bytes, size_t wanted) {
  size_t at = HD_HEADER_BYTES, got = 0;
  bool done = read_at(reader, file, bytes, 0, HD_HEADER_BYTES, &got);
  while (done && at + HD_BLOCK_BYTES <= wanted) {
    struct hd_block_header *block = (void *)(bytes + at);
    done = read_at(reader, file, bytes + at, at, sizeof *block, &got);
    const size_t span = block->magic == HD_BLOCK_MAGIC ? (size_t)block->span * HD_BLOCK_BYTES : 0;
    if (!done || got < sizeof *block || span == 0 || span > wanted - at)
      break;
    if (block->type == HD_BLOCK_TRACE)
      block->count = 0;
    else
      done = read_at(reader, file, bytes + at, at, span, &got);
    at += span;
  }
  reader->size = at;
  return done;
}

/* Copies the file. The caller frees *bytes. */
static bool read_file(struct hd_reader *reader, int file, bool with_trace, char **bytes) {
  struct hd_file_header header;
  size_t wanted = 0;
  if (!find_size(reader, file, &header, &wanted))
    return false;
  *bytes = hd_grow(NULL, wanted + 1, 1);
  if (!with_trace && header.trace_limit_bytes > 0 && wanted > HD_HEADER_BYTES) {
    memset(*bytes, 0, wanted);
    return read_without_trace(reader, file, *bytes, wanted);
  }
  return read_at(reader, file, *bytes, 0, wanted, &reader->size);
}

static void empty(struct hd_block_header *block, bool sealed) {
  block->count = 0;
  if (sealed)
    hd_seal_block(block);
}

void hd_profile_settle_copy(int file, char *bytes, size_t size) {
  const bool sealed = size >= HD_HEADER_BYTES && ((const struct hd_file_header *)(const void *)bytes)->seal != 0;
  const size_t began = HD_BLOCK_HEADER_BYTES + sizeof(struct hd_trace_record);
  for (size_t at = HD_HEADER_BYTES; at + HD_BLOCK_BYTES <= size;) {
    struct hd_block_header *block = (void *)(bytes + at);
    struct {
      struct hd_block_header header;
      struct hd_trace_record record;
    } now;
    if (block->magic != HD_BLOCK_MAGIC || block->span == 0)
      return;
    if (block->type == HD_BLOCK_TRACE && block->count > 0 &&
        (pread(file, &now, began, (off_t)at) != (ssize_t)began || now.header.owner != block->owner ||
         now.header.count < block->count ||
         now.record.number != ((const struct hd_trace_record *)(const void *)(block + 1))->number))
      empty(block, sealed);
    at += (size_t)block->span * HD_BLOCK_BYTES;
  }
}

static bool may_change(const struct hd_file_header *header) {
  return !(header->flags & (HD_FILE_COMPLETE | HD_FILE_RECOVERED)) && header->end_ticks == 0;
}

/* A large file that nobody writes any more is not copied. Small ones are: who cuts a mapped file short ends its readers
 * (support/command/sigbus_guard.h). */
static void *map(struct hd_reader *reader, int file) {
  struct hd_file_header header;
  size_t wanted = 0;
  if (!find_size(reader, file, &header, &wanted) || wanted < MAPPED_FROM_BYTES || may_change(&header))
    return NULL;
  void *bytes = mmap(NULL, wanted, PROT_READ, MAP_PRIVATE, file, 0);
  reader->size = wanted;
  return bytes == MAP_FAILED ? NULL : bytes;
}

/* The present, before the file is copied: all that happened until then is in the copy. */
static void note_present(struct hd_reader *reader, int file) {
  struct hd_file_header header;
  if (pread(file, &header, sizeof header, 0) != (ssize_t)sizeof header ||
      !hd_profile_clock_read(header.clock_kind, &reader->present))
    reader->present.ticks = 0;
}

static bool open_copy(struct hd_reader *reader, int file, bool present, bool with_trace, struct hd_model **model) {
  bool done = false;
  bool again = true;
  char *last = NULL;
  size_t last_size = 0;
  for (int try = 0; !done && again && try < LIVE_TRIES; try++) {
    char *bytes = NULL;
    if (present)
      note_present(reader, file);
    if (!read_file(reader, file, with_trace, &bytes)) {
      free(bytes);
      break;
    }
    again = reader->size >= sizeof(struct hd_file_header) && may_change((const void *)bytes);
    if (again)
      hd_profile_settle_copy(file, bytes, reader->size);
    const bool whole = !again || (last && last_size == reader->size && memcmp(last, bytes, last_size) == 0);
    free(last);
    last = bytes;
    last_size = reader->size;
    if (whole || try >= EQUAL_TRIES) {
      const struct hd_row_source source = {.memory = bytes, .memory_bytes = last_size, .bytes = bytes};
      last = NULL;
      done = parse(reader, source, model);
    }
  }
  free(last);
  return done;
}

static bool fail_to_open(struct hd_reader *reader, int reason) {
  const char *cure = reason == ENOENT   ? "; 'heddle run -- PROGRAM' writes profiles and names them"
                     : reason == EACCES ? "; only the user who ran the program may read its profile"
                                        : "";
  return hd_reader_fail(reader, "%s%s", strerror(reason), cure);
}

bool hd_profile_open(const char *path, struct hd_model **model, char *error, size_t error_bytes) {
  struct hd_reader reader = {.path = path, .error = error, .error_bytes = error_bytes};
  *model = NULL;
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file < 0)
    return fail_to_open(&reader, errno);
  void *mapped = map(&reader, file);
  const struct hd_row_source source = {.memory = mapped, .memory_bytes = reader.size, .mapped = true, .bytes = mapped};
  const bool done = mapped ? parse(&reader, source, model) : open_copy(&reader, file, false, true, model);
  close(file);
  return done;
}

bool hd_profile_read(const char *path, int file, bool present, struct hd_model **model, char *error,
                     size_t error_bytes) {
  struct hd_reader reader = {.path = path, .error = error, .error_bytes = error_bytes};
  *model = NULL;
  return open_copy(&reader, file, present, false, model);
}

bool hd_profile_read_again(const struct hd_model *from, struct hd_model **model, char *error, size_t error_bytes) {
  const struct hd_row_source source = {.bytes = from->source->memory};
  struct hd_reader reader = {
      .path = from->path, .size = from->source->memory_bytes, .error = error, .error_bytes = error_bytes};
  if (!from->ended)
    reader.present = from->header.clock_last;
  *model = NULL;
  return parse(&reader, source, model);
}
