/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file callers.h
 * The routines between a region and what encloses it on the callpath, from the stack (callpath/unwind.h). Of a routine
 * that is found this way nothing is measured but what it opens.
 */
#ifndef HEDDLE_OMPT_CALLERS_H
#define HEDDLE_OMPT_CALLERS_H

#include "ompt/thread.h"

/** The row below which a region hangs that begins at `address` (parallel_begin's): that of the innermost routine around
 *  it; the innermost row of the thread when there is none, or when none are looked for. Instrumented routines are in
 *  the callpath already: only those called by the innermost of them are added. `*place` is where the routine that holds
 *  the region lies on the thread's stack (0: not known), `limit` that of the region it lies in, if the same thread
 * began that one, else 0: routines from there outwards enclose that region already. */
struct hd_row_record *hd_callers_row(struct hd_thread *thread, const void *address, uintptr_t limit, uintptr_t *place);

#endif
