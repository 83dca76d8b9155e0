/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file laws.c
 * Laws of scaling, row by row, and what they foretell.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/views/compare/compare_internal.h"

enum { PREDICTIONS_SHOWN = 12, REASONS_MOST = 8 };

/* A law that misses the times by more, or whose serial part may be nearly anything, says nothing. */
static const double MISFIT_MOST = 0.1, SERIAL_WIDTH_MOST = 0.5;

struct laws_table {
  struct hd_grid grid;
  struct hd_unit unit;
  const struct hd_comparison *comparison;
  const struct hd_compare_view_options *options;
  uint32_t *rows; /* the program, then those that take longest at the baseline */
  size_t shown;   /* predictions */
};

/* ---- which rows ---- */

struct timed {
  uint32_t row;
  double seconds;
};

static int compare_times(const void *a, const void *b) {
  const struct timed *left = a;
  const struct timed *right = b;
  if (left->seconds != right->seconds)
    return left->seconds > right->seconds ? -1 : 1;
  return left->row < right->row ? -1 : 1;
}

static bool order_rows(struct laws_table *table) {
  const uint32_t count = table->comparison->row_count;
  struct timed *timed = calloc(count, sizeof *timed);
  table->rows = calloc(count, sizeof *table->rows);
  for (uint32_t i = 0; timed && i < count; i++) {
    const struct hd_compared *base = &table->comparison->rows[i].at[0];
    timed[i] = (struct timed){i, i == 0 ? INFINITY : base->runs > 0 ? base->time_s : 0};
  }
  if (timed && table->rows) {
    qsort(timed, count, sizeof *timed, compare_times);
    for (uint32_t i = 0; i < count; i++)
      table->rows[i] = timed[i].row;
  }
  free(timed);
  return timed && table->rows;
}

static bool is_full(const struct laws_table *table) {
  return table->options->limit > 0 && table->grid.row_count >= table->options->limit;
}

static void add_row(struct laws_table *table, uint32_t row) {
  char place[HD_PLACE_BYTES];
  hd_grid_row(&table->grid, NULL);
  hd_row_text_alone(place, table->comparison, row);
  hd_grid_at(&table->grid, place);
}

/* ---- the laws ---- */

static bool tells(const struct hd_scaling *scaling) {
  const struct hd_law_fit *law = &scaling->laws[scaling->amdahl_refuted ? HD_LAW_USL : HD_LAW_AMDAHL];
  return scaling->fitted && law->residual <= MISFIT_MOST &&
         law->serial_interval.high - law->serial_interval.low <= SERIAL_WIDTH_MOST &&
         (!scaling->amdahl_refuted || isfinite(law->coherence_interval.high));
}

static void add_law_columns(struct hd_grid *grid) {
  hd_grid_column(grid, "Amdahl s%", 1);
  hd_grid_column(grid, "s 95%", 5);
  hd_grid_column(grid, "Misfit%", 3);
  hd_grid_column(grid, "USL s%", 1);
  hd_grid_column(grid, "k%", 1);
  hd_grid_column(grid, "k 95%", 6);
  hd_grid_column(grid, "Misfit%", 4);
  hd_grid_column(grid, "Best p", 2);
  hd_grid_place(grid, "Region", false);
}

/* Without k above 0 more threads never cost time, or as many as one likes are as good. */
static bool has_peak(const struct hd_law_fit *usl) {
  return isfinite(usl->peak) && usl->coherence_interval.low > 0;
}

static void fill_laws(struct hd_grid *grid, const struct hd_scaling *scaling) {
  const struct hd_law_fit *amdahl = &scaling->laws[HD_LAW_AMDAHL], *usl = &scaling->laws[HD_LAW_USL];
  const bool holds = !scaling->amdahl_refuted;
  hd_grid_number(grid, holds ? 100 * amdahl->serial : NAN, 2);
  hd_grid_interval(grid, holds ? amdahl->serial_interval : HD_INTERVAL_UNKNOWN, 100, 2);
  hd_grid_number(grid, 100 * amdahl->residual, 1);
  hd_grid_number(grid, 100 * usl->serial, 2);
  hd_grid_number(grid, 100 * usl->coherence, 3);
  hd_grid_interval(grid, usl->coherence_interval, 100, 3);
  hd_grid_number(grid, 100 * usl->residual, 1);
  hd_grid_number(grid, has_peak(usl) ? usl->peak : NAN, 0);
}

static void say_program(struct hd_sheet *sheet, const struct hd_scaling *scaling) {
  const struct hd_law_fit *amdahl = &scaling->laws[HD_LAW_AMDAHL], *usl = &scaling->laws[HD_LAW_USL];
  if (!tells(scaling))
    hd_sheet_say(sheet,
                 "Neither law fits the program's times well enough for a conclusion: they are off by %.1f and %.1f %%, "
                 "or the serial part may be nearly anything.",
                 100 * amdahl->residual, 100 * usl->residual);
  else if (scaling->amdahl_refuted)
    hd_sheet_say(sheet, "Amdahl's law does not hold for the program: far beyond noise, more threads cost time of their "
                        "own.");
  else if (amdahl->serial >= 0.0005)
    hd_sheet_say(sheet,
                 "By Amdahl's law %.1f %% of the program's time with one thread is serial, so no number of threads "
                 "makes it more than %.1f times as fast; it is off by %.1f %% from the measured times.",
                 100 * amdahl->serial, 1 / amdahl->serial, 100 * amdahl->residual);
  else
    hd_sheet_say(sheet, "By Amdahl's law nothing is serial; it is off by %.1f %% from the measured times.",
                 100 * amdahl->residual);
  if (tells(scaling) && has_peak(usl))
    hd_sheet_say(sheet,
                 "By the universal scalability law the program is fastest with %.0f threads; it is off by %.1f %% from "
                 "the measured times.",
                 usl->peak, 100 * usl->residual);
}

static void add_laws(struct laws_table *table, uint32_t *silent, uint32_t *left) {
  add_law_columns(&table->grid);
  for (uint32_t i = 0; i < table->comparison->row_count; i++) {
    const struct hd_scaling *scaling = &table->comparison->rows[table->rows[i]].scaling;
    if (!tells(scaling)) {
      ++*silent;
      continue;
    }
    if (is_full(table)) {
      ++*left;
      continue;
    }
    add_row(table, table->rows[i]);
    fill_laws(&table->grid, scaling);
  }
}

static void print_laws(struct hd_sheet *sheet, struct laws_table *table) {
  uint32_t silent = 0, left = 0;
  add_laws(table, &silent, &left);
  const uint32_t rows = table->grid.row_count;
  hd_sheet_title(sheet, 2, "Laws of scaling: Amdahl's, and the universal scalability law (USL)");
  if (rows > 0)
    hd_sheet_table(sheet, &table->grid);
  hd_grid_free(&table->grid);
  if (left > 0)
    hd_sheet_say(sheet, "%u more row%s not shown; --limit 0 shows all.", left, left == 1 ? " is" : "s are");
  say_program(sheet, &table->comparison->rows[0].scaling);
  if (silent > 0)
    hd_sheet_say(sheet,
                 "No law for %u row%s: fewer than %d thread counts, the laws are off %s times by more than %.0f %%, or "
                 "the serial part may be nearly anything. --json has the numbers.",
                 silent, silent == 1 ? "" : "s", HD_LAW_POINTS_LEAST, silent == 1 ? "its" : "their", 100 * MISFIT_MOST);
  if (rows > 0)
    hd_sheet_say(
        sheet, "s: serial part; k: the cost of each pair of threads, as part of the time with one thread. Misfit%%: "
               "deviation of the law from the measured times. Best p: threads with the shortest time; '-': not known.");
}

/* ---- what they foretell ---- */

/** Why the data cannot tell, and of how many rows. */
struct reasons {
  const char *why[REASONS_MOST];
  uint32_t rows[REASONS_MOST];
  uint32_t count, all;
};

static void add_reason(struct reasons *reasons, const char *why) {
  uint32_t i = 0;
  while (i < reasons->count && strcmp(reasons->why[i], why) != 0)
    i++;
  reasons->all++;
  if (i == REASONS_MOST)
    return;
  reasons->why[i] = why;
  reasons->rows[i]++;
  reasons->count = i == reasons->count ? i + 1 : reasons->count;
}

static void add_prediction_columns(struct laws_table *table) {
  char title[HD_TITLE_BYTES];
  for (size_t i = 0; i < table->shown; i++) {
    snprintf(title, sizeof title, "T(%u)", table->options->predict[i]);
    hd_grid_column(&table->grid, title, 0);
    snprintf(title, sizeof title, "T(%u) 95%%", table->options->predict[i]);
    hd_grid_column(&table->grid, title, 2);
  }
  hd_grid_place(&table->grid, "Region", false);
}

/* By the universal scalability law, which contains Amdahl's. */
static void fill_predictions(struct laws_table *table, const struct hd_scaling *scaling) {
  struct hd_prediction prediction;
  for (size_t i = 0; i < table->shown; i++) {
    hd_scaling_predict(scaling, table->options->predict[i], &prediction);
    if (prediction.told)
      hd_grid_time(&table->grid, &table->unit, prediction.seconds[HD_LAW_USL]);
    else
      hd_grid_cell(&table->grid, "?");
    hd_grid_interval(&table->grid, prediction.told ? prediction.interval[HD_LAW_USL] : HD_INTERVAL_UNKNOWN,
                     table->unit.per_second, table->unit.decimals);
  }
}

/* NULL: there is a thread count of which it can be told. */
static const char *why_untold(const struct laws_table *table, const struct hd_scaling *scaling) {
  struct hd_prediction prediction = {.why = scaling->why};
  for (size_t i = 0; scaling->fitted && i < table->shown; i++) {
    hd_scaling_predict(scaling, table->options->predict[i], &prediction);
    if (prediction.told)
      return NULL;
  }
  return prediction.why ? prediction.why : "no law was fitted";
}

static void add_predictions(struct laws_table *table, struct reasons *reasons, uint32_t *left) {
  add_prediction_columns(table);
  for (uint32_t i = 0; i < table->comparison->row_count; i++) {
    const struct hd_scaling *scaling = &table->comparison->rows[table->rows[i]].scaling;
    const char *why = why_untold(table, scaling);
    if (why && table->rows[i] != 0)
      add_reason(reasons, why);
    if (why)
      continue;
    if (is_full(table)) {
      ++*left;
      continue;
    }
    add_row(table, table->rows[i]);
    fill_predictions(table, scaling);
  }
}

static void say_prediction(struct hd_sheet *sheet, const struct hd_scaling *scaling, uint32_t threads) {
  struct hd_prediction prediction;
  char usl[HD_CELL_BYTES], amdahl[HD_CELL_BYTES], low[HD_CELL_BYTES], high[HD_CELL_BYTES];
  hd_scaling_predict(scaling, threads, &prediction);
  const char *s = threads == 1 ? "" : "s";
  if (!prediction.told) {
    hd_sheet_say(sheet, "With %u thread%s the program's time cannot be predicted: %s.", threads, s, prediction.why);
    return;
  }
  hd_cell_duration(usl, prediction.seconds[HD_LAW_USL]);
  hd_cell_duration(amdahl, prediction.seconds[HD_LAW_AMDAHL]);
  hd_cell_duration(low, prediction.interval[HD_LAW_USL].low);
  hd_cell_duration(high, prediction.interval[HD_LAW_USL].high);
  hd_sheet_say(sheet, "With %u thread%s the program would take %s (%s to %s)%s%s.", threads, s, usl, low, high,
               scaling->amdahl_refuted ? "" : "; by Amdahl's law ", scaling->amdahl_refuted ? "" : amdahl);
}

static void say_reasons(struct hd_sheet *sheet, const struct reasons *reasons) {
  char text[HD_SENTENCE_BYTES] = "";
  size_t used = 0;
  for (uint32_t i = 0; i < reasons->count && used + 300 < sizeof text; i++)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%.250s (%u)", i > 0 ? "; " : "", reasons->why[i],
                             reasons->rows[i]);
  if (reasons->all > 0)
    hd_sheet_say(sheet, "No prediction for %u other row%s: %s.", reasons->all, reasons->all == 1 ? "" : "s", text);
}

static void print_predictions(struct hd_sheet *sheet, struct laws_table *table) {
  struct reasons reasons = {0};
  uint32_t left = 0;
  add_predictions(table, &reasons, &left);
  hd_sheet_title(sheet, 2, "Predicted times in %s, by the USL ('?': no prediction possible)", table->unit.name);
  if (table->grid.row_count > 0)
    hd_sheet_table(sheet, &table->grid);
  if (left > 0)
    hd_sheet_say(sheet, "%u more row%s not shown; --limit 0 shows all.", left, left == 1 ? " is" : "s are");
  for (size_t i = 0; i < table->options->predict_count; i++)
    say_prediction(sheet, &table->comparison->rows[0].scaling, table->options->predict[i]);
  say_reasons(sheet, &reasons);
  if (table->shown < table->options->predict_count)
    hd_sheet_say(sheet, "Not all thread counts fit; --json has all.");
  hd_grid_free(&table->grid);
}

void hd_compare_laws(struct hd_sheet *sheet, const struct hd_comparison *comparison,
                     const struct hd_compare_view_options *options) {
  const struct hd_scaling *program = &comparison->rows[0].scaling;
  struct laws_table table = {.unit = hd_comparison_unit(comparison), .comparison = comparison, .options = options};
  if (comparison->options.mode != HD_COMPARE_SCALING || !program->fitted) {
    if (options->predict_count > 0)
      hd_sheet_say(sheet, "\nNo prediction is possible: %s.",
                   comparison->options.mode != HD_COMPARE_SCALING ? "that takes runs with several thread counts"
                   : program->why                                 ? program->why
                                                                  : "no law could be fitted");
    return;
  }
  table.shown = options->predict_count < PREDICTIONS_SHOWN ? options->predict_count : PREDICTIONS_SHOWN;
  sheet->failed |= !order_rows(&table);
  if (!sheet->failed)
    print_laws(sheet, &table);
  if (!sheet->failed && options->predict_count > 0)
    print_predictions(sheet, &table);
  free(table.rows);
}
