/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file flat.c
 * The flat profile: one row per routine or construct, all its callpaths together.
 */
#include <math.h>
#include <stdlib.h>

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
  return entry->measured && entry->elapsed_ticks > 0 && !(options->focus && entry->node->id == 0);
}

static void add_columns(struct hd_grid *grid, const struct hd_graph *graph, const struct hd_count_columns *counts) {
  hd_grid_column(grid, "Self%", 1);
  hd_grid_column(grid, "Cumul", 8);
  hd_grid_column(grid, "Self", 0);
  hd_grid_column(grid, "Incl", 0);
  hd_grid_column(grid, "Calls", 0);
  hd_grid_column(grid, "Conc.calls", 6);
  hd_grid_column(grid, "Seq%", 5);
  hd_grid_column(grid, "Conc", 3);
  hd_grid_column(grid, "Wall%", 2);
  hd_grid_column(grid, "Elapsed", 4);
  if (graph->model->header.flags & HD_FILE_CPU_TIME)
    hd_grid_column(grid, "CPU", 7);
  hd_count_columns_add(counts, grid);
}

static void fill(struct hd_grid_row *row, const struct hd_graph *graph, uint32_t index, uint64_t cumulative,
                 const struct hd_unit *unit, const struct hd_report_options *options, struct hd_count_columns *counts,
                 const struct hd_count_sums *sums) {
  const struct hd_model *model = graph->model;
  const struct hd_graph_entry *entry = &graph->entries[index];
  const struct hd_graph_times *times = &entry->times;
  const bool levels = model->levels_known && entry->measured;
  size_t i = 0;
  hd_cell_percent(row->cells[i++], (double)times->self_ticks, (double)graph->busy_ticks, entry->measured);
  hd_cell_ticks(row->cells[i++], model, unit, cumulative, true);
  hd_cell_ticks(row->cells[i++], model, unit, times->self_ticks, entry->measured);
  hd_cell_ticks(row->cells[i++], model, unit, times->inclusive_ticks, true);
  hd_cell_visits(row->cells[i++], model, entry->node->kind, entry->visits, knows_calls(graph, entry));
  hd_cell_visits(row->cells[i++], model, entry->node->kind, entry->visits_concurrent, knows_concurrent(graph, entry));
  hd_cell_percent(row->cells[i++], (double)times->self_sequential_ticks, (double)times->self_ticks, levels);
  hd_cell_number(row->cells[i++], hd_graph_concurrency(times->self_ticks, times->self_wall_ticks), 2);
  hd_cell_percent(row->cells[i++], times->self_wall_ticks, (double)model->elapsed_ticks, levels);
  hd_cell_ticks(row->cells[i++], model, unit, entry->elapsed_ticks, knows_elapsed(entry, options));
  if (model->header.flags & HD_FILE_CPU_TIME)
    hd_cell_time(row->cells[i++], unit, entry->measured ? (double)entry->cpu_ns * 1e-9 : NAN);
  if (sums)
    hd_count_cells(row, i, counts, &sums->sums[index], hd_graph_entry_elapsed(graph, entry));
  hd_entry_text(row->place, graph, index, false);
}

/* Of all entries, so that it does not depend on how many are shown. */
static struct hd_unit unit_of(const struct hd_graph *graph) {
  return hd_unit_for(hd_model_seconds(graph->model, graph->entries[0].times.inclusive_ticks));
}

static bool fill_rows(struct hd_grid *grid, const struct hd_graph *graph, const uint32_t *order, uint32_t shown,
                      const struct hd_report_options *options, struct hd_count_columns *counts,
                      const struct hd_count_sums *sums) {
  const struct hd_unit unit = unit_of(graph);
  uint64_t cumulative = 0;
  for (uint32_t i = 0; i < shown; i++) {
    struct hd_grid_row *row = hd_grid_add(grid, HD_NONE);
    if (!row)
      return false;
    cumulative += graph->entries[order[i]].times.self_ticks;
    fill(row, graph, order[i], cumulative, &unit, options, counts, sums);
  }
  return true;
}

static const char legend[] =
    "Self: busy time in it, summed over threads; Cumul adds it up from line to line. Incl: with all that it called,\n"
    "counted once in recursion. Conc.calls: those at whose begin another thread was busy. Seq%: part of Self while no\n"
    "other thread was busy. Conc: threads busy on average during Self. Wall%: part of the run that Self stands for;\n"
    "threads that are busy at once share the time. Elapsed: from entry to exit, summed over threads; regions: from\n"
    "begin to end; other constructs: of a thread, on average. '-': not measured.\n";

static const char cycle_legend[] =
    "Incl of a member of a <cycle> (mutual recursion) may lack what its calls of the other members took: that counts\n"
    "to those that they lead back to. Elapsed has it; --callgraph shows the cycle as a whole.\n";

static uint32_t shown_of(const struct hd_graph *graph, unsigned long limit) {
  return limit > 0 && limit < graph->entry_count ? (uint32_t)limit : graph->entry_count;
}

bool hd_report_flat(const struct hd_graph *graph, const struct hd_report_options *options, FILE *out) {
  uint32_t *order = sorted_entries(graph, options->sort);
  struct hd_grid grid = {0};
  const uint32_t shown = shown_of(graph, options->limit);
  struct hd_count_columns columns;
  struct hd_graph_counts counts;
  hd_count_columns_choose(&columns, graph->model, false);
  add_columns(&grid, graph, &columns);
  bool done =
      hd_graph_count(&counts, graph) && order && fill_rows(&grid, graph, order, shown, options, &columns, counts.own);
  if (done) {
    hd_report_heading(graph->model, false, out);
    hd_report_scope(graph->model, options, out);
    fprintf(out, "\nTimes in %s.\n", unit_of(graph).name);
    done = hd_grid_print(&grid, "Routine or construct", false, out);
    const uint32_t left = graph->entry_count - shown;
    if (left > 0)
      fprintf(out, "%u more line%s not shown; --limit 0 shows all.\n", left, left == 1 ? " is" : "s are");
    hd_count_columns_said_left(&columns, grid.titles, grid.column_count, out);
    fprintf(out, "\n%s%s", legend, graph->cycle_count > 0 ? cycle_legend : "");
    hd_report_visits_mark(graph->model, out);
    hd_count_legend(&columns, "in the line itself", out);
    hd_report_routine_hint(graph->has_routines, graph->has_measured_routines, graph->model, out);
  }
  hd_graph_counts_free(&counts);
  hd_grid_free(&grid);
  free(order);
  return done;
}

/* What was measured, without the program itself. Returns how many there are in `order`, which may keep them. */
static uint32_t keep_measured(const struct hd_graph *graph, uint32_t *order) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < graph->entry_count; i++)
    if (graph->entries[order[i]].measured && graph->entries[order[i]].node->id != 0)
      order[kept++] = order[i];
  return kept;
}

static bool fill_brief(struct hd_grid *grid, const struct hd_graph *graph, const uint32_t *order, uint32_t shown,
                       const struct hd_unit *unit) {
  hd_grid_column(grid, "Self%", 1);
  hd_grid_column(grid, "Self", 0);
  hd_grid_column(grid, "Incl", 3);
  hd_grid_column(grid, "Calls", 2);
  for (uint32_t i = 0; i < shown; i++) {
    const struct hd_graph_entry *entry = &graph->entries[order[i]];
    struct hd_grid_row *row = hd_grid_add(grid, HD_NONE);
    if (!row)
      return false;
    hd_cell_percent(row->cells[0], (double)entry->times.self_ticks, (double)graph->busy_ticks, true);
    hd_cell_ticks(row->cells[1], graph->model, unit, entry->times.self_ticks, true);
    hd_cell_ticks(row->cells[2], graph->model, unit, entry->times.inclusive_ticks, true);
    hd_cell_visits(row->cells[3], graph->model, entry->node->kind, entry->visits, true);
    hd_entry_text(row->place, graph, order[i], false);
  }
  return true;
}

bool hd_report_flat_brief(const struct hd_graph *graph, uint32_t limit, FILE *out) {
  uint32_t *order = sorted_entries(graph, HD_SORT_SELF);
  struct hd_grid grid = {0};
  const struct hd_unit unit = unit_of(graph);
  const uint32_t count = order ? keep_measured(graph, order) : 0;
  const uint32_t shown = limit < count ? limit : count;
  bool done = order && fill_brief(&grid, graph, order, shown, &unit);
  if (done && shown > 0) {
    fprintf(out, "\nTimes in %s.\n", unit.name);
    done = hd_grid_print(&grid, "Routine or construct", false, out);
    if (shown < count)
      fprintf(out, "%u more: see 'heddle report --flat'.\n", count - shown);
    hd_report_visits_mark(graph->model, out);
  }
  hd_grid_free(&grid);
  free(order);
  return done;
}

bool hd_report_flat_csv(const struct hd_graph *graph, const struct hd_report_options *options, FILE *out) {
  const struct hd_model *model = graph->model;
  const double second = model->seconds_per_tick, whole = (double)graph->busy_ticks;
  uint32_t *order = sorted_entries(graph, options->sort);
  uint64_t cumulative = 0;
  struct hd_graph_counts counts;
  if (!hd_graph_count(&counts, graph) || !order) {
    hd_graph_counts_free(&counts);
    free(order);
    return false;
  }
  hd_csv_node_names(out);
  hd_csv_mark_names(out);
  fputs(",self_s,self_share,cumulative_s,inclusive_s,inclusive_share,calls,calls_concurrent,self_sequential_s,"
        "self_concurrent_s,mean_concurrency,wall_share_s,wall_share,elapsed_s,cpu_s",
        out);
  hd_csv_count_names(model, " self", true, out);
  hd_csv_count_names(model, " inclusive", false, out);
  fputc('\n', out);
  for (uint32_t i = 0; i < shown_of(graph, options->limit); i++) {
    const struct hd_graph_entry *entry = &graph->entries[order[i]];
    const struct hd_graph_times *times = &entry->times;
    const bool levels = entry->measured && model->levels_known;
    cumulative += times->self_ticks;
    hd_csv_node(model, entry->node, out);
    hd_csv_marks(model, entry->node, entry->flags, out);
    hd_csv_number(entry->measured ? (double)times->self_ticks * second : NAN, out);
    hd_csv_number(entry->measured && whole > 0 ? (double)times->self_ticks / whole : NAN, out);
    hd_csv_number((double)cumulative * second, out);
    hd_csv_number((double)times->inclusive_ticks * second, out);
    hd_csv_number(whole > 0 ? (double)times->inclusive_ticks / whole : NAN, out);
    hd_csv_count(entry->visits, knows_calls(graph, entry), out);
    hd_csv_count(entry->visits_concurrent, knows_concurrent(graph, entry), out);
    hd_csv_number(levels ? (double)times->self_sequential_ticks * second : NAN, out);
    hd_csv_number(levels ? (double)(times->self_ticks - times->self_sequential_ticks) * second : NAN, out);
    hd_csv_number(hd_graph_concurrency(times->self_ticks, times->self_wall_ticks), out);
    hd_csv_number(levels ? times->self_wall_ticks * second : NAN, out);
    hd_csv_number(levels ? times->self_wall_ticks / (double)model->elapsed_ticks : NAN, out);
    hd_csv_number(knows_elapsed(entry, options) ? (double)entry->elapsed_ticks * second : NAN, out);
    hd_csv_number(entry->measured && (model->header.flags & HD_FILE_CPU_TIME) ? (double)entry->cpu_ns * 1e-9 : NAN,
                  out);
    if (counts.own) {
      const double elapsed = hd_graph_entry_elapsed(graph, entry);
      hd_csv_counts(model, &counts.own->sums[order[i]], true, elapsed, out);
      hd_csv_counts(model, &counts.inclusive->sums[order[i]], false, elapsed, out);
    }
    fputc('\n', out);
  }
  hd_graph_counts_free(&counts);
  free(order);
  return true;
}
