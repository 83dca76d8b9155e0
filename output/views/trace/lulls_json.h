/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file lulls_json.h
 * `heddle trace --when --json`: docs/trace.md.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_TRACE_LULLS_JSON_H
#define HEDDLE_OUTPUT_VIEWS_TRACE_LULLS_JSON_H

#include "output/trace/lulls.h"
#include "output/views/trace/trace_views.h"

bool hd_trace_lulls_json(const struct hd_model *model, const struct hd_lull_choice *choice,
                         const struct hd_lulls *lulls, FILE *out);

#endif
