/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file memory.h
 * Memory of a command that can do nothing without it. When there is none it says so, and the command ends. Not where
 * something has to be put in order first, as in cli/run once it has made its private directory.
 */
#ifndef HEDDLE_SUPPORT_COMMAND_MEMORY_H
#define HEDDLE_SUPPORT_COMMAND_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/** `count` items, all zero. */
void *hd_new(size_t count, size_t item_bytes);

/** realloc(3) to `count` items. */
void *hd_grow(void *items, size_t count, size_t item_bytes);

/** Room for one item more than `count`, of a list that only ever grew by this: there is room for a power of two. */
void *hd_grow_by_one(void *items, size_t count, size_t item_bytes);

/** The status with which the command then ends, if not 1. */
extern int hd_no_memory_status;

/** Says so, and ends. */
_Noreturn void hd_no_memory(void);

/** For what fails only for lack of memory. */
static inline void hd_need(bool done) {
  if (!done)
    hd_no_memory();
}

/** Closes what open_memstream gave, NULL included: what was written is there. */
void hd_written(FILE *stream);

/** A text in printf's words. */
char *hd_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
