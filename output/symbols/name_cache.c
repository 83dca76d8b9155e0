/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/symbols/name_cache.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/model/memory.h"
#include "output/reader/open.h"
#include "output/symbols/resolve_names.h"
#include "store/seal.h"

enum { COPY_BYTES = 64 * 1024, MOST_STORED_BYTES = 256 << 20 };

static size_t put_name(const struct hd_node *node, char *to) {
  char line[16];
  const char *function = node->name.function ? node->name.function : "";
  const char *file = node->name.file ? node->name.file : "";
  snprintf(line, sizeof line, "%u", node->name.line);
  struct hd_text_record record = {.kind = HD_TEXT_NAME, .id = node->id};
  record.bytes = (uint32_t)(strlen(function) + strlen(file) + strlen(line) + 3);
  const size_t padded = (record.bytes + (size_t)7) & ~(size_t)7;
  if (to) {
    memcpy(to, &record, sizeof record);
    to += sizeof record;
    to = stpcpy(to, function) + 1;
    to = stpcpy(to, file) + 1;
    stpcpy(to, line);
  }
  return sizeof record + padded;
}

/* One block with all fresh names, NULL when there are none or no memory. The caller frees. */
static char *make_block(const struct hd_model *model, size_t *bytes, uint32_t *span) {
  size_t used = 0;
  for (uint32_t i = 1; i < model->node_count; i++)
    used += model->nodes[i].name_fresh ? put_name(&model->nodes[i], NULL) : 0;
  const size_t units = (used + HD_BLOCK_HEADER_BYTES + HD_BLOCK_BYTES - 1) / HD_BLOCK_BYTES;
  if (used == 0 || used > UINT32_MAX)
    return NULL;
  char *block = calloc(units, HD_BLOCK_BYTES);
  if (!block)
    return NULL;
  struct hd_block_header header = {.magic = HD_BLOCK_MAGIC, .type = HD_BLOCK_TEXT, .owner = HD_NONE};
  header.span = (uint32_t)units;
  header.count = (uint32_t)used;
  memcpy(block, &header, sizeof header);
  char *at = block + HD_BLOCK_HEADER_BYTES;
  for (uint32_t i = 1; i < model->node_count; i++)
    at += model->nodes[i].name_fresh ? put_name(&model->nodes[i], at) : 0;
  hd_seal_block((void *)block);
  *bytes = units * HD_BLOCK_BYTES;
  *span = header.span;
  return block;
}

static bool write_all(int file, const char *bytes, size_t count) {
  while (count > 0) {
    const ssize_t written = write(file, bytes, count);
    if (written <= 0)
      return false;
    bytes += written;
    count -= (size_t)written;
  }
  return true;
}

static bool copy_bytes(int from, int to, size_t count) {
  char buffer[COPY_BYTES];
  while (count > 0) {
    const ssize_t got = read(from, buffer, count < sizeof buffer ? count : sizeof buffer);
    if (got <= 0 || !write_all(to, buffer, (size_t)got))
      return false;
    count -= (size_t)got;
  }
  return true;
}

/* A large file takes longer to copy than names take to find. */
static bool is_small(const struct hd_file_header *header) {
  return header->block_count <= MOST_STORED_BYTES / HD_BLOCK_BYTES;
}

/* The file must be the one that was read, and closed. */
static bool is_unchanged(const struct hd_model *model, const struct hd_file_header *header) {
  const struct hd_file_header *known = &model->header;
  return memcmp(header->magic, known->magic, sizeof header->magic) == 0 && header->block_count == known->block_count &&
         header->pid == known->pid && header->begin_epoch_ns == known->begin_epoch_ns &&
         header->flags == known->flags && header->end_ticks == known->end_ticks && header->seal == known->seal;
}

static bool write_copy(const struct hd_model *model, int from, int to) {
  union {
    struct hd_file_header header;
    char page[HD_HEADER_BYTES];
  } first;
  size_t block_bytes = 0;
  uint32_t span = 0;
  if (pread(from, &first, sizeof first, 0) != (ssize_t)sizeof first || !is_unchanged(model, &first.header))
    return false;
  const size_t old_bytes = HD_HEADER_BYTES + (size_t)first.header.block_count * HD_BLOCK_BYTES;
  char *block = make_block(model, &block_bytes, &span);
  if (!block)
    return false;
  first.header.block_count += span;
  if (first.header.seal)
    hd_seal_header(&first);
  const bool done = copy_bytes(from, to, old_bytes) && write_all(to, block, block_bytes) &&
                    pwrite(to, &first, sizeof first, 0) == (ssize_t)sizeof first && fdatasync(to) == 0;
  free(block);
  return done;
}

/* The copy belongs to the same owner with the same mode, as far as this user may give it away. */
static bool make_alike(int from, int to) {
  struct stat status;
  if (fstat(from, &status) != 0)
    return false;
  if (fchown(to, status.st_uid, status.st_gid) != 0 && fchown(to, (uid_t)-1, status.st_gid) != 0 &&
      status.st_uid != geteuid())
    return false;
  return fchmod(to, status.st_mode & 07777) == 0;
}

static bool replace(const struct hd_model *model, int from, const char *path) {
  char temporary[PATH_MAX];
  const char *slash = strrchr(path, '/');
  const int length = snprintf(temporary, sizeof temporary, "%.*s/.heddle-XXXXXX", (int)(slash - path), path);
  if (length < 0 || (size_t)length >= sizeof temporary)
    return false;
  const int to = mkostemp(temporary, O_CLOEXEC);
  if (to < 0)
    return false;
  bool done = write_copy(model, from, to) && make_alike(from, to);
  done = close(to) == 0 && done && rename(temporary, path) == 0;
  if (!done)
    unlink(temporary);
  return done;
}

bool hd_names_store(const struct hd_model *model) {
  if (hd_model_life(model) != HD_LIFE_OVER || !is_small(&model->header))
    return false;
  char *path = realpath(model->path, NULL); /* a link stays a link */
  const int from = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  const bool done = from >= 0 && replace(model, from, path);
  if (from >= 0)
    close(from);
  free(path);
  return done;
}

bool hd_names_cache(const char *path) {
  struct hd_model *model = NULL;
  char error[64];
  if (!hd_profile_open(path, &model, error, sizeof error))
    return false;
  const bool done = hd_names_resolve(model) > 0 && hd_names_store(model);
  hd_model_free(model);
  return done;
}
