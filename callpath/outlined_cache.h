/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file outlined_cache.h
 * Remembers which functions are bodies of OpenMP constructs: outlined.h reads a file to tell.
 */
#ifndef HEDDLE_CALLPATH_OUTLINED_CACHE_H
#define HEDDLE_CALLPATH_OUTLINED_CACHE_H

#include <stdbool.h>

/** hd_outlined_is for the function that a frame is in, by its name alone, asked once. Any thread; takes a lock, may
 *  allocate. */
bool hd_bodies_contain(const void *function);

#endif
