/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file overhead.h
 * Between the files of the report only: what Heddle itself cost, and what would have been measured without it.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_REPORT_OVERHEAD_H
#define HEDDLE_OUTPUT_VIEWS_REPORT_OVERHEAD_H

#include "output/views/render/report_internal.h"

/** One line for the heading; nothing when the file holds no costs. */
void hd_report_own_cost(const struct hd_model *model, FILE *out);

/** What Heddle is of a line's time, with those below (hd_overhead_of). */
double hd_line_overhead(const struct hd_line *line);

/** Whether it is large in any of the lines that are shown, and matters to the run (hd_overhead_matters). */
bool hd_report_overhead_matters(const struct hd_view *view);

/** HD_ASK_OVERHEAD. */
bool hd_report_overhead(struct hd_view *view, const struct hd_report_options *options, FILE *out);
bool hd_report_overhead_csv(struct hd_view *view, const struct hd_report_options *options, FILE *out);

#endif
