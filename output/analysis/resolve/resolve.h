/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file resolve.h
 * Resolves unresolved time: what a thread did while events were refused is taken to be what windows saw it do in
 * regions of the same callpath (hd_watched), without what Heddle's own events took there. Sums stay exact: of each
 * thread and region what is taken from where it was booked goes elsewhere, to the tick.
 *
 * Numbers by level are not resolved; what a run can gain is corrected for it. Intervals of regions and of the program
 * are those of 95 %, from how windows differ, wider by what Heddle's events took in them; where only one window saw a
 * thread, or none did, and of constructs in regions, they are what is possible: all of the unresolved time was busy, or
 * none of it.
 */
#ifndef HEDDLE_OUTPUT_ANALYSIS_RESOLVE_H
#define HEDDLE_OUTPUT_ANALYSIS_RESOLVE_H

#include "output/model/model.h"

/** Makes the model's numbers estimates, where windows saw anything: times by state and visits of nodes, threads and
 *  rows; busy times, concurrency and gains of teams; marks. Once. */
void hd_resolve(struct hd_model *model);

#endif
