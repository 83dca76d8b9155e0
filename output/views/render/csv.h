/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file csv.h
 * Comma-separated values: one header line, fields quoted as in RFC 4180, lines that end as any other
 * (RFC 4180's carriage returns trip up awk and cut), seconds in full precision. An empty field was not measured.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_RENDER_CSV_H
#define HEDDLE_OUTPUT_VIEWS_RENDER_CSV_H

#include <stdio.h>

#include "output/model/count_sums.h"

/** A text, quoted if it must be; NULL: empty. */
void hd_csv_text(const char *text, FILE *out);

/** A number with the comma before it, empty for NaN; a count likewise. */
void hd_csv_number(double number, FILE *out);
void hd_csv_count(uint64_t count, bool known, FILE *out);

/** A place of the source. */
void hd_csv_node_names(FILE *out);
void hd_csv_node(const struct hd_model *model, const struct hd_node *node, FILE *out);

/** What a line's numbers lack, or hold besides (HD_MARK_TABLE, HD_MORE_MARK_TABLE): "true" or "false", with the comma
 *  before it. */
void hd_csv_mark_names(FILE *out);
void hd_csv_marks(uint32_t marks, FILE *out);
void hd_csv_more_mark_names(FILE *out);
void hd_csv_more_marks(uint32_t marks, FILE *out);

/** Counts and metrics: for each event the counts while busy, with `classes` also while waiting and in the runtime;
 *  the part of the time that was counted, if there are turns; what is known of counts of which some is missing; then
 *  the metrics. All names end in `suffix`: " self" or " inclusive". Nothing without counters. `sum` NULL: empty fields.
 */
void hd_csv_count_names(const struct hd_model *model, const char *suffix, bool classes, FILE *out);
void hd_csv_counts(const struct hd_model *model, const struct hd_count_sum *sum, bool classes, double elapsed_ticks,
                   FILE *out);

#endif
