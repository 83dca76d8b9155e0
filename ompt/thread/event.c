/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/thread/event.h"

#include <stdlib.h>

#include "ompt/thread/barrier.h"
#include "ompt/thread/introduction.h"
#include "ompt/thread/steering.h"
#include "ompt/thread/watch.h"
#include "support/log.h"

enum { CALIBRATIONS = 1000, LAST_MASK = 63, OUTLIER = 8, DELAY_MOST_NS = 1000000000 };

static uint64_t outside_ticks;

static struct {
  uint64_t ticks;  /* 0: none */
  uint32_t thread; /* HD_NONE: all */
  void (*advance)(uint64_t ticks);
} delay;

/* ---- at start ---- */

__attribute__((noinline)) static uint64_t look_at_clock(void) {
  return hd_clock_now();
}

/* An event is called, looks at the clock and returns. Between two looks of one event lies one of them: what is outside
 * is the rest. */
static uint64_t find_outside_ticks(void) {
  uint64_t (*volatile call)(void) = look_at_clock;
  uint64_t with_call = UINT64_MAX;
  uint64_t without = UINT64_MAX;
  for (int i = 0; i < CALIBRATIONS / 10; i++) {
    const uint64_t begin = hd_clock_now();
    for (int j = 0; j < 10; j++)
      call();
    const uint64_t middle = hd_clock_now();
    for (int j = 0; j < 10; j++)
      hd_clock_now();
    const uint64_t end = hd_clock_now();
    with_call = middle - begin < with_call ? middle - begin : with_call;
    without = end - middle < without ? end - middle : without;
  }
  return with_call > without ? (with_call - without) / 10 : 0;
}

/* NS or NS@THREAD. */
static void read_delay(const char *text) {
  char *end;
  const uint64_t ticks = strtoull(text, &end, 10);
  const uint64_t thread = *end == '@' ? strtoull(end + 1, &end, 10) : HD_NONE;
  if (*end || ticks > DELAY_MOST_NS || thread > HD_NONE) {
    hd_log("HEDDLE_TEST_DELAY=%s is not NS or NS@THREAD, at most a second; ignored", text);
    return;
  }
  delay.ticks = ticks;
  delay.thread = (uint32_t)thread;
}

void hd_event_init(const char *test_delay, void (*advance)(uint64_t ticks)) {
  delay.advance = advance;
  if (test_delay)
    read_delay(test_delay);
  outside_ticks = hd_clock.kind == HD_CLOCK_EXTERNAL ? 0 : find_outside_ticks();
  hd_store.header->outside_ticks = outside_ticks;
}

void hd_event_prepare(struct hd_thread *thread) {
  const bool delayed = delay.ticks && (delay.thread == HD_NONE || delay.thread == thread->record->id);
  thread->special = (delayed ? HD_SPECIAL_DELAY : 0) | (thread->counters ? HD_SPECIAL_COUNTS : 0);
}

/* ---- an event begins ---- */

/* hd_alarms before what is done about them: if another follows meanwhile, the next event finds it. */
static void heed(struct hd_thread *thread, uint32_t alarms) {
  thread->special |= alarms & HD_ALARM_STANDS ? HD_SPECIAL_PAUSED : 0;
  const uint32_t unloads = __atomic_load_n(&hd_modules_unloads, __ATOMIC_RELAXED);
  if (thread->edges.unloads != unloads)
    hd_edges_forget(&thread->edges, unloads);
  hd_trace_follow(thread);
  thread->known_alarms = alarms & HD_ALARM_BITS ? HD_NOT_EXPECTED : alarms;
}

struct hd_thread *hd_event_open(enum hd_event_kind kind) {
  struct hd_thread *thread = hd_thread_self();
  if (!thread)
    return NULL;
  if (hd_thread_is_at_work(thread)) {
    if (!hd_frontier_is_closed())
      __atomic_fetch_add(&hd_store.header->nested_signals, 1, __ATOMIC_RELAXED);
    return NULL;
  }
  __atomic_store_n(&thread->expected_alarms, HD_AT_WORK, __ATOMIC_RELAXED);
  __atomic_signal_fence(__ATOMIC_SEQ_CST); /* the order of hd_event_open_at_once */
  if (__builtin_expect(thread->is_newcomer, false))
    hd_thread_introduce(thread, kind);
  if (hd_steering_is_asked() || (hd_alarms_now() & HD_ALARM_ASKED))
    hd_steering_act(thread);
  const uint32_t alarms = hd_alarms_now();
  if (alarms & HD_ALARM_CLOSED) {
    __atomic_store_n(&thread->expected_alarms, HD_NOT_EXPECTED, __ATOMIC_RELEASE);
    return NULL;
  }
  heed(thread, alarms);
  return thread;
}

void hd_event_look_back(struct hd_thread *thread) {
  if (thread->pending)
    hd_thread_settle(thread);
  if (hd_samples_have_come(&thread->samples))
    hd_samples_take(thread, thread->event_ticks);
}

/* ---- the cost of an event ---- */

static void wait_delay(void) {
  if (delay.advance) {
    delay.advance(delay.ticks);
    return;
  }
  const uint64_t begin_ns = hd_clock_monotonic_ns();
  while (hd_clock_monotonic_ns() - begin_ns < delay.ticks)
    ;
}

/* Of events that take `usual` ticks one takes so long only if the thread was interrupted in it. */
static bool is_outlier(uint64_t ticks, uint64_t usual) {
  return ticks > OUTLIER * usual + OUTLIER;
}

static uint32_t sort(const struct hd_event_times *times, uint32_t sorted[HD_EVENT_TIMES]) {
  uint32_t count = 0;
  while (count < HD_EVENT_TIMES && count < times->count) {
    const uint32_t added = times->last[count];
    uint32_t place = count++;
    for (; place > 0 && sorted[place - 1] > added; place--)
      sorted[place] = sorted[place - 1];
    sorted[place] = added;
  }
  return count;
}

/* The mean of the last few, without those that are outliers beside the median. */
static uint32_t usual_of(const struct hd_event_times *times) {
  uint32_t sorted[HD_EVENT_TIMES];
  const uint32_t count = sort(times, sorted);
  const uint32_t median = sorted[(count - 1) / 2];
  uint64_t sum = sorted[0];
  uint32_t used = 1;
  for (; used < count && !is_outlier(sorted[used], median); used++)
    sum += sorted[used];
  return (uint32_t)((sum + used / 2) / used);
}

/* The first one may have been interrupted: none costs what it did before there is another. */
static void learn(struct hd_thread *thread, enum hd_event_kind kind, uint64_t ticks) {
  struct hd_event_cost *cost = &thread->costs[kind];
  struct hd_event_times *times = &thread->times[kind];
  times->last[times->count % HD_EVENT_TIMES] = ticks < UINT32_MAX ? (uint32_t)ticks : UINT32_MAX;
  if (++times->count == 2 * HD_EVENT_TIMES)
    times->count = HD_EVENT_TIMES;
  cost->ticks = usual_of(times);
  if (times->count > 1 && cost->mask < LAST_MASK)
    cost->mask = cost->mask * 2 + 1;
}

/* What earlier ones cost is added up first: what one costs may change. */
static void charge(struct hd_thread *thread, enum hd_event_kind kind, uint64_t ticks) {
  struct hd_event_cost *cost = &thread->costs[kind];
  cost->total_ticks += (cost->count - 1 - cost->charged) * cost->ticks + ticks;
  cost->charged = cost->count;
  const int64_t rest = (int64_t)ticks - thread->caught_up;
  thread->caught_up = 0;
  __atomic_store_n(&thread->record->intrusion, thread->record->intrusion + rest, __ATOMIC_RELAXED);
}

uint64_t hd_event_catch_up(struct hd_thread *thread, uint64_t now) {
  const uint64_t later = thread->special & HD_SPECIAL_MEASURE ? hd_clock_now() : now;
  if (later <= now)
    return now;
  thread->caught_up += (int64_t)(later - now);
  __atomic_store_n(&thread->record->intrusion, thread->record->intrusion + (int64_t)(later - now), __ATOMIC_RELAXED);
  return later;
}

static void measure(struct hd_thread *thread, enum hd_event_kind kind, bool ordinary) {
  const uint64_t now = hd_clock_now();
  const uint64_t ticks = (now > thread->event_ticks ? now - thread->event_ticks : 0) + outside_ticks;
  const bool is_judged = ordinary && thread->times[kind].count > 1;
  charge(thread, kind, is_judged && is_outlier(ticks, thread->costs[kind].ticks) ? thread->costs[kind].ticks : ticks);
  if (ordinary)
    learn(thread, kind, ticks);
  hd_budget_check(thread, kind, ordinary ? 0 : ticks, now);
}

/* All that is special about it is that the log is to say what it cost. */
static void end_arrival(struct hd_thread *thread, const struct hd_event_cost *cost) {
  thread->special &= HD_SPECIAL_WATCHED;
  thread->record->intrusion += cost->ticks;
  hd_barrier_tell(thread);
}

void hd_event_end_slow(struct hd_thread *thread, enum hd_event_kind kind) {
  const struct hd_event_cost *cost = &thread->costs[kind];
  hd_watch_end_event(thread, kind);
  const uint32_t special = thread->special;
  if ((special & ~(uint32_t)HD_SPECIAL_WATCHED) == HD_SPECIAL_ARRIVAL && (cost->count & cost->mask) != 0) {
    end_arrival(thread, cost);
    return;
  }
  thread->special = special & (HD_SPECIAL_DELAY | HD_SPECIAL_COUNTS | HD_SPECIAL_WATCHED);
  if (thread->counters)
    hd_counters_return(thread);
  if (special & HD_SPECIAL_DELAY)
    wait_delay();
  const bool ordinary = !(special & HD_SPECIAL_MEASURE);
  if (special & HD_SPECIAL_PAUSED) /* in no time at all */
    charge(thread, kind, 0);
  else if (ordinary && (cost->count & cost->mask) != 0)
    charge(thread, kind, cost->ticks);
  else
    measure(thread, kind, ordinary);
  if (special & HD_SPECIAL_ARRIVAL)
    hd_barrier_tell(thread);
}
