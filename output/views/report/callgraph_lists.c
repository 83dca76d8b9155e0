/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file callgraph_lists.c
 * The call graph's arcs in order, who calls a cycle, the index, and all of it as comma-separated values.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/analysis/line_counts.h"
#include "output/views/render/columns.h"
#include "output/views/render/csv.h"
#include "output/views/report/callgraph.h"

bool hd_graph_is_inner(const struct hd_graph *graph, const struct hd_graph_arc *arc) {
  const uint32_t cycle = graph->entries[arc->child].cycle;
  return cycle != 0 && graph->entries[arc->parent].cycle == cycle;
}

/* ---- arcs in order ---- */

struct order {
  const struct hd_graph *graph;
  bool by_child;
};

static int compare_arcs(const void *a, const void *b, void *context) {
  const struct order *order = context;
  const struct hd_graph_arc *left = &order->graph->arcs[*(const uint32_t *)a];
  const struct hd_graph_arc *right = &order->graph->arcs[*(const uint32_t *)b];
  const uint32_t group_left = order->by_child ? left->child : left->parent;
  const uint32_t group_right = order->by_child ? right->child : right->parent;
  if (group_left != group_right)
    return group_left < group_right ? -1 : 1;
  if (left->times.inclusive_ticks != right->times.inclusive_ticks)
    return left->times.inclusive_ticks > right->times.inclusive_ticks ? -1 : 1;
  if (left->visits != right->visits)
    return left->visits > right->visits ? -1 : 1;
  return *(const uint32_t *)a < *(const uint32_t *)b ? -1 : 1;
}

static bool make_list(const struct hd_graph *graph, bool by_child, uint32_t **list, uint32_t **first) {
  struct order order = {graph, by_child};
  uint32_t count = 0;
  *list = calloc((size_t)graph->arc_count + 1, sizeof **list);
  *first = calloc((size_t)graph->entry_count + 2, sizeof **first);
  if (!*list || !*first)
    return false;
  for (uint32_t i = 0; i < graph->arc_count; i++) {
    const struct hd_graph_arc *arc = &graph->arcs[i];
    if (arc->parent == arc->child)
      continue;
    (*list)[count++] = i;
    (*first)[(by_child ? arc->child : arc->parent) + 1]++;
  }
  qsort_r(*list, count, sizeof **list, compare_arcs, &order);
  for (uint32_t i = 0; i < graph->entry_count; i++)
    (*first)[i + 1] += (*first)[i];
  return true;
}

bool hd_graph_lists_make(struct hd_graph_lists *lists, const struct hd_graph *graph) {
  return make_list(graph, true, &lists->parents, &lists->parents_first) &&
         make_list(graph, false, &lists->children, &lists->children_first);
}

void hd_graph_lists_free(struct hd_graph_lists *lists) {
  free(lists->parents);
  free(lists->parents_first);
  free(lists->children);
  free(lists->children_first);
}

/* ---- who calls a cycle ---- */

static int larger_first(const void *a, const void *b) {
  const struct hd_graph_caller *left = a, *right = b;
  if (left->inclusive_ticks != right->inclusive_ticks)
    return left->inclusive_ticks > right->inclusive_ticks ? -1 : 1;
  return left->entry < right->entry ? -1 : left->entry > right->entry;
}

uint32_t hd_graph_cycle_callers(const struct hd_graph *graph, uint32_t cycle, struct hd_graph_caller **callers) {
  struct hd_graph_caller *sums = calloc((size_t)graph->entry_count + 1, sizeof *sums);
  uint32_t count = 0;
  *callers = sums;
  if (!sums)
    return 0;
  for (uint32_t i = 0; i < graph->arc_count; i++) {
    const struct hd_graph_arc *arc = &graph->arcs[i];
    if (graph->entries[arc->child].cycle != cycle || graph->entries[arc->parent].cycle == cycle)
      continue;
    struct hd_graph_caller *sum = &sums[arc->parent];
    sum->entry = arc->parent + 1; /* 0: none yet */
    sum->visits += arc->visits;
    sum->visits_concurrent += arc->visits_concurrent;
    sum->self_ticks += arc->cycle_self_ticks;
    sum->inclusive_ticks += arc->times.inclusive_ticks;
  }
  for (uint32_t i = 0; i < graph->entry_count; i++)
    if (sums[i].entry != 0) {
      sums[count] = sums[i];
      sums[count++].entry--;
    }
  qsort(sums, count, sizeof *sums, larger_first);
  return count;
}

/* ---- the index ---- */

struct name {
  char text[HD_PLACE_BYTES];
};

static int by_name(const void *a, const void *b) {
  return strcmp(((const struct name *)a)->text, ((const struct name *)b)->text);
}

static void print_columns(const struct name *names, uint32_t count, FILE *out) {
  enum { PAGE = 100, GAP = 2 };
  const size_t terminal = hd_terminal_width(out);
  const size_t page = terminal < PAGE ? terminal : PAGE;
  size_t width = 1;
  for (uint32_t i = 0; i < count; i++) {
    const size_t length = hd_text_width(names[i].text) + GAP;
    width = length > width ? length : width;
  }
  const uint32_t columns = page / width > 1 ? (uint32_t)(page / width) : 1;
  const uint32_t lines = (count + columns - 1) / columns;
  for (uint32_t line = 0; line < lines; line++) {
    for (uint32_t i = line; i < count; i += lines) {
      const size_t length = hd_text_width(names[i].text);
      fprintf(out, "%s%*s", names[i].text, i + lines < count ? (int)(width - length) : 0, "");
    }
    fputc('\n', out);
  }
}

bool hd_report_index(const struct hd_graph *graph, uint32_t shown, FILE *out) {
  struct name *names = calloc((size_t)shown + 1, sizeof *names);
  if (!names)
    return false;
  for (uint32_t i = 0; i < shown; i++) {
    const struct hd_graph_block *block = &graph->blocks[i];
    if (block->entry != HD_NONE)
      hd_entry_text(names[i].text, graph, block->entry, true);
    else
      snprintf(names[i].text, sizeof names[i].text, "<cycle %u as a whole> [%u]", block->cycle,
               graph->cycles[block->cycle - 1].index);
  }
  qsort(names, shown, sizeof *names, by_name);
  fputs("\nIndex by name\n", out);
  print_columns(names, shown, out);
  free(names);
  return true;
}

/* ---- comma-separated values ---- */

enum { CYCLE, SELF, INCLUSIVE, CALLS, CALLS_RECURSIVE, CALLS_CONCURRENT, CASES, COLUMNS = CASES + 8 };

/* Cases: calls and elapsed time by the state in which the caller was entered, and by the entry's own. */
static const struct hd_column table[COLUMNS] = {
    [CYCLE] = {"cycle", NULL, HD_COUNT, 0, 0, NULL},
    [SELF] = {"self_s", NULL, HD_SECONDS, 0, 0, NULL},
    [INCLUSIVE] = {"inclusive_s", NULL, HD_SECONDS, 0, 0, NULL},
    [CALLS] = {"calls", NULL, HD_COUNT, 0, 0, NULL},
    [CALLS_RECURSIVE] = {"calls_recursive", NULL, HD_COUNT, 0, 0, NULL},
    [CALLS_CONCURRENT] = {"calls_concurrent", NULL, HD_COUNT, 0, 0, NULL},
    [CASES] = {"calls_s_s", NULL, HD_COUNT, 0, 0, NULL},
    [CASES + 1] = {"elapsed_s_s_s", NULL, HD_SECONDS, 0, 0, NULL},
    [CASES + 2] = {"calls_s_c", NULL, HD_COUNT, 0, 0, NULL},
    [CASES + 3] = {"elapsed_s_c_s", NULL, HD_SECONDS, 0, 0, NULL},
    [CASES + 4] = {"calls_c_s", NULL, HD_COUNT, 0, 0, NULL},
    [CASES + 5] = {"elapsed_c_s_s", NULL, HD_SECONDS, 0, 0, NULL},
    [CASES + 6] = {"calls_c_c", NULL, HD_COUNT, 0, 0, NULL},
    [CASES + 7] = {"elapsed_c_c_s", NULL, HD_SECONDS, 0, 0, NULL},
};
static const struct hd_columns columns = {.items = table, .count = COLUMNS};

/* The values, then the counts of an entry, an arc or a cycle. */
static void put_values(const struct hd_graph *graph, const struct hd_value *values, const struct hd_count_sums *sums,
                       uint32_t index, double elapsed, FILE *out) {
  hd_columns_csv(&columns, values, out);
  hd_csv_counts(graph->model, sums ? &sums->sums[index] : NULL, true, elapsed, out);
  fputc('\n', out);
}

static void put_entry(const struct hd_graph *graph, const struct hd_graph_counts *counts, uint32_t index, FILE *out) {
  const struct hd_model *model = graph->model;
  const struct hd_graph_entry *entry = &graph->entries[index];
  const bool entered = entry->measured && index != 0, stated = entered && model->entries_known;
  const bool routine = stated && entry->node->kind == HD_KIND_ROUTINE;
  struct hd_value values[COLUMNS] = {
      [CYCLE] = hd_count(entry->cycle, entry->cycle != 0),
      [SELF] = hd_ticks(model, (double)entry->times.self_ticks, entry->measured),
      [INCLUSIVE] = hd_ticks(model, (double)entry->times.inclusive_ticks, true),
      [CALLS] = hd_count(entry->visits, entered),
      [CALLS_RECURSIVE] = hd_count(entry->self_visits, entered),
      [CALLS_CONCURRENT] = hd_count(entry->visits_concurrent, stated),
  };
  for (int i = 0; i < HD_ENTRY_STATES * HD_ENTRY_STATES; i++) {
    const int caller = i / HD_ENTRY_STATES, own = i % HD_ENTRY_STATES;
    values[CASES + 2 * i] = hd_count(entry->entries.visits[caller][own], routine);
    values[CASES + 2 * i + 1] = hd_ticks(model, (double)entry->entries.ticks[caller][own], routine);
  }
  fprintf(out, "entry,%u,%u,", entry->index, entry->index);
  hd_csv_node(model, entry->node, out);
  hd_csv_marks(model, entry->node, entry->flags, out);
  put_values(graph, values, counts->inclusive, index, hd_graph_entry_elapsed(graph, entry), out);
}

static void put_arc(const struct hd_graph *graph, const struct hd_graph_counts *counts, const struct hd_graph_arc *arc,
                    bool parent, FILE *out) {
  const struct hd_model *model = graph->model;
  const struct hd_graph_entry *named = &graph->entries[parent ? arc->parent : arc->child];
  const struct hd_graph_entry *block = &graph->entries[parent ? arc->child : arc->parent];
  const bool timed = !hd_graph_is_inner(graph, arc);
  const struct hd_value values[COLUMNS] = {
      [CYCLE] = hd_count(named->cycle, named->cycle != 0),
      [SELF] = hd_ticks(model, (double)arc->times.self_ticks, timed && arc->measured),
      [INCLUSIVE] = hd_ticks(model, (double)arc->times.inclusive_ticks, timed),
      [CALLS] = hd_count(arc->visits, arc->measured),
      [CALLS_CONCURRENT] = hd_count(arc->visits_concurrent, arc->measured && model->entries_known),
  };
  fprintf(out, "%s,%u,%u,", parent ? "caller" : "callee", block->index, named->index);
  hd_csv_node(model, named->node, out);
  hd_csv_marks(model, graph->entries[arc->child].node, named->flags, out); /* its calls are counted */
  put_values(graph, values, timed ? counts->arcs : NULL, (uint32_t)(arc - graph->arcs), NAN, out);
}

static void put_cycle(const struct hd_graph *graph, const struct hd_graph_counts *counts, uint32_t number, FILE *out) {
  const struct hd_graph_cycle *cycle = &graph->cycles[number - 1];
  const struct hd_value values[COLUMNS] = {
      [CYCLE] = hd_count(number, true),
      [SELF] = hd_ticks(graph->model, (double)cycle->times.self_ticks, true),
      [INCLUSIVE] = hd_ticks(graph->model, (double)cycle->times.inclusive_ticks, true),
      [CALLS] = hd_count(cycle->visits, true),
      [CALLS_RECURSIVE] = hd_count(cycle->internal_visits, true),
  };
  fprintf(out, "cycle,%u,%u,,,,,,,,", cycle->index, cycle->index);
  put_values(graph, values, counts->cycles, number - 1, NAN, out);
}

bool hd_report_callgraph_csv(const struct hd_graph *graph, const struct hd_report_options *options, FILE *out) {
  struct hd_graph_lists lists = {0};
  struct hd_graph_counts counts;
  const bool done = hd_graph_count(&counts, graph) && hd_graph_lists_make(&lists, graph);
  fputs("role,block,index,", out);
  hd_csv_node_names(out);
  hd_csv_mark_names(out);
  hd_columns_csv_names(&columns, out);
  hd_csv_count_names(graph->model, " inclusive", true, out);
  fputc('\n', out);
  for (uint32_t i = 0; done && i < graph->block_count && (options->limit == 0 || i < options->limit); i++) {
    const uint32_t entry = graph->blocks[i].entry;
    if (entry == HD_NONE) {
      put_cycle(graph, &counts, graph->blocks[i].cycle, out);
      continue;
    }
    for (uint32_t j = lists.parents_first[entry]; j < lists.parents_first[entry + 1]; j++)
      put_arc(graph, &counts, &graph->arcs[lists.parents[j]], true, out);
    put_entry(graph, &counts, entry, out);
    for (uint32_t j = lists.children_first[entry]; j < lists.children_first[entry + 1]; j++)
      put_arc(graph, &counts, &graph->arcs[lists.children[j]], false, out);
  }
  hd_graph_counts_free(&counts);
  hd_graph_lists_free(&lists);
  return done;
}
