/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file metric.h
 * The formulas of a group of events, with the group's own numbers as variables.
 */
#ifndef HEDDLE_OUTPUT_METRICS_METRIC_H
#define HEDDLE_OUTPUT_METRICS_METRIC_H

#include "output/metrics/formula.h"
#include "output/metrics/group.h"

/** What an identifier already means in a group's formulas, in words; NULL: it is free for an event. */
const char *hd_metric_meaning(const char *name);

/** Fills the metric's parser, events and uses_elapsed from its formula. */
bool hd_metric_compile(struct hd_group *group, struct hd_metric *metric, struct hd_formula_error *error);

/** A formula's value for its group's values, busy_s and elapsed_s, which the caller has filled. NaN: it divides by
 * zero, or has a problem. */
double hd_metric_value(const struct hd_metric *metric);

#endif
