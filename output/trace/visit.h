/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file visit.h
 * What a visitor of a trace is told: what threads' logs say, within the stretches that the trace has, and what follows
 * from that of workers whose wait for their region's end is over.
 */
#ifndef HEDDLE_OUTPUT_TRACE_VISIT_H
#define HEDDLE_OUTPUT_TRACE_VISIT_H

#include <stdbool.h>
#include <stdint.h>

#include "output/trace/entry.h"
#include "output/trace/primaries.h"
#include "output/trace/stretches.h"
#include "output/trace/walk.h"

struct hd_names;

/** A thread, as the worker of a team. */
struct hd_trace_worker {
  uint32_t team; /* that it joined last */
  bool waits;    /* for its end */
};

struct hd_trace_visit {
  const struct hd_model *model;
  hd_trace_visitor *visit;
  void *context;
  struct hd_names *names;          /* NULL: changes only */
  uint64_t whole_from_ticks;       /* 0: from the begin */
  struct hd_trace_entry *last;     /* by thread: where it is, since when */
  struct hd_trace_worker *workers; /* by thread */
  struct hd_trace_primaries primaries;
  struct hd_trace_stretches stretches;
  uint32_t stretch; /* the present one, or the next */
  bool is_in;       /* only what is in one is told */
  bool is_window;   /* the trace has more than is shown of it */
  bool goes_on;
};

/** Of a trace that is whole from then on. `names` stay the caller's. */
void hd_trace_visit_start(struct hd_trace_visit *visit, const struct hd_model *model, uint64_t whole_from_ticks);
void hd_trace_visit_free(struct hd_trace_visit *visit);

/** There is something left to tell, and the visitor wants it. */
bool hd_trace_visit_wants(const struct hd_trace_visit *visit);

/** Goes on to the stretch in which an entry at that time lies, or to the one behind it. `is_earlier`: the entry says
 *  what the thread did before a stretch. */
void hd_trace_visit_reach(struct hd_trace_visit *visit, uint64_t ticks, bool is_earlier);

/** Ends all stretches. */
void hd_trace_visit_end(struct hd_trace_visit *visit);

/** A thread's entry: what came before is filled in. */
void hd_trace_visit_tell(struct hd_trace_visit *visit, struct hd_trace_entry entry);

/** After a JOIN: the team's workers wait no more. */
void hd_trace_visit_join(struct hd_trace_visit *visit, const struct hd_trace_entry *entry);

/** After the entry with which a worker waits at its region's end. */
void hd_trace_visit_finish(struct hd_trace_visit *visit, uint32_t thread, bool is_earlier);

#endif
