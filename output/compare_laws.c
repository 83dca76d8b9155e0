/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file compare_laws.c
 * Laws of scaling, row by row, and what they foretell.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "output/compare_parts.h"

enum { PREDICTIONS_SHOWN = 12 };

struct laws_table {
  struct hd_grid grid;
  struct hd_unit unit;
  const struct hd_compare_view_options *options;
  size_t shown;
  char titles[PREDICTIONS_SHOWN][2][HD_TITLE_BYTES];
};

/* ---- the laws ---- */

static void add_law_columns(struct hd_grid *grid) {
  hd_grid_column(grid, "Amdahl s%", 1);
  hd_grid_column(grid, "s 95%", 5);
  hd_grid_column(grid, "Misfit%", 3);
  hd_grid_column(grid, "USL s%", 1);
  hd_grid_column(grid, "k%", 1);
  hd_grid_column(grid, "k 95%", 6);
  hd_grid_column(grid, "Misfit%", 4);
  hd_grid_column(grid, "Best p", 2);
}

static void fill_laws(struct hd_grid_row *into, const struct hd_comparison *comparison, uint32_t index, void *context) {
  const struct laws_table *table = context;
  const struct hd_scaling *scaling = &comparison->rows[index].scaling;
  const struct hd_law_fit *amdahl = &scaling->laws[HD_LAW_AMDAHL], *usl = &scaling->laws[HD_LAW_USL];
  size_t column = 0;
  if (!scaling->fitted) {
    for (size_t i = 0; i < table->grid.column_count; i++)
      strcpy(into->cells[i], "-");
    return;
  }
  hd_cell_number(into->cells[column++], 100 * amdahl->serial, 2);
  hd_cell_interval(into->cells[column++], amdahl->serial_interval, 100, 2);
  hd_cell_number(into->cells[column++], 100 * amdahl->residual, 1);
  hd_cell_number(into->cells[column++], 100 * usl->serial, 2);
  hd_cell_number(into->cells[column++], 100 * usl->coherence, 3);
  hd_cell_interval(into->cells[column++], usl->coherence_interval, 100, 3);
  hd_cell_number(into->cells[column++], 100 * usl->residual, 1);
  if (isfinite(usl->peak))
    hd_cell_number(into->cells[column], usl->peak, 0);
  else
    strcpy(into->cells[column], "-");
}

static void say_laws(const struct hd_sheet *sheet, const struct hd_scaling *scaling) {
  const struct hd_law_fit *amdahl = &scaling->laws[HD_LAW_AMDAHL], *usl = &scaling->laws[HD_LAW_USL];
  if (scaling->amdahl_refuted)
    hd_sheet_say(sheet, "Amdahl's law does not hold for the program: far beyond noise, more threads cost time of their "
                        "own.");
  else if (amdahl->serial > 0)
    hd_sheet_say(
        sheet,
        "By Amdahl's law %.1f %% of the program's time with one thread is serial, so no number of threads makes "
        "it more than %.1f times as fast; it misses the measured times by %.1f %%.",
        100 * amdahl->serial, 1 / amdahl->serial, 100 * amdahl->residual);
  else
    hd_sheet_say(sheet, "By Amdahl's law nothing is serial; it misses the measured times by %.1f %%.",
                 100 * amdahl->residual);
  if (isfinite(usl->peak))
    hd_sheet_say(sheet,
                 "By the universal scalability law the program is fastest with %.0f threads; it misses the measured "
                 "times by %.1f %%.",
                 usl->peak, 100 * usl->residual);
  else
    hd_sheet_say(
        sheet,
        "By the universal scalability law no number of threads is known to be the best; it misses the measured "
        "times by %.1f %%.",
        100 * usl->residual);
}

/* ---- what they foretell ---- */

static void add_prediction_columns(struct laws_table *table) {
  for (size_t i = 0; i < table->shown; i++) {
    snprintf(table->titles[i][0], HD_TITLE_BYTES, "T(%u)", table->options->predict[i]);
    snprintf(table->titles[i][1], HD_TITLE_BYTES, "T(%u) 95%%", table->options->predict[i]);
    hd_grid_column(&table->grid, table->titles[i][0], 0);
    hd_grid_column(&table->grid, table->titles[i][1], 2);
  }
}

/* By the universal scalability law, which contains Amdahl's. */
static void fill_predictions(struct hd_grid_row *into, const struct hd_comparison *comparison, uint32_t index,
                             void *context) {
  const struct laws_table *table = context;
  const struct hd_scaling *scaling = &comparison->rows[index].scaling;
  struct hd_prediction prediction = {0};
  for (size_t i = 0; i < table->shown; i++) {
    if (scaling->fitted)
      hd_scaling_predict(scaling, table->options->predict[i], &prediction);
    hd_cell_time(into->cells[2 * i], &table->unit, prediction.told ? prediction.seconds[HD_LAW_USL] : NAN);
    hd_cell_interval(into->cells[2 * i + 1], prediction.told ? prediction.interval[HD_LAW_USL] : HD_INTERVAL_UNKNOWN,
                     table->unit.per_second, table->unit.decimals);
    if (scaling->fitted && !prediction.told)
      strcpy(into->cells[2 * i], "?");
  }
}

static void say_prediction(const struct hd_sheet *sheet, const struct hd_scaling *scaling, uint32_t threads) {
  struct hd_prediction prediction;
  char usl[HD_CELL_BYTES], amdahl[HD_CELL_BYTES], low[HD_CELL_BYTES], high[HD_CELL_BYTES];
  hd_scaling_predict(scaling, threads, &prediction);
  const char *s = threads == 1 ? "" : "s";
  if (!prediction.told) {
    hd_sheet_say(sheet, "With %u thread%s the data cannot tell the program's time: %s.", threads, s,
                 prediction.why ? prediction.why : "the laws differ");
    return;
  }
  hd_cell_duration(usl, prediction.seconds[HD_LAW_USL]);
  hd_cell_duration(amdahl, prediction.seconds[HD_LAW_AMDAHL]);
  hd_cell_duration(low, prediction.interval[HD_LAW_USL].low);
  hd_cell_duration(high, prediction.interval[HD_LAW_USL].high);
  hd_sheet_say(sheet, "With %u thread%s the program would take %s (%s to %s)%s%s.", threads, s, usl, low, high,
               scaling->amdahl_refuted ? "" : "; by Amdahl's law ", scaling->amdahl_refuted ? "" : amdahl);
}

static bool print_laws(const struct hd_sheet *sheet, const struct hd_comparison *comparison, struct laws_table *table) {
  uint32_t left = 0;
  add_law_columns(&table->grid);
  hd_sheet_title(sheet, 2, "Laws of scaling: Amdahl's, and the universal scalability law (USL)");
  const bool done = hd_compare_fill(&table->grid, comparison, 0, table->options->limit, fill_laws, table, &left) &&
                    hd_sheet_table(sheet, &table->grid, "Region", true);
  hd_grid_free(&table->grid);
  hd_said_left(sheet, left);
  say_laws(sheet, &comparison->rows[0].scaling);
  hd_sheet_say(sheet, "s: serial part; k: what each thread costs each other one, as part of the time with one thread. "
                      "Misfit%%: how far the law is from the measured times. Best p: threads with the shortest time; "
                      "'-': not known.");
  return done;
}

static bool print_predictions(const struct hd_sheet *sheet, const struct hd_comparison *comparison,
                              struct laws_table *table) {
  uint32_t left = 0;
  add_prediction_columns(table);
  hd_sheet_title(sheet, 2, "Foretold times in %s, by the USL", table->unit.name);
  const bool done =
      hd_compare_fill(&table->grid, comparison, 0, table->options->limit, fill_predictions, table, &left) &&
      hd_sheet_table(sheet, &table->grid, "Region", true);
  hd_grid_free(&table->grid);
  hd_said_left(sheet, left);
  for (size_t i = 0; i < table->options->predict_count; i++)
    say_prediction(sheet, &comparison->rows[0].scaling, table->options->predict[i]);
  hd_sheet_say(sheet, "'?': the data cannot tell.%s",
               table->shown < table->options->predict_count ? " More thread counts than fit: --json has all." : "");
  return done;
}

bool hd_compare_laws(const struct hd_sheet *sheet, const struct hd_comparison *comparison,
                     const struct hd_compare_view_options *options) {
  const struct hd_scaling *program = &comparison->rows[0].scaling;
  struct laws_table table = {.unit = hd_comparison_unit(comparison), .options = options};
  if (comparison->options.mode != HD_COMPARE_SCALING) {
    if (options->predict_count > 0)
      hd_sheet_say(sheet, "\nNothing is foretold: that takes runs with several thread counts.");
    return true;
  }
  if (!program->fitted) {
    if (options->predict_count > 0)
      hd_sheet_say(sheet, "\nNothing can be foretold: %s.", program->why ? program->why : "no law could be fitted");
    return true;
  }
  table.shown = options->predict_count < PREDICTIONS_SHOWN ? options->predict_count : PREDICTIONS_SHOWN;
  return print_laws(sheet, comparison, &table) &&
         (options->predict_count == 0 || print_predictions(sheet, comparison, &table));
}
