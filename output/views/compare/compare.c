/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file compare.c
 * Which writer a comparison goes to.
 */
#include "output/views/compare/compare_internal.h"

bool hd_compare_print(const struct hd_compare_series *series, size_t count,
                      const struct hd_compare_view_options *options, FILE *out) {
  const struct hd_sheet sheet = {.out = out, .markdown = options->format == HD_COMPARE_MARKDOWN};
  switch (options->format) {
  case HD_COMPARE_CSV:
    return hd_compare_csv(series, count, out);
  case HD_COMPARE_JSON:
    return hd_compare_json(series, count, options, out);
  default:
    return hd_compare_text(series, count, options, &sheet);
  }
}
