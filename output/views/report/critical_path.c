/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file critical_path.c
 * --critical-path: what had to run one after the other, for the whole run, each region and each tree of tasks; and
 * where the critical path spends its time.
 */
#include "output/analysis/lines/critical_path.h"

#include <math.h>
#include <stdlib.h>

#include "output/views/render/column_names.h"
#include "output/views/report/listing.h"
#include "output/views/report/report_internal.h"
#include "support/command/memory.h"

enum { PATH, PATH_SHARE, OWN, WORK, SPAN, PARALLELISM, INSTANCES, LINE_ID, COLUMNS };

static const struct hd_column columns[COLUMNS] = {
    [PATH] = HD_COLUMN(PATH, 0, 0, "time on the critical path, with the lines below: a faster line saves no more"),
    [PATH_SHARE] = {"critical_path_share", "Path%", HD_SHARE, 0, 0, "\nPath as part of the program's"},
    [OWN] = HD_COLUMN(PATH_SELF, 0, 0, "of it in the line itself"),
    [WORK] = HD_COLUMN(
        WORK, 0, 0, "busy time of all threads, with the lines below or, for tasks with a span, all that came of them"),
    [SPAN] = HD_COLUMN(SPAN, 0, 0,
                       "the longest chain from begin to end, summed over instances\n"
                       "of the program, regions, and tasks that no other task created, with all that come of them"),
    [PARALLELISM] = HD_COLUMN(PARALLELISM, 0, 0, "as many threads can be busy on average: more bring nothing"),
    [INSTANCES] = HD_COLUMN(SPAN_INSTANCES, 0, 0, "that the span is summed over"),
    [LINE_ID] = {NULL, "Id", HD_COUNT, 0, 1, "\n" HD_MEANS_ID},
};

const struct hd_report_columns hd_report_critical_path_columns = {"critical-path", columns, COLUMNS, -1};

/* ---- rows ---- */

static uint32_t choose(const struct hd_lines *view, const struct hd_line_path *paths, struct hd_ranked *chosen) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < view->count; i++)
    if (i == 0 || paths[i].inclusive_ticks > 0 || paths[i].instances > 0)
      chosen[count++] = (struct hd_ranked){i, paths[i].inclusive_ticks};
  qsort(chosen, count, sizeof *chosen, hd_ranked_compare);
  return count;
}

static void fill(struct hd_value *values, const struct hd_lines *view, const struct hd_line_path *paths,
                 uint32_t index) {
  const struct hd_model *model = view->model;
  const struct hd_line *line = &view->lines[index];
  const struct hd_line_path *path = &paths[index];
  const double work = (double)path->work_ticks, span = (double)path->span_ticks;
  const bool has_span = path->instances > 0;
  values[PATH] = hd_ticks(model, (double)path->inclusive_ticks, true);
  values[PATH_SHARE] = hd_share((double)path->inclusive_ticks, (double)paths[0].inclusive_ticks, true);
  values[OWN] = hd_ticks(model, (double)path->own_ticks, true);
  values[WORK] = hd_bounded(hd_ticks(model, work, true), hd_bounds_of_busy(line->marks));
  values[SPAN] = hd_ticks(model, span, has_span);
  values[PARALLELISM] = hd_number(has_span && span > 0 ? work / span : NAN);
  values[INSTANCES] = hd_count(path->instances, has_span);
  values[LINE_ID] = hd_count(line->node->id, true);
}

static void put(struct hd_listing *listing, const struct hd_lines *view, const struct hd_line_path *paths,
                uint32_t index) {
  struct hd_value values[COLUMNS] = {0};
  struct hd_listed row = hd_listed_line(view, index);
  if (index > 0)
    hd_callpath_text(row.place, view, index);
  else
    hd_place_text(row.place, view->model, &view->lines[0], NULL);
  fill(values, view, paths, index);
  hd_listing_put(listing, &row, values);
}

/* ---- text ---- */

static void print_whole(const struct hd_model *model, const struct hd_lines *view, const struct hd_line_path *paths,
                        FILE *out) {
  const uint64_t work = view->lines[0].ticks[HD_BUSY], span = paths[0].span_ticks;
  char parallelism[HD_CELL_BYTES + 80] = "";
  if (span > 0)
    snprintf(parallelism, sizeof parallelism,
             "work/span %.2f: as many threads can be busy on average, however many there are\n",
             (double)work / (double)span);
  char *text = hd_print("work      %s: the busy time of all threads\n"
                        "span      %s: the critical path, the longest chain of busy time that ran one after the other\n"
                        "%s",
                        hd_duration_of(model, work).text, hd_duration_of(model, span).text, parallelism);
  hd_print_facts(text, out);
  free(text);
}

static void print_lacks(const struct hd_model *model, FILE *out) {
  const char *words = hd_path_lack(model, 0);
  if (words)
    hd_print_sentences(out, "\nThe critical path may be longer than shown, and work/span less:");
  for (uint32_t i = 0; (words = hd_path_lack(model, i)); i++) {
    fputs("  ", out);
    hd_print_wrapped(words, 2, out);
    fputc('\n', out);
  }
}

static void print_text(struct hd_listing *listing, const struct hd_report_options *options, uint32_t left, FILE *out) {
  hd_listing_end(listing, left);
  fputc('\n', out);
  hd_columns_legend(&listing->columns, options->focus ? "" : "'-': has no span of its own.", out);
  print_lacks(listing->model, out);
}

void hd_report_critical_path(struct hd_lines *view, const struct hd_report_options *options, FILE *out) {
  const struct hd_model *model = view->model;
  const char *missing = hd_path_missing(model);
  struct hd_line_path *paths = hd_line_paths_of(view);
  struct hd_ranked *chosen = hd_new(view->count, sizeof *chosen);
  const uint32_t count = missing ? 0 : choose(view, paths, chosen);
  const uint32_t shown = hd_at_most(count, hd_limit_of(options));
  struct hd_listing listing = {
      .model = model,
      .columns = {columns, COLUMNS, 0, hd_unit_for(hd_model_seconds(model, view->lines[0].ticks[HD_BUSY]))},
      .csv = options->csv,
      .asked = options,
      .out = out};
  if (!options->csv) {
    hd_report_heading(model, hd_heading_of(options), out);
    hd_report_scope(model, options, out);
  }
  if (!options->csv && missing)
    hd_print_sentences(out, "\nThis profile has no critical path: %s.", missing);
  else if (!options->csv)
    print_whole(model, view, paths, out);
  if (options->csv || !missing)
    hd_listing_begin(&listing, HD_LINE_FIRST, "Callpath", false);
  for (uint32_t i = 0; i < shown; i++)
    put(&listing, view, paths, chosen[i].line);
  if (options->csv)
    hd_listing_end(&listing, 0);
  else if (!missing)
    print_text(&listing, options, count - shown, out);
  free(chosen);
  free(paths);
}
