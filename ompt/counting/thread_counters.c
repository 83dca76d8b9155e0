/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <string.h>

#include "callpath/callpath.h"
#include "ompt/counting/thread_counters_internal.h"
#include "support/inprocess/heap.h"
#include "support/inprocess/keep_errno.h"
#include "support/inprocess/memory_budget.h"

struct hd_counters hd_counters;

/* ---- readings ---- */

uint64_t hd_counters_epoch(void) {
  const bool paused = hd_clock_is_paused();
  return 2 * __atomic_load_n(&hd_store.header->pauses, __ATOMIC_ACQUIRE) - paused;
}

uint64_t hd_counters_events_of(const struct hd_planned_set *planned) {
  uint64_t events = 0;
  for (uint32_t i = 0; i < planned->count; i++)
    events |= (uint64_t)1 << planned->events[i];
  return events;
}

bool hd_counters_set_runs(const struct hd_thread_counters *mine, uint32_t set) {
  const uint32_t slot = hd_counters.plan.sets[set].slot;
  return mine->sets[set] && (slot == 0 || slot == mine->slot);
}

void hd_counters_give_up(struct hd_thread_counters *mine, uint32_t set) {
  mine->sets[set] = NULL;
  __atomic_fetch_or(&mine->thread->record->uncounted, hd_counters_events_of(&hd_counters.plan.sets[set]),
                    __ATOMIC_RELAXED);
}

bool hd_counters_read_set(const struct hd_thread_counters *mine, uint32_t set, uint64_t *now) {
  const struct hd_planned_set *planned = &hd_counters.plan.sets[set];
  uint64_t values[HD_EVENTS_MOST];
  if (!planned->source->read(mine->sets[set], values))
    return false;
  for (uint32_t i = 0; i < planned->count; i++)
    now[planned->events[i]] = values[i];
  return true;
}

uint64_t hd_counters_read_sets(struct hd_thread_counters *mine, uint64_t *now, uint64_t *failed) {
  uint64_t read = 0;
  mine->thread->record->readings++;
  *failed = 0;
  for (uint32_t i = 0; i < hd_counters.plan.set_count; i++) {
    const uint64_t events = hd_counters_events_of(&hd_counters.plan.sets[i]);
    if (!hd_counters_set_runs(mine, i))
      continue;
    if (hd_counters_read_set(mine, i, now)) {
      read |= events;
    } else {
      *failed |= events;
      hd_counters_give_up(mine, i);
    }
  }
  return read;
}

void hd_counters_miss(const struct hd_thread_counters *mine, uint64_t events) {
  if (mine->at)
    __atomic_fetch_or(&mine->at->missing[mine->class], events, __ATOMIC_RELAXED);
}

static uint64_t *counts_of(struct hd_counts_record *record, uint32_t event) {
  return (uint64_t *)(record + 1) + (size_t)event * HD_COUNT_CLASSES;
}

static uint64_t *ticks_of(struct hd_counts_record *record, uint32_t slot) {
  return counts_of(record, hd_counters.plan.event_count + slot - 1);
}

/* Without what the reading itself has added. The last one's may have come out only in part. */
static uint64_t without_cost(struct hd_thread_counters *mine, uint32_t event, uint64_t gained) {
  const uint64_t cost = hd_counters.events[event].cost;
  const uint64_t owed = mine->owed[event] + cost;
  const uint64_t taken_out = gained < owed ? gained : owed;
  mine->owed[event] = owed - taken_out < cost ? owed - taken_out : cost;
  return gained - taken_out;
}

void hd_counters_charge(struct hd_thread_counters *mine, const uint64_t *now, uint64_t events) {
  for (uint32_t e = 0; e < hd_counters.plan.event_count; e++) {
    if (!(events >> e & 1))
      continue;
    const uint64_t gained = now[e] - mine->before[e]; /* also when the counter went over its end, 2^64 */
    if (gained >> 63)                                 /* it went backwards, and how much is lost nobody knows */
      hd_counters_miss(mine, (uint64_t)1 << e);
    else if (mine->at)
      counts_of(mine->at, e)[mine->class] += without_cost(mine, e, gained);
  }
}

static void take_baseline(struct hd_thread_counters *mine, const uint64_t *now, uint64_t events) {
  for (uint32_t e = 0; e < hd_counters.plan.event_count; e++)
    if (events >> e & 1)
      mine->before[e] = now[e];
}

void hd_counters_read_baseline(struct hd_thread_counters *mine) {
  uint64_t now[HD_EVENTS_MOST];
  uint64_t failed;
  take_baseline(mine, now, hd_counters_read_sets(mine, now, &failed));
  hd_counters_miss(mine, failed);
}

/* ---- turns ---- */

void hd_counters_start_slot(struct hd_thread_counters *mine, uint32_t slot) {
  char why[200];
  for (uint32_t i = 0; i < hd_counters.plan.set_count; i++)
    if (hd_counters.plan.sets[i].slot == slot && mine->sets[i] &&
        !hd_counters.plan.sets[i].source->start(mine->sets[i], why, sizeof why))
      hd_counters_give_up(mine, i);
}

void hd_counters_change_slot(struct hd_thread_counters *mine, uint32_t slot) {
  for (uint32_t i = 0; i < hd_counters.plan.set_count; i++)
    if (hd_counters.plan.sets[i].slot == mine->slot && mine->sets[i])
      hd_counters.plan.sets[i].source->stop(mine->sets[i]);
  mine->slot = slot;
  hd_counters_start_slot(mine, slot);
}

static void charge_turn(struct hd_thread_counters *mine, uint64_t now) {
  if (mine->at)
    ticks_of(mine->at, mine->slot)[mine->class] += now - mine->slot_ticks_from;
  mine->slot_ticks_from = now;
}

static void change_turn(struct hd_thread_counters *mine, uint64_t now) {
  hd_counters_change_slot(mine, mine->slot % hd_counters.plan.slots + 1);
  mine->turn_since = now;
  hd_counters_read_baseline(mine);
}

/* ---- a thread's counts ---- */

/* An interval in which the clock was paused by another thread, or went on again, cannot be divided: it is left out. One
 * that lies in a pause as a whole does not count. */
void hd_counters_read(struct hd_thread *thread) {
  struct hd_thread_counters *mine = thread->counters;
  uint64_t now[HD_EVENTS_MOST];
  uint64_t failed;
  if (mine->taken)
    return;
  mine->taken = true;
  HD_KEEP_ERRNO;
  const uint64_t events = hd_counters_read_sets(mine, now, &failed);
  const uint64_t epoch = hd_counters_epoch();
  if (epoch != mine->epoch)
    hd_counters_miss(mine, events);
  else if (!(epoch & 1))
    hd_counters_charge(mine, now, events);
  hd_counters_miss(mine, failed);
  take_baseline(mine, now, events);
  mine->epoch = epoch;
  if (mine->slot) {
    const uint64_t time = hd_clock_now();
    charge_turn(mine, time);
    if (time - mine->turn_since >= hd_counters.turn_ticks)
      change_turn(mine, time);
  }
}

static struct hd_counts_record *add_record(struct hd_thread *thread, uint32_t profile) {
  struct hd_thread_counters *mine = thread->counters;
  struct hd_counts_record *record =
      hd_store_add(&hd_store, &mine->cursor, HD_BLOCK_COUNTS, thread->record->id, hd_store.header->counts_record_bytes);
  if (!record)
    return NULL;
  hd_memory_keep_promise(HD_MEMORY_COUNTS);
  record->profile = profile;
  record->thread = thread->record->id;
  hd_store_publish(&mine->cursor);
  return record;
}

static struct hd_counts_record *known_record(const struct hd_thread_counters *mine, uint32_t profile) {
  return profile < mine->record_limit ? mine->records[profile] : NULL;
}

/* The record of the innermost profile at or above this one that is told apart and has room. */
static struct hd_counts_record *find_record(struct hd_thread *thread, uint32_t profile) {
  struct hd_thread_counters *mine = thread->counters;
  HD_KEEP_ERRNO;
  struct hd_counts_record *record = NULL;
  uint32_t owner = profile;
  while (!record) {
    const struct hd_profile_record *node = hd_callpath_record(owner);
    record = known_record(mine, owner);
    if (!record && hd_kind_is_told_apart(hd_callpath_kind(node), hd_store.header->counters_at))
      record = add_record(thread, owner);
    if (node->parent == owner)
      break;
    owner = node->parent;
  }
  if (record && hd_heap_grow(&mine->records, &mine->record_limit, profile + 1, sizeof *mine->records))
    mine->records[profile] = record;
  return record;
}

static void count_for(struct hd_thread *thread, struct hd_counts_record *record, enum hd_count_class class) {
  struct hd_thread_counters *mine = thread->counters;
  mine->at = record;
  mine->class = class;
  thread->record->counting = record ? hd_store_offset(&hd_store, &record->missing[class]) : 0;
}

static enum hd_count_class class_of(uint32_t state) {
  return hd_count_class_of(state, hd_store.header->counters_at);
}

/* Where a worker waits at a region's end it goes on waiting when it idles. */
static void go_to(struct hd_thread *thread, const struct hd_row_record *row, uint32_t state) {
  struct hd_thread_counters *mine = thread->counters;
  const enum hd_count_class class = class_of(state);
  if (state == HD_IDLE && mine->class == HD_COUNT_WAITING)
    return;
  struct hd_counts_record *record = known_record(mine, row->profile);
  if (!record) {
    hd_counters_leave_program(thread);
    record = find_record(thread, row->profile);
  }
  if (record == mine->at && class == mine->class)
    return;
  hd_counters_read(thread);
  count_for(thread, record, class);
}

void hd_counters_move(struct hd_thread *thread, const struct hd_row_record *row, uint32_t state) {
  if (__builtin_expect(thread->ring.record->head == thread->ring.check_at, false)) /* there may be a sweep */
    hd_counters_leave_program(thread);
  go_to(thread, row, state);
}

void hd_counters_point_at(struct hd_thread *thread, const struct hd_row_record *row, uint32_t state) {
  struct hd_counts_record *record = known_record(thread->counters, row->profile);
  count_for(thread, record ? record : find_record(thread, row->profile), class_of(state));
}

void hd_counters_leave_program(struct hd_thread *thread) {
  hd_counters_read(thread);
  thread->counters->away = true;
}

void hd_counters_return(struct hd_thread *thread) {
  struct hd_thread_counters *mine = thread->counters;
  if (mine->away) {
    HD_KEEP_ERRNO;
    hd_counters_read_baseline(mine);
  }
  mine->away = mine->taken = false;
}

void hd_counters_before_pause(struct hd_thread *thread) {
  hd_counters_read(thread);
  thread->counters->taken = false;
}

void hd_counters_after_pause(struct hd_thread *thread) {
  hd_counters_read_baseline(thread->counters);
  thread->counters->epoch = hd_counters_epoch();
}
