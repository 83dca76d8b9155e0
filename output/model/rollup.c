/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/model/rollup.h"

#include <string.h>

#include "output/model/accumulate.h"
#include "output/model/levels.h"
#include "output/model/memory.h"

uint64_t hd_model_widen_levels(struct hd_model *model) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < model->node_count; i++)
    model->nodes[i].busy_at_inclusive = (struct hd_levels){.count = model->nodes[i].busy_at.count};
  for (uint32_t i = model->node_count; i-- > 0;) { /* children have larger ids */
    const struct hd_levels *levels = &model->nodes[i].busy_at_inclusive;
    hd_widen_levels(&model->nodes[model->nodes[i].parent].busy_at_inclusive, levels);
    bytes += (uint64_t)levels->count * sizeof *levels->ticks;
  }
  return bytes;
}

static void begin(struct hd_model *model, struct hd_node *node) {
  struct hd_levels *levels = &node->busy_at_inclusive;
  levels->ticks = hd_model_allocate(model, ((size_t)levels->count + 1) * sizeof *levels->ticks);
  hd_accumulate_levels(levels, &node->busy_at);
  memcpy(node->inclusive_ticks, node->ticks, sizeof node->inclusive_ticks);
  node->intrusion_inclusive = node->intrusion;
  node->unresolved_inclusive = node->unresolved;
  node->cpu_inclusive_ns = node->cpu_ns;
  node->path_inclusive_ticks = 0;
}

static void finish(struct hd_model *model, struct hd_node *node) {
  struct hd_node *parent = &model->nodes[node->parent];
  node->wall_share_ticks = hd_levels_wall_share(&node->busy_at, UINT32_MAX);
  node->wall_share_inclusive_ticks = hd_levels_wall_share(&node->busy_at_inclusive, UINT32_MAX);
  if (node->team.gain_ticks > model->gain_limit_ticks) /* the sum of several, at the same time */
    node->team.gain_ticks = model->gain_limit_ticks;
  if (node->id == 0)
    return;
  for (int of = 0; of < HD_MARKS_KINDS; of++)
    parent->marks[of] |= node->marks[of] & HD_MARKS_RISING;
  hd_accumulate_ticks(parent->inclusive_ticks, node->inclusive_ticks);
  hd_accumulate_intrusion(&parent->intrusion_inclusive, &node->intrusion_inclusive);
  hd_accumulate_unresolved(&parent->unresolved_inclusive, &node->unresolved_inclusive);
  hd_accumulate_levels(&parent->busy_at_inclusive, &node->busy_at_inclusive);
  parent->cpu_inclusive_ns += node->cpu_inclusive_ns;
  parent->path_inclusive_ticks += node->path_inclusive_ticks;
}

void hd_model_roll_up(struct hd_model *model) {
  hd_model_widen_levels(model);
  for (uint32_t i = 0; i < model->node_count; i++)
    begin(model, &model->nodes[i]);
  for (uint32_t i = 0; i < model->path_count; i++)
    model->nodes[model->paths[i].node].path_inclusive_ticks = model->paths[i].own_ticks;
  for (uint32_t i = model->node_count; i-- > 0;) /* children have larger ids */
    finish(model, &model->nodes[i]);
}
