/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file watch.h
 * What windows see. Where a class of events is switched off it is on in windows (budget_watch.c). What begins in one is
 * observed whole, and written down a second time: the reader resolves unresolved time in the proportions of that. A
 * time that is *watched* begins with an observed begin of such a class, and ends with the next begin of one, observed
 * or refused, or with any event of another class: just as unresolved time does that begins with a refused one. So what
 * windows see is of the same kind as what they do not see.
 *
 * Only the thread itself calls these functions. Nothing here costs anything outside windows.
 */
#ifndef HEDDLE_OMPT_THREAD_WATCH_H
#define HEDDLE_OMPT_THREAD_WATCH_H

#include "ompt/thread/thread.h"

/** An event is about to begin that is observed in a window. `off`: what is off where the thread is: budget_internal.h.
 */
void hd_watch_begin(struct hd_thread *thread, uint32_t off);

/** A thread is about to begin an outermost region, or its part in any, that is observed while regions are off: what it
 *  does from then on is watched, up to the next such begin, observed or refused, or any event outside all regions. */
void hd_watch_begin_region(struct hd_thread *thread);

/** Just before the thread changes state at `now`. */
void hd_watch_switch(struct hd_thread *thread, uint64_t now);

/** What comes now is not watched. */
static inline void hd_watch_end(struct hd_thread *thread) {
  thread->instruments &= ~(uint32_t)HD_INSTRUMENT_WATCHED;
  thread->special &= ~(uint32_t)HD_SPECIAL_WATCHED;
  thread->watch.has_begun = false;
}

/** Likewise, and what has come since the last change of state was. */
void hd_watch_end_at(struct hd_thread *thread, uint64_t now);

/** At the end of an event: one of another class ends it. */
void hd_watch_end_event(struct hd_thread *thread, enum hd_event_kind kind);

/** Where the sweep is to say how much of a worker's wait came after its team's join (hd_log_finish); 0: nowhere. */
uint64_t hd_watch_idle_cell(struct hd_thread *thread);

#endif
