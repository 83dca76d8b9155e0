/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file callpath_truncate.h
 * Shortens the callpaths of a model that is in memory: as if HEDDLE_CALLPATH_DEPTH had been given to the run.
 */
#ifndef HEDDLE_OUTPUT_ANALYSIS_CALLPATH_TRUNCATE_H
#define HEDDLE_OUTPUT_ANALYSIS_CALLPATH_TRUNCATE_H

#include "output/model/model.h"

/** What hd_node.active_ticks and hd_overlap.ticks hold where folding cannot tell: sums of pairs are not enough. */
#define HD_TICKS_UNKNOWN UINT64_MAX

/**
 * Makes every callpath its last `depth` sites. Visits, rows, times, levels, entries and totals of the callpaths that
 * become one are added up, so that all identities stay exact. The time during which a joined callpath was active, and
 * its overlaps with others, are kept where they follow from those of its parts, else they are HD_TICKS_UNKNOWN. What
 * the program as a whole has (elapsed time, gain, levels, timeline) does not change.
 *
 * A path that was cut already (by the run, or by folding) cannot get longer: then nothing happens.
 *
 * Recursion: a recursive call's time lies with the profile that it leads back to. That is what a run with this depth
 * collects as long as the run's cycle limit is not below `depth`; its visits are exact always.
 *
 * Callpaths out of focus (callpath_filter.h) are left out.
 */
void hd_callpath_truncate(struct hd_model *model, uint32_t depth);

#endif
