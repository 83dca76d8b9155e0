/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/analysis/lines/line_counts.h"

#include <math.h>
#include <stdlib.h>

#include "output/analysis/callpaths/callpath_filter.h"
#include "output/model/place.h"
#include "support/command/memory.h"

/* ---- lines ---- */

/* A routine without a line of its own is part of the line above. */
static bool has_line(const struct hd_lines *view, const struct hd_node *node) {
  return hd_place_is_same(view->lines[view->line_of_node[node->id]].node, node);
}

static void add_to_line(const struct hd_lines *view, struct hd_count_sum *to, const struct hd_node *node,
                        bool inclusive) {
  const struct hd_model *model = view->model;
  if (has_line(view, node))
    (inclusive ? hd_count_sum_add_inclusive : hd_count_sum_add_own)(model, to, node);
  else if (!inclusive)
    for (uint32_t i = 0; i < node->counts_count; i++)
      hd_count_sum_add_counts(model, to, &model->counts[node->counts_first + i]);
}

/* NULL: no counters. */
static struct hd_count_sum *new_sums(const struct hd_model *model, uint32_t count) {
  struct hd_count_sum *sums = model->counts_inclusive ? hd_count_sums_new(model, count) : NULL;
  return sums;
}

struct hd_count_sum *hd_lines_count(const struct hd_lines *view, bool inclusive) {
  const struct hd_model *model = view->model;
  struct hd_count_sum *sums = new_sums(model, view->count);
  for (uint32_t i = 0; sums && i < model->node_count; i++)
    if (!(model->nodes[i].flags & HD_NODE_GONE))
      add_to_line(view, &sums[view->line_of_node[i]], &model->nodes[i], inclusive);
  return sums;
}

static bool is_incomplete(const struct hd_lines *view, uint32_t line) {
  const struct hd_model *model = view->model;
  for (uint32_t i = 0; i < model->node_count; i++)
    if (view->line_of_node[i] == line && has_line(view, &model->nodes[i]) && model->counts_inclusive[i].incomplete)
      return true;
  return false;
}

struct hd_count_sum *hd_lines_count_threads(const struct hd_lines *view, uint32_t line) {
  const struct hd_model *model = view->model;
  struct hd_count_sum *sums = new_sums(model, model->thread_count);
  if (!sums)
    return NULL;
  for (uint32_t i = 0; i < model->counts_count; i++) {
    const struct hd_counts *counts = &model->counts[i];
    if (view->line_of_node[counts->node] - line < view->lines[line].subtree)
      hd_count_sum_add_counts(model, &sums[counts->thread], counts);
  }
  const bool incomplete = is_incomplete(view, line);
  for (uint32_t i = 0; i < model->thread_count; i++)
    sums[i].incomplete = incomplete;
  return sums;
}

/* ---- the call graph ---- */

static void add_node(struct hd_graph_counts *counts, const struct hd_graph *graph, uint32_t id) {
  const struct hd_model *model = graph->model;
  const struct hd_node *node = &model->nodes[id];
  const uint32_t entry = graph->entry_of_node[id];
  const uint32_t arc = graph->arc_of_node[id];
  const uint32_t cycle = graph->entries[entry].cycle;
  hd_count_sum_add_own(model, &counts->own[entry], node);
  if (graph->outermost[id])
    hd_count_sum_add_inclusive(model, &counts->inclusive[entry], node);
  if (graph->outermost[id] && arc != HD_NONE)
    hd_count_sum_add_inclusive(model, &counts->arcs[arc], node);
  /* A path that has left a cycle never comes back to it: then its members would be more. */
  if (cycle > 0 && graph->entries[graph->entry_of_node[node->parent]].cycle != cycle)
    hd_count_sum_add_inclusive(model, &counts->cycles[cycle - 1], node);
}

struct hd_graph_counts hd_graph_count(const struct hd_graph *graph) {
  const struct hd_model *model = graph->model;
  struct hd_graph_counts counts = {.own = new_sums(model, graph->entry_count),
                                   .inclusive = new_sums(model, graph->entry_count),
                                   .arcs = new_sums(model, graph->arc_count),
                                   .cycles = new_sums(model, graph->cycle_count)};
  for (uint32_t i = 0; counts.own && i < model->node_count; i++)
    if (graph->entry_of_node[i] != HD_NONE)
      add_node(&counts, graph, i);
  return counts;
}

void hd_graph_counts_free(struct hd_graph_counts *counts) {
  free(counts->own);
  free(counts->inclusive);
  free(counts->arcs);
  free(counts->cycles);
}

double hd_graph_entry_elapsed(const struct hd_graph *graph, const struct hd_graph_entry *entry) {
  if (entry->node->id == 0 && entry->elapsed_ticks > 0)
    return hd_count_elapsed_of_program(graph->model);
  return entry->node->kind != HD_KIND_ROUTINE && entry->elapsed_ticks > 0 ? (double)entry->elapsed_ticks : NAN;
}
