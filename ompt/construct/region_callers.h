/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file region_callers.h
 * The routines between a region or phase and what encloses it on the callpath, from the stack
 * (callpath/stack/stack_cache.h). Of a routine that is found this way nothing is measured but what it opens.
 */
#ifndef HEDDLE_OMPT_CONSTRUCT_REGION_CALLERS_H
#define HEDDLE_OMPT_CONSTRUCT_REGION_CALLERS_H

#include "ompt/thread/thread.h"

/** The parent row of a region or phase that begins now: that of the innermost routine around it; the thread's innermost
 *  row if there is no such routine, or none are looked for. `address`: a return address in that routine. Routines that
 *  are on the callpath already are left out: instrumented ones with all around them, and those around the phase or
 *  region (of the same thread) that encloses this one. `*place`: where the routine lies on the thread's stack, for what
 *  begins inside it; 0: not known. */
struct hd_row_record *hd_callers_row(struct hd_thread *thread, const void *address, uintptr_t *place);

/** The same row, if the thread knows the way to it already and nothing is to be found out; else NULL. */
struct hd_row_record *hd_callers_known_row(struct hd_thread *thread, const void *address);

#endif
