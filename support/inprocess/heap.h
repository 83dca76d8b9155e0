/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file heap.h
 * Memory for what runs inside the user's program. Not malloc's: an instrumented signal handler may have interrupted
 * malloc. It comes from mmap alone, in pieces of some fixed sizes, and goes back to lists by size. All of it is counted
 * against the limit (memory_budget.h).
 *
 * Any thread; takes no lock and waits for nobody. For cold paths. errno may change.
 */
#ifndef HEDDLE_SUPPORT_INPROCESS_HEAP_H
#define HEDDLE_SUPPORT_INPROCESS_HEAP_H

#include <stddef.h>

/** Zeroed memory; NULL: none left, or the limit is reached. Aligned to 16 bytes. */
void *hd_heap_allocate(size_t count, size_t bytes);

/** As realloc: what is new is not zeroed. On failure NULL, and `memory` stays. */
void *hd_heap_resize(void *memory, size_t bytes);

/** Likewise, beyond the limit if it must be. */
void *hd_heap_resize_surely(void *memory, size_t bytes);

/** `memory` may be NULL. */
void hd_heap_free(void *memory);

#endif
