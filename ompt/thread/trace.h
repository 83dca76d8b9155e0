/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file trace.h
 * A thread's trace, if there is to be one (HEDDLE_TRACE, HEDDLE_TRACE_LAST): each change of state, with its time,
 * profile, and what begins or ends with it (heddle-trace.h).
 *
 * A thread writes into blocks of its own in the profile file (trace_blocks.h), so a killed program's trace is there to
 * the last entry. Where there is no room for another block its tracing ends, and the header says when; other threads go
 * on to the end of theirs.
 *
 * Only the thread itself calls these functions. An entry costs some nanoseconds; without a trace nothing.
 */
#ifndef HEDDLE_OMPT_THREAD_TRACE_H
#define HEDDLE_OMPT_THREAD_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "heddle-trace.h"

struct hd_thread;

/** A thread's place in its block. */
struct hd_thread_trace {
  uint8_t *next, *limit;
  uint32_t *used; /* the block's `count` */
  const uint8_t *begin;
  uint64_t ticks;                 /* of the last entry */
  uint32_t profile;               /* since then */
  uint32_t state;                 /* likewise */
  uint32_t team;                  /* that was told last in this block; HD_NONE: none */
  uint32_t waits_in;              /* as in hd_trace_record */
  uint32_t number;                /* of the next block */
  uint64_t names[HD_TRACE_NAMES]; /* that were told last in this block */
  uint64_t seen;                  /* hd_trace_when, as the thread knows it */
  bool holds;                     /* it holds the trace open: trace_when.h */
};

/** Once, at start. `only_concurrency`: only what changes the number of busy threads, and nothing else that happens. */
void hd_trace_init(bool only_concurrency);

/** The thread begins, in its present state; or another one that continues its record. Its instruments say whether it
 *  has a trace. */
void hd_trace_begin(struct hd_thread *thread);

/** The thread writes down that it stops to write, or goes on, if the condition has changed since it looked last. */
void hd_trace_follow(struct hd_thread *thread);

/** The thread is in the state of the profile since its record's last_ticks; `what`: hd_transition.what of what happens
 *  with it, whose payload is its ring's. */
void hd_trace_switch(struct hd_thread *thread, uint32_t profile, uint32_t state, uint32_t what);

/** Only that happens. */
void hd_trace_mark(struct hd_thread *thread, uint32_t what);

/** The thread tells, before it changes state, what must run one after the other (heddle-log.h). */
void hd_trace_order(struct hd_thread *thread, uint64_t now, enum hd_order order, uint64_t a, uint64_t b);

/** It got iterations of a loop. */
void hd_trace_chunk(struct hd_thread *thread, uint64_t now, uint64_t first, uint64_t count);

/** A sample has found it at this address of that module (HD_NONE: none), at a time since its last entry, in the state
 * and profile of that. It counts as `count`. Only with HD_INSTRUMENT_TRACED. */
void hd_trace_sample(struct hd_thread *thread, uint64_t ticks, uint64_t address, uint32_t module, uint64_t count);

/** It leaves the barrier that closes a worksharing construct: LEAVE_WORK or WORKED, of that profile (heddle-log.h). */
void hd_trace_work(struct hd_thread *thread, enum hd_what what, uint32_t profile, const struct hd_log_work *work,
                   uint64_t gap_ticks);

/** The thread ends. */
void hd_trace_end(struct hd_thread *thread);

#endif
