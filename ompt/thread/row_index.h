/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file row_index.h
 * A thread's own rows by profile. Takes memory by the number of rows, however many profiles there are. Nothing is ever
 * taken out.
 *
 * Rows are named by the line of the profile's file that they fill: half as long as a pointer.
 *
 * Only the owner uses it. A look-up takes a constant time; adding may allocate.
 */
#ifndef HEDDLE_OMPT_THREAD_ROW_INDEX_H
#define HEDDLE_OMPT_THREAD_ROW_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heddle-format.h"
#include "ompt/shared/measuring.h"

enum { HD_LINE_SHIFT = 6 };
_Static_assert(sizeof(struct hd_row_record) == 1 << HD_LINE_SHIFT, "a row is a line");

static inline uint32_t hd_row_line(const struct hd_row_record *row) {
  return (uint32_t)(hd_store_offset(&hd_store, row) >> HD_LINE_SHIFT);
}

static inline struct hd_row_record *hd_row_at(uint32_t line) {
  return (struct hd_row_record *)(void *)(hd_store.base + ((uint64_t)line << HD_LINE_SHIFT));
}

/** Keys: a profile's first row, and those with more of its cells. */
#define HD_INDEX_PART_SHIFT 26u
#define HD_INDEX_ROW(profile, part) ((uint32_t)(profile) | (uint32_t)(part) << HD_INDEX_PART_SHIFT)

struct hd_row_slot {
  uint32_t key;
  uint32_t line; /* 0: empty */
};

/** Zero-initialised. */
struct hd_row_index {
  struct hd_row_slot *slots;
  uint32_t limit; /* at least one slot is empty */
  uint32_t count;
};

/** Makes room for the first few. False: no memory. */
bool hd_row_index_init(struct hd_row_index *index);

/** Fibonacci hashing, Knuth 6.4; the number of slots may be any. */
static inline uint32_t hd_row_index_first(const struct hd_row_index *index, uint32_t key) {
  return (uint32_t)((uint64_t)(key * 0x9E3779B9u) * index->limit >> 32);
}

/** NULL: not there. */
static inline struct hd_row_record *hd_row_index_find(const struct hd_row_index *index, uint32_t key) {
  uint32_t at = hd_row_index_first(index, key);
  while (index->slots[at].line && index->slots[at].key != key)
    at = at + 1 < index->limit ? at + 1 : 0;
  return index->slots[at].line ? hd_row_at(index->slots[at].line) : NULL;
}

/** What it takes to make room for one more, most times 0. */
size_t hd_row_index_growth_bytes(const struct hd_row_index *index);

/** Makes room for one more. False: no memory. */
bool hd_row_index_make_room(struct hd_row_index *index);

/** There must be room, and no row with this key. */
void hd_row_index_add(struct hd_row_index *index, uint32_t key, const struct hd_row_record *row);

#endif
