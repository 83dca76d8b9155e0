/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/model/paths.h"

#include <stdlib.h>

#include "output/model/memory.h"

static int by_node(const void *a, const void *b) {
  const struct hd_model_path *left = a, *right = b;
  return (left->node > right->node) - (left->node < right->node);
}

static uint64_t smaller(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

uint32_t hd_paths_join(struct hd_model_path *paths, uint32_t count) {
  uint32_t joined = 0;
  if (count > 0)
    qsort(paths, count, sizeof *paths, by_node);
  for (uint32_t i = 0; i < count; i++) {
    if (joined == 0 || paths[joined - 1].node != paths[i].node) {
      paths[joined++] = paths[i];
      continue;
    }
    paths[joined - 1].own_ticks += paths[i].own_ticks;
    paths[joined - 1].span_ticks += paths[i].span_ticks;
    paths[joined - 1].work_ticks += paths[i].work_ticks;
    paths[joined - 1].instances += paths[i].instances;
    paths[joined - 1].earliest_ticks = smaller(paths[joined - 1].earliest_ticks, paths[i].earliest_ticks);
    paths[joined - 1].slack_ticks = smaller(paths[joined - 1].slack_ticks, paths[i].slack_ticks);
  }
  return joined;
}

static int by_nodes(const void *a, const void *b) {
  const struct hd_model_step *left = a, *right = b;
  if (left->from != right->from)
    return left->from < right->from ? -1 : 1;
  return (left->to > right->to) - (left->to < right->to);
}

uint32_t hd_steps_join(struct hd_model_step *steps, uint32_t count) {
  uint32_t joined = 0;
  if (count > 0)
    qsort(steps, count, sizeof *steps, by_nodes);
  for (uint32_t i = 0; i < count; i++) {
    if (joined == 0 || by_nodes(&steps[joined - 1], &steps[i]) != 0) {
      steps[joined++] = steps[i];
      continue;
    }
    steps[joined - 1].ticks += steps[i].ticks;
    steps[joined - 1].count += steps[i].count;
    steps[joined - 1].changes += steps[i].changes;
  }
  return joined;
}

void hd_paths_copy(struct hd_model *model, const struct hd_model *from) {
  model->paths = hd_model_copy(model, from->paths, from->path_count * sizeof *from->paths);
  model->steps = hd_model_copy(model, from->steps, from->step_count * sizeof *from->steps);
  model->path_count = from->path_count;
  model->step_count = from->step_count;
  model->path_known = true;
  model->header.path_flags = from->header.path_flags;
}

uint64_t hd_paths_span(const struct hd_model *model) {
  uint64_t ticks = 0;
  for (uint32_t i = 0; i < model->path_count; i++)
    ticks += model->paths[i].own_ticks;
  return ticks;
}

const struct hd_model_path *hd_paths_find(const struct hd_model *model, uint32_t node) {
  const struct hd_model_path wanted = {.node = node};
  return model->path_count > 0 ? bsearch(&wanted, model->paths, model->path_count, sizeof wanted, by_node) : NULL;
}
