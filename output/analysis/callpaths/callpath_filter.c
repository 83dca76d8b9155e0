/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/analysis/callpaths/callpath_filter.h"

#include <stdlib.h>
#include <string.h>

#include "output/model/counts.h"
#include "output/model/lazy_rows.h"
#include "output/model/rollup.h"
#include "support/command/memory.h"

enum { OUT, ABOVE, INSIDE };

static void drop_times(struct hd_model *model, struct hd_node *node) {
  memset(node->ticks, 0, sizeof node->ticks);
  memset(&node->intrusion, 0, sizeof node->intrusion);
  memset(&node->unresolved, 0, sizeof node->unresolved);
  memset(node->entries.ticks, 0, sizeof node->entries.ticks);
  memset(&node->team, 0, sizeof node->team);
  node->cpu_ns = node->active_ticks = node->unpaired_ticks = 0;
  node->busy_at.count = 0;
  memset(&node->shares, 0, sizeof node->shares);
  if (node->id != 0)
    node->elapsed_at.count = 0;
  for (uint32_t i = 0; i < node->row_count; i++) {
    struct hd_row *row = &model->rows[node->row_first + i];
    memset(row->ticks, 0, sizeof row->ticks);
    memset(&row->intrusion, 0, sizeof row->intrusion);
    memset(&row->unresolved, 0, sizeof row->unresolved);
    memset(row->entries.ticks, 0, sizeof row->entries.ticks);
    row->cpu_ns = 0;
    memset(&row->shares, 0, sizeof row->shares);
  }
}

static void drop_overlaps(struct hd_model *model, const char *place) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < model->overlap_count; i++)
    if (place[model->overlaps[i].a] == INSIDE && place[model->overlaps[i].b] == INSIDE)
      model->overlaps[kept++] = model->overlaps[i];
  model->overlap_count = kept;
}

static void drop_samples(struct hd_model *model, const char *place) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < model->sample_count; i++)
    if (place[model->samples[i].node] == INSIDE)
      model->samples[kept++] = model->samples[i];
  model->sample_count = kept;
}

static void drop_loops(struct hd_model *model, const char *place) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < model->loop_count; i++)
    if (place[model->loops[i].node] == INSIDE)
      model->loops[kept++] = model->loops[i];
  model->loop_count = kept;
}

static void drop_tasks(struct hd_model *model, const char *place) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < model->task_count; i++)
    if (place[model->tasks[i].node] == INSIDE)
      model->tasks[kept++] = model->tasks[i];
  model->task_count = kept;
}

static void drop_histories(struct hd_model *model, const char *place) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < model->history_count; i++)
    if (place[model->histories[i].node] == INSIDE)
      model->histories[kept++] = model->histories[i];
  model->history_count = kept;
}

static void drop_locks(struct hd_model *model, const char *place) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < model->lock_count; i++)
    if (place[model->locks[i].node] == INSIDE)
      model->locks[kept++] = model->locks[i];
  model->lock_count = kept;
  uint32_t pairs = 0; /* a holder may be anywhere */
  for (uint32_t i = 0; i < model->lock_pair_count; i++)
    if (place[model->lock_pairs[i].node] == INSIDE)
      model->lock_pairs[pairs++] = model->lock_pairs[i];
  model->lock_pair_count = pairs;
}

static void drop_paths(struct hd_model *model, const char *place) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < model->path_count; i++)
    if (place[model->paths[i].node] == INSIDE)
      model->paths[kept++] = model->paths[i];
  model->path_count = kept;
  uint32_t steps = 0;
  for (uint32_t i = 0; i < model->step_count; i++)
    if (model->steps[i].from != HD_NONE && place[model->steps[i].from] == INSIDE && place[model->steps[i].to] == INSIDE)
      model->steps[steps++] = model->steps[i];
  model->step_count = steps;
}

/* A node's counts may lie with one out of focus, and are lost with it: parents come first. */
static void drop_counts(struct hd_model *model, const char *place, uint32_t *owner) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < model->counts_count; i++)
    if (place[model->counts[i].node] == INSIDE)
      model->counts[kept++] = model->counts[i];
  model->counts_count = kept;
  for (uint32_t i = 0; i < model->node_count; i++) {
    struct hd_node *node = &model->nodes[i];
    owner[i] = node->told_apart || i == 0 ? i : owner[node->parent];
    if (place[i] != INSIDE)
      node->counts_reach = INT32_MAX;
    else if (node->counts_reach != INT32_MAX && place[owner[i]] != INSIDE)
      node->counts_reach = -1;
  }
}

void hd_callpath_filter(struct hd_model *model, const bool *through) {
  char *place = hd_new(model->node_count, sizeof *place);
  uint32_t *owner = hd_new(model->node_count, sizeof *owner); /* of counts */
  hd_model_need_rows(model);
  for (uint32_t i = 0; i < model->node_count; i++)
    place[i] = through[i] || place[model->nodes[i].parent] == INSIDE ? INSIDE : OUT;
  for (uint32_t i = model->node_count; i-- > 1;)
    if (place[i] != OUT && place[model->nodes[i].parent] == OUT)
      place[model->nodes[i].parent] = ABOVE;
  for (uint32_t i = 0; i < model->node_count; i++) {
    if (place[i] == INSIDE)
      continue;
    drop_times(model, &model->nodes[i]);
    model->nodes[i].flags |= place[i] == OUT && i > 0 ? HD_NODE_GONE : 0;
  }
  drop_overlaps(model, place);
  drop_samples(model, place);
  drop_loops(model, place);
  drop_tasks(model, place);
  drop_histories(model, place);
  drop_paths(model, place);
  drop_locks(model, place);
  drop_counts(model, place, owner);
  free(owner);
  free(place);
  hd_model_sort_counts(model);
  hd_model_roll_up(model);
  hd_model_sum_counts(model);
}
