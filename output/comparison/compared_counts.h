/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file compared_counts.h
 * What the runs of a comparison counted, row by row.
 */
#ifndef HEDDLE_OUTPUT_COMPARISON_COMPARED_COUNTS_H
#define HEDDLE_OUTPUT_COMPARISON_COMPARED_COUNTS_H

#include "output/comparison/comparison.h"
#include "output/model/count_sums.h"

/** What was counted in all runs alike, and sums by row and point. */
struct hd_compared_counts {
  const struct hd_comparison *comparison;
  uint32_t event_count; /* 0: nothing was, or not the same */
  uint32_t *event_of;   /* [run][event]: that run's number of the first run's event */
};
struct hd_compared_counts hd_compared_counts_new(const struct hd_comparison *comparison);
void hd_compared_counts_free(struct hd_compared_counts *counts);

/** The sums of a row at a point, of its median run: one item. NULL: not there. And in them the first run's event. */
struct hd_count_sum *hd_compared_count(const struct hd_compared_counts *counts, uint32_t row, uint32_t point);
struct hd_count hd_compared_count_of(const struct hd_compared_counts *counts, const struct hd_count_sum *sums,
                                     uint32_t row, uint32_t point, uint32_t event);

#endif
