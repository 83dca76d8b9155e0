/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file compare_internal.h
 * Between the files of the comparison's views only: words for points, rows and causes; one function per table.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_COMPARE_COMPARE_INTERNAL_H
#define HEDDLE_OUTPUT_VIEWS_COMPARE_COMPARE_INTERNAL_H

#include <jansson.h>

#include "output/views/compare/compare.h"
#include "output/views/render/count_columns.h"
#include "output/views/render/csv.h"
#include "output/views/render/document.h"

/* A table has columns for so many points; the JSON has all. */
enum { HD_POINTS_SHOWN = 20, HD_TITLE_BYTES = 24 };

/* ---- words ---- */

/** "4 threads", or the side's name. */
void hd_point_text(char text[HD_PLACE_BYTES], const struct hd_comparison *comparison, uint32_t point);

/** "parallel app.c:42 in main", "outside all regions", "program app". With callpaths also who calls it. */
void hd_row_text(char text[HD_PLACE_BYTES], const struct hd_comparison *comparison, uint32_t row);

/** The same for a sentence: with its function, also if that is the region's. */
void hd_row_text_alone(char text[HD_PLACE_BYTES], const struct hd_comparison *comparison, uint32_t row);

/** The node that names a united callpath, with its name from whichever run has one. */
struct hd_node hd_row_node(const struct hd_comparison *comparison, uint32_t united);

/** "region", "outside", ...: for scripts. */
const char *hd_compared_kind_id(enum hd_compared_kind kind);

/** A region that is in no other, or what is outside all: these add up to the program. */
bool hd_row_is_outermost(const struct hd_compared_row *row);

/** What most of a loss (a gain, where less is lost in all) goes to; its share of all that goes the same way is in
 *  `share`. HD_LOSS_COUNT: nothing was lost or gained, it is within the noise, or there is nothing to compare with. */
enum hd_loss hd_row_cause(const struct hd_compared *at, double *share);

/** What is lost or gained is within the noise. */
bool hd_compared_is_noise(const struct hd_compared *at);

/** "~" for that; "?" where it is not known though it is elsewhere; else "". */
const char *hd_noise_mark(const struct hd_comparison *comparison, const struct hd_compared *at);

/** The next cell: "imbalance 61%", "less imbalance 61%"; "-" when there is none, or the loss is shown as 0. */
void hd_grid_cause(struct hd_grid *grid, const struct hd_compared *at, const struct hd_unit *unit);

/** The same for a sentence: "; 61 % of it to imbalance", then `where`; empty when there is none. */
void hd_cause_phrase(char *text, size_t bytes, const struct hd_compared *at, const struct hd_unit *unit,
                     const char *where);

/** A time for a sentence, "0.728 s", in the unit of the table; in a smaller one if it would be 0 there. */
void hd_duration_in(char cell[HD_CELL_BYTES], const struct hd_unit *unit, double seconds);

/** The next cell: a time that may be negative, but not "-0.000". */
void hd_grid_difference(struct hd_grid *grid, const struct hd_unit *unit, double seconds);

/** The next cell: a lost time with its mark; "-" when there is nothing to compare with. */
void hd_grid_lost(struct hd_grid *grid, const struct hd_comparison *comparison, const struct hd_compared *at,
                  const struct hd_unit *unit, double seconds);

/** A ratio or time against the baseline: NaN where there is none. */
double hd_if_matched(const struct hd_compared *at, double number);

/** The causes for which a row of the kinds in `rows` (all: NULL) lost or gained ticks at any point; returns how many.
 */
uint32_t hd_causes_that_occur(const struct hd_comparison *comparison, bool program_only,
                              enum hd_loss causes[HD_LOSS_COUNT]);

/** Whether all runs of a point came to their end: none was killed. */
bool hd_point_is_whole(const struct hd_comparison *comparison, uint32_t point);

/** Whether all, or none, of the points but the baseline have enough repeats for noise to be known. */
bool hd_noise_is_known_everywhere(const struct hd_comparison *comparison);
bool hd_noise_is_known_anywhere(const struct hd_comparison *comparison);

/** Whether a row does not occur at all points; whether it was entered as often at all where it does. */
bool hd_row_is_partial(const struct hd_comparison *comparison, const struct hd_compared_row *row);
bool hd_row_calls_differ(const struct hd_comparison *comparison, const struct hd_compared_row *row);

/** A unit for the times of all rows. */
struct hd_unit hd_comparison_unit(const struct hd_comparison *comparison);

/** The next cell: "1.221-1.252" in a unit; "-" when it is not known. */
void hd_grid_interval(struct hd_grid *grid, struct hd_interval interval, double factor, int decimals);

/* ---- tables ---- */

void hd_compare_heading(struct hd_sheet *sheet, const struct hd_comparison *comparison);
void hd_compare_program(struct hd_sheet *sheet, const struct hd_comparison *comparison);
void hd_compare_losses(struct hd_sheet *sheet, const struct hd_comparison *comparison);
void hd_compare_regions(struct hd_sheet *sheet, const struct hd_comparison *comparison, unsigned long limit);

/** Sides: `point` against the baseline. */
void hd_compare_difference(struct hd_sheet *sheet, const struct hd_comparison *comparison, uint32_t point,
                           unsigned long limit);
void hd_compare_unmatched(struct hd_sheet *sheet, const struct hd_comparison *comparison);
void hd_compare_laws(struct hd_sheet *sheet, const struct hd_comparison *comparison,
                     const struct hd_compare_view_options *options);
void hd_compare_counts(struct hd_sheet *sheet, const struct hd_comparison *comparison, unsigned long limit);

/* ---- rows as a tree ---- */

/** Puts the cells of a row. */
typedef void hd_row_filler(struct hd_grid *grid, const struct hd_comparison *comparison, uint32_t row, void *context);

/** Adds the regions, each with what is in it, then the outside and the program. Those that lost most come first: at
 *  `point`, or anywhere if it is 0. At most `limit` regions (0: all); how many more there are is in `left`. False: no
 *  memory. */
void hd_compare_fill(struct hd_grid *grid, const struct hd_comparison *comparison, uint32_t point, unsigned long limit,
                     hd_row_filler *fill, void *context, uint32_t *left);

/** The region that lost most, in that order; HD_NONE: there is none. */
uint32_t hd_foremost_region(const struct hd_comparison *comparison, uint32_t point);

void hd_said_left(struct hd_sheet *sheet, uint32_t left);

/* ---- counters ---- */

/** What was counted in all runs alike, and sums by row and point. */
struct hd_compared_counts {
  const struct hd_comparison *comparison;
  uint32_t event_count; /* 0: nothing was, or not the same */
  uint32_t *event_of;   /* [run][event]: that run's number of the first run's event */
};
bool hd_compared_counts_make(struct hd_compared_counts *counts, const struct hd_comparison *comparison);
void hd_compared_counts_free(struct hd_compared_counts *counts);

/** The sums of a row at a point, of its median run: one item. NULL: not there, or no memory. */
struct hd_count_sums *hd_compared_count(const struct hd_compared_counts *counts, uint32_t row, uint32_t point);

/* ---- formats ---- */

bool hd_compare_csv(const struct hd_compare_series *series, size_t count, FILE *out);
bool hd_compare_json(const struct hd_compare_series *series, size_t count,
                     const struct hd_compare_view_options *options, FILE *out);
json_t *hd_compare_json_row(const struct hd_compared_counts *counts, uint32_t row,
                            const struct hd_compare_view_options *options);
json_t *hd_json_interval(struct hd_interval interval);

#endif
