/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file listing.h
 * The rows of a view, as a table of text or as comma-separated values alike: a view fills its rows' values once.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_REPORT_LISTING_H
#define HEDDLE_OUTPUT_VIEWS_REPORT_LISTING_H

#include "output/analysis/lines/place_text.h"
#include "output/views/render/columns.h"
#include "output/views/render/count_columns.h"
#include "output/views/report/report.h"

struct hd_listing {
  const struct hd_model *model;
  struct hd_columns columns;
  uint64_t late; /* bits of columns that stand after those of counters */
  bool csv;
  bool markdown;                         /* text: as a table of Markdown */
  const struct hd_report_options *asked; /* which columns, sorted by which; NULL: those that say something, as put */
  FILE *out;
  bool titled;              /* the caller says what the table's unit is */
  const char *counts_of[2]; /* what the rows' counts are of: " self", " inclusive"; NULL: none. The first are in the
                               text, the second in the comma-separated values only, while busy only */
  struct hd_count_columns counted;
  size_t largest;        /* a column whose largest number is coloured; 0: none */
  bool placed;           /* the rows have a place in the text */
  struct hd_kept **kept; /* rows that wait for their place, because a column decides (listing.c) */
  size_t kept_count;
  size_t sorted_by; /* that column */
  bool sorts;
  struct libscols_line *foremost; /* the row with the largest number so far */
  double foremost_number;
  struct hd_table grid;
};

/** What a row is about. */
struct hd_listed {
  char first[40];             /* comma-separated values: the fields before the place, each with its comma */
  const struct hd_node *node; /* the place; NULL: `kind` and `name` stand for it */
  uint32_t marks;             /* enum hd_mark: of the row's numbers */
  const char *kind, *name;
  void *parent;                       /* what hd_listing_put() returned; NULL: none */
  const struct hd_count_sum *sums[2]; /* NULL: not known; they last until the end */
  double elapsed_ticks;               /* for metrics; NaN: not known */
  char place[HD_CALLPATH_BYTES];      /* in the text */
};

/** Lines in an order of their own. For qsort: most ticks first, a line before those below it. */
struct hd_ranked {
  uint32_t line;
  uint64_t ticks;
};
int hd_ranked_compare(const void *a, const void *b);

/** A line of a report; an entry of the call graph. Without place and counts. */
struct hd_listed hd_listed_line(const struct hd_lines *view, uint32_t line);
struct hd_listed hd_listed_entry(const struct hd_graph *graph, uint32_t entry);

/** Begins with the names of the columns. `first`: the fields before the place; HD_LINE_FIRST: of lines; NULL: the names
 * stand there already. `title`: of the place in the text; NULL: it has none. */
#define HD_LINE_FIRST "id,row,parent,"
void hd_listing_begin(struct hd_listing *listing, const char *first, const char *title, bool tree);

/** Adds a row, and returns it for the rows below. */
void *hd_listing_put(struct hd_listing *listing, const struct hd_listed *row, const struct hd_value *values);

/** Ends a group of rows: those put before never stand below those put later, whatever sorts them. */
void hd_listing_group(struct hd_listing *listing);

/** Ends the rows and frees all. Text: prints the table below "Times in ...", and that `left` lines are not shown;
 *  nothing without rows. What did not fit is then hidden in `columns`. */
void hd_listing_end(struct hd_listing *listing, uint32_t left);

#endif
