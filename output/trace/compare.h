/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file compare.h
 * The trace against the profile of the same run: what each thread did in each callpath, state by state. They are equal
 * to the tick, unless one of them is wrong.
 */
#ifndef HEDDLE_OUTPUT_TRACE_COMPARE_H
#define HEDDLE_OUTPUT_TRACE_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "output/model/model.h"

struct hd_trace_difference {
  uint32_t thread, node, state;
  uint64_t profile_ticks, trace_ticks;
};
typedef void hd_trace_teller(void *context, const struct hd_trace_difference *difference);

/** Calls `tell` for each difference. The model has been resolved by nobody, and its trace is whole. False: the trace is
 *  damaged, as `error` says. */
bool hd_trace_compare(const struct hd_model *model, hd_trace_teller *tell, void *context, char *error,
                      size_t error_bytes);

#endif
