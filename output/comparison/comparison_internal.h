/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file comparison_internal.h
 * Between the files of the comparison only, in the order in which comparison.c calls them.
 */
#ifndef HEDDLE_OUTPUT_COMPARISON_COMPARISON_INTERNAL_H
#define HEDDLE_OUTPUT_COMPARISON_COMPARISON_INTERNAL_H

#include "output/comparison/comparison.h"

/** rows.c: which callpaths are one row. Fills rows (but for their numbers), row_of and heads. */
void hd_comparison_make_rows(struct hd_comparison *comparison);

/** numbers.c: what each run had in each row, medians, and differences from the baseline. */
void hd_comparison_fill_rows(struct hd_comparison *comparison);

/** notes.c: what cannot be compared, in words. */
void hd_comparison_write_notes(struct hd_comparison *comparison);

/** notes.c: whether a run did not come to its end. */
bool hd_comparison_was_cut_short(const struct hd_model *model);

#endif
