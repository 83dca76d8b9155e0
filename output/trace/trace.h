/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file trace.h
 * The entries of a profile's trace (heddle-trace.h), of all threads together in the order of time.
 *
 * They are read from the file one by one, which stays mapped: memory does not grow with the trace. Nothing in it is
 * trusted.
 */
#ifndef HEDDLE_OUTPUT_TRACE_TRACE_H
#define HEDDLE_OUTPUT_TRACE_TRACE_H

#include <stdbool.h>

#include "output/model/model.h"

/** Where a thread is. */
struct hd_trace_place {
  uint32_t node;
  uint32_t state; /* enum hd_state; HD_STATE_COUNT: it does not live */
};

/** A change of a thread's, or something that happens without one: `now` is `before` then. */
struct hd_trace_entry {
  uint64_t ticks; /* as in the file */
  uint32_t thread;
  struct hd_trace_place before, now;
  uint64_t since_ticks;    /* of `before` */
  uint32_t what;           /* enum hd_what or hd_trace_kind; HD_WHAT_NOTHING: nothing else */
  uint32_t operand;        /* a node, as hd_what says; ORDER: enum hd_order */
  uint32_t team;           /* REGION_BEGIN, TEAM, START, JOIN, FINISH: HD_TEAM(), but with the primary's
                              thread for its ring */
  uint32_t number;         /* TEAM: the thread's number in it; START: the team's size; or HD_TRACE_BARRIER() */
  uint32_t regions_before; /* TEAM: as in hd_log_member.number */
  bool uncounted;          /* it is no visit: the measurement is paused */
  uint64_t a, b; /* ORDER and HD_TRACE_CHUNK: as hd_order says, but names are numbers (names.h); LEAVE_WORK and
                    WORKED: hd_log_work's numbers */
  uint64_t told_a, told_b; /* ORDER: likewise as the runtime names them */
  uint64_t gap_ticks;      /* LEAVE_WORK and WORKED: hd_log_gap_of() */
  bool is_bound;           /* not the thread, but what is traced of it begins or ends here */
  bool inferred; /* idle: the thread's team has joined: its wait is over, of which it tells later; else what a thread
                    that was killed had changed and not told yet */
};

/** What can be said without reading it. False: there is none, or none that fits the model's callpaths any more. */
struct hd_trace_size {
  uint64_t bytes; /* of all blocks, as far as they are used */
  uint64_t limit_bytes;
  uint64_t from_ticks; /* it is whole from then on, older blocks have been written over; 0: from the begin */
  uint64_t full_ticks; /* it is whole until then; 0: to the end */
  bool has_condition;  /* it has stretches (hd_trace_stretches_find()), so many, of so much time together */
  uint32_t stretch_count;
  uint64_t stretch_ticks;
  bool only_concurrency; /* it has only changes of the number of busy threads */
  bool lacked_room;      /* it did not have so many then: the file could not grow */
};
bool hd_trace_size(const struct hd_model *model, struct hd_trace_size *size);

/** Whether there is one; if not, stderr says how to get one. */
bool hd_trace_is_there(const struct hd_model *model);

/** Likewise, and it has all that happens. */
bool hd_trace_is_full(const struct hd_model *model);

/** What the trace has of the run, in the order of time: one stretch, unless it has a condition. */
struct hd_trace_stretch {
  uint64_t from_ticks, to_ticks;
};
struct hd_trace_stretches {
  struct hd_trace_stretch *items;
  uint32_t count;
};

/** Free with hd_trace_stretches_free(). */
struct hd_trace_stretches hd_trace_stretches_find(const struct hd_model *model);
void hd_trace_stretches_free(struct hd_trace_stretches *stretches);

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

/** A time of the file in seconds since the program's start. */
double hd_trace_seconds(const struct hd_model *model, uint64_t ticks);

#endif
