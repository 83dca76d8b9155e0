/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file stretches.h
 * A trace as stretches: from a thread's change to its next one it is in one callpath and one state.
 *
 * Streams: memory does not grow with the trace.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_HTML_TRACE_STRETCHES_H
#define HEDDLE_OUTPUT_VIEWS_HTML_TRACE_STRETCHES_H

#include <stdbool.h>
#include <stdint.h>

#include "output/trace/entry.h"

struct hd_stretch {
  uint32_t thread;
  uint64_t from_ticks, to_ticks; /* as in the file; it is never empty */
  struct hd_trace_place place;   /* of several: where the thread was longest, in the state that it had longest */
  uint32_t count;                /* of the trace's stretches that it stands for (fold.h) */
  const uint64_t *ticks;         /* by state; NULL: all of it is place.state */
};

typedef void hd_stretch_taker(void *context, const struct hd_stretch *stretch);

/** What a walk gives: to `take` stretches in the order of their ends, to `look` (or NULL) each change before that. */
struct hd_stretch_walk {
  hd_stretch_taker *take;
  void (*look)(void *context, const struct hd_trace_entry *entry);
  void *context;
  uint64_t first_ticks, last_ticks; /* set by the walk: where the trace begins and ends */
};

/** False: the trace is damaged, as `error` says; stretches go on to the last time before the damage. */
bool hd_stretches_walk(const struct hd_model *model, struct hd_stretch_walk *walk, char *error, size_t error_bytes);

#endif
