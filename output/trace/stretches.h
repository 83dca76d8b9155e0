/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file stretches.h
 * What a trace has of the run, and its window shows: one stretch of time, unless it has a condition.
 */
#ifndef HEDDLE_OUTPUT_TRACE_STRETCHES_H
#define HEDDLE_OUTPUT_TRACE_STRETCHES_H

#include <stdint.h>

#include "output/model/model.h"

struct hd_trace_stretch {
  uint64_t from_ticks, to_ticks;
};

/** In the order of time. */
struct hd_trace_stretches {
  struct hd_trace_stretch *items;
  uint32_t count;
};

/** Free with hd_trace_stretches_free(). */
struct hd_trace_stretches hd_trace_stretches_find(const struct hd_model *model);
void hd_trace_stretches_free(struct hd_trace_stretches *stretches);

/** Likewise, if hd_trace_blocks_from() is known. */
struct hd_trace_stretches hd_trace_stretches_from(const struct hd_model *model, uint64_t from_ticks);

#endif
