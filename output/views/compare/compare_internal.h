/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file compare_internal.h
 * Between the files of the comparison's views only: words for points, rows and causes; tables, one function for each.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_COMPARE_COMPARE_INTERNAL_H
#define HEDDLE_OUTPUT_VIEWS_COMPARE_COMPARE_INTERNAL_H

#include "output/comparison/compared_counts.h"
#include "output/comparison/findings.h"
#include "output/views/compare/columns.h"
#include "output/views/compare/compare.h"
#include "output/views/render/count_columns.h"
#include "output/views/render/csv.h"
#include "output/views/render/document.h"

/* A table has columns for so many points; the JSON has all. */
enum { HD_POINTS_SHOWN = 20, HD_TITLE_BYTES = 24 };

/* ---- words ---- */

/** "4 threads", or the side's name. */
void hd_point_text(char text[HD_PLACE_BYTES], const struct hd_comparison *comparison, uint32_t point);

/** "parallel app.c:42 in main", "outside all regions", "program app". With callpaths also who calls it. `alone`: with
 *  its function, also if that is the function of the region around it. */
void hd_row_text(char text[HD_PLACE_BYTES], const struct hd_comparison *comparison, uint32_t row, bool alone);

/** The node that names a united callpath, with its name from whichever run has one. */
struct hd_node hd_row_node(const struct hd_comparison *comparison, uint32_t united);

/** "region", "outside", ...: for scripts. */
const char *hd_compared_kind_id(enum hd_compared_kind kind);

/** The cause of most of a loss, or of a gain where less is lost than at the baseline. `share`: its part of all that
 *  was lost, or gained. HD_LOSS_COUNT: no loss and no gain, only noise, or no baseline to compare with. */
enum hd_loss hd_row_cause(const struct hd_compared *at, double *share);

/** Whether the loss or gain is within the noise. */
bool hd_compared_is_noise(const struct hd_compared *at);

/** "~" within the noise; "?" if the noise is not known here, but at other points; else "". */
const char *hd_noise_mark(const struct hd_comparison *comparison, const struct hd_compared *at);

/** For a sentence: "; 61 % of it to imbalance", then `where`; empty without a cause. */
void hd_cause_phrase(char *text, size_t bytes, const struct hd_compared *at, const struct hd_unit *unit,
                     const char *where);

/** A time for a sentence, "0.728 s", in the table's unit, or in a smaller one if the time would be 0 in it. */
void hd_duration_in(char cell[HD_CELL_BYTES], const struct hd_unit *unit, double seconds);

/** Whether there are enough repeats of the point and of the baseline to know the noise; whether of any point. */
bool hd_point_noise_is_known(const struct hd_comparison *comparison, uint32_t point);
bool hd_noise_is_known_anywhere(const struct hd_comparison *comparison);

/** Whether a row is missing at some points; whether its number of calls differs between the others. */
bool hd_row_is_partial(const struct hd_comparison *comparison, const struct hd_compared_row *row);
bool hd_row_calls_differ(const struct hd_comparison *comparison, const struct hd_compared_row *row);

/** A unit for the times of all rows. */
struct hd_unit hd_comparison_unit(const struct hd_comparison *comparison);

/** Of a column of intervals: in tables "1.221-1.252", times `factor`. */
struct hd_value hd_interval_value(struct hd_interval interval, double factor, int decimals);

/* ---- tables for people ---- */

/** Its columns come first, then the place, then rows. */
struct hd_compare_table {
  const struct hd_comparison *comparison;
  struct hd_table grid;
  struct hd_columns columns;
  struct hd_column items[HD_TABLE_COLUMNS];
  char titles[HD_TABLE_COLUMNS][HD_TITLE_BYTES];
  enum hd_compared_column shows[HD_TABLE_COLUMNS];
  uint32_t points[HD_TABLE_COLUMNS]; /* at which; HD_NONE: at that of the row */
  bool unmarked;                     /* noise is not marked */
};
void hd_compare_table_begin(struct hd_compare_table *table, const struct hd_comparison *comparison);

/** A column of columns.h. `rank` as in struct hd_column; `title` NULL: its own. */
void hd_compare_table_add(struct hd_compare_table *table, enum hd_compared_column column, uint32_t point, int rank,
                          const char *title);

/** A column whose values the table has itself. */
void hd_compare_table_own(struct hd_compare_table *table, enum hd_column_kind kind, int rank, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

void hd_compare_table_place(struct hd_compare_table *table, const char *title, bool tree);

/** The cells of the grid's row: the columns of columns.h. */
void hd_compare_table_cells(struct hd_compare_table *table, uint32_t row, uint32_t point);

void hd_compare_heading(struct hd_document *document, const struct hd_comparison *comparison);
void hd_compare_notes(struct hd_document *document, const struct hd_comparison *comparison);
void hd_compare_program(struct hd_document *document, const struct hd_comparison *comparison);
void hd_compare_efficiencies(struct hd_document *document, const struct hd_comparison *comparison);
void hd_compare_losses(struct hd_document *document, const struct hd_comparison *comparison);
void hd_compare_regions(struct hd_document *document, const struct hd_comparison *comparison, unsigned long limit);

/** Sides: `point` against the baseline. */
void hd_compare_difference(struct hd_document *document, const struct hd_comparison *comparison, uint32_t point,
                           unsigned long limit);
void hd_compare_unmatched(struct hd_document *document, const struct hd_comparison *comparison);
void hd_compare_laws(struct hd_document *document, const struct hd_comparison *comparison,
                     const struct hd_compare_view_options *options);
void hd_compare_counts(struct hd_document *document, const struct hd_comparison *comparison, unsigned long limit);

/* ---- rows as a tree ---- */

/** Puts the cells of a row. */
typedef void hd_row_filler(void *context, uint32_t row);

/** Adds the regions, each with what is in it, then the outside and the program. Those that lost most come first: at
 *  `point`, or anywhere if it is 0. At most `limit` regions (0: all). `fill` NULL: hd_compare_table_cells(). Returns
 *  how many more there are. */
uint32_t hd_compare_fill(struct hd_compare_table *table, uint32_t point, unsigned long limit, hd_row_filler *fill,
                         void *context);

/** The region that lost most, in that order; HD_NONE: there is none. */
uint32_t hd_foremost_region(const struct hd_comparison *comparison, uint32_t point);

/** "2 more regions are not shown", if there are any. */
void hd_said_left(struct hd_document *document, uint32_t left, const char *what);

/* ---- findings ---- */

/** The first findings, a paragraph each. */
void hd_compare_findings(struct hd_document *document, const struct hd_comparison *comparison);

/** All findings of a comparison, each with the point that it is about; `index`: of the comparison. */
json_t *hd_compare_json_findings(const struct hd_comparison *comparison, size_t index);

/* ---- formats ---- */

void hd_compare_csv(const struct hd_compare_series *series, size_t count, FILE *out);
void hd_compare_json(const struct hd_compare_series *series, size_t count,
                     const struct hd_compare_view_options *options, FILE *out);
json_t *hd_compare_json_row(const struct hd_compared_counts *counts, uint32_t row,
                            const struct hd_compare_view_options *options);
json_t *hd_json_interval(struct hd_interval interval);
json_t *hd_json_numbers(const double *from, size_t count);

#endif
