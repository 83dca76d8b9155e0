/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file heap.h
 * Memory for what runs inside the user's program. Not malloc's: an instrumented signal handler may have interrupted
 * malloc. It comes from mmap alone, in pieces of some fixed sizes, and goes back to one list for each size. All of it
 * counts against the limit (memory_budget.h).
 *
 * Any thread; takes no lock and waits for nobody. For cold paths. errno may change.
 */
#ifndef HEDDLE_SUPPORT_INPROCESS_HEAP_H
#define HEDDLE_SUPPORT_INPROCESS_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "support/inprocess/memory_budget.h"

/** Zeroed memory; NULL: none left, or the limit is reached. Aligned to 16 bytes. */
void *hd_heap_allocate(size_t count, size_t bytes);

/** Likewise; but what must come from the system only while there is room for this use (hd_memory_has_room): small
 * pieces never go back there. */
void *hd_heap_allocate_for(enum hd_memory_use use, size_t count, size_t bytes);

/** As realloc: the new part is not zeroed. On failure NULL, and `memory` stays. `surely`: beyond the limit if need be.
 */
void *hd_heap_resize(void *memory, size_t bytes, bool surely);

/** Makes room for `needed` items, of `bytes` each, in an array of `*limit`; `array` is where the pointer to it lies.
 *  Doubles the number of items as often as it must; new ones are zero. False: no memory, and all stays as it is. */
bool hd_heap_grow(void *array, uint32_t *limit, uint32_t needed, size_t bytes);

/** `memory` may be NULL. */
void hd_heap_free(void *memory);

#endif
