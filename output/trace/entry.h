/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file entry.h
 * An entry of a profile's trace (heddle-trace.h), as the reader shows it.
 */
#ifndef HEDDLE_OUTPUT_TRACE_ENTRY_H
#define HEDDLE_OUTPUT_TRACE_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

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
  struct hd_trace_place told; /* HD_TRACE_SAMPLE: where it was found, as it knew: a worker waits until it is called */
  uint64_t since_ticks;    /* of `before` */
  uint32_t what;           /* enum hd_what or hd_trace_kind; HD_WHAT_NOTHING: nothing else */
  uint32_t operand;        /* a node, as hd_what says; ORDER: enum hd_order; HD_TRACE_SAMPLE: a module, HD_NONE: none */
  uint32_t team;           /* REGION_BEGIN, TEAM, START, JOIN, FINISH: HD_TEAM(), but with the primary's
                              thread for its ring */
  uint32_t number;         /* TEAM: the thread's number in it; START: the team's size; or HD_TRACE_BARRIER() */
  uint32_t regions_before; /* TEAM: as in hd_log_member.number */
  bool uncounted;          /* it is no visit: the measurement is paused */
  uint64_t a, b; /* ORDER, HD_TRACE_CHUNK and HD_TRACE_SAMPLE: as hd_order and hd_trace_kind say, but names are numbers
                    (names.h); LEAVE_WORK and WORKED: hd_log_work's numbers */
  uint64_t told_a, told_b; /* ORDER: likewise as the runtime names them */
  uint64_t gap_ticks;      /* LEAVE_WORK and WORKED: hd_log_gap_of() */
  bool is_bound;           /* not the thread, but what is traced of it begins or ends here */
  bool inferred; /* idle: the thread's team has joined: its wait is over, of which it tells later; else what a thread
                    that was killed had changed and not told yet */
};

/** A time of the file in seconds since the program's start. */
static inline double hd_trace_seconds(const struct hd_model *model, uint64_t ticks) {
  const double since = (double)ticks - (double)model->header.loaded_ticks;
  return (since + (double)model->before_ticks) * model->seconds_per_tick;
}

#endif
