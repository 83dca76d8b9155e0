/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file flat.c
 * The flat profile: one row per routine or construct, all its callpaths together.
 */
#include <math.h>
#include <stdlib.h>

#include "output/views/render/columns.h"
#include "output/views/render/count_columns.h"
#include "output/views/report/report_internal.h"

static int compare_entries(const void *a, const void *b, void *context) {
  const struct hd_graph *graph = *(const struct hd_graph *const *)context;
  const enum hd_sort sort = *(const enum hd_sort *)((void **)context)[1];
  return hd_graph_compare(graph, &graph->entries[*(const uint32_t *)a], &graph->entries[*(const uint32_t *)b], sort);
}

/* The caller frees. */
static uint32_t *sorted_entries(const struct hd_graph *graph, enum hd_sort sort) {
  uint32_t *order = calloc(graph->entry_count, sizeof *order);
  const void *context[] = {graph, &sort};
  for (uint32_t i = 0; order && i < graph->entry_count; i++)
    order[i] = i;
  if (order)
    qsort_r(order, graph->entry_count, sizeof *order, compare_entries, context);
  return order;
}

static bool knows_concurrent(const struct hd_graph *graph, const struct hd_graph_entry *entry) {
  return graph->model->entries_known && entry->measured && entry->node->id != 0;
}

/* A sum may be one of several runs. */
static bool knows_calls(const struct hd_graph *graph, const struct hd_graph_entry *entry) {
  return entry->measured && !(entry->node->id == 0 && (graph->model->header.flags & HD_FILE_MERGED));
}

/* The run's own time is not that of the callpaths in focus. */
static bool knows_elapsed(const struct hd_graph_entry *entry, const struct hd_report_options *options) {
  return entry->measured && entry->elapsed_ticks > 0 && !(options && options->focus && entry->node->id == 0);
}

enum {
  SELF,
  SELF_SHARE,
  CUMULATIVE,
  INCLUSIVE,
  INCLUSIVE_SHARE,
  CALLS,
  CALLS_CONCURRENT,
  SEQUENTIAL,
  CONCURRENT,
  MEAN,
  WALL,
  WALL_SHARE,
  ELAPSED,
  CPU,
  SEQUENTIAL_SHARE,
  COLUMNS
};

static const struct hd_column table[COLUMNS] = {
    [SELF] = {"self_s", "Self", HD_SECONDS, 3, 0, "busy time in it, summed over threads"},
    [SELF_SHARE] = {"self_share", "Self%", HD_SHARE, 1, 1, NULL},
    [CUMULATIVE] = {"cumulative_s", "Cumul", HD_SECONDS, 2, 8, "Self added up from line to line"},
    [INCLUSIVE] = {"inclusive_s", "Incl", HD_SECONDS, 4, 0, "with all that it called, counted once in recursion"},
    [INCLUSIVE_SHARE] = {"inclusive_share", NULL, HD_SHARE, 0, 0, NULL},
    [CALLS] = {"calls", "Calls", HD_COUNT, 5, 0, NULL},
    [CALLS_CONCURRENT] = {"calls_concurrent", "Conc.calls", HD_COUNT, 6, 6,
                          "calls that began while another thread was busy"},
    [SEQUENTIAL] = {"self_sequential_s", NULL, HD_SECONDS, 0, 0, NULL},
    [CONCURRENT] = {"self_concurrent_s", NULL, HD_SECONDS, 0, 0, NULL},
    [MEAN] = {"mean_concurrency", "Conc", HD_NUMBER, 8, 3, "threads busy on average during Self"},
    [WALL] = {"wall_share_s", NULL, HD_SECONDS, 0, 0, NULL},
    [WALL_SHARE] = {"wall_share", "Wall%", HD_SHARE, 9, 2,
                    "part of the run that Self stands for; threads that are busy at once share the time"},
    [ELAPSED] = {"elapsed_s", "Elapsed", HD_SECONDS, 10, 4,
                 "from entry to exit, summed over threads; regions: from begin to end; other constructs: of a thread, "
                 "on average"},
    [CPU] = {"cpu_s", "CPU", HD_SECONDS, 11, 7, NULL},
    [SEQUENTIAL_SHARE] = {NULL, "Seq%", HD_SHARE, 7, 5, "part of Self while no other thread was busy"},
};

struct flat {
  const struct hd_graph *graph;
  const struct hd_report_options *options;
  struct hd_columns columns;
  struct hd_count_columns counted;
  struct hd_graph_counts counts;
  uint32_t *order; /* entries */
  uint32_t count, shown;
};

static void fill(struct hd_value values[COLUMNS], const struct flat *flat, uint32_t index, uint64_t cumulative) {
  const struct hd_model *model = flat->graph->model;
  const struct hd_graph_entry *entry = &flat->graph->entries[index];
  const struct hd_graph_times *times = &entry->times;
  const enum hd_kind kind = entry->node->kind;
  const double self = (double)times->self_ticks, inclusive = (double)times->inclusive_ticks;
  const double sequential = (double)times->self_sequential_ticks, busy = (double)flat->graph->busy_ticks;
  const bool measured = entry->measured, levels = measured && model->levels_known;
  const bool cpu = measured && (model->header.flags & HD_FILE_CPU_TIME);
  values[SELF] = hd_ticks(model, self, measured);
  values[SELF_SHARE] = hd_share(self, busy, measured);
  values[CUMULATIVE] = hd_ticks(model, (double)cumulative, true);
  values[INCLUSIVE] = hd_ticks(model, inclusive, true);
  values[INCLUSIVE_SHARE] = hd_share(inclusive, busy, true);
  values[CALLS] = hd_visits(model, kind, entry->visits, knows_calls(flat->graph, entry));
  values[CALLS_CONCURRENT] = hd_visits(model, kind, entry->visits_concurrent, knows_concurrent(flat->graph, entry));
  values[SEQUENTIAL] = hd_ticks(model, sequential, levels);
  values[CONCURRENT] = hd_ticks(model, (double)(times->self_ticks - times->self_sequential_ticks), levels);
  values[SEQUENTIAL_SHARE] = hd_share(sequential, self, levels);
  values[MEAN] = hd_number(hd_graph_concurrency(times->self_ticks, times->self_wall_ticks));
  values[WALL] = hd_ticks(model, times->self_wall_ticks, levels);
  values[WALL_SHARE] = hd_share(times->self_wall_ticks, (double)model->elapsed_ticks, levels);
  values[ELAPSED] = hd_ticks(model, (double)entry->elapsed_ticks, knows_elapsed(entry, flat->options));
  values[CPU] = hd_number(cpu ? (double)entry->cpu_ns * 1e-9 : NAN);
}

static void put_csv(const struct flat *flat, uint32_t index, const struct hd_value *values, FILE *out) {
  const struct hd_model *model = flat->graph->model;
  const struct hd_graph_entry *entry = &flat->graph->entries[index];
  const double elapsed = hd_graph_entry_elapsed(flat->graph, entry);
  hd_csv_node(model, entry->node, out);
  hd_csv_marks(model, entry->node, entry->flags, out);
  hd_columns_csv(&flat->columns, values, out);
  hd_csv_counts(model, flat->counts.own ? &flat->counts.own->sums[index] : NULL, true, elapsed, out);
  hd_csv_counts(model, flat->counts.own ? &flat->counts.inclusive->sums[index] : NULL, false, elapsed, out);
  fputc('\n', out);
}

static void put_text(struct flat *flat, uint32_t index, const struct hd_value *values, struct hd_grid *grid) {
  char place[HD_PLACE_BYTES];
  hd_grid_row(grid, NULL);
  hd_columns_cells(&flat->columns, values, grid);
  if (flat->counts.own)
    hd_count_cells(grid, &flat->counted, &flat->counts.own->sums[index],
                   hd_graph_entry_elapsed(flat->graph, &flat->graph->entries[index]));
  hd_entry_text(place, flat->graph, index, false);
  hd_grid_at(grid, place);
}

/* To `grid`, or as comma-separated values to `out`. */
static void put_rows(struct flat *flat, struct hd_grid *grid, FILE *out) {
  struct hd_value values[COLUMNS] = {0};
  uint64_t cumulative = 0;
  for (uint32_t i = 0; i < flat->shown; i++) {
    cumulative += flat->graph->entries[flat->order[i]].times.self_ticks;
    fill(values, flat, flat->order[i], cumulative);
    if (grid)
      put_text(flat, flat->order[i], values, grid);
    else
      put_csv(flat, flat->order[i], values, out);
  }
}

static bool print_table(struct flat *flat, FILE *out) {
  struct hd_grid grid = {0};
  hd_columns_add(&flat->columns, &grid);
  hd_count_columns_add(&flat->counted, &grid);
  hd_grid_place(&grid, "Routine or construct", false);
  put_rows(flat, &grid, NULL);
  fprintf(out, "\nTimes in %s.\n", flat->columns.unit.name);
  const bool done = hd_grid_print(&grid, out);
  if (flat->options && done) {
    hd_report_left(flat->count - flat->shown, "line", out);
    hd_count_columns_said_left(&flat->counted, &grid, out);
  }
  hd_grid_free(&grid);
  return done;
}

static bool print_text(struct flat *flat, FILE *out) {
  static const char more[] = "'-': not measured.";
  static const char cycles[] =
      "'-': not measured.\nIncl of a member of a <cycle> (mutual recursion) may lack what its calls of the other "
      "members "
      "took: that counts to those that they lead back to. Elapsed has it; --callgraph shows the cycle as a whole.";
  const struct hd_graph *graph = flat->graph;
  hd_report_heading(graph->model, false, out);
  hd_report_scope(graph->model, flat->options, out);
  if (!print_table(flat, out))
    return false;
  fputc('\n', out);
  hd_columns_legend(&flat->columns, graph->cycle_count > 0 ? cycles : more, out);
  hd_report_visits_mark(graph->model, out);
  hd_count_legend(&flat->counted, "in the line itself", out);
  hd_report_routine_hint(graph->has_routines, graph->has_measured_routines, graph->model, out);
  return true;
}

static void print_csv(struct flat *flat, FILE *out) {
  hd_csv_node_names(out);
  hd_csv_mark_names(out);
  hd_columns_csv_names(&flat->columns, out);
  hd_csv_count_names(flat->graph->model, " self", true, out);
  hd_csv_count_names(flat->graph->model, " inclusive", false, out);
  fputc('\n', out);
  put_rows(flat, NULL, out);
}

/* The unit is that of all entries, so that it does not depend on how many are shown. */
static struct flat make(const struct hd_graph *graph, enum hd_sort sort, uint64_t hidden) {
  const double largest = hd_model_seconds(graph->model, graph->entries[0].times.inclusive_ticks);
  return (struct flat){.graph = graph,
                       .columns = {table, COLUMNS, hidden, hd_unit_for(largest)},
                       .order = sorted_entries(graph, sort),
                       .count = graph->entry_count};
}

static uint32_t at_most(uint32_t count, unsigned long limit) {
  return limit > 0 && limit < count ? (uint32_t)limit : count;
}

bool hd_report_flat(const struct hd_graph *graph, const struct hd_report_options *options, FILE *out) {
  const bool cpu = graph->model->header.flags & HD_FILE_CPU_TIME;
  struct flat flat = make(graph, options->sort, cpu ? 0 : 1u << CPU);
  flat.options = options;
  flat.shown = at_most(flat.count, options->limit);
  hd_count_columns_choose(&flat.counted, graph->model, false);
  bool done = hd_graph_count(&flat.counts, graph) && flat.order;
  if (done && options->csv)
    print_csv(&flat, out);
  else if (done)
    done = print_text(&flat, out);
  hd_graph_counts_free(&flat.counts);
  free(flat.order);
  return done;
}

/* What was measured, without the program itself. */
static uint32_t keep_measured(const struct hd_graph *graph, uint32_t *order) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < graph->entry_count; i++)
    if (graph->entries[order[i]].measured && graph->entries[order[i]].node->id != 0)
      order[kept++] = order[i];
  return kept;
}

bool hd_report_flat_brief(const struct hd_graph *graph, uint32_t limit, FILE *out) {
  struct flat flat =
      make(graph, HD_SORT_SELF, ~(1ull << SELF_SHARE | 1ull << SELF | 1ull << INCLUSIVE | 1ull << CALLS));
  flat.count = flat.order ? keep_measured(graph, flat.order) : 0;
  flat.shown = at_most(flat.count, limit);
  bool done = flat.order;
  if (flat.shown > 0) {
    done = print_table(&flat, out);
    if (flat.shown < flat.count)
      fprintf(out, "%u more: see 'heddle report --flat'.\n", flat.count - flat.shown);
    hd_report_visits_mark(graph->model, out);
  }
  free(flat.order);
  return done;
}
