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
 *  the callpath already: only those called by the innermost of them are added. */
struct hd_row_record *hd_callers_row(struct hd_thread *thread, const void *address);

#endif
