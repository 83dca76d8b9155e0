/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file compare_laws.c
 * Laws of scaling, row by row, and what they foretell.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "output/compare_parts.h"

enum { PREDICTIONS_SHOWN = 8 };

struct laws_table {
  struct hd_grid grid;
  struct hd_unit unit;
  const struct hd_compare_view_options *options;
  size_t shown;
  char titles[PREDICTIONS_SHOWN][HD_LAW_COUNT][HD_TITLE_BYTES];
};

static void add_columns(struct laws_table *table) {
  static const char *const names[HD_LAW_COUNT] = {"Amdahl", "USL"};
  struct hd_grid *grid = &table->grid;
  hd_grid_column(grid, "Amdahl s%", 1);
  hd_grid_column(grid, "s 95%", 6);
  hd_grid_column(grid, "Misfit%", 4);
  hd_grid_column(grid, "USL s%", 1);
  hd_grid_column(grid, "k%", 1);
  hd_grid_column(grid, "k 95%", 6);
  hd_grid_column(grid, "Misfit%", 4);
  hd_grid_column(grid, "Best p", 2);
  for (size_t i = 0; i < table->shown; i++)
    for (int law = 0; law < HD_LAW_COUNT; law++) {
      snprintf(table->titles[i][law], HD_TITLE_BYTES, "%s T(%u)", names[law], table->options->predict[i]);
      hd_grid_column(grid, table->titles[i][law], 0);
    }
}

static void fill_prediction(struct hd_grid_row *into, size_t *column, const struct laws_table *table,
                            const struct hd_scaling *scaling, uint32_t threads) {
  struct hd_prediction prediction;
  char time[HD_CELL_BYTES], interval[HD_CELL_BYTES];
  hd_scaling_predict(scaling, threads, &prediction);
  for (int law = 0; law < HD_LAW_COUNT; law++) {
    char *cell = into->cells[(*column)++];
    hd_cell_time(time, &table->unit, prediction.seconds[law]);
    hd_cell_interval(interval, prediction.interval[law], table->unit.per_second, table->unit.decimals);
    if (strcmp(interval, "-") == 0)
      snprintf(cell, HD_CELL_BYTES, "%s%.28s", prediction.told ? "" : "?", time);
    else
      snprintf(cell, HD_CELL_BYTES, "%s%.10s (%.17s)", prediction.told ? "" : "?", time, interval);
  }
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
    hd_cell_number(into->cells[column++], usl->peak, 0);
  else
    strcpy(into->cells[column++], "more");
  for (size_t i = 0; i < table->shown; i++)
    fill_prediction(into, &column, table, scaling, table->options->predict[i]);
}

static void say_program(const struct hd_sheet *sheet, const struct hd_comparison *comparison) {
  const struct hd_scaling *scaling = &comparison->rows[0].scaling;
  const struct hd_law_fit *amdahl = &scaling->laws[HD_LAW_AMDAHL], *usl = &scaling->laws[HD_LAW_USL];
  char bound[HD_CELL_BYTES];
  hd_cell_number(bound, 1 / amdahl->serial, 1);
  if (isfinite(1 / amdahl->serial))
    hd_sheet_say(sheet,
                 "Amdahl's law: %.2f %% of the program is serial, so no number of threads makes it more than %s "
                 "times as fast; it misses the measured times by %.1f %%.",
                 100 * amdahl->serial, bound, 100 * amdahl->residual);
  else
    hd_sheet_say(sheet, "Amdahl's law: nothing is serial; it misses the measured times by %.1f %%.",
                 100 * amdahl->residual);
  if (isfinite(usl->peak))
    hd_sheet_say(sheet,
                 "Universal scalability law: fastest with %.0f threads; it misses the measured times by %.1f %%.",
                 usl->peak, 100 * usl->residual);
  else
    hd_sheet_say(sheet,
                 "Universal scalability law: more threads never cost time; it misses the measured times by "
                 "%.1f %%.",
                 100 * usl->residual);
}

/* For which rows, and why, the data cannot tell: of the program in its own words. */
static void say_untold(const struct hd_sheet *sheet, const struct hd_comparison *comparison,
                       const struct hd_compare_view_options *options) {
  struct hd_prediction prediction;
  for (size_t i = 0; i < options->predict_count; i++) {
    uint32_t untold = 0;
    for (uint32_t row = 1; row < comparison->row_count; row++)
      if (comparison->rows[row].scaling.fitted) {
        hd_scaling_predict(&comparison->rows[row].scaling, options->predict[i], &prediction);
        untold += !prediction.told;
      }
    hd_scaling_predict(&comparison->rows[0].scaling, options->predict[i], &prediction);
    if (!prediction.told)
      hd_sheet_say(sheet, "With %u threads the data cannot tell how long the program takes: %s.", options->predict[i],
                   prediction.why ? prediction.why : "the laws differ");
    if (untold > 0)
      hd_sheet_say(sheet, "With %u threads they cannot tell for %u row%s, marked '?'.", options->predict[i], untold,
                   untold == 1 ? "" : "s");
  }
}

bool hd_compare_laws(const struct hd_sheet *sheet, const struct hd_comparison *comparison,
                     const struct hd_compare_view_options *options) {
  const struct hd_scaling *program = &comparison->rows[0].scaling;
  struct laws_table table = {.unit = hd_comparison_unit(comparison), .options = options};
  uint32_t left = 0;
  if (comparison->options.mode != HD_COMPARE_SCALING)
    return true;
  if (!program->fitted) {
    if (options->predict_count > 0)
      hd_sheet_say(sheet, "\nNothing can be foretold: %s.", program->why ? program->why : "no law could be fitted");
    return true;
  }
  table.shown = options->predict_count < PREDICTIONS_SHOWN ? options->predict_count : PREDICTIONS_SHOWN;
  add_columns(&table);
  bool done = hd_compare_fill(&table.grid, comparison, 0, options->limit, fill_laws, &table, &left);
  if (table.shown > 0)
    hd_sheet_title(sheet, 2, "Laws of scaling, and the times they foretell (95 %%), in %s", table.unit.name);
  else
    hd_sheet_title(sheet, 2, "Laws of scaling");
  done = done && hd_sheet_table(sheet, &table.grid, "Region", true);
  hd_grid_free(&table.grid);
  if (!done)
    return false;
  hd_said_left(sheet, left);
  say_program(sheet, comparison);
  say_untold(sheet, comparison, options);
  if (table.shown < options->predict_count)
    hd_sheet_say(sheet, "Predictions for %zu more thread counts are in the JSON only.",
                 options->predict_count - table.shown);
  return true;
}
