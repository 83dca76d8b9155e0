/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file refuse.h
 * Whether an event is left out because its class is off where the calling thread is (budget.h): asked in callbacks,
 * before anything else. Where events of a class are refused one after the other, and nothing changes between them, that
 * is some ten instructions.
 */
#ifndef HEDDLE_OMPT_THREAD_REFUSE_H
#define HEDDLE_OMPT_THREAD_REFUSE_H

#include "ompt/thread/budget.h"
#include "ompt/thread/current.h"
#include "ompt/thread/thread.h"

/** The slow halves of what follows. */
bool hd_refuse(enum hd_event_class event_class);
bool hd_refuse_is_off(enum hd_event_class event_class);

/** Of the events that are refused one after the other so many look at the clock once. */
enum { HD_REFUSE_LOOK_EVERY = 64 };

/** The last event of the class was refused, and since then neither has the thread changed its state nor anything what
 *  is off: then so is the next one, and there is nothing to do for it. */
static inline bool hd_refuse_goes_on(const struct hd_thread *thread, enum hd_event_class event_class) {
  return __builtin_expect(thread != NULL, true) && thread->budget.refusing >> event_class & 1 &&
         thread->budget.refusing_turn == __atomic_load_n(&hd_budget.turn, __ATOMIC_ACQUIRE);
}

/** A begin, likewise: it is left out, and that was all. False: hd_refuse() says. */
static inline bool hd_refuse_at_once(struct hd_thread *thread, enum hd_event_class event_class) {
  if (!hd_refuse_goes_on(thread, event_class) || (thread->budget.refused + 1) % HD_REFUSE_LOOK_EVERY == 0)
    return false;
  thread->budget.refused++;
  return true;
}

/** A begin of this class: is it to be left out? */
static inline bool hd_budget_refuses(enum hd_event_class event_class) {
  const uint32_t off = __atomic_load_n(&hd_budget.off, __ATOMIC_ACQUIRE); /* and then `touched` */
  if (__builtin_expect((off >> event_class & 1) == 0, true))
    return false;
  return hd_refuse_at_once(hd_thread_current, event_class) || hd_refuse(event_class);
}

/** Off, without a look at whether that should change. */
static inline bool hd_budget_is_off(enum hd_event_class event_class) {
  const uint32_t off = __atomic_load_n(&hd_budget.off, __ATOMIC_ACQUIRE);
  if (__builtin_expect((off >> event_class & 1) == 0, true))
    return false;
  return hd_refuse_goes_on(hd_thread_current, event_class) || hd_refuse_is_off(event_class);
}

#endif
