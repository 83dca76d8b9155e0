/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file event.h
 * How every event begins and ends, whoever sends it: the runtime (callbacks.c), an instrumented routine (routine.c)
 * or a marker (markers.c).
 *
 *     HD_EVENT struct hd_event event = hd_event_begin(HD_EVENT_WORK_END);
 *     if (!event.thread)
 *       return;
 *
 * In between the thread is marked as being at work. A signal may come just then, and its handler may be instrumented:
 * its events, entries and exits alike, are ignored and counted.
 *
 * What an event costs is taken out of the program's time (Li and Zhang's virtual clock; hd_row_cell.intrusion). An
 * event in which Heddle does something out of the ordinary is measured, by a second look at the clock at its end. Of
 * the others the first few of a kind are, and then every 64th; all cost the mean of those. So what is taken out is what
 * events cost this thread in this run, with its team at work, and costs next to nothing itself. The call and the return
 * are outside of what an event can measure; they are measured at start.
 */
#ifndef HEDDLE_OMPT_THREAD_EVENT_H
#define HEDDLE_OMPT_THREAD_EVENT_H

#include "callpath/code/modules.h"
#include "ompt/thread/step.h"
#include "ompt/thread/thread.h"
#include "ompt/thread/thread_lifecycle.h"

struct hd_event {
  struct hd_thread *thread; /* NULL: this thread is not measured, the profile is closed, or the thread is at work */
  uint64_t now;             /* 0 without a look at the clock */
  enum hd_event_kind kind;
};

/** Once, at start: finds out what an event costs outside of itself, and reads what a test asks for. */
void hd_event_init(const char *test_delay, void (*advance)(uint64_t ticks));

/** A new thread: whether its events are delayed. */
void hd_event_prepare(struct hd_thread *thread);

/** If the event has been out of the ordinary so far: Heddle's own work up to this instant, which is returned, belongs
 * to what the thread did before. To be called before the event's switch, and to be followed by it. */
uint64_t hd_event_catch_up(struct hd_thread *thread, uint64_t now);

/** The end of an event whose cost is not just the usual one. */
void hd_event_end_slow(struct hd_thread *thread, enum hd_event_kind kind);

/** Ends the event when the variable goes out of scope. */
#define HD_EVENT __attribute__((cleanup(hd_event_end)))

static inline void hd_event_end(struct hd_event *event) {
  struct hd_thread *thread = event->thread;
  if (!thread)
    return;
  if (__builtin_expect(thread->counters != NULL, false))
    hd_counters_return(thread);
  struct hd_event_cost *cost = &thread->costs[event->kind];
  const uint64_t count = ++cost->count;
  if (__builtin_expect(thread->special != 0 || (count & cost->mask) == 0, false))
    hd_event_end_slow(thread, event->kind);
  else
    __atomic_store_n(&thread->record->intrusion, thread->record->intrusion + cost->ticks, __ATOMIC_RELAXED);
  __atomic_store_n(&thread->at_work, false, __ATOMIC_RELEASE);
}

/** `special`: enum hd_clock_special, as it was when it was looked at. */
static inline struct hd_event hd_event_open(enum hd_event_kind kind, uint32_t *special) {
  struct hd_event event = {.thread = hd_thread_self(), .kind = kind};
  struct hd_thread *thread = event.thread;
  if (!thread)
    return event;
  if (__builtin_expect(thread->at_work, false)) {
    if (!hd_frontier_is_closed())
      __atomic_fetch_add(&hd_store.header->nested_signals, 1, __ATOMIC_RELAXED);
    return (struct hd_event){0};
  }
  /* In this order: who closes the profile then asks who is at work (thread_counters_life.c). */
  __atomic_store_n(&thread->at_work, true, __ATOMIC_RELAXED);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  *special = __atomic_load_n(&hd_clock.special, __ATOMIC_ACQUIRE);
  if (__builtin_expect(*special != 0, false)) {
    if (*special & HD_CLOCK_CLOSED) {
      __atomic_store_n(&thread->at_work, false, __ATOMIC_RELEASE);
      return (struct hd_event){0};
    }
    thread->special |= *special & HD_CLOCK_STANDS ? HD_SPECIAL_PAUSED : 0;
  }
  const uint32_t unloads = __atomic_load_n(&hd_modules_unloads, __ATOMIC_RELAXED);
  if (__builtin_expect(thread->edges.unloads != unloads, false))
    hd_edges_forget(&thread->edges, unloads);
  return event;
}

/** Without a look at the clock, unless this one is measured. */
static inline struct hd_event hd_event_begin_untimed(enum hd_event_kind kind) {
  uint32_t special;
  struct hd_event event = hd_event_open(kind, &special);
  if (!event.thread)
    return event;
  const struct hd_event_cost *cost = &event.thread->costs[kind];
  const bool is_measured = ((cost->count + 1) & cost->mask) == 0;
  event.thread->event_ticks = __builtin_expect(is_measured, false) ? hd_clock_now() : 0;
  return event;
}

/** With a look at the clock, but what is pending stays so. */
static inline struct hd_event hd_event_begin_unsettled(enum hd_event_kind kind) {
  uint32_t special;
  struct hd_event event = hd_event_open(kind, &special);
  if (event.thread)
    event.thread->event_ticks = event.now = hd_clock_now_as(special);
  return event;
}

static inline struct hd_event hd_event_begin(enum hd_event_kind kind) {
  struct hd_event event = hd_event_begin_unsettled(kind);
  if (event.thread && __builtin_expect(event.thread->pending != 0, false))
    hd_thread_settle(event.thread);
  return event;
}

#endif
