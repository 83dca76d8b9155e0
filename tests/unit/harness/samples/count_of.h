/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file count_of.h
 * Single counts and metrics of a model, which reports show only in tables.
 */
#ifndef HEDDLE_COUNT_OF_H
#define HEDDLE_COUNT_OF_H

#include <math.h>
#include <stdlib.h>

#include "output/model/counts.h"

static inline bool count_is_of(const struct hd_model *model, struct hd_count_of of, const struct hd_counts *counts) {
  uint32_t node = counts->node;
  while (of.inclusive && node > of.node) /* parents have smaller ids */
    node = model->nodes[node].parent;
  return node == of.node && (of.thread == HD_NONE || counts->thread == of.thread);
}

/* The caller frees. */
static inline struct hd_count_sum *count_sum_of(const struct hd_model *model, struct hd_count_of of) {
  struct hd_count_sum *sum = hd_count_sums_new(model, 1);
  if (of.node == HD_NONE) {
    hd_count_sum_add(model, sum, &model->counts_total[of.thread == HD_NONE ? model->thread_count : of.thread]);
    return sum;
  }
  const struct hd_node *node = &model->nodes[of.node];
  if (of.inclusive && of.thread == HD_NONE) {
    hd_count_sum_add(model, sum, &model->counts_inclusive[of.node]);
    return sum;
  }
  for (uint32_t i = 0; i < model->counts_count; i++)
    if (count_is_of(model, of, &model->counts[i]))
      hd_count_sum_add_counts(model, sum, &model->counts[i]);
  if (of.thread == HD_NONE)
    hd_count_sum_miss(sum, node->counts_lost);
  sum->incomplete = of.inclusive ? model->counts_inclusive[of.node].incomplete : !hd_node_has_own_counts(node);
  return sum;
}

/* `class` HD_COUNT_CLASSES: all classes. */
static inline struct hd_count count_of(const struct hd_model *model, struct hd_count_of of, uint32_t event,
                                       enum hd_count_class class) {
  if (event >= model->header.event_count)
    return (struct hd_count){.known = false};
  struct hd_count_sum *sum = count_sum_of(model, of);
  const struct hd_count count = hd_count_sum_of(model, sum, event, class);
  free(sum);
  return count;
}

static inline double count_elapsed_of(const struct hd_model *model, struct hd_count_of of) {
  if (of.node == HD_NONE && of.thread != HD_NONE)
    return hd_count_lifetime(model, of.thread);
  if (of.thread != HD_NONE)
    return NAN;
  if (of.node == HD_NONE || of.node == 0)
    return hd_count_elapsed_of_program(model);
  return hd_count_elapsed(&model->nodes[of.node].team);
}

static inline struct hd_count metric_of(const struct hd_model *model, struct hd_count_of of,
                                        const struct hd_group *group, const struct hd_metric *metric) {
  if (model->header.event_count == 0)
    return (struct hd_count){.known = false};
  struct hd_count_sum *sum = count_sum_of(model, of);
  const struct hd_count count = hd_count_sum_metric(model, sum, group, metric, count_elapsed_of(model, of), NULL);
  free(sum);
  return count;
}

#endif
