/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file callbacks.h
 * OMPT's callbacks, and what they share. Each decodes its arguments, reads the clock once and tells the state machine
 * what happened; each begins by asking whether its class of events is switched off (budget.h). What libomp really
 * sends, and when, is told in docs/design.md, "Facts about the runtime".
 */
#ifndef HEDDLE_OMPT_CALLBACKS_H
#define HEDDLE_OMPT_CALLBACKS_H

#include <stddef.h>

#include "ompt/construct/region.h"
#include "ompt/thread/current.h"
#include "ompt/thread/event.h"
#include "ompt/thread/refuse.h"
#include "ompt/thread/step.h"

/** hd_callbacks_on_thread_begin, ...: OMPT's callbacks. */
#define HD_ROW(name, ompt_name, type, ...) __typeof__(*(ompt_callback_##type##_t)NULL) hd_callbacks_on_##ompt_name;
HD_CALLBACK_TABLE(HD_ROW)
#undef HD_ROW
__typeof__(*(ompt_callback_sync_region_t)NULL) hd_callbacks_on_sync_region; /* only for the critical path */

/** Registers all callbacks and keeps the runtime's answers in the profile. Returns a bit for each event that it will
 * not always deliver. */
uint64_t hd_callbacks_register(ompt_set_callback_t set_callback);

/** Likewise, for a measurement that is dormant: the runtime tells of threads and of omp_control_tool; at regions'
 * begins and where threads wait Heddle only looks whether somebody has asked it to begin. Where later registration is
 * not safe (budget.h) it registers all: the events then find no thread. */
void hd_callbacks_register_dormant(ompt_set_callback_t set_callback);

/** Tells the runtime to send the events of these classes (bits) no more, or again: hd_budget_init. */
void hd_callbacks_mute(uint32_t classes, bool mute);

/** What is observed, and what may be refused, are functions of their own: a callback that finds that there is nothing to do
 * has saved no registers. */
#define HD_APART __attribute__((noinline)) static

/** An enum value newer than this tool. */
static inline void hd_callbacks_count_unknown(void) {
  __atomic_fetch_add(&hd_store.header->unknown_events, 1, __ATOMIC_RELAXED);
}

/** Enters a construct at `address` below the innermost profile. */
static inline void hd_callbacks_enter(struct hd_thread *thread, uint64_t now, enum hd_kind kind, const void *address,
                                      enum hd_state state) {
  const struct hd_way step = hd_thread_step(thread, kind, address);
  thread->ring.what = hd_thread_count(thread, HD_WHAT_ENTER, step.to, step.counter);
  hd_thread_push(thread, now, step.to, kind, state);
}

/** The class is off, and what ends was not observed. */
static inline bool hd_callbacks_is_unobserved_end(enum hd_event_class event_class, enum hd_kind kind, const void *id) {
  if (!hd_budget_is_off(event_class))
    return false;
  const struct hd_thread *thread = hd_thread_known_soon();
  return thread && (thread->top == thread->base || !hd_thread_find_open(thread, kind, id));
}

/** The thread is a worker that has arrived at its region's last barrier. When it leaves that, and the implicit task,
 *  the runtime says late, or never: nothing comes of it. */
static inline bool hd_callbacks_has_finished(void) {
  const struct hd_thread *thread = hd_thread_known_soon();
  return thread && thread->base->kind == HD_KIND_PARALLEL && thread->base->base.place.has_finished;
}

/** A region's begin tells; outside any region what the program is linked to must do. */
static inline bool hd_callbacks_is_gcc_code(const struct hd_thread *thread) {
  const struct hd_known_region *region = thread->base->base.region;
  return region ? region->from_gcc : hd_measuring.needs_libgomp;
}

#endif
