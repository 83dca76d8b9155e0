/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file regions.c
 * The regions, and what is in them: their times at each number of threads, or before and after.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "output/views/compare/compare_internal.h"

enum { RANK_NEEDED = 0, RANK_WANTED = 1, RANK_SHARE = 3, RANK_MIDDLE = 5, RANK_INTERVAL = 6, RANK_CAUSE = 7 };

struct region_table {
  struct hd_grid grid;
  struct hd_unit unit;
  uint32_t point; /* whose losses are shown */
  uint32_t points_shown;
  bool intervals;
  bool lost; /* sides with other threads: a difference in time is not what is lost */
  enum hd_loss causes[HD_LOSS_COUNT];
  uint32_t cause_count;
};

/* ---- at each number of threads ---- */

static void add_scaling_columns(struct region_table *table, const struct hd_comparison *comparison) {
  struct hd_grid *grid = &table->grid;
  char title[HD_TITLE_BYTES];
  for (uint32_t i = 0; i < table->points_shown; i++) {
    const bool end = i == 0 || i + 1 == table->points_shown;
    snprintf(title, sizeof title, "T(%.18s)", comparison->points[i].label);
    hd_grid_column(grid, title, end ? RANK_NEEDED : RANK_MIDDLE);
  }
  hd_grid_column(grid, "Speedup", RANK_WANTED);
  hd_grid_column(grid, "Effic%", RANK_SHARE);
  hd_grid_column(grid, "Lost", RANK_NEEDED);
  if (table->intervals)
    hd_grid_column(grid, "Lost 95%", RANK_INTERVAL);
  hd_grid_column(grid, "Main cause", RANK_NEEDED);
  hd_grid_place(grid, "Region", true);
}

static void fill_scaling(struct hd_grid *grid, const struct hd_comparison *comparison, uint32_t index, void *context) {
  const struct region_table *table = context;
  const struct hd_compared_row *row = &comparison->rows[index];
  const struct hd_compared *at = &row->at[table->point];
  for (uint32_t i = 0; i < table->points_shown; i++)
    hd_grid_time(grid, &table->unit, row->at[i].runs > 0 ? row->at[i].time_s : NAN);
  hd_grid_number(grid, hd_if_matched(at, at->speedup), 2);
  hd_grid_number(grid, hd_if_matched(at, 100 * at->efficiency), 1);
  hd_grid_lost(grid, comparison, at, &table->unit, at->lost_total_s);
  if (table->intervals)
    hd_grid_interval(grid, at->noise_known ? at->lost_total_interval : HD_INTERVAL_UNKNOWN, table->unit.per_second,
                     table->unit.decimals);
  hd_grid_cause(grid, at, &table->unit);
}

/* "3.62 times as fast as", "160 times slower than". */
static void speed_text(char text[HD_CELL_BYTES], double speedup) {
  const bool slower = speedup < 1;
  const double times = slower ? 1 / speedup : speedup;
  snprintf(text, HD_CELL_BYTES, "%.*f times %s", times < 10 ? 2 : 0, times, slower ? "slower than" : "as fast as");
}

static void say_foremost(struct hd_sheet *sheet, const struct hd_comparison *comparison, uint32_t point,
                         const struct hd_unit *unit) {
  const uint32_t index = hd_foremost_region(comparison, point);
  char place[HD_PLACE_BYTES], name[HD_PLACE_BYTES], base[HD_PLACE_BYTES], lost[HD_CELL_BYTES], cause[HD_PLACE_BYTES];
  if (index == HD_NONE)
    return;
  const struct hd_compared *at = &comparison->rows[index].at[point];
  hd_cause_phrase(cause, sizeof cause, at, unit, "");
  if (!cause[0] || at->lost_total_ticks <= 0)
    return;
  hd_row_text(place, comparison, index);
  hd_point_text(name, comparison, point);
  hd_point_text(base, comparison, 0);
  hd_duration_in(lost, unit, at->lost_total_s);
  char speed[HD_CELL_BYTES];
  speed_text(speed, at->speedup);
  hd_sheet_say(sheet, "Of the regions, %s loses most: %s at %s, %s with %s%s.", place, lost, name, speed, base, cause);
}

void hd_compare_regions(struct hd_sheet *sheet, const struct hd_comparison *comparison, unsigned long limit) {
  struct region_table table = {.unit = hd_comparison_unit(comparison), .point = comparison->point_count - 1};
  char name[HD_PLACE_BYTES];
  uint32_t left = 0;
  const uint32_t count = comparison->point_count;
  table.points_shown = count < HD_POINTS_SHOWN ? count : HD_POINTS_SHOWN;
  table.intervals = hd_noise_is_known_anywhere(comparison);
  add_scaling_columns(&table, comparison);
  hd_compare_fill(&table.grid, comparison, 0, limit, fill_scaling, &table, &left);
  hd_point_text(name, comparison, table.point);
  hd_sheet_title(sheet, 2, "Regions: %s by threads; what is lost, and why, at %s", table.unit.name, name);
  hd_sheet_table(sheet, &table.grid);
  hd_said_left(sheet, left);
  if (count > table.points_shown)
    hd_sheet_say(sheet, "The times at %u more thread counts are not shown; --csv has all.", count - table.points_shown);
  say_foremost(sheet, comparison, table.point, &table.unit);
}

/* ---- before and after ---- */

static bool shows_anywhere(const struct hd_comparison *comparison, uint32_t point, enum hd_loss cause,
                           const struct hd_unit *unit) {
  for (uint32_t i = 0; i < comparison->row_count; i++) {
    const struct hd_compared *at = &comparison->rows[i].at[point];
    if (at->runs > 0 && at->matched && hd_unit_shows(unit, fabs(at->lost_s[cause])))
      return true;
  }
  return false;
}

static void add_difference_columns(struct region_table *table, const struct hd_comparison *comparison) {
  struct hd_grid *grid = &table->grid;
  hd_grid_column(grid, "Before", RANK_NEEDED);
  hd_grid_column(grid, "After", RANK_NEEDED);
  hd_grid_column(grid, "Diff", RANK_NEEDED);
  hd_grid_column(grid, "Diff%", RANK_WANTED);
  if (table->intervals)
    hd_grid_column(grid, table->lost ? "Lost 95%" : "Diff 95%", RANK_INTERVAL);
  if (table->lost)
    hd_grid_column(grid, "Lost", RANK_NEEDED);
  hd_grid_column(grid, "Main cause", RANK_WANTED);
  for (int cause = 0; cause < HD_LOSS_COUNT; cause++)
    if (shows_anywhere(comparison, table->point, (enum hd_loss)cause, &table->unit)) {
      table->causes[table->cause_count++] = (enum hd_loss)cause;
      hd_grid_column(grid, hd_loss_words((enum hd_loss)cause), RANK_CAUSE);
    }
  hd_grid_place(grid, "Region", true);
}

static void fill_difference(struct hd_grid *grid, const struct hd_comparison *comparison, uint32_t index,
                            void *context) {
  const struct region_table *table = context;
  const struct hd_compared *base = &comparison->rows[index].at[0];
  const struct hd_compared *at = &comparison->rows[index].at[table->point];
  const double difference = at->time_s - base->time_s;
  hd_grid_time(grid, &table->unit, base->runs > 0 ? base->time_s : NAN);
  hd_grid_time(grid, &table->unit, at->runs > 0 ? at->time_s : NAN);
  hd_grid_lost(grid, comparison, at, &table->unit, difference);
  hd_grid_number(grid, hd_if_matched(at, 100 * difference / base->time_s), 1);
  if (table->intervals)
    hd_grid_interval(grid, at->noise_known ? at->lost_total_interval : HD_INTERVAL_UNKNOWN, table->unit.per_second,
                     table->unit.decimals);
  if (table->lost)
    hd_grid_lost(grid, comparison, at, &table->unit, at->lost_total_s);
  hd_grid_cause(grid, at, &table->unit);
  for (uint32_t i = 0; i < table->cause_count; i++)
    hd_grid_difference(grid, &table->unit, hd_if_matched(at, at->lost_s[table->causes[i]]));
}

static void say_difference(struct hd_sheet *sheet, const struct hd_comparison *comparison, uint32_t point,
                           const struct hd_unit *unit) {
  const uint32_t index = hd_foremost_region(comparison, point);
  char place[HD_PLACE_BYTES], lost[HD_CELL_BYTES], cause[HD_PLACE_BYTES];
  if (index == HD_NONE)
    return;
  const struct hd_compared *at = &comparison->rows[index].at[point];
  hd_cause_phrase(cause, sizeof cause, at, unit, "");
  if (!cause[0])
    return;
  hd_row_text(place, comparison, index);
  hd_duration_in(lost, unit, fabs(at->lost_total_s));
  hd_sheet_say(sheet, "Of the regions, %s %s most: %s%s.", place, at->lost_total_ticks > 0 ? "loses" : "gains", lost,
               cause);
}

void hd_compare_difference(struct hd_sheet *sheet, const struct hd_comparison *comparison, uint32_t point,
                           unsigned long limit) {
  struct region_table table = {.unit = hd_comparison_unit(comparison), .point = point};
  uint32_t left = 0;
  table.intervals = hd_noise_is_known_anywhere(comparison);
  table.lost = comparison->points[0].threads != comparison->points[point].threads;
  add_difference_columns(&table, comparison);
  hd_compare_fill(&table.grid, comparison, point, limit, fill_difference, &table, &left);
  hd_sheet_title(sheet, 2, "Regions, in %s: before is %s, after is %s", table.unit.name, comparison->points[0].label,
                 comparison->points[point].label);
  hd_sheet_table(sheet, &table.grid);
  hd_said_left(sheet, left);
  say_difference(sheet, comparison, point, &table.unit);
}

/* ---- what has nothing to be compared with ---- */

static uint32_t region_of(const struct hd_comparison *comparison, uint32_t row) {
  while (comparison->rows[row].parent != HD_NONE)
    row = comparison->rows[row].parent;
  return row;
}

/* "2 regions, 1.234 s, and 1 construct in others"; returns false when all that occurs there occurs everywhere. */
static bool unmatched_text(char text[HD_PLACE_BYTES], const struct hd_comparison *comparison, uint32_t point) {
  char time[HD_CELL_BYTES];
  uint32_t regions = 0, inside = 0;
  double seconds = 0;
  for (uint32_t i = 2; i < comparison->row_count; i++) {
    const struct hd_compared_row *row = &comparison->rows[i];
    if (row->at[point].runs == 0 || !hd_row_is_partial(comparison, row))
      continue;
    const bool region = row->parent == HD_NONE;
    regions += region;
    seconds += region ? row->at[point].time_s : 0;
    inside += !region && !hd_row_is_partial(comparison, &comparison->rows[region_of(comparison, i)]);
  }
  size_t used = 0;
  hd_cell_duration(time, seconds);
  text[0] = '\0';
  if (regions > 0)
    used = (size_t)snprintf(text, HD_PLACE_BYTES, "%u region%s, %s%s", regions, regions == 1 ? "" : "s", time,
                            inside > 0 ? ", and " : "");
  if (inside > 0)
    snprintf(text + used, HD_PLACE_BYTES - used, "%u construct%s in regions that all runs have", inside,
             inside == 1 ? "" : "s");
  return text[0] != '\0';
}

static void say_unmatched_at(struct hd_sheet *sheet, const struct hd_comparison *comparison, uint32_t point) {
  char name[HD_PLACE_BYTES], text[HD_PLACE_BYTES];
  hd_point_text(name, comparison, point);
  if (unmatched_text(text, comparison, point))
    hd_sheet_say(sheet, "At %s, but not in all runs, so not compared: %s.", name, text);
}

void hd_compare_unmatched(struct hd_sheet *sheet, const struct hd_comparison *comparison) {
  uint32_t differ = 0;
  for (uint32_t point = 0; point < comparison->point_count; point++)
    say_unmatched_at(sheet, comparison, point);
  for (uint32_t i = 2; i < comparison->row_count; i++)
    differ += hd_row_calls_differ(comparison, &comparison->rows[i]);
  if (differ > 0)
    hd_sheet_say(sheet, "\"calls differ\": %u %s entered a different number of times, so the work may differ.", differ,
                 differ == 1 ? "row was" : "rows were");
}
