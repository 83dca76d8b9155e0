/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file chrome_flows.h
 * The arrows in Chrome's tracing: from where a task is created to where it begins, and from who gives a lock back to
 * who has waited for it. Between the files of this folder only.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_EXPORT_CHROME_FLOWS_H
#define HEDDLE_OUTPUT_VIEWS_EXPORT_CHROME_FLOWS_H

#include <stdio.h>

#include "output/trace/entry.h"

struct hd_chrome_flows;

/** Memory grows with the tasks that have not begun, and with the number of locks. */
struct hd_chrome_flows *hd_chrome_flows_new(const struct hd_model *model, FILE *out);
void hd_chrome_flows_free(struct hd_chrome_flows *flows);

/** Writes what an entry begins and ends, each with the comma before it. To be called before the entry's slices are
 *  written: an arrow belongs to the slice that is open then, but for a task's begin, which belongs to the next one. */
void hd_chrome_flows_take(struct hd_chrome_flows *flows, const struct hd_trace_entry *entry);

#endif
