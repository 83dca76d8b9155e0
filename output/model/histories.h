/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file histories.h
 * Regions in time.
 */
#ifndef HEDDLE_OUTPUT_MODEL_HISTORIES_H
#define HEDDLE_OUTPUT_MODEL_HISTORIES_H

#include <stdint.h>

#include "output/model/model.h"

/** Sorts by node, and adds up what is of the same one. Returns how many remain. */
uint32_t hd_histories_join(struct hd_history *histories, uint32_t count);

/** to += from: of one node, or of several that are shown as one. `to->node` stays. */
void hd_history_add(struct hd_history *to, const struct hd_history *from);

/** NULL: the node has none. */
const struct hd_history *hd_histories_find(const struct hd_model *model, uint32_t node);

/** So many buckets lie in the run; and for how many ticks the one of number `i` did. */
uint32_t hd_history_buckets_in_use(const struct hd_model *model);
double hd_history_bucket_ticks(const struct hd_model *model, uint32_t i);

/** What lies between two times, in ticks since the begin of the histories: in proportion within a bucket. */
struct hd_history_part {
  double elapsed_ticks, busy_ticks;
};
struct hd_history_part hd_history_part_of(const struct hd_model *model, const struct hd_history *history, double from,
                                          double to);

#endif
