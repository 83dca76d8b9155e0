/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file program.c
 * The whole program at each point, and where the time went that more threads, or another build, cost.
 */
#include <math.h>
#include <stdio.h>

#include "output/model/format_names.h"
#include "output/views/compare/compare_internal.h"

static bool any_interval(const struct hd_comparison *comparison) {
  for (uint32_t point = 0; point < comparison->point_count; point++)
    if (isfinite(comparison->rows[0].at[point].time_interval.low))
      return true;
  return false;
}

/* Whether all runs of a point came to their end: none was killed. */
static bool is_whole(const struct hd_comparison *comparison, uint32_t point) {
  return comparison->points[point].cut_short == 0;
}

/* ---- the table by point ---- */

/* What gives way first where the terminal is narrow has the highest rank. */
struct shown {
  enum hd_compared_column column;
  int rank;
};

static const struct shown by_threads[] = {
    {HD_COMPARED_LABEL, 0},         {HD_COMPARED_RUN_COUNT, 2},   {HD_COMPARED_TIME, 0},
    {HD_COMPARED_TIME_INTERVAL, 6}, {HD_COMPARED_SPEEDUP, 0},     {HD_COMPARED_SPEEDUP_INTERVAL, 6},
    {HD_COMPARED_EFFICIENCY, 0},    {HD_COMPARED_CONCURRENCY, 2}, {HD_COMPARED_WORK, 2},
    {HD_COMPARED_KARP_FLATT, 4},    {HD_COMPARED_AMDAHL, 4},
};

static const struct shown by_side[] = {
    {HD_COMPARED_RUN_COUNT, 2},        {HD_COMPARED_TIME, 0},
    {HD_COMPARED_TIME_INTERVAL, 6},    {HD_COMPARED_DIFFERENCE, 0},
    {HD_COMPARED_DIFFERENCE_SHARE, 0}, {HD_COMPARED_CONCURRENCY, 2},
};

static const struct shown efficiencies[] = {
    {HD_COMPARED_PARALLEL, 0},        {HD_COMPARED_SERIALIZATION, 0}, {HD_COMPARED_LOAD_BALANCE, 0},
    {HD_COMPARED_SYNCHRONIZATION, 0}, {HD_COMPARED_SCHEDULING, 0},    {HD_COMPARED_WORK, 1},
};

static void add_columns(struct hd_compare_table *table, const struct shown *columns, size_t count) {
  const bool intervals = any_interval(table->comparison), from_one = table->comparison->points[0].threads == 1;
  for (size_t i = 0; i < count; i++)
    if ((intervals || hd_compared_columns[columns[i].column].kind != HD_INTERVAL) &&
        (from_one || columns[i].column != HD_COMPARED_KARP_FLATT))
      hd_compare_table_add(table, columns[i].column, HD_NONE, columns[i].rank, NULL);
}

static void fill_remark(struct hd_compare_table *table, uint32_t index) {
  const bool scaling = table->comparison->options.mode == HD_COMPARE_SCALING;
  const struct hd_point *point = &table->comparison->points[index];
  char text[HD_PLACE_BYTES] = "";
  size_t used = 0;
  if (!scaling)
    used = (size_t)snprintf(text, sizeof text, "%s%s", point->label, index == 0 ? ", the baseline" : "");
  else if (index == 0)
    used = (size_t)snprintf(text, sizeof text, "baseline");
  if (scaling && point->least_threads < point->threads)
    used += (size_t)snprintf(text + used, sizeof text - used, "%sa run had %u threads only", used > 0 ? ", " : "",
                             point->least_threads);
  if (point->processors > 0 && point->threads > point->processors)
    used += (size_t)snprintf(text + used, sizeof text - used, "%son %u processor%s", used > 0 ? ", " : "",
                             point->processors, hd_plural(point->processors));
  if (!is_whole(table->comparison, index))
    used += (size_t)snprintf(text + used, sizeof text - used, "%sa run was killed", used > 0 ? ", " : "");
  const struct hd_compared *at = &table->comparison->rows[0].at[index];
  if (index > 0 && hd_compared_is_noise(at))
    snprintf(text + used, sizeof text - used, "%s~ %s within the noise", used > 0 ? ", " : "",
             scaling ? "loss" : "difference");
  else if (index > 0 && !at->noise_known && hd_noise_is_known_anywhere(table->comparison))
    snprintf(text + used, sizeof text - used, "%s? noise not known", used > 0 ? ", " : "");
  hd_table_at(&table->grid, text);
}

void hd_compare_program(struct hd_document *document, const struct hd_comparison *comparison) {
  const bool scaling = comparison->options.mode == HD_COMPARE_SCALING;
  struct hd_compare_table table;
  hd_compare_table_begin(&table, comparison);
  table.unmarked = true; /* the remark says it */
  if (scaling)
    add_columns(&table, by_threads, sizeof by_threads / sizeof *by_threads);
  else
    add_columns(&table, by_side, sizeof by_side / sizeof *by_side);
  hd_compare_table_place(&table, scaling ? "Remark" : "Side", false);
  for (uint32_t point = 0; point < comparison->point_count; point++) {
    hd_table_row(&table.grid, NULL);
    hd_compare_table_cells(&table, 0, point);
    fill_remark(&table, point);
  }
  hd_document_title(document, 2, "Program: times in %s", table.columns.unit.name);
  if (scaling)
    hd_document_figure(document, "speedup", comparison->point_count - 1);
  hd_document_figure(document, "times", 0);
  hd_document_table(document, &table.grid);
}

/* ---- how well threads are used ---- */

void hd_compare_efficiencies(struct hd_document *document, const struct hd_comparison *comparison) {
  const bool scaling = comparison->options.mode == HD_COMPARE_SCALING;
  struct hd_compare_table table;
  hd_compare_table_begin(&table, comparison);
  table.unmarked = true;
  add_columns(&table, efficiencies, sizeof efficiencies / sizeof *efficiencies);
  hd_compare_table_place(&table, scaling ? "At" : "Side", false);
  for (uint32_t point = 0; point < comparison->point_count; point++) {
    char name[HD_PLACE_BYTES];
    hd_table_row(&table.grid, NULL);
    hd_compare_table_cells(&table, 0, point);
    hd_point_text(name, comparison, point);
    hd_table_at(&table.grid, name);
  }
  hd_document_title(document, 2, "Efficiencies");
  hd_document_table(document, &table.grid);
}

/* ---- lost time by cause ---- */

/* The row below `above` (HD_NONE: the region, or what is outside) that a cause costs most, if it is more than `least`.
 */
static uint32_t most_costly(const struct hd_comparison *comparison, uint32_t point, enum hd_loss cause, double sign,
                            uint32_t above, double least) {
  uint32_t found = HD_NONE;
  for (uint32_t i = 1; i < comparison->row_count; i++) {
    const struct hd_compared_row *row = &comparison->rows[i];
    const double lost = row->at[point].matched ? sign * (double)row->at[point].lost_ticks[cause] : 0;
    if (row->parent == above && lost > least) {
      least = lost;
      found = i;
    }
  }
  return found;
}

/* The region that a cause costs most, or what costs most of it in the region. */
static uint32_t foremost(const struct hd_comparison *comparison, uint32_t point, enum hd_loss cause, double sign) {
  uint32_t found = HD_NONE, below = most_costly(comparison, point, cause, sign, HD_NONE, 0);
  const double all = below == HD_NONE ? 0 : sign * (double)comparison->rows[below].at[point].lost_ticks[cause];
  while (below != HD_NONE) {
    found = below;
    below = most_costly(comparison, point, cause, sign, found, all / 2);
  }
  return found;
}

/* ", most of that in loop static app.c:42 in main". */
static void where_text(char text[HD_PLACE_BYTES], const struct hd_comparison *comparison, uint32_t point) {
  const struct hd_compared *at = &comparison->rows[0].at[point];
  char place[HD_PLACE_BYTES];
  double share = NAN;
  const enum hd_loss cause = hd_row_cause(at, &share);
  const uint32_t row =
      cause == HD_LOSS_COUNT ? HD_NONE : foremost(comparison, point, cause, at->lost_total_ticks > 0 ? 1 : -1);
  text[0] = '\0';
  if (row == HD_NONE)
    return;
  hd_row_text(place, comparison, row, true);
  const double part = (double)comparison->rows[row].at[point].lost_ticks[cause] / (double)at->lost_ticks[cause];
  const char *in = comparison->rows[row].kind == HD_COMPARED_OUTSIDE ? "" : "in ";
  if (part > 0.5)
    snprintf(text, HD_PLACE_BYTES, ", most of that %s%.300s", in, place);
  else
    snprintf(text, HD_PLACE_BYTES, ", the largest part of that (%.0f %%) %s%.300s", 100 * part, in, place);
}

static void cause_text(char *text, size_t bytes, const struct hd_comparison *comparison, uint32_t point,
                       const struct hd_unit *unit) {
  char where[HD_PLACE_BYTES];
  where_text(where, comparison, point);
  hd_cause_phrase(text, bytes, &comparison->rows[0].at[point], unit, where);
}

static void say_scaling(struct hd_document *document, const struct hd_comparison *comparison, uint32_t point,
                        const struct hd_unit *unit) {
  const struct hd_compared *at = &comparison->rows[0].at[point];
  char lost[HD_CELL_BYTES], time[HD_CELL_BYTES], name[HD_PLACE_BYTES], cause[HD_SENTENCE_BYTES / 2];
  hd_point_text(name, comparison, point);
  hd_duration_in(lost, unit, fabs(at->lost_total_s));
  hd_duration_in(time, unit, at->time_s);
  cause_text(cause, sizeof cause, comparison, point, unit);
  if (!is_whole(comparison, point) || !is_whole(comparison, 0))
    hd_document_say(document, "A run was killed: its time is not that of the whole program, so its loss is unknown.");
  else if (hd_compared_is_noise(at))
    hd_document_say(document, "At %s no loss exceeds the noise.", name);
  else if (at->lost_total_ticks <= 0)
    hd_document_say(document,
                    "At %s nothing is lost: the run is %s shorter than the baseline's work divided by the threads.",
                    name, lost);
  else
    hd_document_say(document, "At %s %s of %s are lost%s.", name, lost, time, cause);
}

static void say_side(struct hd_document *document, const struct hd_comparison *comparison, uint32_t point,
                     const struct hd_unit *unit) {
  const struct hd_compared *at = &comparison->rows[0].at[point];
  const struct hd_compared *base = &comparison->rows[0].at[0];
  const bool alike = comparison->points[0].threads == comparison->points[point].threads;
  const double seconds = alike ? at->time_s - base->time_s : at->lost_total_s;
  char lost[HD_CELL_BYTES], cause[HD_SENTENCE_BYTES / 2];
  hd_duration_in(lost, unit, fabs(seconds));
  cause_text(cause, sizeof cause, comparison, point, unit);
  if (!is_whole(comparison, point) || !is_whole(comparison, 0))
    hd_document_say(document,
                    "A run was killed: its time is not that of the whole program, so the difference is unknown.");
  else if (hd_compared_is_noise(at))
    hd_document_say(document, "%s differs from %s by no more than the noise.", comparison->points[point].label,
                    comparison->points[0].label);
  else if (alike)
    hd_document_say(document, "%s takes %s (%.1f %%) %s than %s%s.", comparison->points[point].label, lost,
                    100 * fabs(seconds) / base->time_s, seconds > 0 ? "more" : "less", comparison->points[0].label,
                    cause);
  else
    hd_document_say(document, "%s %s %s against %s with other threads%s.", comparison->points[point].label,
                    seconds > 0 ? "loses" : "gains", lost, comparison->points[0].label, cause);
}

static bool occurs(const struct hd_comparison *comparison, int cause) {
  for (uint32_t point = 1; point < comparison->point_count; point++)
    if (comparison->rows[0].at[point].matched && comparison->rows[0].at[point].lost_ticks[cause] != 0)
      return true;
  return false;
}

static void add_loss_columns(struct hd_compare_table *table, bool scaling) {
  for (int cause = 0; cause < HD_LOSS_COUNT; cause++)
    if (occurs(table->comparison, cause))
      hd_compare_table_add(table, HD_COMPARED_LOST_FIRST + (unsigned)cause, HD_NONE, 1, NULL);
  hd_compare_table_add(table, HD_COMPARED_LOST, HD_NONE, 0, scaling ? NULL : "Sum");
  if (any_interval(table->comparison))
    hd_compare_table_add(table, HD_COMPARED_LOST_INTERVAL, HD_NONE, 3, scaling ? NULL : "Sum 95%");
  if (scaling)
    hd_compare_table_add(table, HD_COMPARED_LOST_SHARE, HD_NONE, 2, NULL);
}

void hd_compare_losses(struct hd_document *document, const struct hd_comparison *comparison) {
  const bool scaling = comparison->options.mode == HD_COMPARE_SCALING;
  struct hd_compare_table table;
  hd_compare_table_begin(&table, comparison);
  const struct hd_unit *unit = &table.columns.unit;
  add_loss_columns(&table, scaling);
  hd_compare_table_place(&table, scaling ? "At" : "Side", false);
  for (uint32_t point = 1; point < comparison->point_count; point++) {
    char name[HD_PLACE_BYTES];
    hd_table_row(&table.grid, NULL);
    hd_compare_table_cells(&table, 0, point);
    hd_point_text(name, comparison, point);
    hd_table_at(&table.grid, name);
  }
  hd_document_title(document, 2, scaling ? "Lost wall %s by cause" : "Wall %s lost (negative: gained) by cause",
                    unit->name);
  hd_document_figure(document, "losses", 0);
  hd_document_table(document, &table.grid);
  if (scaling) /* where the table of regions says why, too */
    say_scaling(document, comparison, comparison->point_count - 1, unit);
  for (uint32_t point = 1; !scaling && point < comparison->point_count; point++)
    say_side(document, comparison, point, unit);
}
