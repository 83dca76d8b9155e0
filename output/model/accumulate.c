/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/model/accumulate.h"

#include <stdlib.h>
#include <string.h>

#include "output/model/count_sums.h"
#include "output/model/levels.h"
#include "output/model/memory.h"

void hd_add_ticks(uint64_t to[HD_STATE_COUNT], const uint64_t from[HD_STATE_COUNT]) {
  for (int state = 0; state < HD_STATE_COUNT; state++)
    to[state] += from[state];
}

void hd_add_intrusion(struct hd_intrusion *to, const struct hd_intrusion *from) {
  for (int class = 0; class < HD_INTRUSION_CLASSES; class ++)
    to->ticks[class] = hd_add_signed(to->ticks[class], from->ticks[class]);
  to->merged = hd_add_signed(to->merged, from->merged);
}

static uint32_t least_team(uint32_t a, uint32_t b) {
  return a == 0 || (b != 0 && b < a) ? b : a;
}

void hd_add_team(struct hd_team_totals *to, const struct hd_team_totals *from) {
  to->instances += from->instances;
  to->open_instances += from->open_instances;
  to->elapsed_ticks += from->elapsed_ticks;
  to->capacity_ticks += from->capacity_ticks;
  to->busy_ticks += from->busy_ticks;
  to->busy_max_ticks += from->busy_max_ticks;
  to->idle_ticks += from->idle_ticks;
  to->intrusion_ticks = hd_add_signed(to->intrusion_ticks, from->intrusion_ticks);
  to->team_min = least_team(to->team_min, from->team_min);
  to->team_max = to->team_max > from->team_max ? to->team_max : from->team_max;
  to->gain_ticks += from->gain_ticks;
  to->mean_ticks += from->mean_ticks;
}

void hd_add_entries(struct hd_entries *to, const struct hd_entries *from) {
  for (int caller = 0; caller < HD_ENTRY_STATES; caller++)
    for (int own = 0; own < HD_ENTRY_STATES; own++) {
      to->visits[caller][own] += from->visits[caller][own];
      to->ticks[caller][own] += from->ticks[caller][own];
    }
}

uint64_t hd_entries_ticks(const struct hd_entries *entries) {
  uint64_t sum = 0;
  for (int caller = 0; caller < HD_ENTRY_STATES; caller++)
    for (int own = 0; own < HD_ENTRY_STATES; own++)
      sum += entries->ticks[caller][own];
  return sum;
}

void hd_widen_levels(struct hd_levels *to, const struct hd_levels *from) {
  to->count = from->count > to->count ? from->count : to->count;
}

void hd_add_levels(struct hd_levels *to, const struct hd_levels *from) {
  for (uint32_t k = 0; k < from->count; k++)
    to->ticks[k] += from->ticks[k];
}

/* Room for the levels that a node or one below it reaches, all zero. */
static struct hd_levels *make_levels(struct hd_model *model) {
  struct hd_levels *levels = calloc(model->node_count, sizeof *levels);
  for (uint32_t i = model->node_count; levels && i-- > 0;) {
    hd_widen_levels(&levels[i], &model->nodes[i].busy_at);
    hd_widen_levels(&levels[model->nodes[i].parent], &levels[i]);
  }
  for (uint32_t i = 0; levels && i < model->node_count; i++) {
    levels[i].ticks = hd_model_allocate(model, (levels[i].count + 1) * sizeof *levels[i].ticks);
    if (!levels[i].ticks) {
      free(levels);
      return NULL;
    }
  }
  return levels;
}

static void start(struct hd_node *node, const struct hd_levels *room) {
  memcpy(node->inclusive_ticks, node->ticks, sizeof node->inclusive_ticks);
  node->intrusion_inclusive = node->intrusion;
  node->cpu_inclusive_ns = node->cpu_ns;
  node->busy_at_inclusive = *room;
  hd_add_levels(&node->busy_at_inclusive, &node->busy_at);
}

static void finish(struct hd_model *model, struct hd_node *node) {
  struct hd_node *parent = &model->nodes[node->parent];
  node->wall_share_ticks = hd_levels_wall_share(&node->busy_at, UINT32_MAX);
  node->wall_share_inclusive_ticks = hd_levels_wall_share(&node->busy_at_inclusive, UINT32_MAX);
  if (node->team.gain_ticks > model->gain_limit_ticks) /* the sum of several, at the same time */
    node->team.gain_ticks = model->gain_limit_ticks;
  if (node->id == 0)
    return;
  hd_add_ticks(parent->inclusive_ticks, node->inclusive_ticks);
  hd_add_intrusion(&parent->intrusion_inclusive, &node->intrusion_inclusive);
  hd_add_levels(&parent->busy_at_inclusive, &node->busy_at_inclusive);
  parent->cpu_inclusive_ns += node->cpu_inclusive_ns;
}

bool hd_model_sum_again(struct hd_model *model) {
  struct hd_levels *levels = make_levels(model);
  if (!levels)
    return false;
  for (uint32_t i = 0; i < model->node_count; i++)
    start(&model->nodes[i], &levels[i]);
  for (uint32_t i = model->node_count; i-- > 0;) /* children have larger ids */
    finish(model, &model->nodes[i]);
  free(levels);
  return hd_model_sum_counts(model);
}
