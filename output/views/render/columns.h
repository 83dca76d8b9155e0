/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file columns.h
 * A view's columns as one table: the text, the comma-separated values and the legend all follow from it.
 *
 * A view has an array of columns in the order of its comma-separated values, and fills a value for each: see
 * report/flat.c. To add a column takes its row, its index and its value there. `report --help` and docs/columns.md list
 * the rows of the report's views (report/column_list.c).
 */
#ifndef HEDDLE_OUTPUT_VIEWS_RENDER_COLUMNS_H
#define HEDDLE_OUTPUT_VIEWS_RENDER_COLUMNS_H

#include "output/views/render/table.h"

enum hd_column_kind {
  HD_SECONDS, /* in the table's unit */
  HD_SHARE,   /* a part of 1; per cent in the text */
  HD_NUMBER,  /* two decimals in the text */
  HD_COUNT,
  HD_TICKS,    /* a count that may be negative */
  HD_FLAG,     /* true or false */
  HD_INTERVAL, /* two names and two values, `number` to `whole`; the text has `text` */
  HD_WORD,     /* `word`; the text may have `text` instead */
  HD_TEXT      /* in the text only */
};

struct hd_column {
  const char *id;    /* the comma-separated values' name; NULL: it is in the text only */
  const char *title; /* in the text; NULL: it is in the comma-separated values only */
  enum hd_column_kind kind;
  int order;        /* in the text: columns stand by this number, equal ones as they are given */
  int rank;         /* of grids: what is left out first has the highest; 0: never */
  const char *help; /* for the legend, a sentence without its full stop; what follows a '\n' stands in lists of all
                       columns only; NULL: the title says it */
};

struct hd_value {
  bool known;               /* else "-", or an empty field */
  bool dash;                /* "-" in the text in any case */
  bool blank;               /* nothing in the text, not even "-" */
  double number;            /* NaN is not known, either */
  double whole;             /* of HD_SHARE, what `number` is a part of */
  uint64_t count;           /* HD_COUNT, HD_TICKS, HD_FLAG */
  const char *word;         /* HD_WORD */
  const char *mark;         /* before it in the text, if it is known; NULL: none */
  char text[HD_CELL_BYTES]; /* HD_TEXT; of other kinds, if it is not empty, what the text has instead of the number */
};

/** Values: seconds or a number; ticks; a part of a whole, not known where that is 0; a count. */
struct hd_value hd_number(double number);
struct hd_value hd_ticks(const struct hd_model *model, double ticks, bool known);
struct hd_value hd_share(double part, double whole, bool known);
struct hd_value hd_count(uint64_t count, bool known);

struct hd_value hd_word(const char *word, bool known);

/** Text: `number` with so many decimals. */
struct hd_value hd_decimals(double number, int decimals);

/** The value, marked if it is not exact (model/marks.h). */
struct hd_value hd_bounded(struct hd_value value, struct hd_bounds bounds);

/** A table's columns; `hidden`: bits of those that are not in the text. */
struct hd_columns {
  const struct hd_column *items;
  size_t count;
  uint64_t hidden;
  struct hd_unit unit;
};

/** Comma-separated: the names, and a row's values, each with the comma before it. */
void hd_columns_csv_names(const struct hd_columns *columns, FILE *out);
void hd_columns_csv(const struct hd_columns *columns, const struct hd_value *values, FILE *out);

/** Text: shows only the columns that a comma-separated list names by title or name, also those that were hidden. NULL:
 *  leaves it at that. */
void hd_columns_choose(struct hd_columns *columns, const char *list);

/** Whether the list's next name, of so many bytes, is the column's title or name; letters may be small. */
bool hd_column_has_name(const struct hd_column *column, const char *name, size_t bytes);

/** Text: the index of the column after `last`, SIZE_MAX: of the first; the count when there is none. */
size_t hd_columns_next(const struct hd_columns *columns, size_t last);

/** Text: adds the columns to a grid, then their cells to its row. */
void hd_columns_add(const struct hd_columns *columns, struct hd_table *grid);
void hd_columns_cells(const struct hd_columns *columns, const struct hd_value *values, struct hd_table *grid);

/** For qsort(): which of two values of a column comes first. Large numbers first, words by the alphabet, what is not
 * known last; 0: neither. */
int hd_value_compare(const struct hd_column *column, const struct hd_value *left, const struct hd_value *right);

/** The text of one cell, with its mark. */
enum { HD_MARKED_CELL_BYTES = HD_CELL_BYTES + 8 };
void hd_columns_cell(const struct hd_columns *columns, size_t column, const struct hd_value *value,
                     char cell[HD_MARKED_CELL_BYTES]);

/** "Title: its help. ... ", then `more`. The caller frees. */
char *hd_columns_legend_text(const struct hd_columns *columns, const char *more);

/** That as a paragraph. */
void hd_columns_legend(const struct hd_columns *columns, const char *more, FILE *out);

#endif
