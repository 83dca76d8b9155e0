/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file record_index.h
 * What a thread knows of its regions (construct/known_regions.h), by keys that the caller makes. Takes memory by their
 * number. Nothing is ever taken out.
 *
 * Only the owner uses it. A look-up takes a constant time; adding may allocate.
 */
#ifndef HEDDLE_OMPT_THREAD_RECORD_INDEX_H
#define HEDDLE_OMPT_THREAD_RECORD_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_index_slot {
  uint64_t key;
  void *record; /* NULL: empty */
};

/** Zero-initialised. */
struct hd_index {
  struct hd_index_slot *slots;
  uint32_t mask; /* at least one slot is empty */
  uint32_t count;
};

/** Makes room for the first few. False: no memory. */
bool hd_index_init(struct hd_index *index);

static inline uint32_t hd_index_first(const struct hd_index *index, uint64_t key) {
  const uint64_t hash = key * 0x9E3779B97F4A7C15u; /* Fibonacci hashing, Knuth 6.4 */
  return (uint32_t)(hash >> 32) & index->mask;
}

/** NULL: not there. */
static inline void *hd_index_find(const struct hd_index *index, uint64_t key) {
  uint32_t at = hd_index_first(index, key);
  while (index->slots[at].record && index->slots[at].key != key)
    at = (at + 1) & index->mask;
  return index->slots[at].record;
}

/** What it takes to make room for one more, most times 0. */
size_t hd_index_growth_bytes(const struct hd_index *index);

/** Makes room for one more. False: no memory. */
bool hd_index_make_room(struct hd_index *index);

/** There must be room, and no record with this key. */
void hd_index_add(struct hd_index *index, uint64_t key, void *record);

#endif
