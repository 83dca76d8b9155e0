/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file chrome_trace.h
 * A profile's trace as events of Chrome's tracing (chrome.c). Between the files of this folder only.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_EXPORT_CHROME_TRACE_H
#define HEDDLE_OUTPUT_VIEWS_EXPORT_CHROME_TRACE_H

#include <stdbool.h>
#include <stdio.h>

#include "output/model/model.h"

/** Whether there is one. */
bool hd_chrome_has_trace(const struct hd_model *model);

/** Writes the events behind others, each with the comma before it: the names of threads; for each thread the constructs
 *  that it is in, as slices in one another, with what it waits for inside; arrows between them (chrome_flows.h); the
 * number of busy threads as a counter. Streams: memory does not grow with the trace. False: out of memory; stderr says
 * if the trace is damaged. */
bool hd_chrome_write_trace(const struct hd_model *model, FILE *out);

#endif
