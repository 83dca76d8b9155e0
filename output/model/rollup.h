/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file rollup.h
 * From exclusive to inclusive numbers: sums over the tree of callpaths.
 */
#ifndef HEDDLE_OUTPUT_MODEL_ROLLUP_H
#define HEDDLE_OUTPUT_MODEL_ROLLUP_H

#include "output/model/model.h"

/** Sets how many levels each node will have with the nodes below it, without making room for them. Returns the bytes
 *  that all of them will take. */
uint64_t hd_model_widen_levels(struct hd_model *model);

/** Makes the nodes' wall shares and inclusive ticks, again after exclusive ones have changed; counts of events are
 *  hd_model_sum_counts()'s. No gain exceeds the program's. */
void hd_model_roll_up(struct hd_model *model);

#endif
