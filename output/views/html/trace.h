/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file trace.h
 * The page's part with the trace: threads over time (trace/embed.h).
 */
#ifndef HEDDLE_OUTPUT_VIEWS_HTML_TRACE_H
#define HEDDLE_OUTPUT_VIEWS_HTML_TRACE_H

#include <stdio.h>

#include "output/model/model.h"
#include "output/views/html/trace/embed.h"

/** A <section> with what there is to know without scripts; they draw the rest. */
void hd_html_trace(const struct hd_model *model, const struct hd_embedded_trace *trace, FILE *out);

/** The data, in the element "trace". */
void hd_html_trace_data(const struct hd_embedded_trace *trace, FILE *out);

#endif
