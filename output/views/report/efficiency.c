/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file efficiency.c
 * --efficiency: how well the run, and each region that is in no other, used its threads, and why not better.
 */
#include <math.h>
#include <stdlib.h>

#include "output/analysis/losses/efficiency.h"
#include "output/model/format_names.h"
#include "output/views/render/column_names.h"
#include "output/views/report/listing.h"
#include "output/views/report/report_internal.h"

enum { PARALLEL, FACTORS, ELAPSED_TIME = FACTORS + HD_FACTOR_COUNT, LINE_ID, COLUMNS };

#define FACTOR_COLUMN(name, id, title, words, losses) {id, title, HD_SHARE, 0, 0, words},
static const struct hd_column columns[COLUMNS] = {
    {"parallel_efficiency", "Parallel", HD_SHARE, 0, 0, "useful thread time / all: the product of what follows"},
    HD_FACTORS(FACTOR_COLUMN) HD_COLUMN(ELAPSED, 0, 0, "\n" HD_MEANS_ELAPSED),
    {NULL, "Id", HD_COUNT, 0, 1, "\n" HD_MEANS_ID},
};

const struct hd_report_columns hd_report_efficiency_columns = {"efficiency", columns, COLUMNS, -1};

static void fill(struct hd_value *values, const struct hd_lines *view, const struct hd_losses *losses, uint32_t index) {
  const struct hd_line *line = &view->lines[index];
  const struct hd_efficiency efficiency = hd_efficiency_of(losses);
  const bool is_whole = !hd_gain_text(line->marks);
  const double elapsed = index == 0 ? (double)view->model->elapsed_ticks : hd_team_elapsed(&line->team);
  values[PARALLEL] = hd_share(efficiency.parallel, 1, true);
  values[PARALLEL].mark = is_whole ? NULL : "~";
  for (int factor = 0; factor < HD_FACTOR_COUNT; factor++)
    values[FACTORS + factor] = hd_share(efficiency.factors[factor], 1, is_whole);
  values[ELAPSED_TIME] = hd_ticks(view->model, elapsed, true);
  values[LINE_ID] = hd_count(line->node->id, true);
}

static void put(struct hd_listing *listing, const struct hd_lines *view, const struct hd_losses *losses,
                uint32_t index) {
  struct hd_value values[COLUMNS] = {0};
  struct hd_listed row = hd_listed_line(view, index);
  hd_place_text(row.place, view->model, &view->lines[index], NULL);
  fill(values, view, losses, index);
  hd_listing_put(listing, &row, values);
}

/* Thread time at hand is the run's: so of regions in others it is not known. */
static bool is_listed(const struct hd_line *line) {
  return line->shown && line->parent == 0 && hd_kind_is_region(line->node->kind);
}

static uint32_t put_rows(const struct hd_lines *view, const struct hd_report_options *options,
                         const struct hd_line_causes *causes, struct hd_listing *listing) {
  uint32_t count = 0;
  hd_listing_begin(listing, HD_LINE_FIRST, "Run and regions", false);
  put(listing, view, &causes->program, 0);
  for (uint32_t i = 1; i < view->count; i++) {
    if (!is_listed(&view->lines[i]))
      continue;
    count++;
    if (hd_at_most(count, hd_limit_of(options)) == count)
      put(listing, view, &causes->lines[i], i);
  }
  return count;
}

void hd_report_efficiency(struct hd_lines *view, const struct hd_report_options *options, FILE *out) {
  struct hd_line_causes causes = hd_line_causes_of(view);
  hd_lines_select(view, options->sort, 0, false);
  struct hd_listing listing = {
      .model = view->model,
      .columns = {columns, COLUMNS, 0, hd_unit_for(hd_model_seconds(view->model, view->model->elapsed_ticks))},
      .csv = options->csv,
      .asked = options,
      .out = out};
  if (!options->csv) {
    hd_report_heading(view->model, hd_heading_of(options), out);
    hd_report_scope(view->model, options, out);
  }
  if (causes.known) {
    const uint32_t count = put_rows(view, options, &causes, &listing);
    hd_listing_end(&listing, count - hd_at_most(count, hd_limit_of(options)));
    if (!options->csv) {
      fputc('\n', out);
      hd_columns_legend(&listing.columns, "'-': waits may be missing (docs/budget.md).", out);
    }
  } else if (!options->csv) {
    fputs("\nOf a part of the callpaths it is not known what its threads lost.\n", out);
  }
  hd_line_causes_free(&causes);
}
