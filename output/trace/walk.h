/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file walk.h
 * The entries of a profile's trace, of all threads together in the order of time.
 *
 * They are read from the file one by one, which stays mapped: memory does not grow with the trace. Nothing in it is
 * trusted.
 */
#ifndef HEDDLE_OUTPUT_TRACE_WALK_H
#define HEDDLE_OUTPUT_TRACE_WALK_H

#include <stdbool.h>
#include <stddef.h>

#include "output/trace/entry.h"

/** Called for each entry. False: no more. Where the trace does not have the run's begin, and at the begin of each
 *  stretch, all threads that live get one that says what they do then, as if they had begun; what came before is not
 *  told. At the end of the trace, and of each stretch, all threads that live get one that ends them. */
typedef bool hd_trace_visitor(void *context, const struct hd_trace_entry *entry);

/** Goes through the trace. False: it is damaged; `error` says where, and all before that was visited. */
bool hd_trace_walk(const struct hd_model *model, hd_trace_visitor *visit, void *context, char *error,
                   size_t error_bytes);

/** Visits only changes of threads (hd_trace_is_change()). Needs no memory for the names of tasks and locks. */
bool hd_trace_walk_changes(const struct hd_model *model, hd_trace_visitor *visit, void *context, char *error,
                           size_t error_bytes);

#endif
