/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file csv.h
 * Comma-separated values: one header line, fields quoted as in RFC 4180, lines that end as any other
 * (RFC 4180's carriage returns trip up awk and cut), seconds in full precision. An empty field was not measured.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_RENDER_CSV_H
#define HEDDLE_OUTPUT_VIEWS_RENDER_CSV_H

#include <stdio.h>

#include "output/analysis/lines.h"

/** A text, quoted if it must be; NULL: empty. */
void hd_csv_text(const char *text, FILE *out);

/** A number with the comma before it, empty for NaN; a count likewise. */
void hd_csv_number(double number, FILE *out);
void hd_csv_count(uint64_t count, bool known, FILE *out);

/** A place of the source. */
void hd_csv_node_names(FILE *out);
void hd_csv_node(const struct hd_model *model, const struct hd_node *node, FILE *out);

/** What a line's numbers rest on, "true" or "false" with the comma before it: `incomplete`, entries and times are at
 * least those shown, `busy_at_most`, busy times may hold waits. `flags`: of all its nodes. */
void hd_csv_mark_names(FILE *out);
void hd_csv_marks(const struct hd_model *model, const struct hd_node *node, uint32_t flags, FILE *out);

/** The first columns of tables of lines: which line it is, its place and marks. */
void hd_csv_place_names(FILE *out);
void hd_csv_place(const struct hd_view *view, uint32_t line, FILE *out);

#endif
