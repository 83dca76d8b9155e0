/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file pristine.h
 * The library's own variables as they were before it began to measure, for a forked child that begins anew: the child's
 * describe the parent's measurement, and threads that the child does not have may hold its locks.
 */
#ifndef HEDDLE_SUPPORT_INPROCESS_PRISTINE_H
#define HEDDLE_SUPPORT_INPROCESS_PRISTINE_H

#include <stdbool.h>

/** Remembers the present values; later calls do nothing. Maps some KiB. False: no memory. */
bool hd_pristine_keep(void);

/** Gives all variables but the lasting ones (lasting.h) and the thread-local ones the values that they had then. Only
 * one thread may use the library meanwhile. Memory that they point to is forgotten, not freed. False: nothing was kept,
 * and nothing is done. */
bool hd_pristine_restore(void);

#endif
