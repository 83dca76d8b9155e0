/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file region_callers.h
 * The routines between a region or phase and what encloses it on the callpath, from the stack
 * (callpath/stack/stack_cache.h). Of a routine that is found this way nothing is measured but what it opens.
 */
#ifndef HEDDLE_OMPT_CONSTRUCT_REGION_CALLERS_H
#define HEDDLE_OMPT_CONSTRUCT_REGION_CALLERS_H

#include "ompt/thread/thread.h"

/** The row below which a region or phase hangs that begins now; `address` is in the routine that holds it, a return
 *  address. It is that of the innermost routine around it; the innermost row of the thread when there is none, or when
 *  none are looked for. Left out are routines that are in the callpath already: instrumented ones with all around them,
 *  and those that enclose the phase or region (of the same thread) around it. `*place` is where the routine that holds
 *  it lies on the thread's stack, for what begins inside it; 0: not known. */
struct hd_row_record *hd_callers_row(struct hd_thread *thread, const void *address, uintptr_t *place);

#endif
