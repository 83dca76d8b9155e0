/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file order.h
 * What must run one after the other, for the critical path (sweep/path/path.h): locks, tasks and waits for them. Teams
 * tell the rest in any case (barrier.h, construct/region.h). And who waits for which lock (sweep/locks/locks.h). Traces
 * have all of it.
 *
 * Only if that is followed; else an event pays for one comparison, the begin of a wait for a lock for one more.
 */
#ifndef HEDDLE_OMPT_THREAD_ORDER_H
#define HEDDLE_OMPT_THREAD_ORDER_H

#include "ompt/thread/thread.h"

/** Once, at start. `path`, `locks`: what logs are to have it for. */
void hd_order_init(bool path, bool locks, bool traced);

static inline bool hd_order_is_kept(void) {
  return __builtin_expect(hd_measuring.keeps_order, false);
}

/** Logs it, and puts it into the trace. Only the thread itself calls this, before it changes state, and before it prepares an entry of its own
 *  (ring.what is 0). */
__attribute__((cold)) void hd_order_log(struct hd_thread *thread, uint64_t now, enum hd_order order, uint64_t a,
                                        uint64_t b);
static inline void hd_order_tell(struct hd_thread *thread, uint64_t now, enum hd_order order, uint64_t a, uint64_t b) {
  if (hd_order_is_kept())
    hd_order_log(thread, now, order, a, b);
}

static inline bool hd_order_is_logged(enum hd_order order) {
  return hd_measuring.logged_order >> order & 1;
}

/** The same of who gets a lock and gives it back; and of who waits for it. */
static inline bool hd_order_of_locks_is_kept(void) {
  return __builtin_expect(hd_measuring.keeps_locks, false);
}
static inline void hd_order_tell_lock(struct hd_thread *thread, uint64_t now, enum hd_order order, uint64_t lock) {
  if (hd_order_of_locks_is_kept())
    hd_order_log(thread, now, order, lock, 0);
}
static inline void hd_order_tell_wait(struct hd_thread *thread, uint64_t now, enum hd_order order, uint64_t lock,
                                      uint32_t profile) {
  if (__builtin_expect(hd_measuring.keeps_waits, false))
    hd_order_log(thread, now, order, lock, profile);
}

/** The thread's first transition tells that an initial thread begins: nothing comes before it. */
static inline void hd_order_begin(struct hd_thread *thread) {
  if (!hd_order_is_logged(HD_ORDER_THREAD))
    return;
  thread->ring.what = HD_WHAT(HD_WHAT_ORDER, HD_ORDER_THREAD);
  thread->ring.payload[0].order = (struct hd_log_order){0};
}

#endif
