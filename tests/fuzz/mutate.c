/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "mutate.h"

#include <string.h>

#include "heddle-format.h"
#include "layout.h"

enum { ELEMENTS_MOST = 40, CHANGES_MOST = 5 };

struct file {
  uint8_t *bytes;
  size_t size;
  size_t limit;
  uint64_t seed;
};

/* Marsaglia's xorshift. */
static uint64_t next(struct file *file) {
  file->seed ^= file->seed << 13;
  file->seed ^= file->seed >> 7;
  file->seed ^= file->seed << 17;
  return file->seed;
}

static uint64_t below(struct file *file, uint64_t count) {
  return count > 0 ? (next(file) >> 11) % count : 0;
}

void fz_unseal(uint8_t *bytes) {
  const uint32_t none = 0;
  memcpy(bytes + offsetof(struct hd_file_header, seal), &none, sizeof none);
}

/* ---- fields ---- */

uint64_t fz_get(const uint8_t *bytes, size_t offset, uint32_t field_bytes) {
  uint64_t value = 0;
  memcpy(&value, bytes + offset, field_bytes);
  return value;
}

void fz_set(uint8_t *bytes, size_t offset, uint32_t field_bytes, uint64_t value) {
  memcpy(bytes + offset, &value, field_bytes);
}

uint64_t fz_special(uint32_t which, uint64_t value, uint32_t bytes) {
  const uint64_t most = bytes == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * bytes) - 1;
  const uint64_t values[FZ_SPECIAL_COUNT] = {
      0, 1, most, value + 1, value - 1, most / 2, most / 2 + 1, most - 1, most >> (bytes * 4), value * 2};
  return values[which] & most;
}

static void change_field(struct file *file, const struct fz_layout *layout) {
  if (layout->field_count == 0)
    return;
  const struct fz_field field = layout->fields[below(file, layout->field_count)];
  const struct fz_field other = layout->fields[below(file, layout->field_count)];
  const uint64_t value = fz_get(file->bytes, field.offset, field.bytes);
  switch (below(file, 6)) {
  case 0: /* references, times and states are like others' */
    fz_set(file->bytes, field.offset, field.bytes, fz_get(file->bytes, other.offset, other.bytes));
    break;
  case 1: /* offsets in the file */
    fz_set(file->bytes, field.offset, field.bytes, other.offset);
    break;
  case 2:
    fz_set(file->bytes, field.offset, field.bytes, value ^ UINT64_C(1) << below(file, 8 * field.bytes));
    break;
  case 3:
    fz_set(file->bytes, field.offset, field.bytes, below(file, 64));
    break;
  default:
    fz_set(file->bytes, field.offset, field.bytes,
           fz_special((uint32_t)below(file, FZ_SPECIAL_COUNT), value, field.bytes));
  }
}

static void change_byte(struct file *file) {
  if (file->size > 0)
    file->bytes[below(file, file->size)] = (uint8_t)next(file);
}

/* ---- blocks ---- */

static size_t block_bytes(const struct fz_layout *layout, size_t block) {
  return layout->blocks[block + 1] - layout->blocks[block];
}

static void count_blocks(struct file *file) {
  struct hd_file_header *header = (void *)file->bytes;
  header->block_count = (uint32_t)((file->size - HD_HEADER_BYTES) / HD_BLOCK_BYTES);
}

static void append(struct file *file, const uint8_t *from, size_t bytes) {
  if (bytes > file->limit - file->size)
    return;
  memmove(file->bytes + file->size, from, bytes);
  file->size += bytes;
  count_blocks(file);
}

static void remove_block(struct file *file, const struct fz_layout *layout, size_t block) {
  const size_t end = layout->blocks[block + 1];
  memmove(file->bytes + layout->blocks[block], file->bytes + end, file->size - end);
  file->size -= block_bytes(layout, block);
  count_blocks(file);
}

/* To the end: records come in another order, those that refer to others before these. */
static void move_block(struct file *file, const struct fz_layout *layout, size_t block) {
  const size_t before = file->size;
  append(file, file->bytes + layout->blocks[block], block_bytes(layout, block));
  if (file->size > before)
    remove_block(file, layout, block);
}

static void change_blocks(struct file *file, const struct fz_layout *layout) {
  if (layout->block_count == 0)
    return;
  const size_t block = below(file, layout->block_count);
  struct hd_block_header *header = (void *)(file->bytes + layout->blocks[block]);
  switch (below(file, 6)) {
  case 0:
    append(file, file->bytes + layout->blocks[block], block_bytes(layout, block));
    break;
  case 1:
    remove_block(file, layout, block);
    break;
  case 2:
    move_block(file, layout, block);
    break;
  case 3:
    header->type = (uint16_t)(1 + below(file, HD_BLOCK_TYPE_LAST));
    break;
  case 4:
    header->count = (uint32_t)below(file, 2 * (uint64_t)header->count + 2);
    break;
  default:
    header->span = (uint32_t)(1 + below(file, 5));
  }
}

/* ---- all ---- */

size_t fz_mutate(uint8_t *bytes, size_t size, size_t limit, uint64_t seed) {
  struct file file = {bytes, size, limit, seed * 0x9E3779B97F4A7C15u | 1};
  next(&file);
  for (uint64_t changes = 1 + below(&file, CHANGES_MOST); changes > 0; changes--) {
    struct fz_layout layout;
    const uint64_t what = below(&file, 20);
    if (fz_layout_make(&layout, file.bytes, file.size, ELEMENTS_MOST)) {
      if (what < 15)
        change_field(&file, &layout);
      else if (what < 19)
        change_blocks(&file, &layout);
      else
        change_byte(&file);
    }
    fz_layout_free(&layout);
  }
  return file.size;
}

size_t fz_cross(uint8_t *bytes, size_t size, size_t limit, const uint8_t *other, size_t other_size, uint64_t seed) {
  struct file file = {bytes, size, limit, seed * 0x9E3779B97F4A7C15u | 1};
  struct fz_layout layout;
  if (size >= HD_HEADER_BYTES && fz_layout_make(&layout, other, other_size, 0) && layout.block_count > 0) {
    const size_t block = below(&file, layout.block_count);
    append(&file, other + layout.blocks[block], block_bytes(&layout, block));
  }
  if (size >= HD_HEADER_BYTES)
    fz_layout_free(&layout);
  return file.size;
}
