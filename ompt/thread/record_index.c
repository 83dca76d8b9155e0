/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/thread/record_index.h"

#include <string.h>

#include "support/inprocess/heap.h"

enum { FIRST_SLOTS = 32 };

static struct hd_index_slot *make_slots(uint32_t count) {
  struct hd_index_slot *slots = hd_heap_allocate(count, sizeof *slots);
  if (slots)
    memset(slots, 0, count * sizeof *slots); /* page faults come now, not in the program's time */
  return slots;
}

bool hd_index_init(struct hd_index *index) {
  index->slots = make_slots(FIRST_SLOTS);
  index->mask = FIRST_SLOTS - 1;
  return index->slots;
}

static void put(struct hd_index *index, struct hd_index_slot slot) {
  uint32_t at = hd_index_first(index, slot.key);
  while (index->slots[at].record)
    at = (at + 1) & index->mask;
  index->slots[at] = slot;
}

size_t hd_index_growth_bytes(const struct hd_index *index) {
  return index->count < index->mask / 4 * 3 ? 0 : 2 * ((size_t)index->mask + 1) * sizeof *index->slots;
}

bool hd_index_make_room(struct hd_index *index) {
  if (hd_index_growth_bytes(index) == 0)
    return true;
  struct hd_index grown = {.mask = 2 * index->mask + 1, .count = index->count};
  grown.slots = make_slots(grown.mask + 1);
  if (!grown.slots)
    return index->count < index->mask; /* slower, but there is room */
  for (uint32_t i = 0; i <= index->mask; i++)
    if (index->slots[i].record)
      put(&grown, index->slots[i]);
  hd_heap_free(index->slots);
  *index = grown;
  return true;
}

void hd_index_add(struct hd_index *index, uint64_t key, void *record) {
  put(index, (struct hd_index_slot){key, record});
  index->count++;
}
