/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file uncounted_threads.c
 * Threads that are not in the rows because there was no memory for them: what they counted is missing in the program
 * and in the regions that they may have come to, and nobody else can tell.
 */
#include <stdlib.h>

#include "output/model/format_names.h"
#include "output/reader/reader_internal.h"
#include "support/command/memory.h"

static uint64_t all_events(const struct hd_model *model) {
  return (UINT64_C(1) << model->header.event_count) - 1;
}

/* Whether something was done and counted on a thread that has no place in the tree for it. */
static uint64_t find_lost_threads(struct hd_model *model) {
  uint64_t lost = model->header.lost_threads > 0 ? all_events(model) : 0;
  bool *known = hd_new(model->thread_count, sizeof *known);
  for (uint32_t i = 0; i < model->counts_count; i++)
    known[model->counts[i].thread] = true;
  for (uint32_t i = 0; i < model->thread_count; i++) {
    model->threads[i].lost = !known[i] && model->threads[i].uncounted != 0;
    lost |= model->threads[i].lost ? model->threads[i].uncounted : 0;
  }
  free(known);
  return lost;
}

/* ---- who came to a node, or below it ---- */

/* Indices of rows in the order of threads. The caller frees. */
static uint32_t *rows_by_thread(const struct hd_model *model) {
  uint32_t *starts = hd_new((size_t)model->thread_count + 1, sizeof *starts);
  uint32_t *order = hd_new(model->row_count, sizeof *order);
  for (uint32_t i = 0; i < model->row_count; i++)
    starts[model->rows[i].thread + 1]++;
  for (uint32_t i = 0; i < model->thread_count; i++)
    starts[i + 1] += starts[i];
  for (uint32_t i = 0; i < model->row_count; i++)
    order[starts[model->rows[i].thread]++] = i;
  free(starts);
  return order;
}

/* Threads by node, with those of the nodes below. Each thread climbs up to where it has been already. The caller
 * frees. */
static uint32_t *count_threads(const struct hd_model *model) {
  uint32_t *threads = hd_new(model->node_count, sizeof *threads);
  uint32_t *order = rows_by_thread(model);
  uint32_t *last = hd_new(model->node_count, sizeof *last); /* thread that came there, and one */
  for (uint32_t i = 0; i < model->row_count; i++) {
    const struct hd_row *row = &model->rows[order[i]];
    for (uint32_t node = row->node; last[node] != row->thread + 1; node = model->nodes[node].parent) {
      last[node] = row->thread + 1;
      threads[node]++;
    }
  }
  free(order);
  free(last);
  return threads;
}

/* ---- what they leave behind ---- */

/* Parents come first. A region that all threads of its team are known to have come to lacks nothing. */
static void mark_regions(struct hd_model *model, const uint32_t *threads, uint64_t lost) {
  for (uint32_t i = 1; i < model->node_count; i++) {
    struct hd_node *node = &model->nodes[i];
    const struct hd_team_totals *team = &node->team;
    if (!hd_kind_is_region(node->kind))
      node->counts_lost = node->parent > 0 ? model->nodes[node->parent].counts_lost : 0;
    else if (team->instances == 0 || threads[i] < team->team_max)
      node->counts_lost = lost;
  }
}

void hd_reader_find_losses(struct hd_model *model) {
  if (model->header.event_count == 0)
    return;
  uint64_t lost = find_lost_threads(model);
  model->nodes[0].counts_lost = lost;
  if (model->header.flags & HD_FILE_FULL) /* threads' counts may be in those of a line above */
    lost = all_events(model);
  if (lost == 0)
    return;
  uint32_t *threads = count_threads(model);
  mark_regions(model, threads, lost);
  free(threads);
}
