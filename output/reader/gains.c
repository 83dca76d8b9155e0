/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file gains.c
 * What of the lost time could be gained, in wall time of the run. Until here a team's gain_ticks is lost time / p,
 * summed over the instances. That is too much where instances run at the same time (regions in the threads of another
 * one): a second in which four of them wait can be saved once, not four times. And it is out of reach where the
 * processors have other work, or where there are fewer than threads.
 */
#include "output/reader/gains.h"

#include <math.h>

#include "output/model/format_names.h"
#include "output/model/levels.h"

/* While k threads are busy, k of the processors are. The others can take over as large a part of that time as they are
 * of all, and then all are busy. */
static double spare_ticks(const struct hd_model *model, const struct hd_levels *levels) {
  const uint32_t processors = model->header.max_threads;
  double sum = 0;
  if (processors == 0) /* not known */
    return (double)hd_levels_up_to(levels, UINT32_MAX);
  for (uint32_t k = 0; k < processors && k < levels->count; k++)
    sum += (double)levels->ticks[k] * (processors - k) / processors;
  return sum;
}

/* The part of the run's elapsed time that a region's instances cover, of their own elapsed times. */
static double covered_share(const struct hd_node *node, uint64_t elapsed_ticks) {
  const bool known = node->running_ticks > 0 && node->running_ticks < elapsed_ticks;
  return known ? (double)node->running_ticks / (double)elapsed_ticks : 1;
}

/* What can be gained of a region's lost time / p. */
static double gain_share(const struct hd_model *model, const struct hd_node *region) {
  const uint64_t elapsed_ticks = hd_levels_up_to(&region->elapsed_at, UINT32_MAX);
  const double share = covered_share(region, elapsed_ticks);
  const double wanted = region->team.gain_ticks;
  double most = model->gain_limit_ticks;
  if (elapsed_ticks > 0)
    most = fmin(most, share * spare_ticks(model, &region->elapsed_at));
  return share * wanted > most ? most / wanted : share;
}

/* A construct's lost time is part of its region's: as much of it can be gained. */
void hd_gains_limit(struct hd_model *model, const bool *in_region) {
  double sum = 0;
  model->gain_limit_ticks = model->levels_known ? spare_ticks(model, &model->time_at) : (double)model->elapsed_ticks;
  for (uint32_t i = 0; i < model->node_count; i++) { /* parents come before their children */
    struct hd_node *node = &model->nodes[i];
    const bool region = hd_kind_is_region(node->kind);
    node->gain_share = i == 0 ? 1 : region ? gain_share(model, node) : model->nodes[node->parent].gain_share;
    node->team.gain_ticks = fmin(node->team.gain_ticks * node->gain_share, model->gain_limit_ticks);
    sum += region && !in_region[i] ? node->team.gain_ticks : 0;
  }
  model->gain_ticks = fmin(sum, model->gain_limit_ticks);
}
