/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file interval_parts.h
 * Between the files that make an interval only.
 */
#ifndef HEDDLE_OUTPUT_LIVE_INTERVAL_PARTS_H
#define HEDDLE_OUTPUT_LIVE_INTERVAL_PARTS_H

#include "output/model/model.h"

static inline void hd_take(uint64_t *from, uint64_t ticks) {
  *from = *from > ticks ? *from - ticks : 0;
}

/** These may be below zero. */
static inline void hd_take_signed(int64_t *from, int64_t ticks) {
  *from = (int64_t)((uint64_t)*from - (uint64_t)ticks);
}

void hd_take_levels(struct hd_levels *from, const struct hd_levels *levels);

/** Overlaps, samples, loops, costs, switches, what windows saw; counts are dropped. */
void hd_take_lists(struct hd_model *later, const struct hd_model *earlier);

#endif
