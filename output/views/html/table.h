/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file table.h
 * Tables of HTML from a view's columns (render/columns.h). The first column is the place; its cell is the caller's.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_HTML_TABLE_H
#define HEDDLE_OUTPUT_VIEWS_HTML_TABLE_H

#include "output/views/render/columns.h"
#include "output/views/render/html_escape.h"

struct hd_html_table {
  const char *id; /* of the table; scripts find it by that */
  const char *place;
  struct hd_columns columns;
  FILE *out;
};

/** "<section id=ID><h2>TITLE</h2>", which "</section>" ends. */
void hd_html_section(const char *id, const char *title, FILE *out);

void hd_html_table_begin(const struct hd_html_table *table);
void hd_html_table_end(const struct hd_html_table *table);

/** A row: its begin, then the caller writes the place, then its values. `attributes`: of the row, "" or " NAME=VALUE".
 */
void hd_html_row_begin(const struct hd_html_table *table, const char *attributes);
void hd_html_row_values(const struct hd_html_table *table, const struct hd_value *values);

/** What the columns are, as a paragraph that can be unfolded. */
void hd_html_legend(const struct hd_html_table *table, const char *more);

/** A bar of the states of threads, each with its part of the sum. */
void hd_html_states(const struct hd_model *model, const uint64_t ticks[HD_STATE_COUNT], FILE *out);

#endif
