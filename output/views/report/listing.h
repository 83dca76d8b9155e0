/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file listing.h
 * The rows of a view, as a table of text or as comma-separated values alike: a view fills its rows' values once.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_REPORT_LISTING_H
#define HEDDLE_OUTPUT_VIEWS_REPORT_LISTING_H

#include "output/analysis/place_text.h"
#include "output/views/render/columns.h"
#include "output/views/render/count_columns.h"

struct hd_listing {
  const struct hd_model *model;
  struct hd_columns columns;
  uint64_t late; /* bits of columns that stand after those of counters */
  bool csv;
  bool markdown;      /* text: as a table of Markdown */
  const char *chosen; /* text: what --columns names; NULL: the columns that say something */
  FILE *out;
  bool titled;              /* the caller says what the table's unit is */
  const char *counts_of[2]; /* what the rows' counts are of: " self", " inclusive"; NULL: none. The first are in the
                               text, the second in the comma-separated values only, while busy only */
  struct hd_count_columns counted;
  bool placed; /* the rows have a place in the text */
  struct hd_table grid;
};

/** What a row is about. */
struct hd_listed {
  char first[40];             /* comma-separated values: the fields before the place, each with its comma */
  const struct hd_node *node; /* the place; NULL: `kind` and `name` stand for it */
  uint32_t marks;             /* enum hd_mark: of the row's numbers */
  const char *kind, *name;
  char place[HD_CALLPATH_BYTES]; /* in the text */
  struct libscols_line *parent;
  const struct hd_count_sum *sums[2]; /* NULL: not known */
  double elapsed_ticks;               /* for metrics; NaN: not known */
};

/** A line of a report; an entry of the call graph. Without place and counts. */
struct hd_listed hd_listed_line(const struct hd_lines *view, uint32_t line);
struct hd_listed hd_listed_entry(const struct hd_graph *graph, uint32_t entry);

/** Begins with the names of the columns. `first`: the fields before the place; HD_LINE_FIRST: of lines. `title`: of the
 *  place in the text; NULL: it has none. */
#define HD_LINE_FIRST "id,row,parent,"
void hd_listing_begin(struct hd_listing *listing, const char *first, const char *title, bool tree);

/** Adds a row. Text: returns it, for the rows below. */
struct libscols_line *hd_listing_put(struct hd_listing *listing, const struct hd_listed *row,
                                     const struct hd_value *values);

/** Text: prints the table below "Times in ...", and that `left` lines are not shown; nothing without rows. Frees all.
 *  What did not fit is then hidden in `columns`. */
void hd_listing_end(struct hd_listing *listing, uint32_t left);

#endif
