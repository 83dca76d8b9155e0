/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file ranges.h
 * Stretches of addresses, each with a number that says what it belongs to, found by an address in them. They may
 * overlap. All zero to begin with; added to, sorted, then asked.
 */
#ifndef HEDDLE_OUTPUT_SYMBOLS_RANGES_H
#define HEDDLE_OUTPUT_SYMBOLS_RANGES_H

#include <stddef.h>
#include <stdint.h>

struct hd_range {
  uint64_t low, high; /* without `high` */
  uint64_t reach;     /* the largest `high` of all up to this one */
  uint64_t what;
};

struct hd_ranges {
  struct hd_range *items; /* free() */
  size_t count;
};

void hd_ranges_add(struct hd_ranges *ranges, uint64_t low, uint64_t high, uint64_t what);

/** By `low`, the longer before the shorter, and then by `what`. */
void hd_ranges_sort(struct hd_ranges *ranges);

/** Of those with `address` the last; NULL: none. Takes the logarithm of their number when few overlap. */
const struct hd_range *hd_ranges_find(const struct hd_ranges *ranges, uint64_t address);

#endif
