/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/thread/thread_lifecycle.h"

#include <pthread.h>
#include <string.h>

#include "callpath/callpath.h"
#include "ompt/shared/clock.h"
#include "ompt/shared/dormancy.h"
#include "ompt/shared/measuring.h"
#include "ompt/shared/processor.h"
#include "ompt/thread/barrier.h"
#include "ompt/thread/budget.h"
#include "ompt/thread/current.h"
#include "ompt/thread/event.h"
#include "ompt/thread/order.h"
#include "ompt/thread/registry.h"
#include "ompt/thread/steering.h"
#include "ompt/thread/step.h"
#include "support/inprocess/heap.h"
#include "support/inprocess/keep_errno.h"
#include "support/inprocess/memory_budget.h"
#include "support/lasting.h"

enum { FIRST_FRAMES = 6 };

static uint64_t apart_count; /* so many threads have records that nobody continues */

/* ---- a record of its own ---- */

static bool allocate(struct hd_thread *thread, enum hd_thread_kind kind) {
  thread->frames = hd_heap_allocate(FIRST_FRAMES, sizeof *thread->frames);
  if (thread->frames && hd_edges_init(&thread->edges) && hd_row_index_init(&thread->index)) {
    thread->last_frame = thread->frames + FIRST_FRAMES - 1;
    /* page faults come now, not in the program's time */
    memset(thread->frames, 0, FIRST_FRAMES * sizeof *thread->frames);
    hd_registry_add(thread, kind);
  }
  return thread->record;
}

/* What was allocated stays if there is no room for all of it: the record's number may already be known to the store. */
static struct hd_thread *make(enum hd_thread_kind kind) {
  hd_memory_add_thread();
  hd_memory_promise(HD_MEMORY_STACK, hd_measuring.has_routines);
  struct hd_thread *thread = hd_heap_allocate(1, sizeof *thread);
  if (!thread || !allocate(thread, kind))
    return NULL;
  if (hd_thread_make_first_row(thread) && hd_ring_join(&thread->ring, thread->record->id))
    return thread;
  thread->record->uncounted = hd_counters_events();
  return NULL;
}

/* ---- the record of one that has ended ---- */

/* What a thread leaves to the one that continues its record; all else is as at a thread's begin. */
static void renew(struct hd_thread *thread) {
  const struct hd_thread old = *thread;
  *thread = (struct hd_thread){
      .record = old.record,
      .costs = old.costs,
      .edges = old.edges,
      .index = old.index,
      .known_regions = old.known_regions,
      .frames = old.frames,
      .last_frame = old.last_frame,
      .unwind_cache = old.unwind_cache,
      .ended_regions = old.ended_regions,
      .has_forked = old.has_forked,
      .free_rows = old.free_rows,
      .free_row_count = old.free_row_count,
      .membership_cursor = old.membership_cursor,
      .ended_counters = old.ended_counters,
      .trace = old.trace,
  };
  memcpy(thread->times, old.times, sizeof thread->times);
}

/* The time since that thread ended is in nobody's life. In this order: a reader that comes in between finds the record
 * of a thread that is not heard of any more. */
static void continue_record(struct hd_thread_record *record) {
  const uint64_t now = hd_clock_now();
  record->open_cell = 0;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  record->threads++;
  record->end_ticks = 0;
  if (now > record->last_ticks) {
    record->apart_ticks += now - record->last_ticks;
    __atomic_store_n(&record->last_ticks, now, __ATOMIC_RELAXED);
  }
}

static struct hd_thread *continue_ended(enum hd_thread_kind kind) {
  struct hd_thread *thread = hd_registry_take(kind);
  if (!thread)
    return NULL;
  renew(thread);
  if (!hd_ring_join(&thread->ring, thread->record->id)) {
    hd_registry_give(thread);
    return NULL;
  }
  continue_record(thread->record);
  return thread;
}

/* ---- begin ---- */

/* Time outside any region, until an event says otherwise. */
static void start(struct hd_thread *thread, struct hd_row_record *row) {
  struct hd_thread_record *record = thread->record;
  const bool initial = record->kind == HD_THREAD_INITIAL;
  const uint32_t state = initial ? HD_BUSY : HD_IDLE;
  struct hd_row_cell *idle = hd_thread_cell(thread, row, HD_IDLE);
  const uint64_t idle_ticks = idle->ticks;
  const uint64_t begin_ticks = record->last_ticks;
  thread->top = thread->base = thread->frames;
  *thread->top = (struct hd_frame){.row = row, .state = (uint8_t)state, .kind = HD_KIND_PROGRAM};
  thread->row = row;
  thread->cell = idle;
  if (initial)
    hd_order_begin(thread);
  if (!initial)
    hd_thread_point_at(thread, row, idle);
  else
    hd_thread_switch(thread, begin_ticks, row, HD_BUSY);
  idle->ticks = idle_ticks; /* a sweep may have gone on meanwhile: then it begins later */
  if (record->threads == 1)
    record->begin_ticks = record->last_ticks;
  else
    record->apart_ticks += record->last_ticks - begin_ticks;
}

static void note_start(struct hd_thread_record *record, uint64_t ticks) {
  record->intrusion = (int64_t)ticks;
  if (record->kind == HD_THREAD_INITIAL)
    hd_store.header->start_ticks = ticks;
}

/* What it cost to begin to measure. The program's first thread has also waited for the tool's start. */
static void charge_creation(struct hd_thread *thread, uint64_t began) {
  struct hd_thread_record *record = thread->record;
  const uint64_t now = hd_clock_now();
  const int64_t creation = (int64_t)(now > began ? now - began : 0);
  thread->woken_ticks = record->last_ticks;
  thread->woken_intrusion = record->intrusion - creation;
  if (record->id == 0)
    note_start(record, hd_measuring.start_ticks + (uint64_t)creation);
  else if (record->kind == HD_THREAD_INITIAL)
    record->intrusion += (int64_t)(now > record->last_ticks ? now - record->last_ticks : 0);
  hd_event_prepare(thread);
}

static struct hd_thread *create(enum hd_thread_kind kind) {
  const uint64_t began = hd_clock_now();
  hd_registry_count_own(kind);
  struct hd_thread *thread = continue_ended(kind);
  if (!thread)
    thread = make(kind);
  if (!thread) {
    __atomic_fetch_add(&hd_store.header->lost_threads, 1, __ATOMIC_RELAXED);
    return &hd_thread_not_measured;
  }
  struct hd_row_record *row = hd_thread_row(thread, HD_PROGRAM_PROFILE);
  thread->instruments = hd_clock.measures_cpu ? HD_INSTRUMENT_COUNTS : 0;
  hd_samples_prepare(thread);
  start(thread, row);
  hd_processor_begin(thread->record);
  hd_counters_start(thread, row, thread->top->state);
  hd_samples_start(thread);
  thread->instruments = thread->counters || hd_clock.measures_cpu ? HD_INSTRUMENT_COUNTS : 0;
  hd_trace_begin(thread);
  hd_budget_begin(thread, thread->record->last_ticks);
  charge_creation(thread, began);
  return thread;
}

/* ---- whose record it is ---- */

/* A thread that the runtime does not know, or does not tell of its end. */
static struct {
  pthread_key_t key;
  bool is_made;
} end HD_LASTING = {0}; /* a forked child has its parent's keys */

static void end_with_the_thread(void *data) {
  struct hd_thread *thread = data;
  if (hd_thread_current != thread || hd_thread_is_at_work(thread) || hd_frontier_is_closed())
    return;
  hd_thread_end(thread, hd_clock_now());
  hd_thread_give_record(thread);
}

void hd_thread_init(uint64_t threads_apart) {
  const uint64_t most = HD_ROW_THREADS_MOST; /* a thread with a larger number has no rows */
  apart_count = threads_apart == 0 ? 1 : threads_apart < most ? threads_apart : most;
  if (!end.is_made)
    end.is_made = pthread_key_create(&end.key, end_with_the_thread) == 0;
}

struct hd_thread *hd_thread_find(enum hd_thread_kind kind) {
  if (hd_thread_current == &hd_thread_not_measured)
    return NULL;
  if (__builtin_expect(!hd_measuring.started && hd_measuring.start_in_child, false))
    hd_measuring.start_in_child();
  if (hd_dormancy_is_asleep() && !hd_steering_wake_if_asked())
    return NULL;
  HD_KEEP_ERRNO;
  const bool was_asleep = hd_thread_wakes(&kind);
  struct hd_thread *thread = hd_thread_known(); /* a test's */
  if (thread || !hd_thread_may_begin())
    return thread;
  hd_thread_set(&hd_thread_not_measured);              /* for what is called meanwhile and is instrumented */
  thread = hd_measuring_is_on() ? create(kind) : NULL; /* NULL: perhaps later */
  hd_thread_set(thread);
  if (thread && thread->record) {
    thread->is_newcomer = hd_dormancy_was();
    thread->was_asleep = was_asleep;
  }
  if (end.is_made && thread && thread->record && hd_thread_current == thread)
    pthread_setspecific(end.key, thread);
  return thread && thread->record ? thread : NULL;
}

/* While the measurement is dormant only the kind is kept. */
static void begin_asleep(enum hd_thread_kind kind) {
  if (!hd_thread_may_begin())
    return;
  hd_thread_set(&hd_thread_asleep[kind]);
  hd_dormancy_count(true);
}

static void begin_awake(enum hd_thread_kind kind) {
  struct hd_thread *thread = hd_thread_find(kind);
  if (thread)
    thread->is_newcomer = false;
}

void hd_thread_begin(enum hd_thread_kind kind) {
  if (hd_dormancy_is_asleep())
    begin_asleep(kind);
  else if (!hd_thread_current)
    begin_awake(kind);
  else if (hd_thread_current->record)
    hd_thread_current->record->kind = kind;
}

/* Who ends inside a region leaves an instance behind that never ends, and whose members are told by their records. */
void hd_thread_end(struct hd_thread *thread, uint64_t now) {
  hd_event_look_back(thread);
  if (thread->base->kind == HD_KIND_PARALLEL && thread->base->base.place.has_finished)
    hd_barrier_leave_last(thread);
  thread->ended_orderly = thread->base == thread->frames && !thread->pending;
  hd_thread_stop(thread, now);
  hd_processor_end(thread->record);
}

void hd_thread_give_record(struct hd_thread *thread) {
  if (thread->ended_orderly && thread->record->id >= apart_count)
    hd_registry_give(thread);
}
