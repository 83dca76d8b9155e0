/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file flat.c
 * The flat profile: one row per routine or construct, all its callpaths together.
 */
#include <math.h>
#include <stdlib.h>

#include "output/analysis/lines/line_counts.h"
#include "output/views/render/column_names.h"
#include "output/views/report/listing.h"
#include "output/views/report/report_internal.h"
#include "support/command/memory.h"

static int compare_entries(const void *a, const void *b, void *context) {
  const struct hd_graph *graph = *(const struct hd_graph *const *)context;
  const enum hd_sort sort = *(const enum hd_sort *)((void **)context)[1];
  return hd_graph_compare(&graph->entries[*(const uint32_t *)a], &graph->entries[*(const uint32_t *)b], sort);
}

/* The caller frees. */
static uint32_t *sorted_entries(const struct hd_graph *graph, enum hd_sort sort) {
  uint32_t *order = hd_new(graph->entry_count, sizeof *order);
  const void *context[] = {graph, &sort};
  for (uint32_t i = 0; i < graph->entry_count; i++)
    order[i] = i;
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
    [SELF] = HD_COLUMN(SELF, 3, 0, "busy time in it, summed over threads"),
    [SELF_SHARE] = {"self_share", "Self%", HD_SHARE, 1, 1, "\nSelf as part of all busy time"},
    [CUMULATIVE] = {"cumulative_s", "Cumul", HD_SECONDS, 2, 8, "Self added up from line to line"},
    [INCLUSIVE] = HD_COLUMN(INCLUSIVE, 4, 0, "with all that it called, counted once in recursion"),
    [INCLUSIVE_SHARE] = {"inclusive_share", NULL, HD_SHARE, 0, 0, "\nIncl as part of all busy time"},
    [CALLS] = HD_COLUMN(CALLS, 5, 0, "\n" HD_MEANS_CALLS),
    [CALLS_CONCURRENT] = HD_COLUMN(CALLS_CONCURRENT, 6, 6, "calls that began while another thread was busy"),
    [SEQUENTIAL] = HD_COLUMN(SEQUENTIAL, 0, 0, "\nSelf while no other thread was busy"),
    [CONCURRENT] = HD_COLUMN(CONCURRENT, 0, 0, "\nSelf while others were"),
    [MEAN] = HD_COLUMN(CONCURRENCY, 8, 3, "threads busy on average during Self"),
    [WALL] = HD_COLUMN(WALL, 0, 0, "\nWall% in seconds"),
    [WALL_SHARE] = HD_COLUMN(WALL_SHARE, 9, 2,
                             "part of the run that Self stands for; threads that are busy at once share the time"),
    [ELAPSED] = HD_COLUMN(ELAPSED, 10, 4,
                          "from entry to exit, summed over threads; regions: from begin to end; other constructs: of a "
                          "thread, on average"),
    [CPU] = HD_COLUMN(CPU, 11, 7, "\nprocessor time, of runs with HEDDLE_CPU_TIME=1"),
    [SEQUENTIAL_SHARE] = {NULL, "Seq%", HD_SHARE, 7, 5, "part of Self while no other thread was busy"},
};

const struct hd_report_columns hd_report_flat_columns = {"flat", table, COLUMNS, -1};

struct flat {
  const struct hd_graph *graph;
  const struct hd_report_options *options; /* NULL: in brief, after a run */
  struct hd_listing listing;
  struct hd_graph_counts counts;
  uint32_t *order; /* entries */
  uint32_t count, shown;
};

/* `before`: of the lines above. */
static void mark(struct hd_value values[COLUMNS], uint32_t marks, uint32_t before) {
  values[SELF].mark = values[SELF_SHARE].mark = hd_bounds_text(hd_bounds_of_own(marks));
  values[CUMULATIVE].mark = hd_bounds_text(hd_bounds_of_own(marks | before));
  values[INCLUSIVE].mark = values[INCLUSIVE_SHARE].mark = hd_bounds_text(hd_bounds_of_busy(marks));
  values[CALLS].mark = hd_bounds_text(hd_bounds_of_visits(marks));
  values[CALLS_CONCURRENT].mark = hd_bounds_text(hd_bounds_of_concurrent(marks));
  values[ELAPSED].mark = hd_bounds_text(hd_bounds_of_elapsed(marks));
  values[SEQUENTIAL_SHARE].mark = values[MEAN].mark = values[WALL_SHARE].mark =
      hd_bounds_text(hd_bounds_of_levels(marks));
}

static void fill(struct hd_value values[COLUMNS], const struct flat *flat, uint32_t index, uint64_t cumulative) {
  const struct hd_model *model = flat->graph->model;
  const struct hd_graph_entry *entry = &flat->graph->entries[index];
  const struct hd_graph_times *times = &entry->times;
  const double self = (double)times->self_ticks, inclusive = (double)times->inclusive_ticks;
  const double sequential = (double)times->self_sequential_ticks, busy = (double)flat->graph->busy_ticks;
  const bool measured = entry->measured, levels = measured && model->levels_known;
  const bool cpu = measured && (model->header.flags & HD_FILE_CPU_TIME);
  values[SELF] = hd_ticks(model, self, measured);
  values[SELF_SHARE] = hd_share(self, busy, measured);
  values[CUMULATIVE] = hd_ticks(model, (double)cumulative, true);
  values[INCLUSIVE] = hd_ticks(model, inclusive, true);
  values[INCLUSIVE_SHARE] = hd_share(inclusive, busy, true);
  values[CALLS] = hd_count(entry->visits, knows_calls(flat->graph, entry));
  values[CALLS_CONCURRENT] = hd_count(entry->visits_concurrent, knows_concurrent(flat->graph, entry));
  values[SEQUENTIAL] = hd_ticks(model, sequential, levels);
  values[CONCURRENT] = hd_ticks(model, (double)(times->self_level_ticks - times->self_sequential_ticks), levels);
  values[SEQUENTIAL_SHARE] = hd_share(sequential, (double)times->self_level_ticks, levels);
  values[MEAN] = hd_number(hd_graph_concurrency(times->self_level_ticks, times->self_wall_ticks));
  values[WALL] = hd_ticks(model, times->self_wall_ticks, levels);
  values[WALL_SHARE] = hd_share(times->self_wall_ticks, (double)model->elapsed_ticks, levels);
  values[ELAPSED] = hd_ticks(model, (double)entry->elapsed_ticks, knows_elapsed(entry, flat->options));
  values[CPU] = hd_number(cpu ? (double)entry->cpu_ns * 1e-9 : NAN);
}

static void put_rows(struct flat *flat) {
  const struct hd_graph_counts *counts = &flat->counts;
  uint64_t cumulative = 0;
  uint32_t marks = 0;
  hd_listing_begin(&flat->listing, "", "Routine or construct", false);
  for (uint32_t i = 0; i < flat->shown; i++) {
    const uint32_t entry = flat->order[i];
    struct hd_value values[COLUMNS] = {0};
    struct hd_listed row = hd_listed_entry(flat->graph, entry);
    row.sums[0] = counts->own ? &counts->own[entry] : NULL;
    row.sums[1] = counts->inclusive ? &counts->inclusive[entry] : NULL;
    hd_entry_text(row.place, flat->graph, entry, false);
    cumulative += flat->graph->entries[entry].times.self_ticks;
    fill(values, flat, entry, cumulative);
    mark(values, row.marks, marks);
    marks |= row.marks;
    hd_listing_put(&flat->listing, &row, values);
  }
  hd_listing_end(&flat->listing, flat->options ? flat->count - flat->shown : 0);
}

static void print_text(struct flat *flat, FILE *out) {
  static const char more[] = "'-': not measured.";
  static const char cycles[] =
      "'-': not measured.\nIncl of a member of a <cycle> (mutual recursion) may lack what its calls of the other "
      "members took: that counts to those that they lead back to. Elapsed has it; --callgraph shows the cycle as a "
      "whole.";
  const struct hd_graph *graph = flat->graph;
  hd_report_heading(graph->model, hd_heading_of(flat->options), out);
  hd_report_scope(graph->model, flat->options, out);
  put_rows(flat);
  fputc('\n', out);
  hd_columns_legend(&flat->listing.columns, graph->cycle_count > 0 ? cycles : more, out);
  hd_report_visits_mark(graph->model, out);
  hd_count_legend(&flat->listing.counted, "in the line itself", out);
  hd_report_routine_hint(graph->has_routines, graph->has_measured_routines, graph->model, out);
}

/* The unit is that of all entries, so that it does not depend on how many are shown. */
static struct flat make(const struct hd_graph *graph, enum hd_sort sort, uint64_t hidden, FILE *out) {
  const double largest = hd_model_seconds(graph->model, graph->entries[0].times.inclusive_ticks);
  return (struct flat){
      .graph = graph,
      .listing = {.model = graph->model, .columns = {table, COLUMNS, hidden, hd_unit_for(largest)}, .out = out},
      .order = sorted_entries(graph, sort),
      .count = graph->entry_count};
}

void hd_report_flat(const struct hd_graph *graph, const struct hd_report_options *options, FILE *out) {
  const bool cpu = graph->model->header.flags & HD_FILE_CPU_TIME;
  struct flat flat = make(graph, options->sort, cpu ? 0 : 1u << CPU, out);
  flat.options = options;
  flat.shown = hd_at_most(flat.count, hd_limit_of(options));
  flat.listing.csv = options->csv;
  flat.listing.asked = options;
  if (options->sort_column) /* it is about this order */
    flat.listing.columns.hidden |= UINT64_C(1) << CUMULATIVE;
  flat.listing.counts_of[0] = " self";
  flat.listing.counts_of[1] = " inclusive";
  if (!options->csv)
    hd_count_columns_choose(&flat.listing.counted, graph->model, false);
  flat.counts = hd_graph_count(graph);
  if (options->csv)
    put_rows(&flat);
  else
    print_text(&flat, out);
  hd_graph_counts_free(&flat.counts);
  free(flat.order);
}

/* What was measured, without the program itself. */
static uint32_t keep_measured(const struct hd_graph *graph, uint32_t *order) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < graph->entry_count; i++)
    if (graph->entries[order[i]].measured && graph->entries[order[i]].node->id != 0)
      order[kept++] = order[i];
  return kept;
}

void hd_report_flat_brief(const struct hd_graph *graph, uint32_t limit, FILE *out) {
  struct flat flat =
      make(graph, HD_SORT_SELF, ~(1ull << SELF_SHARE | 1ull << SELF | 1ull << INCLUSIVE | 1ull << CALLS), out);
  flat.count = keep_measured(graph, flat.order);
  flat.shown = hd_at_most(flat.count, limit);
  put_rows(&flat);
  if (flat.shown > 0) {
    if (flat.shown < flat.count)
      fprintf(out, "%u more: see 'heddle report --flat'.\n", flat.count - flat.shown);
    hd_report_visits_mark(graph->model, out);
  }
  free(flat.order);
}
