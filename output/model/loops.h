/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file loops.h
 * The chunks of loops: how long they took, and where among the iterations they lay.
 */
#ifndef HEDDLE_OUTPUT_MODEL_LOOPS_H
#define HEDDLE_OUTPUT_MODEL_LOOPS_H

#include <stdint.h>

#include "output/model/model.h"

/** Sorts by node, and adds up what is of the same one. Returns how many remain. */
uint32_t hd_loops_join(struct hd_model_loop *loops, uint32_t count);

/** to += from: of one node, or of several that are shown as one. `to->node` stays. */
void hd_loop_add(struct hd_model_loop *to, const struct hd_model_loop *from);

/** NULL: no chunks of that node were observed. */
const struct hd_model_loop *hd_loops_find(const struct hd_model *model, uint32_t node);

#endif
