/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file levels.h
 * Time split by the number of threads that were busy.
 */
#ifndef HEDDLE_OUTPUT_MODEL_LEVELS_H
#define HEDDLE_OUTPUT_MODEL_LEVELS_H

#include "output/model/model.h"

/** A stretch of the run: for how long no thread was busy, and exactly one; the busy time of all threads. */
struct hd_run_stretch {
  double none_ticks;
  double sequential_ticks;
  double busy_ticks;
};

/** Ticks at level k. */
static inline uint64_t hd_levels_at(const struct hd_levels *levels, uint32_t k) {
  return k < levels->count ? levels->ticks[k] : 0;
}

/** Ticks at levels 0 to k. */
uint64_t hd_levels_up_to(const struct hd_levels *levels, uint32_t k);

/** Buckets of the timeline that lie in the run; 0: there is no timeline. */
uint32_t hd_timeline_buckets_in_use(const struct hd_model *model);

/** Sum of ticks[k] / k over k > 0 (k <= `most`): the part of the run's elapsed time that thread-time stands for. */
double hd_levels_wall_share(const struct hd_levels *levels, uint32_t most);

/** Whether levels say something else than the times beside them, because these are estimated where much of them was not
 *  observed (hd_resolve), and levels are not: unobserved waits count as busy there. `ticks`, and what of them is
 *  unresolved: of the threads that the levels are about. */
bool hd_levels_mislead(const struct hd_model *model, const uint64_t ticks[HD_STATE_COUNT], uint64_t unresolved_ticks);

/** Fills `stretch` with the time from `from` to `to`, in ticks since the program's start. Exact at the bounds of the
 *  timeline's buckets, in proportion within one. False: not known. */
bool hd_model_stretch(const struct hd_model *model, double from, double to, struct hd_run_stretch *stretch);

#endif
