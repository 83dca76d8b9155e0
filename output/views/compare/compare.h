/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file compare.h
 * A comparison as text for people, as Markdown, as CSV, as JSON and as parts of a page's body.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_COMPARE_COMPARE_H
#define HEDDLE_OUTPUT_VIEWS_COMPARE_COMPARE_H

#include <stdio.h>

#include "output/comparison/comparison.h"

enum hd_compare_format { HD_COMPARE_TEXT, HD_COMPARE_MARKDOWN, HD_COMPARE_CSV, HD_COMPARE_JSON, HD_COMPARE_HTML };

struct hd_compare_view_options {
  enum hd_compare_format format;
  uint32_t limit;          /* regions; 0: all */
  const uint32_t *predict; /* thread counts */
  size_t predict_count;
};

/** One comparison and what it is called; NULL: it is the only one. */
struct hd_compare_series {
  const struct hd_comparison *comparison;
  const char *title;
};

/** Writes one or more comparisons. Write errors are left to `out`. */
void hd_compare_print(const struct hd_compare_series *series, size_t count,
                      const struct hd_compare_view_options *options, FILE *out);

#endif
