/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file thread_lifecycle.h
 * Threads come and go: each begins with a record of its own, or goes on with that of one that has ended.
 */
#ifndef HEDDLE_OMPT_THREAD_THREAD_LIFECYCLE_H
#define HEDDLE_OMPT_THREAD_THREAD_LIFECYCLE_H

#include "ompt/thread/current.h"
#include "ompt/thread/thread.h"

/** Once, at start. From then on threads that the runtime does not know have an end, too. The first `threads_apart`
 * threads (at least the program's first) have records, rows and all that belongs to them of their own. Those after them
 *  continue the records of threads that have ended (registry.h): memory grows with the threads that live at once, not
 * with those that have ever lived. */
void hd_thread_init(uint64_t threads_apart);

/** At thread_begin: makes the record; what is not an initial thread begins idle. */
void hd_thread_begin(enum hd_thread_kind kind);

/** Closes the record at `now`; later events of this thread are ignored. */
void hd_thread_end(struct hd_thread *thread, uint64_t now);

/** After that, when the event is over as well: from here on another thread may continue the record. */
void hd_thread_give_record(struct hd_thread *thread);

/** The calling thread's record, made at its first event. NULL: it is not measured. */
struct hd_thread *hd_thread_find(enum hd_thread_kind kind);
static inline struct hd_thread *hd_thread_self(void) {
  struct hd_thread *thread = hd_thread_current;
  return __builtin_expect(thread && thread->record, true) ? thread : hd_thread_find(HD_THREAD_INITIAL);
}

#endif
