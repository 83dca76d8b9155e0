/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file quiet.h
 * From when on a run can be done again whose trace does not have its begin.
 *
 * Of a parallel region that was open when the trace, or a stretch of it, begins, nothing says who its team is and what
 * its barriers were about. Where no region is open, all that threads have with each other begins later: from such a
 * moment on it is known to the tick what the run of the whole trace would say.
 */
#ifndef HEDDLE_OUTPUT_REPLAY_QUIET_H
#define HEDDLE_OUTPUT_REPLAY_QUIET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output/trace/entry.h"

/** Whether the thread has called a routine, or begun a task, and is still in it: how long the stack is that it then has
 *  (sweep/entries.h) is not known from where it is. */
bool hd_quiet_has_stack(const struct hd_model *model, const struct hd_trace_place *place);

/** The first moment in what the model's window shows of the trace (hd_trace_window) when no thread is in a parallel
 *  region; 0: there is none. False: the trace is damaged, as `error` says. */
bool hd_quiet_find(const struct hd_model *model, uint64_t *ticks, char *error, size_t error_bytes);

#endif
