/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file trace_views.h
 * A profile's trace (output/trace/walk.h) as text for people and as comma-separated values.
 *
 * All return false if the trace is damaged, after what could be read; stderr says where.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_TRACE_TRACE_VIEWS_H
#define HEDDLE_OUTPUT_VIEWS_TRACE_TRACE_VIEWS_H

#include <stdbool.h>
#include <stdio.h>

#include "output/model/model.h"

/** Which entries. */
struct hd_trace_choice {
  double from_seconds, to_seconds; /* since the program's start; infinite: all */
  uint32_t thread;                 /* HD_NONE: all */
  uint32_t region;                 /* or below it, before or after; HD_NONE: anywhere */
  bool csv;
};

/** What the trace has, and how the instances of each region differ: shortest, median, longest, and when that was. */
bool hd_trace_summary(const struct hd_model *model, FILE *out);

/** A line for each entry. */
bool hd_trace_print(const struct hd_model *model, const struct hd_trace_choice *choice, FILE *out);

/** A line for each change of the number of busy threads. */
bool hd_trace_print_concurrency(const struct hd_model *model, const struct hd_trace_choice *choice, FILE *out);

/** An instance of a region: what each thread of its team did, a line of characters each. */
enum hd_trace_instance {
  HD_TRACE_SLOWEST,
  HD_TRACE_MEDIAN,
  HD_TRACE_FASTEST,
  HD_TRACE_FIRST,
  HD_TRACE_LAST,
  HD_TRACE_NUMBERED /* and more: number 1, in the order of their ends, ... */
};
bool hd_trace_print_instance(const struct hd_model *model, uint32_t region, uint32_t which, FILE *out);

/** When at most so many threads were busy, for at least so long (output/trace/lulls.h): the longest first. */
struct hd_lull_choice {
  uint32_t busy_most;
  double least_seconds;
  uint32_t limit; /* 0: all */
  bool json;
};
bool hd_trace_print_lulls(const struct hd_model *model, const struct hd_lull_choice *choice, FILE *out);

/** Whether it adds up to the profile, to the tick: what it does not is in `differences`. */
bool hd_trace_check(const struct hd_model *model, uint64_t *differences, FILE *out);

#endif
