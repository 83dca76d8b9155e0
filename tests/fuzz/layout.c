/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "layout.h"

#include <stdlib.h>
#include <string.h>

#include "heddle-format.h"

/* Widths of the fields: "2*4" is two of four bytes. After the bar: an element of the array that fills the rest. */
static const char *const shapes[HD_BLOCK_TYPE_LAST + 1] = {
    [HD_BLOCK_PROFILES] = "2*4 2*2 3*4 2*8 4*4 8",
    [HD_BLOCK_ROWS] = "4 3*1 1 7*8",
    [HD_BLOCK_THREADS] = "2*4 17*8 4*4 4*8",
    [HD_BLOCK_TOTALS] = "4*4 8*8",
    [HD_BLOCK_TEAMS] = "8*4 8*8 2*4 3*8 4*4 4*8 4*4 4*8 4*4 4*8 4*4 4*8 4*4 4*8",
    [HD_BLOCK_MODULES] = "2*4 32*1 8 2*4|1",
    [HD_BLOCK_TEXT] = "2*2 3*4|1",
    [HD_BLOCK_RING] = "2*8 4*4 2*8 4*4 2*8 4*4 4*8|8 2*4",
    [HD_BLOCK_TALLIES] = "4*4 6*8",
    [HD_BLOCK_LEVELS] = "2*4 7*8",
    [HD_BLOCK_OVERLAPS] = "2*4 8",
    [HD_BLOCK_TIMELINE] = "3*8 2*4 4*8|3*8",
    [HD_BLOCK_ENTRIES] = "2*4 8*8 2*4",
    [HD_BLOCK_STACK] = "2*4|8 4 4*1",
    [HD_BLOCK_EVENTS] = "8*1 20*8 2*4 10*8",
    [HD_BLOCK_COUNTS] = "2*4 3*8|8",
    [HD_BLOCK_COSTS] = "2*4|3*8 2*4",
    [HD_BLOCK_SWITCHES] = "4*4 4*8",
    [HD_BLOCK_JOURNAL] = "2*8|2*8",
    [HD_BLOCK_DELAYS] = "2*4 3*8",
    [HD_BLOCK_MEMBERSHIPS] = "2*4 2*8",
    [HD_BLOCK_SAMPLES] = "8 2*1 2 4 2*8", /* `place` in parts */
    [HD_BLOCK_CHUNKS] = "2*4 5*8 160*8",
    [HD_BLOCK_PATHS] = "2*4 6*8",
    [HD_BLOCK_WATCHED] = "4*4 34*8",
    [HD_BLOCK_PATH_STEPS] = "2*4 3*8",
    [HD_BLOCK_TASKS] = "2*4 68*8",
    [HD_BLOCK_LOCKS] = "2*4 8*8",
    [HD_BLOCK_LOCK_PAIRS] = "2*4 2*8",
    [HD_BLOCK_HISTORIES] = "2*4 5*8|2*8",
    [HD_BLOCK_TRACE] = "8 4*4|1",
    [HD_BLOCK_TRACE_STRETCHES] = "2*8",
};
static const char file_shape[] =
    "8*1 4*4 8*2 10*4 4*8 20*8 4*4 8 8*1 55*8 8 2*4 6*8 70*4 7*8 2*4 8 2*4 5*8 2*8 4*4 64*8";
static const char block_shape[] = "4 2*2 4*4";

/* ---- shapes ---- */

/* Adds the fields of a shape up to the bar or its end; returns their bytes. `layout` NULL: only counts. */
static size_t add_shape(struct fz_layout *layout, const char *shape, size_t offset) {
  size_t at = 0;
  while (*shape && *shape != '|') {
    char *end;
    unsigned long count = 1, bytes = strtoul(shape, &end, 10);
    if (*end == '*') {
      count = bytes;
      bytes = strtoul(end + 1, &end, 10);
    }
    for (; count > 0; count--, at += bytes)
      if (layout)
        layout->fields[layout->field_count++] = (struct fz_field){offset + at, (uint32_t)bytes};
    shape = end + strspn(end, " ");
  }
  return at;
}

static const char *element_of(uint32_t type) {
  const char *bar = type <= HD_BLOCK_TYPE_LAST && shapes[type] ? strchr(shapes[type], '|') : NULL;
  return bar ? bar + 1 : "";
}

uint32_t fz_head_bytes(uint32_t type) {
  return type <= HD_BLOCK_TYPE_LAST && shapes[type] ? (uint32_t)add_shape(NULL, shapes[type], 0) : 0;
}

uint32_t fz_element_bytes(uint32_t type) {
  return (uint32_t)add_shape(NULL, element_of(type), 0);
}

/* ---- records ---- */

struct walk {
  struct fz_layout *layout;
  const uint8_t *bytes;
  size_t end; /* of the block */
  uint32_t elements_most;
};

/* A record of so many bytes, as far as it lies in the block. */
static void add_record(struct walk *walk, uint32_t type, size_t offset, size_t bytes) {
  const size_t element = fz_element_bytes(type);
  const size_t end = bytes < walk->end - offset ? offset + bytes : walk->end;
  size_t at = offset + fz_head_bytes(type);
  if (at > end)
    return;
  add_shape(walk->layout, shapes[type], offset);
  for (uint32_t i = 0; element > 0 && i < walk->elements_most && at + element <= end; i++, at += element)
    add_shape(walk->layout, element_of(type), at);
}

static size_t text_bytes(const struct walk *walk, size_t offset) {
  struct hd_text_record record;
  if (walk->end - offset < sizeof record)
    return sizeof record;
  memcpy(&record, walk->bytes + offset, sizeof record);
  return sizeof record + (((size_t)record.bytes + 7) & ~(size_t)7);
}

static size_t record_bytes(const struct walk *walk, uint32_t type, size_t offset) {
  const struct hd_file_header *file = (const void *)walk->bytes;
  switch (type) {
  case HD_BLOCK_TEXT:
    return text_bytes(walk, offset);
  case HD_BLOCK_MODULES:
    return sizeof(struct hd_module_record);
  case HD_BLOCK_COSTS:
    return sizeof(struct hd_costs_record);
  case HD_BLOCK_COUNTS:
    return file->counts_record_bytes > sizeof(struct hd_counts_record) ? file->counts_record_bytes
                                                                       : sizeof(struct hd_counts_record);
  default: /* those with an array are alone in their block */
    return fz_element_bytes(type) > 0 ? walk->end - offset : fz_head_bytes(type);
  }
}

static void add_block(struct walk *walk, size_t offset) {
  const struct hd_block_header *block = (const void *)(walk->bytes + offset);
  size_t at = offset + HD_BLOCK_HEADER_BYTES;
  size_t end = walk->end;
  add_shape(walk->layout, block_shape, offset);
  if (block->type > HD_BLOCK_TYPE_LAST || !shapes[block->type])
    return;
  if (block->type == HD_BLOCK_TEXT && block->count < end - at)
    end = at + block->count;
  for (uint32_t i = 0; i < walk->elements_most && (i < block->count || block->type == HD_BLOCK_TEXT) && at < end; i++) {
    const size_t bytes = record_bytes(walk, block->type, at);
    add_record(walk, block->type, at, bytes);
    at += bytes;
  }
}

/* ---- the file ---- */

bool fz_layout_make(struct fz_layout *layout, const uint8_t *bytes, size_t size, uint32_t elements_most) {
  *layout = (struct fz_layout){0};
  layout->fields = malloc((size + 1) * sizeof *layout->fields);
  layout->blocks = malloc((size / HD_BLOCK_BYTES + 2) * sizeof *layout->blocks);
  if (!layout->fields || !layout->blocks)
    return false;
  if (size < HD_HEADER_BYTES)
    return true;
  add_shape(layout, file_shape, 0);
  size_t at = HD_HEADER_BYTES;
  while (size - at >= HD_BLOCK_BYTES) {
    const struct hd_block_header *block = (const void *)(bytes + at);
    const size_t units = (size - at) / HD_BLOCK_BYTES;
    const size_t span = block->span == 0 ? 1 : block->span < units ? block->span : units;
    struct walk walk = {layout, bytes, at + span * HD_BLOCK_BYTES, elements_most};
    layout->blocks[layout->block_count++] = at;
    add_block(&walk, at);
    at = walk.end;
  }
  layout->blocks[layout->block_count] = at;
  return true;
}

void fz_layout_free(struct fz_layout *layout) {
  free(layout->fields);
  free(layout->blocks);
}
