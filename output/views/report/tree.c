/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file tree.c
 * The callpaths as a tree, routines included.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/views/render/columns.h"
#include "output/views/render/count_columns.h"
#include "output/views/report/report_internal.h"

struct tree {
  const struct hd_view *view;
  struct hd_columns columns;
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

/* The run's own is not that of the callpaths in focus. */
static double elapsed_of(const struct hd_view *view, uint32_t line, bool focused) {
  if (line == 0 && focused)
    return NAN;
  return line == 0 ? hd_count_elapsed_of_program(view->model) : hd_count_elapsed(&view->lines[line].team);
}

enum { CALLS, CALLS_CONCURRENT, INCLUSIVE, SELF, WALL, WALL_SHARE, INCLUSIVE_SHARE, ID, COLUMNS };

static const struct hd_column table[COLUMNS] = {
    [CALLS] = {"calls", "Calls", HD_COUNT, 4, 0,
               "regions: how often one was opened; others: entries, summed over threads"},
    [CALLS_CONCURRENT] = {"calls_concurrent", "Conc.calls", HD_COUNT, 5, 5, "of these, while another thread was busy"},
    [INCLUSIVE] = {"inclusive_s", "Incl", HD_SECONDS, 2, 0, "busy time summed over threads, with the lines below"},
    [SELF] = {"self_s", "Self", HD_SECONDS, 3, 0, "without the lines below"},
    [WALL] = {"wall_share_s", NULL, HD_SECONDS, 0, 0, NULL},
    [WALL_SHARE] = {"wall_share", "Wall%", HD_SHARE, 6, 3,
                    "part of the run, lines below included; threads that are busy at once share the time"},
    [INCLUSIVE_SHARE] = {NULL, "Incl%", HD_SHARE, 1, 2, NULL},
    [ID] = {NULL, "Id", HD_COUNT, 7, 4, NULL},
};

static void fill(struct hd_value values[COLUMNS], const struct hd_view *view, uint32_t index) {
  const struct hd_model *model = view->model;
  const struct hd_line *line = &view->lines[index];
  const enum hd_kind kind = line->node->kind;
  const bool timed = !is_call_back(line);
  const double inclusive = (double)line->ticks[HD_BUSY];
  values[CALLS] = hd_visits(model, kind, line->visits, knows_calls(model, line));
  values[CALLS_CONCURRENT] =
      hd_visits(model, kind, line->visits_concurrent, line->measured && model->entries_known && index > 0);
  values[INCLUSIVE] = hd_ticks(model, inclusive, timed);
  values[INCLUSIVE_SHARE] = hd_share(inclusive, (double)view->lines[0].ticks[HD_BUSY], timed);
  values[SELF] = hd_ticks(model, (double)line->own_busy_ticks, timed && line->measured);
  values[WALL] = hd_ticks(model, line->wall_share_ticks, timed);
  values[WALL_SHARE] = hd_share(line->wall_share_ticks, (double)model->elapsed_ticks, timed);
  values[ID] = hd_count(line->node->id, true);
}

static void put_row(struct tree *tree, struct hd_grid *grid, struct libscols_line **rows, uint32_t index) {
  char place[HD_PLACE_BYTES + 32];
  struct hd_value values[COLUMNS] = {0};
  const struct hd_line *line = &tree->view->lines[index];
  rows[index] = hd_grid_row(grid, index > 0 ? rows[line->parent] : NULL);
  fill(values, tree->view, index);
  hd_columns_cells(&tree->columns, values, grid);
  if (tree->sums)
    hd_count_cells(grid, &tree->counts, &tree->sums->sums[index], elapsed_of(tree->view, index, tree->focused));
  hd_place_text(place, tree->view->model, line, index > 0 ? &tree->view->lines[line->parent] : NULL);
  strcat(place, is_call_back(line) ? " (recursive call)" : "");
  hd_grid_at(grid, place);
}

static bool print_table(struct tree *tree, uint32_t left, FILE *out) {
  struct hd_grid grid = {0};
  struct libscols_line **rows = calloc(tree->view->count, sizeof *rows);
  hd_columns_add(&tree->columns, &grid);
  hd_count_columns_add(&tree->counts, &grid);
  hd_grid_place(&grid, "Callpath", true);
  for (uint32_t i = 0; rows && i < tree->view->count; i++)
    if (is_shown(tree->view, i))
      put_row(tree, &grid, rows, i);
  fprintf(out, "\nTimes in %s.\n", tree->columns.unit.name);
  const bool done = rows && hd_grid_print(&grid, out);
  if (done)
    hd_count_columns_said_left(&tree->counts, &grid, out);
  hd_report_left(left, "line", out);
  hd_grid_free(&grid);
  free(rows);
  return done;
}

static void survey_routines(const struct hd_model *model, bool *any, bool *measured) {
  for (uint32_t i = 0; i < model->node_count; i++) {
    const bool routine = model->nodes[i].kind == HD_KIND_ROUTINE;
    *any |= routine;
    *measured |= routine && hd_node_is_measured(&model->nodes[i]);
  }
}

static bool print_text(struct tree *tree, const struct hd_report_options *options, uint32_t left, FILE *out) {
  const struct hd_model *model = tree->view->model;
  bool any = false, measured = false;
  hd_count_columns_choose(&tree->counts, model, false);
  hd_report_heading(model, false, out);
  hd_report_scope(model, options, out);
  if (!print_table(tree, left, out))
    return false;
  fputc('\n', out);
  hd_columns_legend(&tree->columns, "A recursive call's time is in the line that it leads back to. '-': not measured.",
                    out);
  hd_report_visits_mark(model, out);
  hd_report_shortened_mark(model, out);
  hd_count_legend(&tree->counts, "with the lines below", out);
  survey_routines(model, &any, &measured);
  hd_report_routine_hint(any, measured, model, out);
  return true;
}

static void print_csv(const struct tree *tree, FILE *out) {
  const struct hd_model *model = tree->view->model;
  struct hd_value values[COLUMNS] = {0};
  hd_csv_place_names(out);
  hd_columns_csv_names(&tree->columns, out);
  hd_csv_count_names(model, " inclusive", true, out);
  hd_csv_count_names(model, " self", false, out);
  fputc('\n', out);
  struct hd_count_sums *own = hd_view_count_lines(tree->view, false);
  for (uint32_t i = 0; i < tree->view->count; i++) {
    const double elapsed = elapsed_of(tree->view, i, tree->focused);
    if (!is_shown(tree->view, i))
      continue;
    fill(values, tree->view, i);
    hd_csv_place(tree->view, i, out);
    hd_columns_csv(&tree->columns, values, out);
    hd_csv_counts(model, tree->sums ? &tree->sums->sums[i] : NULL, true, elapsed, out);
    hd_csv_counts(model, own ? &own->sums[i] : NULL, false, elapsed, out);
    fputc('\n', out);
  }
  hd_count_sums_free(own);
}

bool hd_report_tree(const struct hd_model *model, const struct hd_report_options *options, FILE *out) {
  struct hd_view *view = hd_view_new(model, options->sort, HD_VIEW_ROUTINES_TOO);
  if (!view)
    return false;
  const uint32_t left = hd_view_choose(view, options->sort, options->limit, false);
  const struct hd_unit unit = hd_unit_for(hd_model_seconds(model, view->lines[0].ticks[HD_BUSY]));
  struct tree tree = {.view = view, .columns = {table, COLUMNS, 0, unit}, .focused = options->focus};
  bool done = true;
  tree.sums = hd_view_count_lines(view, true);
  if (options->csv)
    print_csv(&tree, out);
  else
    done = print_text(&tree, options, left, out);
  hd_count_sums_free(tree.sums);
  hd_view_free(view);
  return done;
}
