/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/thread/row_index.h"

#include <string.h>

#include "support/inprocess/heap.h"

/* Two slots are as long as what the heap puts before them: with them they fill a power of two. A program's threads come
 * to new callpaths together, and the heap does not join what is free. So this grows just after the edges have grown
 * (edges.c), into what these have left: as many slots, each half as long. */
enum { HEAP_SLOTS = 2, FIRST_SLOTS = 32 - HEAP_SLOTS };

static bool is_crowded(const struct hd_row_index *index) {
  return index->count >= index->limit - index->limit / 16;
}

static uint32_t next_limit(const struct hd_row_index *index) {
  return 2 * index->limit + HEAP_SLOTS;
}

static struct hd_row_slot *make_slots(uint32_t count) {
  struct hd_row_slot *slots = hd_heap_allocate(count, sizeof *slots);
  if (slots)
    memset(slots, 0, count * sizeof *slots); /* page faults come now, not in the program's time */
  return slots;
}

bool hd_row_index_init(struct hd_row_index *index) {
  index->slots = make_slots(FIRST_SLOTS);
  index->limit = FIRST_SLOTS;
  return index->slots;
}

static void put(struct hd_row_index *index, struct hd_row_slot slot) {
  uint32_t at = hd_row_index_first(index, slot.key);
  while (index->slots[at].line)
    at = at + 1 < index->limit ? at + 1 : 0;
  index->slots[at] = slot;
}

size_t hd_row_index_growth_bytes(const struct hd_row_index *index) {
  return is_crowded(index) ? (size_t)next_limit(index) * sizeof *index->slots : 0;
}

bool hd_row_index_make_room(struct hd_row_index *index) {
  if (hd_row_index_growth_bytes(index) == 0)
    return true;
  struct hd_row_index grown = {.limit = next_limit(index), .count = index->count};
  grown.slots = make_slots(grown.limit);
  if (!grown.slots)
    return index->count + 1 < index->limit; /* slower, but there is room */
  for (uint32_t i = 0; i < index->limit; i++)
    if (index->slots[i].line)
      put(&grown, index->slots[i]);
  hd_heap_free(index->slots);
  *index = grown;
  return true;
}

void hd_row_index_add(struct hd_row_index *index, uint32_t key, const struct hd_row_record *row) {
  put(index, (struct hd_row_slot){key, hd_row_line(row)});
  index->count++;
}
