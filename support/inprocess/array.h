/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file array.h
 * Arrays that grow, in the library's own heap (heap.h).
 */
#ifndef HEDDLE_SUPPORT_INPROCESS_ARRAY_H
#define HEDDLE_SUPPORT_INPROCESS_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** `array`: where the pointer to the items is, of which there are `*limit`, of `bytes` each. Makes it `needed` at
 * least, and doubles their number; new items are zero. False: no memory, and all stays as it is. */
bool hd_array_grow(void *array, uint32_t *limit, uint32_t needed, size_t bytes);

#endif
