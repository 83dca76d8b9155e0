/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/symbols/ranges.h"

#include <stdlib.h>

#include "support/command/memory.h"

void hd_ranges_add(struct hd_ranges *ranges, uint64_t low, uint64_t high, uint64_t what) {
  if ((ranges->count & (ranges->count + 1)) == 0) /* full: room is for one less than a power of two */
    ranges->items = hd_grow(ranges->items, 2 * ranges->count + 1, sizeof *ranges->items);
  ranges->items[ranges->count++] = (struct hd_range){low, high, 0, what};
}

static int compare(const void *a, const void *b) {
  const struct hd_range *left = a, *right = b;
  if (left->low != right->low)
    return left->low < right->low ? -1 : 1;
  if (left->high != right->high)
    return left->high > right->high ? -1 : 1;
  return (left->what > right->what) - (left->what < right->what);
}

void hd_ranges_sort(struct hd_ranges *ranges) {
  uint64_t reach = 0;
  if (ranges->count > 0)
    qsort(ranges->items, ranges->count, sizeof *ranges->items, compare);
  for (size_t i = 0; i < ranges->count; i++) {
    reach = ranges->items[i].high > reach ? ranges->items[i].high : reach;
    ranges->items[i].reach = reach;
  }
}

const struct hd_range *hd_ranges_find(const struct hd_ranges *ranges, uint64_t address) {
  size_t low = 0, high = ranges->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (ranges->items[middle].low <= address)
      low = middle + 1;
    else
      high = middle;
  }
  for (; low > 0 && ranges->items[low - 1].reach > address; low--)
    if (ranges->items[low - 1].high > address)
      return &ranges->items[low - 1];
  return NULL;
}
