/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/export/weight.h"

#include <math.h>
#include <string.h>

#include "output/model/format_names.h"

static double wall(const struct hd_model *model, const struct hd_node *node) {
  (void)model;
  return node->wall_share_ticks;
}

static double busy(const struct hd_model *model, const struct hd_node *node) {
  (void)model;
  return (double)node->ticks[HD_BUSY];
}

static double wait(const struct hd_model *model, const struct hd_node *node) {
  (void)model;
  return (double)hd_ticks_waiting(node->ticks);
}

static double runtime(const struct hd_model *model, const struct hd_node *node) {
  (void)model;
  return (double)hd_ticks_runtime(node->ticks);
}

static bool is_outermost(const struct hd_model *model, const struct hd_node *region) {
  for (uint32_t above = region->parent; above != 0; above = model->nodes[above].parent)
    if (hd_kind_is_region(model->nodes[above].kind))
      return false;
  return hd_kind_is_region(region->kind);
}

static double gain(const struct hd_model *model, const struct hd_node *node) {
  return is_outermost(model, node) ? node->team.gain_ticks : 0;
}

static const struct {
  const char *id, *words;
  double (*ticks)(const struct hd_model *model, const struct hd_node *node);
} weights[HD_WEIGHT_COUNT] = {
    [HD_WEIGHT_WALL] = {"wall", "Wall share", wall},     [HD_WEIGHT_BUSY] = {"busy", "Busy", busy},
    [HD_WEIGHT_WAIT] = {"wait", "Waiting", wait},        [HD_WEIGHT_RUNTIME] = {"runtime", "Runtime", runtime},
    [HD_WEIGHT_GAIN] = {"gain", "Potential gain", gain},
};

const char *hd_weight_id(enum hd_weight weight) {
  return weights[weight].id;
}

const char *hd_weight_words(enum hd_weight weight) {
  return weights[weight].words;
}

enum hd_weight hd_weight_find(const char *id) {
  enum hd_weight weight = 0;
  while (weight < HD_WEIGHT_COUNT && strcmp(weights[weight].id, id) != 0)
    weight++;
  return weight;
}

bool hd_weight_is_known(const struct hd_model *model, enum hd_weight weight) {
  return weight != HD_WEIGHT_WALL || model->levels_known;
}

uint64_t hd_weight_ns(const struct hd_model *model, const struct hd_node *node, enum hd_weight weight) {
  const double ns = weights[weight].ticks(model, node) * model->seconds_per_tick * 1e9;
  return ns > 0 && ns < (double)INT64_MAX ? (uint64_t)llround(ns) : 0;
}
