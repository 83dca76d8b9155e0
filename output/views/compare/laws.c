/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file laws.c
 * Laws of scaling, row by row, and what they foretell.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/model/format_names.h"
#include "output/views/compare/compare_internal.h"
#include "support/command/memory.h"

enum { PREDICTIONS_SHOWN = 12, REASONS_MOST = 8 };

/* A law that misses the times by more, or whose serial part may be nearly anything, says nothing. */
static const double MISFIT_MOST = 0.1, SERIAL_WIDTH_MOST = 0.5;

struct laws_table {
  struct hd_compare_table table;
  const struct hd_compare_view_options *options;
  uint32_t *rows; /* the program, then those that take longest at the baseline */
  size_t shown;   /* predictions */
};

/* ---- which rows ---- */

static int compare_times(const void *a, const void *b, void *context) {
  const struct hd_comparison *comparison = context;
  const uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
  const struct hd_compared *first = &comparison->rows[left].at[0], *second = &comparison->rows[right].at[0];
  const double times[] = {first->runs > 0 ? first->time_s : 0, second->runs > 0 ? second->time_s : 0};
  if (left != 0 && right != 0 && times[0] != times[1])
    return times[0] > times[1] ? -1 : 1;
  return left < right ? -1 : left > right;
}

static uint32_t *order_rows(const struct hd_comparison *comparison) {
  uint32_t *rows = hd_new(comparison->row_count, sizeof *rows);
  for (uint32_t i = 0; i < comparison->row_count; i++)
    rows[i] = i;
  qsort_r(rows, comparison->row_count, sizeof *rows, compare_times, (void *)(uintptr_t)comparison);
  return rows;
}

/* The next row of the table, unless it is full. */
static bool add_row(struct laws_table *laws, uint32_t row, const struct hd_value *values) {
  struct hd_compare_table *table = &laws->table;
  char place[HD_PLACE_BYTES];
  if (laws->options->limit > 0 && table->grid.row_count >= laws->options->limit)
    return false;
  hd_table_row(&table->grid, NULL);
  hd_columns_cells(&table->columns, values, &table->grid);
  hd_row_text(place, table->comparison, row, true);
  hd_table_at(&table->grid, place);
  return true;
}

/* ---- the laws ---- */

static bool tells(const struct hd_scaling *scaling) {
  const struct hd_law_fit *law = &scaling->laws[scaling->amdahl_refuted ? HD_LAW_USL : HD_LAW_AMDAHL];
  return scaling->fitted && law->residual <= MISFIT_MOST &&
         law->serial_interval.high - law->serial_interval.low <= SERIAL_WIDTH_MOST &&
         (!scaling->amdahl_refuted || isfinite(law->coherence_interval.high));
}

enum {
  AMDAHL_SERIAL,
  AMDAHL_INTERVAL,
  AMDAHL_MISFIT,
  USL_SERIAL,
  USL_COHERENCE,
  USL_INTERVAL,
  USL_MISFIT,
  USL_BEST,
  LAW_COLUMNS
};

static const struct hd_column law_columns[LAW_COLUMNS] = {
    [AMDAHL_SERIAL] = {NULL, "Amdahl s%", HD_TEXT, 0, 1, NULL},
    [AMDAHL_INTERVAL] = {NULL, "s 95%", HD_INTERVAL, 0, 5, NULL},
    [AMDAHL_MISFIT] = {NULL, "Misfit%", HD_SHARE, 0, 3, NULL},
    [USL_SERIAL] = {NULL, "USL s%", HD_TEXT, 0, 1, NULL},
    [USL_COHERENCE] = {NULL, "k%", HD_TEXT, 0, 1, NULL},
    [USL_INTERVAL] = {NULL, "k 95%", HD_INTERVAL, 0, 6, NULL},
    [USL_MISFIT] = {NULL, "Misfit%", HD_SHARE, 0, 4, NULL},
    [USL_BEST] = {NULL, "Best p", HD_TEXT, 0, 2, NULL},
};

/* Without k above 0 more threads never cost time, or as many as one likes are as good. */
static bool has_peak(const struct hd_law_fit *usl) {
  return isfinite(usl->peak) && usl->coherence_interval.low > 0;
}

static void fill_laws(struct hd_value values[LAW_COLUMNS], const struct hd_scaling *scaling) {
  const struct hd_law_fit *amdahl = &scaling->laws[HD_LAW_AMDAHL], *usl = &scaling->laws[HD_LAW_USL];
  const bool holds = !scaling->amdahl_refuted;
  values[AMDAHL_SERIAL] = hd_decimals(holds ? 100 * amdahl->serial : NAN, 2);
  values[AMDAHL_INTERVAL] = hd_interval_value(holds ? amdahl->serial_interval : HD_INTERVAL_UNKNOWN, 100, 2);
  values[AMDAHL_MISFIT] = hd_share(amdahl->residual, 1, true);
  values[USL_SERIAL] = hd_decimals(100 * usl->serial, 2);
  values[USL_COHERENCE] = hd_decimals(100 * usl->coherence, 3);
  values[USL_INTERVAL] = hd_interval_value(usl->coherence_interval, 100, 3);
  values[USL_MISFIT] = hd_share(usl->residual, 1, true);
  values[USL_BEST] = hd_decimals(has_peak(usl) ? usl->peak : NAN, 0);
}

static void say_program(struct hd_document *document, const struct hd_scaling *scaling) {
  const struct hd_law_fit *amdahl = &scaling->laws[HD_LAW_AMDAHL], *usl = &scaling->laws[HD_LAW_USL];
  if (!tells(scaling))
    hd_document_say(
        document,
        "Neither law fits the program's times well enough for a conclusion: they are off by %.1f and %.1f %%, "
        "or the serial part may be nearly anything.",
        100 * amdahl->residual, 100 * usl->residual);
  else if (scaling->amdahl_refuted)
    hd_document_say(document,
                    "Amdahl's law does not hold for the program: far beyond noise, more threads cost time of their "
                    "own.");
  else if (amdahl->serial >= 0.0005)
    hd_document_say(document,
                    "By Amdahl's law %.1f %% of the program's time with one thread is serial, so no number of threads "
                    "makes it more than %.1f times as fast; it is off by %.1f %% from the measured times.",
                    100 * amdahl->serial, 1 / amdahl->serial, 100 * amdahl->residual);
  else
    hd_document_say(document, "By Amdahl's law nothing is serial; it is off by %.1f %% from the measured times.",
                    100 * amdahl->residual);
  if (tells(scaling) && has_peak(usl))
    hd_document_say(
        document,
        "By the universal scalability law the program is fastest with %.0f threads; it is off by %.1f %% from "
        "the measured times.",
        usl->peak, 100 * usl->residual);
}

static void print_laws(struct hd_document *document, struct laws_table *laws) {
  struct hd_compare_table *table = &laws->table;
  uint32_t silent = 0, left = 0;
  hd_compare_table_begin(table, table->comparison);
  table->columns.items = law_columns;
  table->columns.count = LAW_COLUMNS;
  hd_compare_table_place(table, "Region", false);
  for (uint32_t i = 0; i < table->comparison->row_count; i++) {
    const struct hd_scaling *scaling = &table->comparison->rows[laws->rows[i]].scaling;
    struct hd_value values[LAW_COLUMNS];
    fill_laws(values, scaling);
    if (!tells(scaling))
      silent++;
    else
      left += !add_row(laws, laws->rows[i], values);
  }
  const uint32_t rows = table->grid.row_count;
  hd_document_title(document, 2, "Laws of scaling: Amdahl's, and the universal scalability law (USL)");
  if (rows > 0)
    hd_document_table(document, &table->grid);
  hd_table_free(&table->grid);
  hd_said_left(document, left, "row");
  say_program(document, &table->comparison->rows[0].scaling);
  if (silent > 0)
    hd_document_say(
        document,
        "No law for %u row%s: fewer than %d thread counts, the laws are off %s times by more than %.0f %%, or "
        "the serial part may be nearly anything. --json has the numbers.",
        silent, hd_plural(silent), HD_LAW_POINTS_LEAST, silent == 1 ? "its" : "their", 100 * MISFIT_MOST);
  if (rows > 0)
    hd_document_say(
        document,
        "s: serial part; k: the cost of each pair of threads, as part of the time with one thread. Misfit%%: "
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

static void add_prediction_columns(struct laws_table *laws) {
  for (size_t i = 0; i < laws->shown; i++) {
    hd_compare_table_own(&laws->table, HD_SECONDS, 0, "T(%u)", laws->options->predict[i]);
    hd_compare_table_own(&laws->table, HD_INTERVAL, 2, "T(%u) 95%%", laws->options->predict[i]);
  }
  hd_compare_table_place(&laws->table, "Region", false);
}

/* By the universal scalability law, which contains Amdahl's. */
static void fill_predictions(struct hd_value *values, const struct laws_table *laws, const struct hd_scaling *scaling) {
  const struct hd_unit *unit = &laws->table.columns.unit;
  struct hd_prediction prediction;
  for (size_t i = 0; i < laws->shown; i++) {
    hd_scaling_predict(scaling, laws->options->predict[i], &prediction);
    const struct hd_interval interval = prediction.told ? prediction.interval[HD_LAW_USL] : HD_INTERVAL_UNKNOWN;
    *values++ =
        prediction.told ? hd_number(prediction.seconds[HD_LAW_USL]) : (struct hd_value){.known = true, .text = "?"};
    *values++ = hd_interval_value(interval, unit->per_second, unit->decimals);
  }
}

/* NULL: there is a thread count of which it can be told. */
static const char *why_untold(const struct laws_table *laws, const struct hd_scaling *scaling) {
  struct hd_prediction prediction = {.why = scaling->why};
  for (size_t i = 0; scaling->fitted && i < laws->shown; i++) {
    hd_scaling_predict(scaling, laws->options->predict[i], &prediction);
    if (prediction.told)
      return NULL;
  }
  return prediction.why ? prediction.why : "no law was fitted";
}

static uint32_t add_predictions(struct laws_table *laws, struct reasons *reasons) {
  const struct hd_comparison *comparison = laws->table.comparison;
  uint32_t left = 0;
  for (uint32_t i = 0; i < comparison->row_count; i++) {
    const uint32_t row = laws->rows[i];
    struct hd_value values[2 * PREDICTIONS_SHOWN];
    const char *why = why_untold(laws, &comparison->rows[row].scaling);
    if (why && row != 0)
      add_reason(reasons, why);
    if (why)
      continue;
    fill_predictions(values, laws, &comparison->rows[row].scaling);
    left += !add_row(laws, row, values);
  }
  return left;
}

static void say_prediction(struct hd_document *document, const struct hd_scaling *scaling, uint32_t threads) {
  struct hd_prediction prediction;
  char usl[HD_CELL_BYTES], amdahl[HD_CELL_BYTES], low[HD_CELL_BYTES], high[HD_CELL_BYTES];
  hd_scaling_predict(scaling, threads, &prediction);
  const char *s = hd_plural(threads);
  if (!prediction.told) {
    hd_document_say(document, "With %u thread%s the program's time cannot be predicted: %s.", threads, s,
                    prediction.why);
    return;
  }
  hd_cell_duration(usl, prediction.seconds[HD_LAW_USL]);
  hd_cell_duration(amdahl, prediction.seconds[HD_LAW_AMDAHL]);
  hd_cell_duration(low, prediction.interval[HD_LAW_USL].low);
  hd_cell_duration(high, prediction.interval[HD_LAW_USL].high);
  hd_document_say(document, "With %u thread%s the program would take %s (%s to %s)%s%s.", threads, s, usl, low, high,
                  scaling->amdahl_refuted ? "" : "; by Amdahl's law ", scaling->amdahl_refuted ? "" : amdahl);
}

static void say_reasons(struct hd_document *document, const struct reasons *reasons) {
  char text[HD_SENTENCE_BYTES] = "";
  size_t used = 0;
  for (uint32_t i = 0; i < reasons->count && used + 300 < sizeof text; i++)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%.250s (%u)", i > 0 ? "; " : "", reasons->why[i],
                             reasons->rows[i]);
  if (reasons->all > 0)
    hd_document_say(document, "No prediction for %u other row%s: %s.", reasons->all, hd_plural(reasons->all), text);
}

static void print_predictions(struct hd_document *document, struct laws_table *laws) {
  struct hd_compare_table *table = &laws->table;
  struct reasons reasons = {0};
  hd_compare_table_begin(table, table->comparison);
  add_prediction_columns(laws);
  const uint32_t left = add_predictions(laws, &reasons);
  hd_document_title(document, 2, "Predicted times in %s, by the USL ('?': no prediction possible)",
                    table->columns.unit.name);
  if (table->grid.row_count > 0)
    hd_document_table(document, &table->grid);
  hd_said_left(document, left, "row");
  for (size_t i = 0; i < laws->options->predict_count; i++)
    say_prediction(document, &table->comparison->rows[0].scaling, laws->options->predict[i]);
  say_reasons(document, &reasons);
  if (laws->shown < laws->options->predict_count)
    hd_document_say(document, "Not all thread counts fit; --json has all.");
  hd_table_free(&table->grid);
}

void hd_compare_laws(struct hd_document *document, const struct hd_comparison *comparison,
                     const struct hd_compare_view_options *options) {
  const struct hd_scaling *program = &comparison->rows[0].scaling;
  if (comparison->options.mode != HD_COMPARE_SCALING || !program->fitted) {
    if (options->predict_count > 0)
      hd_document_say(document, "\nNo prediction is possible: %s.",
                      comparison->options.mode != HD_COMPARE_SCALING ? "that takes runs with several thread counts"
                      : program->why                                 ? program->why
                                                                     : "no law could be fitted");
    return;
  }
  struct laws_table laws = {
      .table.comparison = comparison,
      .options = options,
      .rows = order_rows(comparison),
      .shown = options->predict_count < PREDICTIONS_SHOWN ? options->predict_count : PREDICTIONS_SHOWN,
  };
  print_laws(document, &laws);
  if (options->predict_count > 0)
    print_predictions(document, &laws);
  free(laws.rows);
}
