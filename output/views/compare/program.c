/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file program.c
 * The whole program at each point, and where the time went that more threads, or another build, cost.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/views/compare/compare_internal.h"

/* Ranks: what gives way first where the terminal is narrow. */
enum { RANK_NEEDED = 0, RANK_WANTED = 2, RANK_LAW = 4, RANK_INTERVAL = 6 };

static bool any_interval(const struct hd_comparison *comparison) {
  for (uint32_t point = 0; point < comparison->point_count; point++)
    if (isfinite(comparison->rows[0].at[point].time_interval.low))
      return true;
  return false;
}

/* ---- the table by point ---- */

struct program_table {
  struct hd_grid grid;
  struct hd_unit unit;
  const struct hd_comparison *comparison;
  bool scaling, intervals, from_one;
};

static void add_columns(struct program_table *table) {
  struct hd_grid *grid = &table->grid;
  if (table->scaling)
    hd_grid_column(grid, "Threads", RANK_NEEDED);
  hd_grid_column(grid, "Runs", RANK_WANTED);
  hd_grid_column(grid, "Time", RANK_NEEDED);
  if (table->intervals)
    hd_grid_column(grid, "Time 95%", RANK_INTERVAL);
  if (!table->scaling) {
    hd_grid_column(grid, "Diff", RANK_NEEDED);
    hd_grid_column(grid, "Diff%", RANK_NEEDED);
    hd_grid_column(grid, "Busy", RANK_WANTED);
    return;
  }
  hd_grid_column(grid, "Speedup", RANK_NEEDED);
  if (table->intervals)
    hd_grid_column(grid, "Speedup 95%", RANK_INTERVAL);
  hd_grid_column(grid, "Effic%", RANK_NEEDED);
  hd_grid_column(grid, "Busy", RANK_WANTED);
  hd_grid_column(grid, "Work%", RANK_WANTED);
  if (table->from_one)
    hd_grid_column(grid, "Karp-Flatt%", RANK_LAW);
  hd_grid_column(grid, "Amdahl", RANK_LAW);
}

static void fill_point(struct program_table *table, uint32_t index) {
  struct hd_grid *grid = &table->grid;
  const struct hd_comparison *comparison = table->comparison;
  const struct hd_point *point = &comparison->points[index];
  const struct hd_compared *at = &comparison->rows[0].at[index];
  const struct hd_compared *base = &comparison->rows[0].at[0];
  if (table->scaling)
    hd_grid_cell(grid, "%.20s", point->label);
  hd_grid_cell(grid, "%u", point->run_count);
  hd_grid_time(grid, &table->unit, at->time_s);
  if (table->intervals)
    hd_grid_interval(grid, at->time_interval, table->unit.per_second, table->unit.decimals);
  if (!table->scaling) {
    hd_grid_difference(grid, &table->unit, index == 0 ? NAN : at->time_s - base->time_s);
    hd_grid_number(grid, index == 0 ? NAN : 100 * (at->time_s - base->time_s) / base->time_s, 1);
    hd_grid_number(grid, at->busy_concurrency, 2);
    return;
  }
  hd_grid_number(grid, at->speedup, 2);
  if (table->intervals)
    hd_grid_interval(grid, at->speedup_interval, 1, 2);
  hd_grid_number(grid, 100 * at->efficiency, 1);
  hd_grid_number(grid, at->busy_concurrency, 2);
  hd_grid_number(grid, 100 * at->work_efficiency, 1);
  if (table->from_one)
    hd_grid_number(
        grid, index == 0 ? NAN : 100 * hd_karp_flatt(at->speedup, point->threads, comparison->points[0].threads), 1);
  hd_grid_number(grid, index == 0 ? NAN : hd_amdahl_bound(comparison, point->threads), 2);
}

static void fill_remark(struct program_table *table, uint32_t index) {
  const struct hd_point *point = &table->comparison->points[index];
  char text[HD_PLACE_BYTES] = "";
  size_t used = 0;
  if (!table->scaling)
    used = (size_t)snprintf(text, sizeof text, "%s%s", point->label, index == 0 ? ", the baseline" : "");
  else if (index == 0)
    used = (size_t)snprintf(text, sizeof text, "baseline");
  if (table->scaling && point->least_threads < point->threads)
    used += (size_t)snprintf(text + used, sizeof text - used, "%sa run had %u threads only", used > 0 ? ", " : "",
                             point->least_threads);
  if (point->processors > 0 && point->threads > point->processors)
    used += (size_t)snprintf(text + used, sizeof text - used, "%son %u processor%s", used > 0 ? ", " : "",
                             point->processors, point->processors == 1 ? "" : "s");
  if (!hd_point_is_whole(table->comparison, index))
    used += (size_t)snprintf(text + used, sizeof text - used, "%sa run was killed", used > 0 ? ", " : "");
  const struct hd_compared *at = &table->comparison->rows[0].at[index];
  if (index > 0 && hd_compared_is_noise(at))
    snprintf(text + used, sizeof text - used, "%s~ %s within the noise", used > 0 ? ", " : "",
             table->scaling ? "loss" : "difference");
  else if (index > 0 && !at->noise_known && hd_noise_is_known_anywhere(table->comparison))
    snprintf(text + used, sizeof text - used, "%s? noise not known", used > 0 ? ", " : "");
  hd_grid_at(&table->grid, text);
}

void hd_compare_program(struct hd_sheet *sheet, const struct hd_comparison *comparison) {
  struct program_table table = {.comparison = comparison, .unit = hd_comparison_unit(comparison)};
  table.scaling = comparison->options.mode == HD_COMPARE_SCALING;
  table.intervals = any_interval(comparison);
  table.from_one = table.scaling && comparison->points[0].threads == 1;
  add_columns(&table);
  hd_grid_place(&table.grid, table.scaling ? "Remark" : "Side", false);
  for (uint32_t point = 0; point < comparison->point_count; point++) {
    hd_grid_row(&table.grid, NULL);
    fill_point(&table, point);
    fill_remark(&table, point);
  }
  hd_sheet_title(sheet, 2, "Program: times in %s", table.unit.name);
  hd_sheet_table(sheet, &table.grid);
}

/* ---- lost time by cause ---- */

/* The region that a cause costs most, or what costs most of it in the region. */
static uint32_t foremost(const struct hd_comparison *comparison, uint32_t point, enum hd_loss cause, double sign) {
  uint32_t found = HD_NONE;
  double most = 0;
  for (uint32_t i = 1; i < comparison->row_count; i++) {
    const struct hd_compared_row *row = &comparison->rows[i];
    const double lost = row->at[point].matched ? sign * (double)row->at[point].lost_ticks[cause] : 0;
    if (hd_row_is_outermost(row) && lost > most) {
      most = lost;
      found = i;
    }
  }
  for (bool deeper = found != HD_NONE; deeper;) {
    const uint32_t above = found;
    deeper = false;
    for (uint32_t i = above + 1; i < comparison->row_count && !deeper; i++) {
      const struct hd_compared_row *row = &comparison->rows[i];
      const double lost = row->at[point].matched ? sign * (double)row->at[point].lost_ticks[cause] : 0;
      if (row->parent == above && lost > most / 2) {
        found = i;
        deeper = true;
      }
    }
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
  hd_row_text_alone(place, comparison, row);
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

static void say_scaling(struct hd_sheet *sheet, const struct hd_comparison *comparison, uint32_t point,
                        const struct hd_unit *unit) {
  const struct hd_compared *at = &comparison->rows[0].at[point];
  char lost[HD_CELL_BYTES], time[HD_CELL_BYTES], name[HD_PLACE_BYTES], cause[HD_SENTENCE_BYTES / 2];
  hd_point_text(name, comparison, point);
  hd_duration_in(lost, unit, fabs(at->lost_total_s));
  hd_duration_in(time, unit, at->time_s);
  cause_text(cause, sizeof cause, comparison, point, unit);
  if (!hd_point_is_whole(comparison, point) || !hd_point_is_whole(comparison, 0))
    hd_sheet_say(sheet, "A run was killed: its time is not that of the whole program, so its loss is unknown.");
  else if (hd_compared_is_noise(at))
    hd_sheet_say(sheet, "At %s no loss exceeds the noise.", name);
  else if (at->lost_total_ticks <= 0)
    hd_sheet_say(sheet, "At %s nothing is lost: the run is %s shorter than the baseline's work divided by the threads.",
                 name, lost);
  else
    hd_sheet_say(sheet, "At %s %s of %s are lost%s.", name, lost, time, cause);
}

static void say_side(struct hd_sheet *sheet, const struct hd_comparison *comparison, uint32_t point,
                     const struct hd_unit *unit) {
  const struct hd_compared *at = &comparison->rows[0].at[point];
  const struct hd_compared *base = &comparison->rows[0].at[0];
  const bool alike = comparison->points[0].threads == comparison->points[point].threads;
  const double seconds = alike ? at->time_s - base->time_s : at->lost_total_s;
  char lost[HD_CELL_BYTES], cause[HD_SENTENCE_BYTES / 2];
  hd_duration_in(lost, unit, fabs(seconds));
  cause_text(cause, sizeof cause, comparison, point, unit);
  if (!hd_point_is_whole(comparison, point) || !hd_point_is_whole(comparison, 0))
    hd_sheet_say(sheet, "A run was killed: its time is not that of the whole program, so the difference is unknown.");
  else if (hd_compared_is_noise(at))
    hd_sheet_say(sheet, "%s differs from %s by no more than the noise.", comparison->points[point].label,
                 comparison->points[0].label);
  else if (alike)
    hd_sheet_say(sheet, "%s takes %s (%.1f %%) %s than %s%s.", comparison->points[point].label, lost,
                 100 * fabs(seconds) / base->time_s, seconds > 0 ? "more" : "less", comparison->points[0].label, cause);
  else
    hd_sheet_say(sheet, "%s %s %s against %s with other threads%s.", comparison->points[point].label,
                 seconds > 0 ? "loses" : "gains", lost, comparison->points[0].label, cause);
}

static void fill_losses(struct hd_grid *grid, const struct hd_comparison *comparison, const struct hd_unit *unit,
                        const enum hd_loss *causes, uint32_t cause_count) {
  char name[HD_PLACE_BYTES];
  for (uint32_t point = 1; point < comparison->point_count; point++) {
    const struct hd_compared *at = &comparison->rows[0].at[point];
    hd_grid_row(grid, NULL);
    for (uint32_t i = 0; i < cause_count; i++)
      hd_grid_difference(grid, unit, at->lost_s[causes[i]]);
    hd_grid_lost(grid, comparison, at, unit, at->lost_total_s);
    if (any_interval(comparison))
      hd_grid_interval(grid, at->lost_total_interval, unit->per_second, unit->decimals);
    if (comparison->options.mode == HD_COMPARE_SCALING)
      hd_grid_number(grid, 100 * at->lost_total_s / at->time_s, 1);
    hd_point_text(name, comparison, point);
    hd_grid_at(grid, name);
  }
}

void hd_compare_losses(struct hd_sheet *sheet, const struct hd_comparison *comparison) {
  const bool scaling = comparison->options.mode == HD_COMPARE_SCALING;
  const struct hd_unit unit = hd_comparison_unit(comparison);
  enum hd_loss causes[HD_LOSS_COUNT];
  struct hd_grid grid = {0};
  const uint32_t count = hd_causes_that_occur(comparison, true, causes);
  for (uint32_t i = 0; i < count; i++)
    hd_grid_column(&grid, hd_loss_words(causes[i]), 1);
  hd_grid_column(&grid, scaling ? "Lost" : "Sum", 0);
  if (any_interval(comparison))
    hd_grid_column(&grid, scaling ? "Lost 95%" : "Sum 95%", 3);
  if (scaling)
    hd_grid_column(&grid, "Lost%", 2);
  hd_grid_place(&grid, scaling ? "At" : "Side", false);
  fill_losses(&grid, comparison, &unit, causes, count);
  hd_sheet_title(sheet, 2, scaling ? "Lost wall %s by cause" : "Wall %s lost (negative: gained) by cause", unit.name);
  hd_sheet_table(sheet, &grid);
  if (scaling) /* where the table of regions says why, too */
    say_scaling(sheet, comparison, comparison->point_count - 1, &unit);
  for (uint32_t point = 1; !scaling && point < comparison->point_count; point++)
    say_side(sheet, comparison, point, &unit);
}
