/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file count_csv.h
 * Counts and metrics as comma-separated values.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_RENDER_COUNT_CSV_H
#define HEDDLE_OUTPUT_VIEWS_RENDER_COUNT_CSV_H

#include <stdio.h>

#include "output/model/count_sums.h"

/** For each event the counts while busy, with `classes` also while waiting and in the runtime;
 *  the part of the time that was counted, if there are turns; what is known of counts of which some is missing; then
 *  the metrics. All names end in `suffix`: " self" or " inclusive". Nothing without counters. `sum` NULL: empty fields.
 */
void hd_csv_count_names(const struct hd_model *model, const char *suffix, bool classes, FILE *out);
void hd_csv_counts(const struct hd_model *model, const struct hd_count_sum *sum, bool classes, double elapsed_ticks,
                   FILE *out);

#endif
