/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file count_columns.h
 * Columns of counts and metrics, and the marks in them.
 *
 * "~": an estimate, the event took turns with others. ">=": some is missing. "-": not known.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_RENDER_COUNT_COLUMNS_H
#define HEDDLE_OUTPUT_VIEWS_RENDER_COUNT_COLUMNS_H

#include "output/analysis/lines/line_counts.h"
#include "output/views/render/csv.h"
#include "output/views/render/table.h"

enum { HD_COUNT_COLUMNS = 24, HD_COUNT_TITLE_BYTES = 40 };

struct hd_count_column {
  char title[HD_COUNT_TITLE_BYTES];
  const struct hd_group *group; /* NULL: a count */
  const struct hd_metric *metric;
  uint32_t event;
  enum hd_count_class class;
  int rank; /* of grids */
};

struct hd_count_columns {
  const struct hd_model *model;
  struct hd_count_column items[HD_COUNT_COLUMNS];
  size_t count; /* so many are shown; those that follow are told of only */
  size_t all;
  size_t first; /* the number of the first in the grid */
  size_t left;  /* so many more there was no room for */
  /* The marks that cells have been given so far. */
  bool at_least, estimated, unknown;
  double least_fraction, most_fraction;
};

/** Metrics of the groups, then counts while busy of the events that are in no group, then, with `waiting`, those while
 *  waiting that are not all 0. The other counts are told of only. Without counters there are none. */
void hd_count_columns_choose(struct hd_count_columns *columns, const struct hd_model *model, bool waiting);

/** Adds them to a grid. */
void hd_count_columns_add(struct hd_count_columns *columns, struct hd_table *grid);

/** A count or metric for people: "12345", "1.234 M", "56.7 ms", with its mark. */
void hd_count_cell(char cell[HD_CELL_BYTES], struct hd_count_columns *columns, size_t column,
                   const struct hd_count_sum *sum, double elapsed_ticks);

/** The next cells of the grid's row. */
void hd_count_cells(struct hd_table *grid, struct hd_count_columns *columns, const struct hd_count_sum *sum,
                    double elapsed_ticks);

/** Which columns are not in the grid. */
void hd_count_columns_said_left(const struct hd_count_columns *columns, FILE *out);

/** What the columns are, and the marks that occurred. `scope`: "with the lines below". */
void hd_count_legend(const struct hd_count_columns *columns, const char *scope, FILE *out);

/** What the marks mean that occurred. */
void hd_count_marks_legend(const struct hd_count_columns *columns, FILE *out);

/** "perf::PAGE-FAULTS" is known as PAGE-FAULTS, if no other event is. */
const char *hd_count_short_name(const struct hd_model *model, uint32_t event);

#endif
