/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file tree.c
 * The callpaths as a tree, routines included.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/views/render/count_columns.h"
#include "output/views/report/report_internal.h"

struct tree {
  const struct hd_view *view;
  const struct hd_model *model;
  struct hd_unit unit;
  uint32_t *row_of; /* by line */
  struct hd_grid grid;
  bool focused;
  struct hd_count_columns counts;
  struct hd_count_sums *sums; /* by line, inclusive; NULL: there are no counters */
};

static bool is_shown(const struct hd_view *view, uint32_t line) {
  return line == 0 || view->lines[line].shown;
}

static bool is_call_back(const struct hd_line *line) {
  return line->node->flags & HD_PROFILE_BACK && hd_ticks_all(line->ticks) == 0;
}

/* A sum may be one of several runs. */
static bool knows_calls(const struct hd_model *model, const struct hd_line *line) {
  return line->measured && !(line->node->id == 0 && (model->header.flags & HD_FILE_MERGED));
}

static void add_columns(struct hd_grid *grid, const struct hd_count_columns *counts) {
  hd_grid_column(grid, "Incl%", 2);
  hd_grid_column(grid, "Incl", 0);
  hd_grid_column(grid, "Self", 0);
  hd_grid_column(grid, "Calls", 0);
  hd_grid_column(grid, "Conc.calls", 5);
  hd_grid_column(grid, "Wall%", 3);
  hd_grid_column(grid, "Id", 4);
  hd_count_columns_add(counts, grid);
}

/* The run's own is not that of the callpaths in focus. */
static double elapsed_of(const struct hd_view *view, uint32_t line, bool focused) {
  if (line == 0 && focused)
    return NAN;
  return line == 0 ? hd_count_elapsed_of_program(view->model) : hd_count_elapsed(&view->lines[line].team);
}

static void fill(struct hd_grid_row *row, struct tree *tree, uint32_t index) {
  const struct hd_model *model = tree->model;
  const struct hd_line *line = &tree->view->lines[index];
  const struct hd_line *outer = index > 0 ? &tree->view->lines[line->parent] : NULL;
  const bool timed = !is_call_back(line);
  size_t i = 0;
  hd_cell_percent(row->cells[i++], (double)line->ticks[HD_BUSY], (double)tree->view->lines[0].ticks[HD_BUSY], timed);
  hd_cell_ticks(row->cells[i++], model, &tree->unit, line->ticks[HD_BUSY], timed);
  hd_cell_ticks(row->cells[i++], model, &tree->unit, line->own_busy_ticks, timed && line->measured);
  hd_cell_visits(row->cells[i++], model, line->node->kind, line->visits, knows_calls(model, line));
  hd_cell_visits(row->cells[i++], model, line->node->kind, line->visits_concurrent,
                 line->measured && model->entries_known && index > 0);
  hd_cell_percent(row->cells[i++], line->wall_share_ticks, (double)model->elapsed_ticks, timed);
  snprintf(row->cells[i++], HD_CELL_BYTES, "%u", line->node->id);
  if (tree->sums)
    hd_count_cells(row, i, &tree->counts, &tree->sums->sums[index], elapsed_of(tree->view, index, tree->focused));
  hd_place_text(row->place, model, line, outer);
  if (!timed)
    strcat(row->place, " (recursive call)");
}

static bool fill_rows(struct tree *tree) {
  const struct hd_view *view = tree->view;
  for (uint32_t i = 0; i < view->count; i++) {
    if (!is_shown(view, i))
      continue;
    tree->row_of[i] = tree->grid.row_count;
    struct hd_grid_row *row = hd_grid_add(&tree->grid, i == 0 ? HD_NONE : tree->row_of[view->lines[i].parent]);
    if (!row)
      return false;
    fill(row, tree, i);
  }
  return true;
}

static void survey_routines(const struct hd_model *model, bool *any, bool *measured) {
  for (uint32_t i = 0; i < model->node_count; i++) {
    const bool routine = model->nodes[i].kind == HD_KIND_ROUTINE;
    *any |= routine;
    *measured |= routine && hd_node_is_measured(&model->nodes[i]);
  }
}

static bool print_text(struct hd_view *view, const struct hd_report_options *options, uint32_t left, FILE *out) {
  struct tree tree = {.view = view, .model = view->model, .focused = options->focus};
  bool any = false, measured = false;
  survey_routines(view->model, &any, &measured);
  tree.unit = hd_unit_for(hd_model_seconds(view->model, view->lines[0].ticks[HD_BUSY]));
  tree.row_of = calloc(view->count, sizeof *tree.row_of);
  hd_count_columns_choose(&tree.counts, view->model, false);
  tree.sums = hd_view_count_lines(view, true);
  add_columns(&tree.grid, &tree.counts);
  bool done = tree.row_of && fill_rows(&tree);
  if (done) {
    hd_report_heading(view->model, false, out);
    hd_report_scope(view->model, options, out);
    fprintf(out, "\nTimes in %s.\n", tree.unit.name);
    done = hd_grid_print(&tree.grid, "Callpath", true, out);
    hd_count_columns_said_left(&tree.counts, tree.grid.titles, tree.grid.column_count, out);
    if (left > 0)
      fprintf(out, "%u more line%s not shown; --limit 0 shows all.\n", left, left == 1 ? " is" : "s are");
    fputs("\nIncl: busy time summed over threads, with the lines below; Self: without them. Calls: regions: how often "
          "one\n"
          "was opened; others: entries, summed over threads; Conc.calls: of these, while another thread was busy.\n"
          "Wall%: part of the run, lines below included; threads that are busy at once share the time. A recursive\n"
          "call's time is in the line that it leads back to. '-': not measured.\n",
          out);
    hd_report_visits_mark(view->model, out);
    hd_report_shortened_mark(view->model, out);
    hd_count_legend(&tree.counts, "with the lines below", out);
    hd_report_routine_hint(any, measured, view->model, out);
  }
  hd_count_sums_free(tree.sums);
  hd_grid_free(&tree.grid);
  free(tree.row_of);
  return done;
}

static void print_csv(const struct hd_view *view, bool focused, FILE *out) {
  const struct hd_model *model = view->model;
  const double second = model->seconds_per_tick;
  hd_csv_place_names(out);
  fputs(",calls,calls_concurrent,inclusive_s,self_s,wall_share_s,wall_share", out);
  hd_csv_count_names(model, " inclusive", true, out);
  hd_csv_count_names(model, " self", false, out);
  fputc('\n', out);
  struct hd_count_sums *sums = hd_view_count_lines(view, true);
  struct hd_count_sums *own = hd_view_count_lines(view, false);
  for (uint32_t i = 0; i < view->count; i++) {
    const struct hd_line *line = &view->lines[i];
    const bool timed = !is_call_back(line);
    if (!is_shown(view, i))
      continue;
    hd_csv_place(view, i, out);
    hd_csv_count(line->visits, knows_calls(model, line), out);
    hd_csv_count(line->visits_concurrent, line->measured && model->entries_known && i > 0, out);
    hd_csv_number(timed ? (double)line->ticks[HD_BUSY] * second : NAN, out);
    hd_csv_number(timed && line->measured ? (double)line->own_busy_ticks * second : NAN, out);
    hd_csv_number(timed ? line->wall_share_ticks * second : NAN, out);
    hd_csv_number(timed ? line->wall_share_ticks / (double)model->elapsed_ticks : NAN, out);
    const double elapsed = elapsed_of(view, i, focused);
    hd_csv_counts(model, sums ? &sums->sums[i] : NULL, true, elapsed, out);
    hd_csv_counts(model, own ? &own->sums[i] : NULL, false, elapsed, out);
    fputc('\n', out);
  }
  hd_count_sums_free(sums);
  hd_count_sums_free(own);
}

bool hd_report_tree(const struct hd_model *model, const struct hd_report_options *options, FILE *out) {
  struct hd_view *view = hd_view_new(model, options->sort, HD_VIEW_ROUTINES_TOO);
  if (!view)
    return false;
  const uint32_t left = hd_view_choose(view, options->sort, options->limit, false);
  bool done = true;
  if (options->csv)
    print_csv(view, options->focus, out);
  else
    done = print_text(view, options, left, out);
  hd_view_free(view);
  return done;
}
