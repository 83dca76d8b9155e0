/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file table.h
 * Text as wide as the terminal: a table whose columns give way, the least needed first, where the terminal is
 * narrow. The last column is the place in the source; rows may form a tree.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_RENDER_TABLE_H
#define HEDDLE_OUTPUT_VIEWS_RENDER_TABLE_H

#include <libsmartcols/libsmartcols.h>
#include <stdio.h>

#include "output/model/node_text.h"
#include "output/views/render/cells.h"

/** Characters of a text in UTF-8. */
size_t hd_text_width(const char *text);

/** Columns of the terminal; what is not a terminal takes lines of any length, so that nothing is cut off in a file. */
enum { HD_UNBOUNDED_WIDTH = 4096 };
size_t hd_report_width(FILE *out);

/** The width that a table with columns of counters may have: they are many, and the names at the end of the lines shall
 *  stay in sight. The terminal's, or that of $COLUMNS, or 120. */
size_t hd_report_page(FILE *out);

/** A table as wide as the terminal. NULL: no memory. */
struct libscols_table *hd_table_new(FILE *out);
bool hd_table_column(struct libscols_table *table, const char *title, int flags);

enum { HD_GRID_COLUMNS = 40 };

struct hd_grid_row {
  char cells[HD_GRID_COLUMNS][HD_CELL_BYTES];
  char place[HD_PLACE_BYTES];
  uint32_t parent; /* row above it in the tree; HD_NONE: none */
  uint32_t depth;
};

struct hd_grid {
  const char *titles[HD_GRID_COLUMNS];
  int ranks[HD_GRID_COLUMNS]; /* what is left out first: the highest; 0: never */
  size_t column_count;
  bool counted; /* there are columns of counters */
  struct hd_grid_row *rows;
  uint32_t row_count;
  uint32_t limit;
};

/** Adds a column, before there are rows. */
void hd_grid_column(struct hd_grid *grid, const char *title, int rank);

/** A new row, empty, until the next is added. Cells are filled in the order of the columns. NULL: no memory. */
struct hd_grid_row *hd_grid_add(struct hd_grid *grid, uint32_t parent);

/** Removes columns until the rest fits into `room` characters with `place` of them for the place. Returns how many. */
unsigned hd_grid_fit(struct hd_grid *grid, size_t room, size_t place);

size_t hd_grid_width(const struct hd_grid *grid, size_t column);

/** The width that it may have. */
size_t hd_grid_room(const struct hd_grid *grid, FILE *out);

/** Prints all, `title` above the places, and says which columns did not fit. False: no memory. */
bool hd_grid_print(struct hd_grid *grid, const char *title, bool tree, FILE *out);

void hd_grid_said_narrow(unsigned removed, FILE *out);
void hd_grid_free(struct hd_grid *grid);

#endif
