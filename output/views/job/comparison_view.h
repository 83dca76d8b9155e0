/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file comparison_view.h
 * MPI jobs that are compared: as text, Markdown and JSON (docs/compare.md).
 */
#ifndef HEDDLE_OUTPUT_VIEWS_JOB_COMPARISON_VIEW_H
#define HEDDLE_OUTPUT_VIEWS_JOB_COMPARISON_VIEW_H

#include <stdio.h>

#include "output/job_comparison/job_comparison.h"

/** `limit`: lines of each table of places at most; 0: all. */
void hd_job_comparison_print(const struct hd_job_comparison *comparison, size_t limit, bool is_markdown, FILE *out);

/** False: no memory. */
bool hd_job_comparison_json(const struct hd_job_comparison *comparison, FILE *out);

#endif
