/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file gains.h
 * What of the lost time the run could gain.
 */
#ifndef HEDDLE_OUTPUT_READER_GAINS_H
#define HEDDLE_OUTPUT_READER_GAINS_H

#include "output/model/model.h"

/** From lost time / p, in the nodes' teams, to what the run could gain of it; and the model's own gains. `in_region`,
 * by node: a region lies above it in the tree. */
void hd_gains_limit(struct hd_model *model, const bool *in_region);

#endif
