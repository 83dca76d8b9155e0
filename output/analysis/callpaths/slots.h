/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file slots.h
 * A hash table of the numbers of items that lie in an array: the caller compares the items.
 */
#ifndef HEDDLE_OUTPUT_ANALYSIS_SLOTS_H
#define HEDDLE_OUTPUT_ANALYSIS_SLOTS_H

#include <stdint.h>

#include "support/command/memory.h"

struct hd_slots {
  uint32_t *numbers; /* 0: free, else an item's number, or that + 1; owned, free() */
  uint32_t mask;
};

/** Room for so many items. */
static inline struct hd_slots hd_slots_new(uint32_t items) {
  uint32_t slots = 2;
  while (slots / 2 < items && slots < (1u << 31))
    slots *= 2;
  return (struct hd_slots){hd_new(slots, sizeof(uint32_t)), slots - 1};
}

/** Where a number with this hash may be; where it may be if it is not there. At a free slot it is in none. */
static inline uint32_t *hd_slot_first(const struct hd_slots *slots, uint64_t hash) {
  return &slots->numbers[hash & slots->mask];
}
static inline uint32_t *hd_slot_next(const struct hd_slots *slots, const uint32_t *slot) {
  return &slots->numbers[(uint32_t)(slot - slots->numbers + 1) & slots->mask];
}

/** Fibonacci hashing (Knuth 6.4). */
static inline uint64_t hd_slot_hash(uint64_t number) {
  return (number * 0x9e3779b97f4a7c15u) >> 32;
}

#endif
