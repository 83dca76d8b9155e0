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
 * the others the first few of a kind are, and then every 64th; all cost the mean of the last six of those. One that
 * takes far longer is left out, and costs that mean, too: the thread was interrupted in it. So what is taken out is
 * what events cost this thread in this run, with its team at work, and costs next to nothing itself. The call and the
 * return are outside of what an event can measure; they are measured at start.
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
__attribute__((cold)) void hd_event_end_slow(struct hd_thread *thread, enum hd_event_kind kind);

/** What the thread did before the event: settles what is pending, and takes the samples that have come. All of them
 *  belong to the state that the thread is in at the event's begin. */
__attribute__((cold)) void hd_event_look_back(struct hd_thread *thread);

/** Ends the event when the variable goes out of scope. */
#define HD_EVENT __attribute__((cleanup(hd_event_end)))

static inline void hd_event_end(struct hd_event *event) {
  struct hd_thread *thread = event->thread;
  if (!thread)
    return;
  struct hd_event_cost *cost = &thread->costs[event->kind];
  const uint64_t count = ++cost->count;
  if (__builtin_expect(thread->special != 0 || (count & cost->mask) == 0, false))
    hd_event_end_slow(thread, event->kind);
  else
    thread->record->intrusion += cost->ticks;
  __atomic_store_n(&thread->expected_alarms, thread->known_alarms, __ATOMIC_RELEASE);
}

/** Begins an event if there is nothing to ask for. NULL: there is, or the thread is not measured, or at work. */
static inline struct hd_thread *hd_event_open_at_once(void) {
  struct hd_thread *thread = hd_thread_current;
  if (__builtin_expect(!thread, false))
    return NULL;
  /* In this order: who closes the profile then asks who is at work (thread_counters_life.c). */
  const uint32_t expected = __atomic_load_n(&thread->expected_alarms, __ATOMIC_RELAXED);
  __atomic_store_n(&thread->expected_alarms, HD_AT_WORK, __ATOMIC_RELAXED);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (__builtin_expect(hd_alarms_now() == expected, true))
    return thread;
  __atomic_store_n(&thread->expected_alarms, expected, __ATOMIC_RELAXED);
  return NULL;
}

/** Begins any other, and asks for all there is to ask for. NULL: it is to be ignored. */
struct hd_thread *hd_event_open(enum hd_event_kind kind);

/** Without a look at the clock, unless this one is measured. */
static inline struct hd_event hd_event_begin_untimed(enum hd_event_kind kind) {
  struct hd_event event = {.thread = hd_event_open_at_once(), .kind = kind};
  if (__builtin_expect(!event.thread, false)) {
    event.thread = hd_event_open(kind);
    if (!event.thread)
      return event;
  }
  const struct hd_event_cost *cost = &event.thread->costs[kind];
  const bool is_measured = ((cost->count + 1) & cost->mask) == 0;
  event.thread->event_ticks = __builtin_expect(is_measured, false) ? hd_clock_now() : 0;
  return event;
}

/** With a look at the clock, but what is pending stays so, and samples are not taken: hd_event_look_back. */
static inline struct hd_event hd_event_begin_unsettled(enum hd_event_kind kind) {
  struct hd_event event = {.thread = hd_event_open_at_once(), .kind = kind};
  if (__builtin_expect(event.thread != NULL, true)) {
    event.now = hd_clock_counter();
  } else {
    event.thread = hd_event_open(kind);
    if (!event.thread)
      return event;
    event.now = hd_clock_now();
  }
  event.thread->event_ticks = event.now;
  return event;
}

static inline struct hd_event hd_event_begin(enum hd_event_kind kind) {
  struct hd_event event = hd_event_begin_unsettled(kind);
  if (event.thread && __builtin_expect(event.thread->pending || hd_samples_have_come(&event.thread->samples), false))
    hd_event_look_back(event.thread);
  return event;
}

#endif
