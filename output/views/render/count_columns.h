/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file count_columns.h
 * Between the files of the report only: columns of counts and metrics, the marks in them, and what they are sums of.
 *
 * "~": an estimate, the event took turns with others. ">=": some is missing. "-": not known.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_RENDER_COUNT_COLUMNS_H
#define HEDDLE_OUTPUT_VIEWS_RENDER_COUNT_COLUMNS_H

#include "output/model/count_sums.h"
#include "output/views/report/call_graph_views.h"

enum { HD_COUNT_COLUMNS = HD_GRID_COLUMNS - 16, HD_COUNT_TITLE_BYTES = 40 };

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
  size_t left; /* so many more there was no room for */
  /* The marks that cells have been given so far. */
  bool at_least, estimated, unknown;
  double least_fraction, most_fraction;
};

/** Metrics of the groups, then counts while busy of the events that are in no group, then, with `waiting`, those while
 *  waiting that are not all 0. The other counts are told of only. Without counters there are none. */
void hd_count_columns_choose(struct hd_count_columns *columns, const struct hd_model *model, bool waiting);

/** Adds them to a grid, which keeps pointers to the titles. */
void hd_count_columns_add(const struct hd_count_columns *columns, struct hd_grid *grid);

/** A count or metric for people: "12345", "1.234 M", "56.7 ms", with its mark. */
void hd_count_cell(char cell[HD_CELL_BYTES], struct hd_count_columns *columns, size_t column,
                   const struct hd_count_sum *sum, double elapsed_ticks);

/** The cells of a row from `first` on. */
void hd_count_cells(struct hd_grid_row *row, size_t first, struct hd_count_columns *columns,
                    const struct hd_count_sum *sum, double elapsed_ticks);

/** Which columns are not among those that are shown. */
void hd_count_columns_said_left(const struct hd_count_columns *columns, const char *const *titles, size_t count,
                                FILE *out);

/** What the columns are, and the marks that occurred. `scope`: "with the lines below". */
void hd_count_legend(const struct hd_count_columns *columns, const char *scope, FILE *out);

/** What was counted in the whole run, while busy and while waiting; `brief`: one line. Nothing without counters. */
bool hd_report_counted(const struct hd_model *model, FILE *out);
void hd_report_counted_brief(const struct hd_model *model, FILE *out);

/** Sums by line of a view: exclusive or inclusive; by thread, of one line and those below. NULL: no memory, or no
 *  counters. */
struct hd_count_sums *hd_view_count_lines(const struct hd_view *view, bool inclusive);
struct hd_count_sums *hd_view_count_threads(const struct hd_view *view, uint32_t line);

/** Of a call graph: by entry, arc and cycle. All NULL without counters. False: no memory. */
struct hd_graph_counts {
  struct hd_count_sums *own, *inclusive; /* by entry */
  struct hd_count_sums *arcs;            /* by arc, inclusive: of the child, below its outermost callpaths */
  struct hd_count_sums *cycles;          /* by number - 1, inclusive */
};
bool hd_graph_count(struct hd_graph_counts *counts, const struct hd_graph *graph);
void hd_graph_counts_free(struct hd_graph_counts *counts);

/** For metrics: elapsed ticks of an entry, those of the program as far as was counted; or NaN. */
double hd_graph_entry_elapsed(const struct hd_graph *graph, const struct hd_graph_entry *entry);

/** Comma-separated values: for each event the counts while busy, with `classes` also while waiting and in the runtime;
 *  the part of the time that was counted, if there are turns; what is known of counts of which some is missing; then
 *  the metrics. All names end in `suffix`: " self" or " inclusive". Nothing without counters. `sum` NULL: empty fields.
 */
void hd_csv_count_names(const struct hd_model *model, const char *suffix, bool classes, FILE *out);
void hd_csv_counts(const struct hd_model *model, const struct hd_count_sum *sum, bool classes, double elapsed_ticks,
                   FILE *out);

#endif
