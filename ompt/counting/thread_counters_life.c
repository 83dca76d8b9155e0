/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdio.h>
#include <string.h>

#include "ompt/counting/thread_counters_internal.h"
#include "support/inprocess/heap.h"
#include "support/inprocess/memory_budget.h"
#include "support/log.h"

enum { CALIBRATIONS = 101 };

/* Long enough that changing turns (some microseconds) costs little, short enough that loops see all slots. */
enum { TURN_MS = 1 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of what follows */
static struct hd_thread_counters *threads;               /* that count */
static bool calibrated;

static struct hd_store_cursor event_cursor;
static struct hd_store_cursor text_cursor;

/* ---- what is counted ---- */

static void say_why_not(const struct hd_event_sets_error *error) {
  char note[800];
  const int bytes = snprintf(note, sizeof note, "nothing was counted: %s%s%s%s", error->event,
                             *error->event ? ": " : "", error->unknown ? "unknown here: " : "", error->why);
  hd_log("%s", note);
  hd_store_add_text(&hd_store, &text_cursor, HD_TEXT_NOTE, 0, note, bytes > 0 ? (size_t)bytes : 0);
}

static enum hd_counters_at told_apart(const char *at) {
  if (!strcmp(at, "region"))
    return HD_COUNTERS_AT_REGION;
  if (!strcmp(at, "all"))
    return HD_COUNTERS_AT_ALL;
  if (strcmp(at, "loop") != 0)
    hd_log("HEDDLE_COUNTERS_AT=%s is neither region, loop nor all; using loop", at);
  return HD_COUNTERS_AT_LOOP;
}

static uint32_t slot_of(uint32_t event) {
  for (uint32_t i = 0; i < hd_counters.plan.set_count; i++)
    for (uint32_t j = 0; j < hd_counters.plan.sets[i].count; j++)
      if (hd_counters.plan.sets[i].events[j] == event)
        return hd_counters.plan.sets[i].slot;
  return 0;
}

static bool add_event(uint32_t index) {
  const struct hd_counter_event *event = &hd_counters.plan.events[index];
  struct hd_event_record *record = hd_store_add(&hd_store, &event_cursor, HD_BLOCK_EVENTS, HD_NONE, sizeof *record);
  if (!record)
    return false;
  snprintf(record->name, sizeof record->name, "%s", event->name);
  snprintf(record->source, sizeof record->source, "%s", event->source->name);
  snprintf(record->unit, sizeof record->unit, "%s", event->unit);
  snprintf(record->description, sizeof record->description, "%s", event->description);
  record->slot = slot_of(index);
  if (index == 0)
    hd_counters.events = record;
  return true;
}

static void add_groups(const char *groups) {
  while (groups && *groups) {
    const size_t bytes = strcspn(groups, "\x1e");
    hd_store_add_text(&hd_store, &text_cursor, HD_TEXT_GROUP, 0, groups, bytes);
    groups += bytes + (groups[bytes] != '\0');
  }
}

void hd_counters_init(const struct hd_settings *settings) {
  struct hd_event_sets_error error = {.why = ""};
  struct hd_file_header *header = hd_store.header;
  if (!settings->counters)
    return;
  if (!hd_event_sets_make(&hd_counters.plan, settings->counters, settings->take_turns, &error)) {
    say_why_not(&error);
    return;
  }
  for (uint32_t i = 0; i < hd_counters.plan.event_count; i++) {
    if (!add_event(i)) {
      say_why_not(&(struct hd_event_sets_error){.why = "no room in the profile"});
      return;
    }
  }
  header->event_slots = hd_counters.plan.slots;
  header->counts_record_bytes = HD_COUNTS_BYTES(hd_counters.plan.event_count, hd_counters.plan.slots);
  hd_memory_set_counts_bytes(header->counts_record_bytes);
  header->counters_at = told_apart(settings->counters_at);
  header->event_count = hd_counters.plan.event_count;
  hd_store_publish(&event_cursor);
  add_groups(settings->groups);
  hd_counters.turn_ticks = TURN_MS * hd_clock_ticks_per_ms(header->clock_first);
  hd_counters.all = ((uint64_t)1 << header->event_count) - 1;
}

/* ---- life ---- */

/* What one reading adds: between two that follow each other at once. The median, because of interrupts. */
static void calibrate(struct hd_thread_counters *mine) {
  static uint64_t gained[HD_EVENTS_MOST][CALIBRATIONS];
  uint64_t before[HD_EVENTS_MOST], now[HD_EVENTS_MOST], failed;
  uint64_t events = hd_counters_read_sets(mine, before, &failed);
  const uint64_t begin = hd_clock_now();
  for (uint32_t i = 0; i < CALIBRATIONS; i++) {
    events &= hd_counters_read_sets(mine, now, &failed);
    for (uint32_t e = 0; e < hd_counters.plan.event_count; e++) {
      uint32_t at = i;
      const uint64_t gain = events >> e & 1 && now[e] >= before[e] ? now[e] - before[e] : 0;
      for (; at > 0 && gained[e][at - 1] > gain; at--)
        gained[e][at] = gained[e][at - 1];
      gained[e][at] = gain;
    }
    memcpy(before, now, sizeof before);
  }
  hd_store.header->reading_ticks = (hd_clock_now() - begin) / CALIBRATIONS;
  for (uint32_t e = 0; e < hd_counters.plan.event_count; e++)
    if (events >> e & 1)
      hd_counters.events[e].cost = gained[e][CALIBRATIONS / 2];
}

static void create_sets(struct hd_thread_counters *mine) {
  char why[200];
  const struct hd_counter_event *events[HD_EVENTS_MOST];
  for (uint32_t i = 0; i < hd_counters.plan.set_count; i++) {
    const struct hd_planned_set *planned = &hd_counters.plan.sets[i];
    mine->sets[i] =
        planned->source->create(events, hd_event_sets_events(&hd_counters.plan, planned, events), why, sizeof why);
    if (!mine->sets[i])
      hd_counters_give_up(mine, i);
  }
}

/* The first thread's readings stand for those of all. */
static void calibrate_once(struct hd_thread_counters *mine) {
  pthread_mutex_lock(&lock);
  if (!calibrated) {
    calibrated = true;
    calibrate(mine);
    for (uint32_t slot = 2; slot <= hd_counters.plan.slots; slot++) {
      hd_counters_change_slot(mine, slot);
      calibrate(mine);
    }
    if (hd_counters.plan.slots > 1)
      hd_counters_change_slot(mine, 1);
  }
  mine->next = threads;
  threads = mine;
  pthread_mutex_unlock(&lock);
}

uint64_t hd_counters_events(void) {
  return hd_counters.all;
}

/* Or those of the record's last thread: they know where its counts are. */
static struct hd_thread_counters *make_counters(struct hd_thread *thread) {
  struct hd_thread_counters *old = thread->ended_counters;
  if (!old)
    return hd_heap_allocate(1, sizeof *old);
  thread->ended_counters = NULL;
  *old = (struct hd_thread_counters){.records = old->records, .record_limit = old->record_limit, .cursor = old->cursor};
  return old;
}

void hd_counters_start(struct hd_thread *thread, const struct hd_row_record *row, uint32_t state) {
  if (!hd_counters.all)
    return;
  const uint64_t earlier_readings = thread->record->readings;
  struct hd_thread_counters *mine = make_counters(thread);
  if (!mine) {
    thread->record->uncounted = hd_counters.all;
    return;
  }
  mine->thread = thread;
  mine->slot = hd_counters.plan.slots ? 1 : 0;
  thread->counters = mine;
  create_sets(mine);
  hd_counters_start_slot(mine, 0);
  if (mine->slot)
    hd_counters_start_slot(mine, mine->slot);
  calibrate_once(mine);
  thread->record->readings = earlier_readings; /* those just made belong to nobody */
  hd_counters_point_at(thread, row, state);
  mine->epoch = hd_counters_epoch();
  mine->turn_since = mine->slot_ticks_from = hd_clock_now();
  if (!mine->at) /* no room for the counts: the thread has none */
    thread->record->uncounted = hd_counters.all;
  hd_counters_read_baseline(mine);
}

static void leave_list(const struct hd_thread_counters *mine) {
  pthread_mutex_lock(&lock);
  struct hd_thread_counters **link = &threads;
  while (*link && *link != mine)
    link = &(*link)->next;
  if (*link)
    *link = mine->next;
  pthread_mutex_unlock(&lock);
}

void hd_counters_end(struct hd_thread *thread) {
  struct hd_thread_counters *mine = thread->counters;
  hd_counters_read(thread);
  thread->record->counting = 0;
  leave_list(mine);
  thread->ended_counters = mine;
  thread->counters = NULL;
  for (uint32_t i = 0; i < hd_counters.plan.set_count; i++)
    if (mine->sets[i])
      hd_counters.plan.sets[i].source->destroy(mine->sets[i]);
}

void hd_counters_close(struct hd_thread *self) {
  if (!self || !self->counters)
    return;
  hd_counters_read(self);
  self->record->counting = 0;
}

/* Its sets stay: the thread may come back, and find that all is closed. */
static void close_other(struct hd_thread_counters *other, bool is_at_work) {
  uint64_t now[HD_EVENTS_MOST];
  for (uint32_t i = 0; i < hd_counters.plan.set_count; i++) {
    const struct hd_planned_set *planned = &hd_counters.plan.sets[i];
    if (!hd_counters_set_runs(other, i))
      continue;
    if (is_at_work || hd_counters_epoch() != other->epoch || planned->slot || !planned->source->reads_others ||
        !hd_counters_read_set(other, i, now))
      hd_counters_miss(other, hd_counters_events_of(planned));
    else if (!hd_clock_is_paused())
      hd_counters_charge(other, now, hd_counters_events_of(planned));
  }
  other->thread->record->counting = 0;
}

/* Whoever holds the lock may have been interrupted by a signal whose handler calls exit(): then it never comes. */
void hd_counters_close_others(const struct hd_thread *self) {
  if (pthread_mutex_trylock(&lock))
    return;
  for (struct hd_thread_counters *other = threads; other; other = other->next)
    if (other->thread != self)
      close_other(other, hd_thread_is_at_work(other->thread) || !hd_frontier.has_membarrier);
  pthread_mutex_unlock(&lock);
}
