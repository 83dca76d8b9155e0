/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/inprocess/array.h"

#include <string.h>

#include "support/inprocess/heap.h"

enum { FIRST = 16 };

bool hd_array_grow(void *array, uint32_t *limit, uint32_t needed, size_t bytes) {
  char *items;
  if (needed <= *limit)
    return true;
  uint32_t wanted = *limit ? *limit : FIRST;
  while (wanted < needed)
    wanted *= 2;
  memcpy(&items, array, sizeof items);
  items = hd_heap_resize(items, wanted * bytes);
  if (!items)
    return false;
  memset(items + *limit * bytes, 0, (wanted - *limit) * bytes);
  memcpy(array, &items, sizeof items);
  *limit = wanted;
  return true;
}
