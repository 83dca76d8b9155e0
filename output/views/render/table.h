/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file table.h
 * Text as wide as the terminal: a table whose columns give way, the least needed first, where the terminal is narrow.
 * The last column is the place in the source; rows may form a tree.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_RENDER_TABLE_H
#define HEDDLE_OUTPUT_VIEWS_RENDER_TABLE_H

#include <libsmartcols/libsmartcols.h>
#include <stdio.h>

#include "output/model/node_text.h"
#include "output/views/render/cells.h"
#include "support/command/paint.h"

/** Characters of a text in UTF-8. */
size_t hd_text_width(const char *text);

/** What $COLUMNS says, else the columns of the terminal; what is not a terminal takes lines of any length, so that
 *  nothing is cut off in a file. */
enum { HD_UNBOUNDED_WIDTH = 4096 };
size_t hd_terminal_width(FILE *out);

/** From now on streams in memory are so wide; 0: as the terminal of stderr. */
void hd_terminal_set_width(size_t width);

/** Writes text in lines of at most 110 characters, those after the first behind `indent` spaces. The first begins
 * behind so many that have been written. */
void hd_print_wrapped(const char *text, size_t indent, FILE *out);
void hd_print_painted(enum hd_paint paint, const char *text, size_t indent, FILE *out);

/** A paragraph of such lines, and its end. */
void hd_print_sentences(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Likewise on a terminal; elsewhere in one line, for whoever searches. Ends the line. */
void hd_print_paragraph(const char *text, size_t indent, FILE *out);
void hd_print_painted_paragraph(enum hd_paint paint, const char *text, size_t indent, FILE *out);

/** Lines of a word and, from HD_FACT_INDENT on, what is said of it: each a paragraph. "warning" is coloured. */
enum { HD_FACT_INDENT = 10 };
/** The colour of such a word. */
enum hd_paint hd_fact_paint(const char *word);
void hd_print_facts(const char *lines, FILE *out);

/** A table as wide as the terminal. NULL: no memory. */
struct libscols_table *hd_table_new(FILE *out);
bool hd_scols_column(struct libscols_table *table, const char *title, int flags);

enum { HD_TABLE_COLUMNS = 64 };

/** First come the columns, then the place, then rows with their cells. Begins as {0}. */
struct hd_table {
  struct libscols_table *table;
  int ranks[HD_TABLE_COLUMNS];
  size_t column_count; /* without the place */
  bool counted;        /* there are columns of counters: a line stays on a page, so that the places stay in sight */
  bool quiet;          /* what does not fit is not said */
  struct libscols_line *row;
  size_t cell; /* the next one of the row */
  uint32_t row_count;
};

/** Adds a column. `rank`: what is left out first has the highest; 0: never. */
void hd_table_column(struct hd_table *grid, const char *title, int rank);
void hd_table_left(struct hd_table *grid, size_t column); /* its cells begin at the left */
void hd_table_place(struct hd_table *grid, const char *title, bool tree);

/** A new row; `parent`: the row above it in the tree, or NULL.*/
struct libscols_line *hd_table_row(struct hd_table *grid, struct libscols_line *parent);

/** The row's next cell. */
void hd_table_cell(struct hd_table *grid, const char *format, ...) __attribute__((format(printf, 2, 3)));
void hd_table_time(struct hd_table *grid, const struct hd_unit *unit, double seconds);
void hd_table_number(struct hd_table *grid, double number, int decimals);

/** Colours a cell. */
void hd_table_paint(struct hd_table *grid, struct libscols_line *row, size_t column, enum hd_paint paint, FILE *out);

/** The row's place. */
void hd_table_at(struct hd_table *grid, const char *place);

/** "" for a cell that was not filled. The column after the last one is the place. */
const char *hd_table_text(struct libscols_line *row, size_t column);
const char *hd_table_title(const struct hd_table *grid, size_t column);
bool hd_table_is_hidden(const struct hd_table *grid, size_t column);
size_t hd_table_width(const struct hd_table *grid, size_t column);

/** The width that it may have: hd_terminal_width(), or with columns of counters at most 120 where that has no bound. */
size_t hd_table_room(const struct hd_table *grid, FILE *out);

/** Hides columns until the rest fits into `room` characters with `place` of them for the place. */
void hd_table_fit(struct hd_table *grid, size_t room, size_t place);

/** Names the columns that did not fit. */
void hd_table_said_narrow(const struct hd_table *grid, FILE *out);

/** Prints all and names the columns that did not fit. */
void hd_table_print(struct hd_table *grid, FILE *out);
void hd_table_free(struct hd_table *grid);

#endif
