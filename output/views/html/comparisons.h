/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file comparisons.h
 * Comparisons as a page of HTML, under the same rules as that of a profile (html.h).
 */
#ifndef HEDDLE_OUTPUT_VIEWS_HTML_COMPARISONS_H
#define HEDDLE_OUTPUT_VIEWS_HTML_COMPARISONS_H

#include <stdbool.h>

#include "output/views/compare/compare.h"

/** The tables and words of `heddle compare`, and its JSON. At least one comparison. False: no memory. Write errors are
 *  left to `out`. */
bool hd_html_write_comparisons(const struct hd_compare_series *series, size_t count, FILE *out);

#endif
