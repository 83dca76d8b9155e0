/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "callpath/stack/known_frames.h"

#include <string.h>

#include "support/inprocess/heap.h"
#include "support/inprocess/memory_budget.h"

enum { FIRST_CAPACITY = 64, MOST_CAPACITY = 4096 };

/* The table is never more than half full. */
static void put(struct hd_known_frames *known, const struct hd_known_frame *frame) {
  uint64_t at = (frame->ip * 0x9E3779B97F4A7C15u) >> 32;
  while (known->places[at & (known->capacity - 1)].ip)
    at++;
  known->places[at & (known->capacity - 1)] = *frame;
  known->count++;
}

static bool grow(struct hd_known_frames *known) {
  struct hd_known_frames grown = {.capacity = known->capacity ? 2 * known->capacity : FIRST_CAPACITY};
  const size_t bytes = grown.capacity * sizeof *grown.places;
  if (grown.capacity > MOST_CAPACITY || !hd_memory_has_room(HD_MEMORY_PATH_ROW, bytes) ||
      !(grown.places = hd_heap_allocate(1, bytes)))
    return false;
  for (uint32_t i = 0; i < known->capacity; i++)
    if (known->places[i].ip)
      put(&grown, &known->places[i]);
  hd_heap_free(known->places);
  *known = grown;
  return true;
}

void hd_known_frames_add(struct hd_known_frames *known, const struct hd_known_frame *frame) {
  if (2 * known->count >= known->capacity && !grow(known))
    hd_known_frames_forget(known);
  if (known->capacity)
    put(known, frame);
}

void hd_known_frames_forget(struct hd_known_frames *known) {
  if (known->count)
    memset(known->places, 0, known->capacity * sizeof *known->places);
  known->count = 0;
}
