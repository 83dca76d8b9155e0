/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file life.c
 * Threads come and go: each begins with a record of its own, or goes on with that of one that has ended.
 */
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "callpath/callpath.h"
#include "ompt/clock.h"
#include "ompt/event.h"
#include "ompt/processor.h"
#include "ompt/thread.h"
#include "ompt/tool.h"
#include "output/numbered.h"
#include "support/heap.h"
#include "support/memory_limit.h"
#include "support/pristine.h"

enum { FIRST_FRAMES = 32, FIRST_EDGES = 64 };

__thread struct hd_thread *hd_thread_current __attribute__((tls_model("initial-exec")));

static struct hd_thread not_measured; /* record NULL: events of this thread are ignored */

/* Threads that begin at the same time do not wait for one another. */
static struct hd_numbered records = {.type = HD_BLOCK_THREADS, .record_bytes = sizeof(struct hd_thread_record)};
static struct hd_numbered all_costs = {.type = HD_BLOCK_COSTS, .record_bytes = sizeof(struct hd_costs_record)};
static uint32_t record_count;
static uint32_t published_count;
static struct hd_thread *ended[HD_THREAD_OTHER + 1]; /* whose records may be continued, by kind */
static uint64_t apart_count;                         /* so many threads have records that nobody continues */

static pthread_mutex_t own_lock = PTHREAD_MUTEX_INITIALIZER; /* of what follows */
static uint32_t own_count;                                   /* threads that are not the runtime's workers */

bool hd_thread_while_alone(const struct hd_thread *thread, void (*act)(void *data), void *data) {
  pthread_mutex_lock(&own_lock);
  const bool alone = own_count == 1 && thread->record->kind != HD_THREAD_WORKER &&
                     __atomic_load_n(&hd_store.header->lost_threads, __ATOMIC_RELAXED) == 0;
  if (alone)
    act(data);
  pthread_mutex_unlock(&own_lock);
  return alone;
}

/* There are few of them. */
static void count_own(enum hd_thread_kind kind) {
  if (kind == HD_THREAD_WORKER)
    return;
  pthread_mutex_lock(&own_lock);
  own_count++;
  pthread_mutex_unlock(&own_lock);
}

/* ---- a record of its own ---- */

/* False: the file cannot grow. */
static bool take_number(uint32_t *number) {
  *number = __atomic_load_n(&record_count, __ATOMIC_ACQUIRE);
  do
    if (!hd_numbered_record(&all_costs, &hd_store, *number) || !hd_numbered_record(&records, &hd_store, *number))
      return false;
  while (!__atomic_compare_exchange_n(&record_count, number, *number + 1, true, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
  return true;
}

/* Who comes late stores nothing, which ThreadSanitizer takes for a store. */
__attribute__((noinline, no_sanitize("thread"))) static void set_number(uint32_t *place, uint32_t number) {
  uint32_t nothing = 0;
  __atomic_compare_exchange_n(place, &nothing, number, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* Records are shown to readers in the order of their numbers, with nothing but the number if their threads have not
 * come further: each thread does it for those before it, too. */
static void publish_up_to(uint32_t number) {
  for (uint32_t i = __atomic_load_n(&published_count, __ATOMIC_ACQUIRE); i <= number; i++) {
    struct hd_thread_record *record = hd_numbered_record(&records, &hd_store, i);
    struct hd_costs_record *costs = hd_numbered_record(&all_costs, &hd_store, i);
    uint32_t before = i;
    set_number(&record->id, i);
    set_number(&costs->thread, i);
    hd_numbered_publish(&records, i);
    hd_numbered_publish(&all_costs, i); /* whose thread is known by now */
    __atomic_compare_exchange_n(&published_count, &before, i + 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
  }
}

static struct hd_thread_record *add_record(struct hd_thread *thread, enum hd_thread_kind kind) {
  uint32_t number;
  if (!take_number(&number))
    return NULL;
  struct hd_thread_record *record = hd_numbered_record(&records, &hd_store, number);
  struct hd_costs_record *costs = hd_numbered_record(&all_costs, &hd_store, number);
  thread->costs = costs->kinds;
  record->kind = kind;
  __atomic_store_n(&record->last_ticks, number == 0 ? hd_store.header->loaded_ticks : hd_clock_now(), __ATOMIC_RELAXED);
  __atomic_store_n(&record->begin_ticks, record->last_ticks, __ATOMIC_RELEASE);
  __atomic_store_n(&record->threads, 1, __ATOMIC_RELEASE);
  publish_up_to(number);
  return record;
}

static bool allocate(struct hd_thread *thread, enum hd_thread_kind kind) {
  thread->frames = hd_heap_allocate(FIRST_FRAMES, sizeof *thread->frames);
  thread->edges = hd_heap_allocate(FIRST_EDGES, sizeof *thread->edges);
  thread->frame_limit = FIRST_FRAMES;
  thread->edge_mask = FIRST_EDGES - 1;
  if (thread->frames && thread->edges && hd_index_init(&thread->index)) {
    /* page faults come now, not in the program's time */
    memset(thread->frames, 0, FIRST_FRAMES * sizeof *thread->frames);
    memset(thread->edges, 0, FIRST_EDGES * sizeof *thread->edges);
    thread->record = add_record(thread, kind);
  }
  return thread->record;
}

/* What was allocated stays if there is no room for all of it: the record's number may already be known to the store. */
static struct hd_thread *make(enum hd_thread_kind kind) {
  hd_memory_add_thread();
  hd_memory_promise(HD_MEMORY_STACK, hd_tool.has_routines);
  struct hd_thread *thread = hd_heap_allocate(1, sizeof *thread);
  if (!thread || !allocate(thread, kind))
    return NULL;
  if (hd_thread_row(thread, HD_PROGRAM_PROFILE) && hd_ring_join(&thread->ring, thread->record->id))
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
      .edge_mask = old.edge_mask,
      .edge_count = old.edge_count,
      .edges_bounded = old.edges_bounded,
      .unloads = old.unloads,
      .index = old.index,
      .frames = old.frames,
      .frame_limit = old.frame_limit,
      .unwind_cache = old.unwind_cache,
      .ended_regions = old.ended_regions,
      .has_forked = old.has_forked,
      .row_cursor = old.row_cursor,
      .total_cursor = old.total_cursor,
      .ended_counters = old.ended_counters,
  };
  memcpy(thread->means, old.means, sizeof thread->means);
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

/* Threads that hang together, up to one whose `next_ended` is free to use. */
static void put_ended(struct hd_thread *first, struct hd_thread *last) {
  struct hd_thread **list = &ended[first->record->kind];
  struct hd_thread *next = __atomic_load_n(list, __ATOMIC_RELAXED);
  do
    last->next_ended = next;
  while (!__atomic_compare_exchange_n(list, &next, first, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

/* Takes the whole list and puts the rest back, as support/heap.c does: a thread that begins meanwhile finds it empty
 * and gets a record of its own. */
static struct hd_thread *take_ended(enum hd_thread_kind kind) {
  if (!__atomic_load_n(&ended[kind], __ATOMIC_RELAXED))
    return NULL;
  struct hd_thread *thread = __atomic_exchange_n(&ended[kind], NULL, __ATOMIC_ACQUIRE);
  struct hd_thread *rest = thread ? thread->next_ended : NULL;
  struct hd_thread *none = NULL;
  if (!rest || __atomic_compare_exchange_n(&ended[kind], &none, rest, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
    return thread;
  struct hd_thread *last = rest;
  while (last->next_ended)
    last = last->next_ended;
  put_ended(rest, last);
  return thread;
}

static struct hd_thread *continue_ended(enum hd_thread_kind kind) {
  struct hd_thread *thread = take_ended(kind);
  if (!thread)
    return NULL;
  renew(thread);
  if (!hd_ring_join(&thread->ring, thread->record->id)) {
    put_ended(thread, thread);
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
  const uint64_t idle_ticks = row->ticks[HD_IDLE];
  const uint64_t begin_ticks = record->last_ticks;
  thread->top = thread->base = thread->frames;
  *thread->top = (struct hd_frame){.row = row, .state = (uint16_t)state, .kind = HD_KIND_PROGRAM};
  thread->row = row;
  thread->cell = &row->ticks[HD_IDLE];
  thread->intrusion_cell = &row->intrusion[HD_INTRUSION_IDLE];
  if (!initial)
    hd_thread_point_at(thread, row, HD_IDLE);
  else
    hd_thread_switch(thread, begin_ticks, row, HD_BUSY);
  row->ticks[HD_IDLE] = idle_ticks; /* a sweep may have gone on meanwhile: then it begins later */
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
    note_start(record, hd_tool.start_ticks + (uint64_t)creation);
  else if (record->kind == HD_THREAD_INITIAL)
    record->intrusion += (int64_t)(now > record->last_ticks ? now - record->last_ticks : 0);
  hd_event_prepare(thread);
}

static struct hd_thread *create(enum hd_thread_kind kind) {
  const uint64_t began = hd_clock_now();
  count_own(kind);
  struct hd_thread *thread = continue_ended(kind);
  if (!thread)
    thread = make(kind);
  if (!thread) {
    __atomic_fetch_add(&hd_store.header->lost_threads, 1, __ATOMIC_RELAXED);
    return &not_measured;
  }
  struct hd_row_record *row = hd_thread_row(thread, HD_PROGRAM_PROFILE);
  thread->instrumented = hd_clock.measures_cpu;
  start(thread, row);
  hd_processor_begin(thread->record);
  hd_counters_start(thread, row, thread->top->state);
  thread->instrumented = thread->counters || hd_clock.measures_cpu;
  hd_budget_begin(thread, thread->record->last_ticks);
  charge_creation(thread, began);
  return thread;
}

/* ---- whose record it is ---- */

/* The runtime keeps one word per thread. It serves a test that plays many threads in one. */
static void **runtime_slot(void) {
  ompt_data_t *data = hd_tool.get_thread_data ? hd_tool.get_thread_data() : NULL;
  return data ? &data->ptr : NULL;
}

/* A thread that the runtime does not know, or does not tell of its end. */
static struct {
  pthread_key_t key;
  bool is_made;
} end HD_LASTING = {0}; /* a forked child has its parent's keys */

static void end_with_the_thread(void *data) {
  struct hd_thread *thread = data;
  if (hd_thread_current != thread || thread->at_work || hd_concurrency_is_closed())
    return;
  hd_thread_end(thread, hd_clock_now());
  hd_thread_give_record(thread);
}

void hd_thread_init(uint64_t threads_apart) {
  apart_count = threads_apart > 0 ? threads_apart : 1;
  if (!end.is_made)
    end.is_made = pthread_key_create(&end.key, end_with_the_thread) == 0;
}

struct hd_thread *hd_thread_find(enum hd_thread_kind kind) {
  if (hd_thread_current == &not_measured)
    return NULL;
  if (__builtin_expect(!hd_tool.started, false))
    hd_tool_start_in_child();
  int saved = errno;
  if (hd_clock.kind == HD_CLOCK_EXTERNAL) {
    void **slot = runtime_slot();
    struct hd_thread *thread = NULL;
    if (slot && hd_tool_is_measuring()) {
      if (!*slot)
        *slot = create(kind);
      thread = *slot;
    }
    errno = saved;
    return thread && thread->record ? thread : NULL;
  }
  hd_thread_current = &not_measured; /* for what is called meanwhile and is instrumented */
  struct hd_thread *thread = hd_tool_is_measuring() ? create(kind) : NULL; /* NULL: perhaps later */
  hd_thread_current = thread;
  if (end.is_made && thread && thread->record)
    pthread_setspecific(end.key, thread);
  errno = saved;
  return thread && thread->record ? thread : NULL;
}

struct hd_thread *hd_thread_known(void) {
  void **slot = hd_clock.kind == HD_CLOCK_EXTERNAL ? runtime_slot() : NULL;
  struct hd_thread *thread = slot ? *slot : hd_thread_current;
  return thread && thread->record ? thread : NULL;
}

void hd_thread_begin(enum hd_thread_kind kind) {
  if (!hd_thread_current)
    hd_thread_find(kind);
  else if (hd_thread_current->record)
    hd_thread_current->record->kind = kind;
}

static void set_current(struct hd_thread *thread) {
  void **slot = hd_clock.kind == HD_CLOCK_EXTERNAL ? runtime_slot() : NULL;
  if (slot)
    *slot = thread;
  else
    hd_thread_current = thread;
}

void hd_thread_forget(void) {
  set_current(&not_measured);
}

void hd_thread_forget_parent(void) {
  set_current(NULL);
}

/* Who ends inside a region leaves an instance behind that never ends, and whose members are told by their records. */
void hd_thread_end(struct hd_thread *thread, uint64_t now) {
  hd_thread_settle(thread);
  thread->ended_orderly = thread->base == thread->frames && !thread->pending;
  hd_thread_stop(thread, now);
  hd_processor_end(thread->record);
}

void hd_thread_give_record(struct hd_thread *thread) {
  if (thread->ended_orderly && thread->record->id >= apart_count)
    put_ended(thread, thread);
}
