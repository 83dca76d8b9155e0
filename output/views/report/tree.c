/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file tree.c
 * The callpaths as a tree, routines included.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/analysis/lines/line_counts.h"
#include "output/views/render/column_names.h"
#include "output/views/report/listing.h"
#include "output/views/report/report_internal.h"
#include "support/command/memory.h"

static bool is_call_back(const struct hd_line *line) {
  return line->node->flags & HD_PROFILE_BACK && hd_ticks_all(line->ticks) == 0;
}

/* A sum may be one of several runs. */
static bool knows_calls(const struct hd_model *model, const struct hd_line *line) {
  return line->measured && (line->visits > 0 || !hd_node_stands_in(line->node)) &&
         !(line->node->id == 0 && (model->header.flags & HD_FILE_MERGED));
}

/* The run's own is not that of the callpaths in focus. */
static double elapsed_of(const struct hd_lines *view, uint32_t line, bool focused) {
  if (line == 0 && focused)
    return NAN;
  return line == 0 ? hd_count_elapsed_of_program(view->model) : hd_count_elapsed(&view->lines[line].team);
}

enum { CALLS, CALLS_CONCURRENT, INCLUSIVE, SELF, WALL, WALL_SHARE, INCLUSIVE_SHARE, ID, COLUMNS };

static const struct hd_column table[COLUMNS] = {
    [CALLS] = HD_COLUMN(CALLS, 4, 0, HD_MEANS_CALLS),
    [CALLS_CONCURRENT] = HD_COLUMN(CALLS_CONCURRENT, 5, 5, "of these, while another thread was busy"),
    [INCLUSIVE] = HD_COLUMN(INCLUSIVE, 2, 0, "busy time summed over threads, with the lines below"),
    [SELF] = HD_COLUMN(SELF, 3, 0, "without the lines below"),
    [WALL] = HD_COLUMN(WALL_INCLUSIVE, 0, 0, "\nWall% in seconds"),
    [WALL_SHARE] = HD_COLUMN(WALL_SHARE, 6, 3, HD_MEANS_WALL),
    [INCLUSIVE_SHARE] = {NULL, "Incl%", HD_SHARE, 1, 2, "\nIncl as part of all busy time"},
    [ID] = {NULL, "Id", HD_COUNT, 7, 4, "\n" HD_MEANS_ID},
};

const struct hd_report_columns hd_report_tree_columns = {"tree", table, COLUMNS, -1};

static void fill(struct hd_value values[COLUMNS], const struct hd_lines *view, uint32_t index) {
  const struct hd_model *model = view->model;
  const struct hd_line *line = &view->lines[index];
  const bool timed = !is_call_back(line);
  const double inclusive = (double)line->ticks[HD_BUSY];
  values[CALLS] = hd_count(line->visits, knows_calls(model, line));
  values[CALLS_CONCURRENT] = hd_count(line->visits_concurrent, line->measured && model->entries_known && index > 0);
  values[INCLUSIVE] = hd_ticks(model, inclusive, timed);
  values[INCLUSIVE_SHARE] = hd_share(inclusive, (double)view->lines[0].ticks[HD_BUSY], timed);
  values[SELF] = hd_ticks(model, (double)line->own_busy_ticks, timed && line->measured);
  values[WALL] = hd_ticks(model, line->wall_share_ticks, timed);
  values[WALL_SHARE] = hd_share(line->wall_share_ticks, (double)model->elapsed_ticks, timed);
  values[ID] = hd_count(line->node->id, true);
}

static void mark(struct hd_value values[COLUMNS], uint32_t marks) {
  values[CALLS].mark = hd_bounds_text(hd_bounds_of_visits(marks));
  values[CALLS_CONCURRENT].mark = hd_bounds_text(hd_bounds_of_concurrent(marks));
  values[INCLUSIVE].mark = values[INCLUSIVE_SHARE].mark = hd_bounds_text(hd_bounds_of_busy(marks));
  values[SELF].mark = hd_bounds_text(hd_bounds_of_own(marks));
  values[WALL_SHARE].mark = hd_bounds_text(hd_bounds_of_levels(marks));
}

static void put_rows(const struct hd_lines *view, struct hd_listing *listing, bool focused, uint32_t left) {
  void **rows = hd_new(view->count, sizeof *rows);
  struct hd_count_sum *inclusive = hd_lines_count(view, true), *own = hd_lines_count(view, false);
  hd_listing_begin(listing, HD_LINE_FIRST, "Callpath", true);
  for (uint32_t i = 0; i < view->count; i++) {
    const struct hd_line *line = &view->lines[i];
    struct hd_value values[COLUMNS] = {0};
    if (!line->shown)
      continue;
    struct hd_listed row = hd_listed_line(view, i);
    row.parent = i > 0 ? rows[line->parent] : NULL;
    row.sums[0] = inclusive ? &inclusive[i] : NULL;
    row.sums[1] = own ? &own[i] : NULL;
    row.elapsed_ticks = elapsed_of(view, i, focused);
    hd_place_text(row.place, view->model, line, i > 0 ? &view->lines[line->parent] : NULL);
    strcat(row.place, is_call_back(line) ? " (recursive call)" : "");
    fill(values, view, i);
    mark(values, line->marks);
    rows[i] = hd_listing_put(listing, &row, values);
  }
  hd_listing_end(listing, left);
  free(inclusive);
  free(own);
  free(rows);
}

static void survey_routines(const struct hd_model *model, bool *any, bool *measured) {
  for (uint32_t i = 0; i < model->node_count; i++) {
    const bool routine = model->nodes[i].kind == HD_KIND_ROUTINE;
    *any |= routine;
    *measured |= routine && hd_node_is_measured(&model->nodes[i]);
  }
}

static void print_legend(const struct hd_model *model, const struct hd_listing *listing, FILE *out) {
  bool any = false, measured = false;
  fputc('\n', out);
  hd_columns_legend(&listing->columns,
                    "A recursive call's time is in the line that it leads back to. '-': not measured.", out);
  hd_report_visits_mark(model, out);
  hd_report_shortened_mark(model, out);
  hd_count_legend(&listing->counted, "with the lines below", out);
  survey_routines(model, &any, &measured);
  hd_report_routine_hint(any, measured, model, out);
}

void hd_report_tree(const struct hd_model *model, const struct hd_report_options *options, FILE *out) {
  struct hd_lines *view = hd_lines_new(model, options->sort, HD_LINES_ROUTINES_TOO);
  const uint32_t left = hd_lines_select(view, options->sort, hd_limit_of(options), false);
  view->lines[0].shown = true;
  const struct hd_unit unit = hd_unit_for(hd_model_seconds(model, view->lines[0].ticks[HD_BUSY]));
  struct hd_listing listing = {.model = model,
                               .columns = {table, COLUMNS, 0, unit},
                               .csv = options->csv,
                               .asked = options,
                               .out = out,
                               .counts_of = {" inclusive", " self"}};
  if (!options->csv) {
    hd_count_columns_choose(&listing.counted, model, false);
    hd_report_heading(model, hd_heading_of(options), out);
    hd_report_scope(model, options, out);
  }
  put_rows(view, &listing, options->focus, left);
  if (!options->csv)
    print_legend(model, &listing, out);
  hd_lines_free(view);
}
