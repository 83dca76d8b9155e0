/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file counts.h
 * All that was counted in a model: sums of callpaths and threads, and what is missing.
 */
#ifndef HEDDLE_OUTPUT_MODEL_COUNTS_H
#define HEDDLE_OUTPUT_MODEL_COUNTS_H

#include "output/model/count_sums.h"

/** Sorts counts by node and thread, adds up those of the same node and thread, and tells each node which are its own.
 */
void hd_model_sort_counts(struct hd_model *model);

/** Makes the nodes' inclusive sums anew and, the first time, the threads' and the program's. */
void hd_model_sum_counts(struct hd_model *model);

/** What the numbers are of. */
struct hd_count_of {
  uint32_t node;   /* HD_NONE: of all */
  uint32_t thread; /* HD_NONE: of all */
  bool inclusive;  /* with the nodes below */
};
#define HD_COUNT_OF_PROGRAM ((struct hd_count_of){HD_NONE, HD_NONE, true})

/** Stores the threads on which the event was not counted though they came there, and returns how many. `threads` has
 *  room for all. */
uint32_t hd_model_uncounted(const struct hd_model *model, struct hd_count_of of, uint32_t event, uint32_t *threads);

/** How often all threads read counters, and about how long that took. NaN: not known. */
uint64_t hd_model_readings(const struct hd_model *model);
double hd_model_reading_seconds(const struct hd_model *model);

/** In how many callpaths a group's metric divides by zero: exclusive or inclusive, it has no value though all counts
 *  that it uses are known. Callpaths where nothing happened do not count. */
uint32_t hd_model_divisions_by_zero(const struct hd_model *model, const struct hd_group *group,
                                    const struct hd_metric *metric);

#endif
