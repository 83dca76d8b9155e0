/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file refused_region.h
 * Outermost regions that are not observed, because regions alone cost several times the budget (budget.h).
 *
 * Such an instance is counted on the thread that begins it (HD_CELL_REFUSED), and that is all that is observed of it:
 * no clock is charged, nothing is logged. What its members are told as parallel_data says so, those of regions inside
 * it too; so every thread in it knows, also if windows open meanwhile, and none of its events is looked at
 * (hd_thread_ignores). Meanwhile the thread stays what it was outside: its initial thread busy, its workers idle; that
 * time is unresolved (HD_CELL_UNRESOLVED_REGIONS).
 *
 * An instance that begins in a window is observed whole. So is one whose callpath the thread has not refused before: it
 * makes the cell that counts.
 *
 * Only the thread itself calls these functions. Each refused begin costs a look at the clock, the look-up of the
 * callpath and an addition; each other event a test.
 */
#ifndef HEDDLE_OMPT_CONSTRUCT_REFUSED_REGION_H
#define HEDDLE_OMPT_CONSTRUCT_REFUSED_REGION_H

#include "ompt/thread/thread.h"

/** parallel_data->value of a refused instance: of no known region (known_regions.h). */
enum { HD_TOLD_REFUSED = 1 };

/** parallel_begin: the instance is refused, and members are to be told HD_TOLD_REFUSED. */
bool hd_refused_begin(enum hd_kind kind, const void *address);

/** After one that was not: where it is counted if another one is refused. Regions are off, but in windows. */
void hd_refused_prepare(struct hd_thread *primary);

/** parallel_end: that of a refused instance. */
bool hd_refused_end(void);

/** An implicit task begins, or ends, that belongs to a refused instance. */
bool hd_refused_enter(uint64_t told);
bool hd_refused_leave(void);

#endif
