/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file event.h
 * How every event begins and ends, whoever tells of it: the runtime (callbacks.c), an instrumented routine (routine.c)
 * or a marker (markers.c).
 *
 *     uint64_t now;
 *     HD_EVENT struct hd_thread *thread = hd_event_begin(&now);
 *     if (!thread)
 *       return;
 *
 * In between the thread is marked as being at work. A signal may come just then, and its handler may be instrumented:
 * what it would tell is left out, for its entries as for its exits, and counted.
 */
#ifndef HEDDLE_OMPT_EVENT_H
#define HEDDLE_OMPT_EVENT_H

#include "callpath/modules.h"
#include "ompt/thread.h"

/** Ends the event when the variable goes out of scope. */
#define HD_EVENT __attribute__((cleanup(hd_event_end)))

static inline void hd_event_end(struct hd_thread **thread) {
  if (!*thread)
    return;
  if (__builtin_expect((*thread)->counters != NULL, false))
    hd_counters_return(*thread);
  __atomic_store_n(&(*thread)->at_work, false, __ATOMIC_RELEASE);
}

/** Without a look at the clock. NULL: this thread is not measured, the profile is closed, or the thread is at work. */
static inline struct hd_thread *hd_event_begin_untimed(void) {
  struct hd_thread *thread = hd_thread_self();
  if (!thread)
    return NULL;
  if (__builtin_expect(thread->at_work, false)) {
    if (!hd_concurrency_is_closed())
      __atomic_fetch_add(&hd_store.header->nested_signals, 1, __ATOMIC_RELAXED);
    return NULL;
  }
  /* In this order: who closes the profile then asks who is at work (counters.c). */
  __atomic_store_n(&thread->at_work, true, __ATOMIC_RELAXED);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (__builtin_expect(hd_concurrency_is_closed(), false)) {
    __atomic_store_n(&thread->at_work, false, __ATOMIC_RELEASE);
    return NULL;
  }
  const uint32_t unloads = __atomic_load_n(&hd_modules_unloads, __ATOMIC_RELAXED);
  if (__builtin_expect(thread->unloads != unloads, false))
    hd_thread_forget_edges(thread, unloads);
  return thread;
}

static inline struct hd_thread *hd_event_begin(uint64_t *now) {
  struct hd_thread *thread = hd_event_begin_untimed();
  if (!thread)
    return NULL;
  *now = hd_clock_now();
  if (__builtin_expect(thread->pending != 0, false))
    hd_thread_settle(thread);
  return thread;
}

#endif
