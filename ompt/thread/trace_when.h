/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file trace_when.h
 * The condition of a trace (HEDDLE_TRACE_WHEN): threads write entries only while a phase of a name, or an instance of a
 * region, is open in any thread.
 *
 * The thread that begins or ends such a one changes one word, counts it in hd_alarms, and lists the stretch in the
 * profile. Every other thread finds out at the begin of its next event, and writes then what the trace has to say of it
 * (hd_trace_follow). So other events cost nothing.
 *
 * Only the thread itself calls the functions that take it.
 */
#ifndef HEDDLE_OMPT_THREAD_TRACE_WHEN_H
#define HEDDLE_OMPT_THREAD_TRACE_WHEN_H

#include <stdbool.h>
#include <stdint.h>

#include "support/inside.h"

struct hd_thread;

/** When it changed last, times two; and 1 if the trace is open since then. */
extern HD_INSIDE uint64_t hd_trace_when;

static inline uint64_t hd_trace_when_now(void) {
  return __atomic_load_n(&hd_trace_when, __ATOMIC_ACQUIRE);
}
static inline bool hd_trace_when_is_open(uint64_t word) {
  return word & 1;
}
static inline uint64_t hd_trace_when_ticks(uint64_t word) {
  return word >> 1;
}

/** Once, at start. NULL: the trace is always open; so it is for "busy<=K for TIME" (trace_lulls.h). Else "phase NAME",
 * or "region PLACE,...", where PLACE is MODULE+FROM-TO or FROM-TO: hexadecimal addresses of the region's begin,
 * relative to where the file MODULE is loaded, or absolute outside all modules. Returns false, and the trace is always
 * open, if the text is none of these. It stays the caller's. */
bool hd_trace_when_init(const char *condition);

/** Whether a phase of this name, or a region with this profile, opens the trace. Costs a look at one word if there is
 *  no such condition. */
bool hd_trace_when_is_phase(const char *name);
bool hd_trace_when_is_region(uint32_t profile);

/** Such a one is about to begin in this thread. */
__attribute__((cold)) void hd_trace_when_begin(struct hd_thread *thread, uint64_t now);

/** Something that may be such a one has ended: whether the thread is in another. Only of threads that hold the trace
 *  open (hd_thread_trace.holds). */
__attribute__((cold)) void hd_trace_when_end(struct hd_thread *thread, uint64_t now);

#endif
