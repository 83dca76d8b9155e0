/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file regions.c
 * The regions, and what is in them: their times at each number of threads, or before and after.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "output/model/format_names.h"
#include "output/views/compare/compare_internal.h"

/* ---- at each number of threads ---- */

static void add_scaling_columns(struct hd_compare_table *table, uint32_t points_shown, bool intervals) {
  const struct hd_comparison *comparison = table->comparison;
  const uint32_t last = comparison->point_count - 1;
  char title[HD_TITLE_BYTES];
  for (uint32_t i = 0; i < points_shown; i++) {
    snprintf(title, sizeof title, "T(%.18s)", comparison->points[i].label);
    hd_compare_table_add(table, HD_COMPARED_TIME, i, i == 0 || i + 1 == points_shown ? 0 : 5, title);
  }
  hd_compare_table_add(table, HD_COMPARED_SPEEDUP, last, 1, NULL);
  hd_compare_table_add(table, HD_COMPARED_EFFICIENCY, last, 3, NULL);
  hd_compare_table_add(table, HD_COMPARED_LOST, last, 0, NULL);
  if (intervals)
    hd_compare_table_add(table, HD_COMPARED_LOST_INTERVAL, last, 6, NULL);
  hd_compare_table_add(table, HD_COMPARED_MAIN_CAUSE, last, 0, NULL);
  hd_compare_table_place(table, "Region", true);
}

/* "3.62 times as fast as", "160 times slower than". */
static void speed_text(char text[HD_CELL_BYTES], double speedup) {
  const bool slower = speedup < 1;
  const double times = slower ? 1 / speedup : speedup;
  snprintf(text, HD_CELL_BYTES, "%.*f times %s", times < 10 ? 2 : 0, times, slower ? "slower than" : "as fast as");
}

static void say_foremost(struct hd_document *document, const struct hd_comparison *comparison, uint32_t point,
                         const struct hd_unit *unit) {
  const uint32_t index = hd_foremost_region(comparison, point);
  char place[HD_PLACE_BYTES], name[HD_PLACE_BYTES], base[HD_PLACE_BYTES], cause[HD_PLACE_BYTES];
  char lost[HD_CELL_BYTES], speed[HD_CELL_BYTES];
  if (index == HD_NONE)
    return;
  const struct hd_compared *at = &comparison->rows[index].at[point];
  const bool loses = at->lost_total_ticks > 0, scaling = comparison->options.mode == HD_COMPARE_SCALING;
  hd_cause_phrase(cause, sizeof cause, at, unit, "");
  if (!cause[0] || (scaling && !loses))
    return;
  hd_row_text(place, comparison, index, false);
  hd_point_text(name, comparison, point);
  hd_point_text(base, comparison, 0);
  hd_duration_in(lost, unit, fabs(at->lost_total_s));
  speed_text(speed, at->speedup);
  if (scaling)
    hd_document_say(document, "Of the regions, %s loses most: %s at %s, %s with %s%s.", place, lost, name, speed, base,
                    cause);
  else
    hd_document_say(document, "Of the regions, %s %s most: %s%s.", place, loses ? "loses" : "gains", lost, cause);
}

void hd_compare_regions(struct hd_document *document, const struct hd_comparison *comparison, unsigned long limit) {
  const uint32_t count = comparison->point_count, shown = count < HD_POINTS_SHOWN ? count : HD_POINTS_SHOWN;
  struct hd_compare_table table;
  char name[HD_PLACE_BYTES];
  hd_compare_table_begin(&table, comparison);
  add_scaling_columns(&table, shown, hd_noise_is_known_anywhere(comparison));
  const uint32_t left = hd_compare_fill(&table, 0, limit, NULL, NULL);
  hd_point_text(name, comparison, count - 1);
  hd_document_title(document, 2, "Regions: %s by threads; what is lost, and why, at %s", table.columns.unit.name, name);
  hd_document_figure(document, "regions", count - 1);
  hd_document_table(document, &table.grid);
  hd_said_left(document, left, "region");
  if (count > shown)
    hd_document_say(document, "The times at %u more thread counts are not shown; --csv has all.", count - shown);
  say_foremost(document, comparison, count - 1, &table.columns.unit);
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

static void add_difference_columns(struct hd_compare_table *table, uint32_t point) {
  const struct hd_comparison *comparison = table->comparison;
  /* with other threads a difference in time is not what is lost */
  const bool lost = comparison->points[0].threads != comparison->points[point].threads;
  hd_compare_table_add(table, HD_COMPARED_TIME, 0, 0, "Before");
  hd_compare_table_add(table, HD_COMPARED_TIME, point, 0, "After");
  hd_compare_table_add(table, HD_COMPARED_DIFFERENCE, point, 0, NULL);
  hd_compare_table_add(table, HD_COMPARED_DIFFERENCE_SHARE, point, 1, NULL);
  if (hd_noise_is_known_anywhere(comparison))
    hd_compare_table_add(table, HD_COMPARED_LOST_INTERVAL, point, 6, lost ? NULL : "Diff 95%");
  if (lost)
    hd_compare_table_add(table, HD_COMPARED_LOST, point, 0, NULL);
  hd_compare_table_add(table, HD_COMPARED_MAIN_CAUSE, point, 1, NULL);
  for (int cause = 0; cause < HD_LOSS_COUNT; cause++)
    if (shows_anywhere(comparison, point, (enum hd_loss)cause, &table->columns.unit))
      hd_compare_table_add(table, HD_COMPARED_LOST_FIRST + (unsigned)cause, point, 7, NULL);
  hd_compare_table_place(table, "Region", true);
}

void hd_compare_difference(struct hd_document *document, const struct hd_comparison *comparison, uint32_t point,
                           unsigned long limit) {
  struct hd_compare_table table;
  hd_compare_table_begin(&table, comparison);
  add_difference_columns(&table, point);
  const uint32_t left = hd_compare_fill(&table, point, limit, NULL, NULL);
  hd_document_title(document, 2, "Regions, in %s: before is %s, after is %s", table.columns.unit.name,
                    comparison->points[0].label, comparison->points[point].label);
  hd_document_figure(document, "regions", point);
  hd_document_table(document, &table.grid);
  hd_said_left(document, left, "region");
  say_foremost(document, comparison, point, &table.columns.unit);
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
    used = (size_t)snprintf(text, HD_PLACE_BYTES, "%u region%s, %s%s", regions, hd_plural(regions), time,
                            inside > 0 ? ", and " : "");
  if (inside > 0)
    snprintf(text + used, HD_PLACE_BYTES - used, "%u construct%s in regions that all runs have", inside,
             hd_plural(inside));
  return text[0] != '\0';
}

static void say_unmatched_at(struct hd_document *document, const struct hd_comparison *comparison, uint32_t point) {
  char name[HD_PLACE_BYTES], text[HD_PLACE_BYTES];
  hd_point_text(name, comparison, point);
  if (unmatched_text(text, comparison, point))
    hd_document_say(document, "At %s, but not in all runs, so not compared: %s.", name, text);
}

void hd_compare_unmatched(struct hd_document *document, const struct hd_comparison *comparison) {
  uint32_t differ = 0;
  for (uint32_t point = 0; point < comparison->point_count; point++)
    say_unmatched_at(document, comparison, point);
  for (uint32_t i = 2; i < comparison->row_count; i++)
    differ += hd_row_calls_differ(comparison, &comparison->rows[i]);
  if (differ > 0)
    hd_document_say(document, "\"calls differ\": %u %s entered a different number of times, so the work may differ.",
                    differ, differ == 1 ? "row was" : "rows were");
}
