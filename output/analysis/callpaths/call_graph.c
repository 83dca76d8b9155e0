/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/analysis/callpaths/call_graph.h"

#include <math.h>
#include <stdlib.h>

#include "output/analysis/callpaths/callpath_filter.h"
#include "output/analysis/callpaths/slots.h"
#include "output/model/accumulate.h"
#include "output/model/format_names.h"
#include "output/model/lazy_rows.h"
#include "output/model/levels.h"
#include "output/model/place.h"
#include "support/command/memory.h"

struct build {
  struct hd_graph *graph;
  struct hd_slots entry_slots, arc_slots;
  uint32_t *top; /* by entry, then by cycle: the outermost node on the walk's path; HD_NONE: none */
};

/* ---- the tree, depth first ---- */

struct link {
  uint32_t child, sibling; /* 0: none */
};

static struct link *link_nodes(const struct hd_model *model) {
  struct link *links = hd_new(model->node_count, sizeof *links);
  for (uint32_t i = model->node_count; i-- > 1;) {
    if (model->nodes[i].flags & HD_NODE_GONE)
      continue;
    links[i].sibling = links[model->nodes[i].parent].child;
    links[model->nodes[i].parent].child = i;
  }
  return links;
}

void hd_graph_walk(const struct hd_model *model, hd_graph_visitor *enter, hd_graph_visitor *leave, void *context) {
  struct link *links = link_nodes(model);
  uint32_t at = 0;
  enter(context, 0);
  for (;;) {
    if (links[at].child == 0) {
      for (; at != 0 && links[at].sibling == 0; at = model->nodes[at].parent)
        leave(context, at);
      leave(context, at);
      if (at == 0)
        break;
      at = links[at].sibling;
    } else {
      at = links[at].child;
    }
    enter(context, at);
  }
  free(links);
}

/* ---- entries and arcs ---- */

static uint32_t find_entry(struct build *build, const struct hd_node *node) {
  struct hd_graph *graph = build->graph;
  uint32_t *slot = hd_slot_first(&build->entry_slots, hd_place_hash(0, node) >> 8);
  for (; *slot != 0; slot = hd_slot_next(&build->entry_slots, slot))
    if (hd_place_is_same(graph->entries[*slot - 1].node, node))
      return *slot - 1;
  graph->entries[graph->entry_count] = (struct hd_graph_entry){.node = node};
  *slot = graph->entry_count + 1;
  return graph->entry_count++;
}

static uint32_t find_arc(struct build *build, uint32_t parent, uint32_t child) {
  struct hd_graph *graph = build->graph;
  uint32_t *slot = hd_slot_first(&build->arc_slots, hd_slot_hash((uint64_t)parent << 32 | child));
  for (; *slot != 0; slot = hd_slot_next(&build->arc_slots, slot))
    if (graph->arcs[*slot - 1].parent == parent && graph->arcs[*slot - 1].child == child)
      return *slot - 1;
  graph->arcs[graph->arc_count] = (struct hd_graph_arc){.parent = parent, .child = child};
  *slot = graph->arc_count + 1;
  return graph->arc_count++;
}

/* In a sum over all callpaths nothing is misplaced, and only what was not observed anywhere is missing. */
static uint32_t marks_of_place(const struct hd_model *model, const struct hd_node *node) {
  const bool missed = model->refused & hd_kind_event_classes(node->kind);
  return node->marks[HD_MARKS_OF_CALLPATHS] & ~(uint32_t)(HD_MARK_MISPLACED | (missed ? 0 : HD_MARK_MISSED));
}

static void add_visits(struct hd_graph *graph, const struct hd_node *node) {
  struct hd_graph_entry *entry = &graph->entries[graph->entry_of_node[node->id]];
  struct hd_graph_arc *arc = &graph->arcs[graph->arc_of_node[node->id]];
  const bool measured = hd_node_is_measured(node);
  entry->measured |= measured;
  arc->measured |= measured;
  entry->marks |= marks_of_place(graph->model, node);
  arc->marks |= node->marks[HD_MARKS_OF_CALLPATHS];
  entry->recursive |= hd_node_is_recursive(node, node->flags);
  entry->visits += node->visits;
  entry->visits_concurrent += node->visits_concurrent;
  arc->visits += node->visits;
  arc->visits_concurrent += node->visits_concurrent;
  if (arc->parent == arc->child)
    entry->self_visits += node->visits;
  graph->has_routines |= node->kind == HD_KIND_ROUTINE;
  graph->has_measured_routines |= node->kind == HD_KIND_ROUTINE && measured;
}

static void make_entries(struct build *build) {
  struct hd_graph *graph = build->graph;
  const struct hd_model *model = graph->model;
  graph->entries[0] = (struct hd_graph_entry){
      .node = &model->nodes[0], .measured = true, .marks = model->nodes[0].marks[HD_MARKS_OF_CALLPATHS], .visits = 1};
  graph->entry_count = 1;
  graph->arc_of_node[0] = HD_NONE;
  for (uint32_t i = 1; i < model->node_count; i++) {
    const struct hd_node *node = &model->nodes[i];
    graph->entry_of_node[i] = graph->arc_of_node[i] = HD_NONE;
    if (node->flags & HD_NODE_GONE)
      continue;
    graph->entry_of_node[i] = find_entry(build, node);
    graph->arc_of_node[i] = find_arc(build, graph->entry_of_node[node->parent], graph->entry_of_node[i]);
    add_visits(graph, node);
  }
}

/* ---- times ---- */

/* A thread's time in a routine counts unless it was in the same routine further up. */
static bool is_inside(const struct hd_graph *graph, const struct hd_node *node, uint32_t thread) {
  const struct hd_node *nodes = graph->model->nodes;
  const uint32_t entry = graph->entry_of_node[node->id];
  while (node->id != 0) {
    node = &nodes[node->parent];
    const struct hd_row *row =
        graph->entry_of_node[node->id] == entry ? hd_model_row(graph->model, node->id, thread) : NULL;
    if (row && row->visits > 0)
      return true;
  }
  return false;
}

static void add_outermost_elapsed(const struct hd_graph *graph, const struct hd_node *node,
                                  struct hd_graph_entry *entry) {
  hd_model_need_rows(graph->model);
  for (uint32_t i = 0; i < node->row_count; i++) {
    const struct hd_row *row = &graph->model->rows[node->row_first + i];
    const uint64_t ticks = hd_entries_ticks(&row->entries);
    if (ticks > 0 && !is_inside(graph, node, row->thread))
      entry->elapsed_ticks += ticks;
  }
}

/* A damaged file may claim more than fits. */
static uint64_t whole_ticks(double ticks) {
  return ticks < 0x1p63 ? (uint64_t)ticks : UINT64_MAX / 2;
}

static void add_elapsed(struct hd_graph *graph, const struct hd_node *node) {
  struct hd_graph_entry *entry = &graph->entries[graph->entry_of_node[node->id]];
  hd_accumulate_entries(&entry->entries, &node->entries);
  if (node->kind != HD_KIND_ROUTINE) {
    entry->elapsed_ticks += whole_ticks(hd_team_elapsed(&node->team));
    return;
  }
  graph->has_entries |= graph->model->entries_known && hd_node_is_measured(node);
  if (graph->outermost[node->id])
    entry->elapsed_ticks += hd_entries_ticks(&node->entries);
  else
    add_outermost_elapsed(graph, node, entry);
}

static void add_inclusive(struct hd_graph_times *times, const struct hd_node *node) {
  times->inclusive_ticks += node->inclusive_ticks[HD_BUSY];
  times->inclusive_wall_ticks += node->wall_share_inclusive_ticks;
}

static void add_self(struct hd_graph_times *times, const struct hd_node *node) {
  times->self_ticks += node->ticks[HD_BUSY];
  times->self_level_ticks += hd_levels_up_to(&node->busy_at, UINT32_MAX);
  times->self_sequential_ticks += hd_levels_up_to(&node->busy_at, 1);
  times->self_wall_ticks += node->wall_share_ticks;
}

static void enter_entry(void *context, uint32_t id) {
  struct build *build = context;
  struct hd_graph *graph = build->graph;
  const struct hd_node *node = &graph->model->nodes[id];
  const uint32_t entry = graph->entry_of_node[id];
  graph->outermost[id] = build->top[entry] == HD_NONE;
  if (graph->outermost[id])
    build->top[entry] = id;
  const uint32_t arc = graph->arc_of_node[build->top[entry]];
  add_self(&graph->entries[entry].times, node);
  graph->entries[entry].cpu_ns += node->cpu_ns;
  if (arc != HD_NONE)
    add_self(&graph->arcs[arc].times, node);
  if (!graph->outermost[id])
    return;
  add_inclusive(&graph->entries[entry].times, node);
  if (arc != HD_NONE)
    add_inclusive(&graph->arcs[arc].times, node);
}

static void leave_entry(void *context, uint32_t id) {
  struct build *build = context;
  uint32_t *top = &build->top[build->graph->entry_of_node[id]];
  if (*top == id)
    *top = HD_NONE;
}

static uint32_t cycle_of(const struct hd_graph *graph, uint32_t node) {
  return graph->entries[graph->entry_of_node[node]].cycle;
}

static void enter_cycle(void *context, uint32_t id) {
  struct build *build = context;
  struct hd_graph *graph = build->graph;
  const struct hd_node *node = &graph->model->nodes[id];
  const uint32_t cycle = cycle_of(graph, id);
  if (cycle == 0)
    return;
  if (build->top[cycle] == HD_NONE) {
    build->top[cycle] = id;
    add_inclusive(&graph->cycles[cycle - 1].times, node);
  }
  add_self(&graph->cycles[cycle - 1].times, node);
  graph->arcs[graph->arc_of_node[build->top[cycle]]].cycle_self_ticks += node->ticks[HD_BUSY];
}

static void leave_cycle(void *context, uint32_t id) {
  struct build *build = context;
  const uint32_t cycle = cycle_of(build->graph, id);
  if (cycle != 0 && build->top[cycle] == id)
    build->top[cycle] = HD_NONE;
}

static void clear_top(struct build *build) {
  for (uint32_t i = 0; i <= build->graph->entry_count; i++)
    build->top[i] = HD_NONE;
}

static void count_cycle_visits(struct hd_graph *graph) {
  for (uint32_t i = 0; i < graph->entry_count; i++)
    if (graph->entries[i].cycle > 0)
      graph->cycles[graph->entries[i].cycle - 1].marks |= graph->entries[i].marks;
  for (uint32_t i = 0; i < graph->arc_count; i++) {
    const struct hd_graph_arc *arc = &graph->arcs[i];
    const uint32_t cycle = graph->entries[arc->child].cycle;
    if (cycle == 0 || arc->parent == arc->child)
      continue;
    if (graph->entries[arc->parent].cycle == cycle) {
      graph->cycles[cycle - 1].internal_visits += arc->visits;
      graph->entries[arc->child].cycle_visits += arc->visits;
      graph->entries[arc->child].cycle_visits_concurrent += arc->visits_concurrent;
    } else {
      graph->cycles[cycle - 1].visits += arc->visits;
    }
  }
}

static void add_times(struct build *build) {
  struct hd_graph *graph = build->graph;
  clear_top(build);
  hd_graph_walk(graph->model, enter_entry, leave_entry, build);
  hd_graph_find_cycles(graph);
  clear_top(build);
  hd_graph_walk(graph->model, enter_cycle, leave_cycle, build);
  count_cycle_visits(graph);
  for (uint32_t i = 0; i < graph->model->node_count; i++)
    if (graph->entry_of_node[i] != HD_NONE)
      add_elapsed(graph, &graph->model->nodes[i]);
  graph->entries[0].elapsed_ticks = graph->model->elapsed_ticks;
  graph->busy_ticks = graph->model->nodes[0].inclusive_ticks[HD_BUSY];
}

/* ---- order ---- */

static double key_of(const struct hd_graph_entry *entry, enum hd_sort sort) {
  switch (sort) {
  case HD_SORT_SELF:
    return (double)entry->times.self_ticks;
  case HD_SORT_WALL:
    return entry->times.self_wall_ticks;
  case HD_SORT_CALLS:
    return (double)entry->visits;
  case HD_SORT_ELAPSED:
    return (double)entry->elapsed_ticks;
  default:
    return (double)entry->times.inclusive_ticks;
  }
}

int hd_graph_compare(const struct hd_graph_entry *a, const struct hd_graph_entry *b, enum hd_sort sort) {
  if (a->node->id == b->node->id)
    return 0;
  if (sort == HD_SORT_NAME)
    return hd_place_compare(a->node, b->node);
  const double left = key_of(a, sort), right = key_of(b, sort);
  if (left != right)
    return left > right ? -1 : 1;
  if (a->times.inclusive_ticks != b->times.inclusive_ticks)
    return a->times.inclusive_ticks > b->times.inclusive_ticks ? -1 : 1;
  return a->node->id < b->node->id ? -1 : 1; /* callers first */
}

struct order {
  const struct hd_graph *graph;
  const struct hd_graph_entry *cycles; /* what stands for each of them */
  enum hd_sort sort;
};

/* By what a cycle is as a whole; then its own block before its members'. */
static int compare_blocks(const void *a, const void *b, void *context) {
  const struct hd_graph_block *left = a, *right = b;
  const struct order *order = context;
  const struct hd_graph_entry *entries = order->graph->entries;
  if (left->cycle == right->cycle && left->cycle != 0) {
    if (left->entry == HD_NONE || right->entry == HD_NONE)
      return left->entry == HD_NONE ? -1 : 1;
    return hd_graph_compare(&entries[left->entry], &entries[right->entry], order->sort);
  }
  const struct hd_graph_entry *of_left = left->cycle ? &order->cycles[left->cycle - 1] : &entries[left->entry];
  const struct hd_graph_entry *of_right = right->cycle ? &order->cycles[right->cycle - 1] : &entries[right->entry];
  return hd_graph_compare(of_left, of_right, order->sort);
}

/* A cycle as if it were an entry, with the name of its first member. */
static void stand_in(const struct hd_graph *graph, struct hd_graph_entry *cycles) {
  for (uint32_t i = graph->entry_count; i-- > 0;) {
    const struct hd_graph_entry *entry = &graph->entries[i];
    if (entry->cycle == 0)
      continue;
    struct hd_graph_entry *to = &cycles[entry->cycle - 1];
    to->node = entry->node;
    to->visits += entry->visits;
    to->elapsed_ticks += entry->elapsed_ticks;
    to->times = graph->cycles[entry->cycle - 1].times;
  }
}

static void sort_blocks(struct hd_graph *graph, enum hd_sort sort) {
  struct hd_graph_entry *cycles = hd_new(graph->cycle_count, sizeof *cycles);
  struct order order = {graph, cycles, sort};
  stand_in(graph, cycles);
  graph->blocks = hd_new((size_t)graph->entry_count + graph->cycle_count, sizeof *graph->blocks);
  for (uint32_t i = 0; i < graph->cycle_count; i++)
    graph->blocks[graph->block_count++] = (struct hd_graph_block){HD_NONE, i + 1};
  for (uint32_t i = 0; i < graph->entry_count; i++)
    graph->blocks[graph->block_count++] = (struct hd_graph_block){i, graph->entries[i].cycle};
  qsort_r(graph->blocks, graph->block_count, sizeof *graph->blocks, compare_blocks, &order);
  for (uint32_t i = 0; i < graph->block_count; i++) {
    const struct hd_graph_block *block = &graph->blocks[i];
    if (block->entry == HD_NONE)
      graph->cycles[block->cycle - 1].index = i + 1;
    else
      graph->entries[block->entry].index = i + 1;
  }
  free(cycles);
}

/* ---- all of it ---- */

struct hd_graph *hd_graph_new(const struct hd_model *model, enum hd_sort sort) {
  const uint32_t nodes = model->node_count;
  struct hd_graph *graph = hd_new(1, sizeof *graph);
  struct build build = {.graph = graph, .entry_slots = hd_slots_new(nodes), .arc_slots = hd_slots_new(nodes)};
  build.top = hd_new((size_t)nodes + 1, sizeof *build.top);
  graph->model = model;
  graph->entries = hd_new(nodes, sizeof *graph->entries);
  graph->arcs = hd_new(nodes, sizeof *graph->arcs);
  graph->entry_of_node = hd_new(nodes, sizeof *graph->entry_of_node);
  graph->arc_of_node = hd_new(nodes, sizeof *graph->arc_of_node);
  graph->outermost = hd_new(nodes, sizeof *graph->outermost);
  make_entries(&build);
  add_times(&build);
  sort_blocks(graph, sort);
  free(build.entry_slots.numbers);
  free(build.arc_slots.numbers);
  free(build.top);
  return graph;
}

void hd_graph_free(struct hd_graph *graph) {
  if (!graph)
    return;
  free(graph->entries);
  free(graph->arcs);
  free(graph->cycles);
  free(graph->blocks);
  free(graph->entry_of_node);
  free(graph->arc_of_node);
  free(graph->outermost);
  free(graph);
}

double hd_graph_concurrency(uint64_t busy_ticks, double wall_ticks) {
  return wall_ticks > 0 ? (double)busy_ticks / wall_ticks : NAN;
}
