/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file current.h
 * Which record is the calling thread's.
 */
#ifndef HEDDLE_OMPT_THREAD_CURRENT_H
#define HEDDLE_OMPT_THREAD_CURRENT_H

#include <stddef.h>

#include "ompt/thread/thread.h"

/** NULL: it has none yet. Its `record` is NULL when it is not measured (no memory, after its end). One thread-local
 * load in the steady state. */
extern __thread struct hd_thread *hd_thread_current __attribute__((tls_model("initial-exec")));

/** Stands for all threads that are not measured: its `record` is NULL. */
extern struct hd_thread hd_thread_not_measured;

/** Stand for threads that have begun while the measurement was dormant and have not been heard of since, by kind: their
 * `record` is NULL, too. */
extern struct hd_thread hd_thread_asleep[HD_THREAD_OTHER + 1];

/** The calling thread is one of those: forgets that, and says of which kind it is. */
bool hd_thread_wakes(enum hd_thread_kind *kind);

/** Makes this the calling thread's record. It is kept in hd_thread_current, but in a test, which plays many threads in
 *  one, where its runtime says. */
void hd_thread_set(struct hd_thread *thread);

/** Whether the calling thread has no record, and there is a place for one. */
bool hd_thread_may_begin(void);

/** The calling thread's record, if it has one already and is measured; else NULL. */
struct hd_thread *hd_thread_known(void);

/** The same, sooner: for what happens tens of millions of times a second. */
static inline struct hd_thread *hd_thread_known_soon(void) {
  struct hd_thread *thread = hd_thread_current;
  return __builtin_expect(thread && thread->record, true) ? thread : hd_thread_known();
}

/** Whether an event is in an instance of a region that is not observed: nothing comes of it. */
static inline bool hd_thread_ignores(void) {
  if (!hd_budget_touched(HD_CLASS_REGION))
    return false;
  const struct hd_thread *thread = hd_thread_known_soon();
  return thread && hd_thread_is_refused(thread);
}
#endif
