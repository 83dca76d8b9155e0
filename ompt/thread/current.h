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

/** Where the runtime keeps the record's address for a test that plays many threads in one; else NULL. */
void **hd_thread_slot(void);

/** The calling thread's record, if it has one already and is measured; else NULL. */
struct hd_thread *hd_thread_known(void);

/** The same, sooner: for what happens tens of millions of times a second. */
static inline struct hd_thread *hd_thread_known_soon(void) {
  struct hd_thread *thread = hd_thread_current;
  return __builtin_expect(thread && thread->record, true) ? thread : hd_thread_known();
}

/** The calling thread is not measured any more. */
void hd_thread_forget(void);

/** In a forked child: the thread that called fork forgets its record, which belongs to the parent's profile, and may
 *  have one in the child's. */
void hd_thread_forget_parent(void);

#endif
