/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/counters.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "callpath/callpath.h"
#include "counters/plan.h"
#include "ompt/thread.h"
#include "support/heap.h"
#include "support/log.h"

enum { CALIBRATIONS = 101 };

/** Long enough that changing turns (some microseconds) costs little, short enough that loops see all slots. */
static const uint64_t turn_ns = 1000000;

struct hd_thread_counters {
  struct hd_event_set *sets[HD_EVENTS_MOST]; /* as in the plan; NULL: not counted on this thread */
  uint64_t before[HD_EVENTS_MOST];           /* at the last reading */
  uint64_t owed[HD_EVENTS_MOST];             /* costs of readings that are still to be taken out */
  struct hd_counts_record *at;               /* where what has been counted since belongs; NULL: nowhere */
  enum hd_count_class class;
  bool taken;                        /* there was a reading in this event */
  bool away;                         /* since then it is Heddle that runs */
  uint64_t epoch;                    /* of the last reading, see epoch_now() */
  uint32_t slot;                     /* whose turn it is; 0: there are no turns */
  uint64_t turn_since;               /* ticks */
  uint64_t slot_ticks_from;          /* the slot's ticks are charged up to here */
  struct hd_counts_record **records; /* by profile: where its counts go */
  uint32_t record_limit;
  struct hd_store_cursor cursor;
  struct hd_thread *thread; /* NULL: it has ended */
  struct hd_thread_counters *next;
};

static struct {
  struct hd_plan plan;
  struct hd_event_record *events; /* in the store */
  bool on;
  bool calibrated;
  uint64_t all; /* bit e of every event */
  uint64_t turn_ticks;
  struct hd_store_cursor event_cursor;
  struct hd_store_cursor text_cursor;
  pthread_mutex_t lock;
  struct hd_thread_counters *threads;
} counters = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- what is counted ---- */

static void say_why_not(const struct hd_plan_error *error) {
  char note[800];
  const int bytes =
      snprintf(note, sizeof note, "nothing was counted: %s%s%s", error->event, *error->event ? ": " : "", error->why);
  hd_log("%s", note);
  hd_store_add_text(&hd_store, &counters.text_cursor, HD_TEXT_NOTE, 0, note, bytes > 0 ? (size_t)bytes : 0);
}

static enum hd_counters_at told_apart(const char *at) {
  if (!strcmp(at, "region"))
    return HD_COUNTERS_AT_REGION;
  if (!strcmp(at, "all"))
    return HD_COUNTERS_AT_ALL;
  if (strcmp(at, "loop") != 0)
    hd_log("HEDDLE_COUNTERS_AT=%s is neither region, loop nor all; taking loop", at);
  return HD_COUNTERS_AT_LOOP;
}

static uint32_t slot_of(uint32_t event) {
  for (uint32_t i = 0; i < counters.plan.set_count; i++)
    for (uint32_t j = 0; j < counters.plan.sets[i].count; j++)
      if (counters.plan.sets[i].events[j] == event)
        return counters.plan.sets[i].slot;
  return 0;
}

static bool add_event(uint32_t index) {
  const struct hd_event *event = &counters.plan.events[index];
  struct hd_event_record *record =
      hd_store_add(&hd_store, &counters.event_cursor, HD_BLOCK_EVENTS, HD_NONE, sizeof *record);
  if (!record)
    return false;
  snprintf(record->name, sizeof record->name, "%s", event->name);
  snprintf(record->source, sizeof record->source, "%s", event->source->name);
  snprintf(record->unit, sizeof record->unit, "%s", event->unit);
  snprintf(record->description, sizeof record->description, "%s", event->description);
  record->slot = slot_of(index);
  if (index == 0)
    counters.events = record;
  return true;
}

static void add_groups(const char *groups) {
  while (groups && *groups) {
    const size_t bytes = strcspn(groups, "\x1e");
    hd_store_add_text(&hd_store, &counters.text_cursor, HD_TEXT_GROUP, 0, groups, bytes);
    groups += bytes + (groups[bytes] != '\0');
  }
}

static uint64_t ticks_of_a_turn(void) {
  const struct hd_clock_pair first = hd_store.header->clock_first;
  const struct hd_clock_pair now = hd_clock_read_pair();
  if (hd_clock.kind != HD_CLOCK_TSC || now.ns <= first.ns || now.ticks <= first.ticks)
    return turn_ns;
  return (uint64_t)((double)(now.ticks - first.ticks) / (double)(now.ns - first.ns) * (double)turn_ns);
}

void hd_counters_init(const struct hd_settings *settings) {
  struct hd_plan_error error = {.why = ""};
  struct hd_file_header *header = hd_store.header;
  if (!settings->counters)
    return;
  if (!hd_plan_make(&counters.plan, settings->counters, settings->take_turns, &error)) {
    say_why_not(&error);
    return;
  }
  for (uint32_t i = 0; i < counters.plan.event_count; i++) {
    if (!add_event(i)) {
      say_why_not(&(struct hd_plan_error){.why = "no room in the profile"});
      return;
    }
    counters.all |= (uint64_t)1 << i;
  }
  header->event_slots = counters.plan.slots;
  header->counts_record_bytes = HD_COUNTS_BYTES(counters.plan.event_count, counters.plan.slots);
  header->counters_at = told_apart(settings->counters_at);
  header->event_count = counters.plan.event_count;
  hd_store_publish(&counters.event_cursor);
  add_groups(settings->groups);
  counters.turn_ticks = ticks_of_a_turn();
  counters.on = true;
}

/* ---- readings ---- */

/* Every pause and every resume makes it one larger: even while the clock runs, odd while it stands. */
static uint64_t epoch_now(void) {
  const bool paused = hd_clock_is_paused();
  return 2 * __atomic_load_n(&hd_store.header->pauses, __ATOMIC_ACQUIRE) - paused;
}

static uint64_t events_of(const struct hd_planned_set *planned) {
  uint64_t events = 0;
  for (uint32_t i = 0; i < planned->count; i++)
    events |= (uint64_t)1 << planned->events[i];
  return events;
}

static bool is_running(const struct hd_thread_counters *mine, uint32_t set) {
  const uint32_t slot = counters.plan.sets[set].slot;
  return mine->sets[set] && (slot == 0 || slot == mine->slot);
}

/* A set that failed is never read again: its descriptors may be another's by now. */
static void give_up(struct hd_thread_counters *mine, uint32_t set) {
  mine->sets[set] = NULL;
  __atomic_fetch_or(&mine->thread->record->uncounted, events_of(&counters.plan.sets[set]), __ATOMIC_RELAXED);
}

/* Fills now[] for the events returned. */
static uint64_t read_sets(struct hd_thread_counters *mine, uint64_t *now, uint64_t *failed) {
  uint64_t values[HD_EVENTS_MOST];
  uint64_t read = 0;
  mine->thread->record->readings++;
  *failed = 0;
  for (uint32_t i = 0; i < counters.plan.set_count; i++) {
    const struct hd_planned_set *planned = &counters.plan.sets[i];
    if (!is_running(mine, i))
      continue;
    if (!planned->source->read(mine->sets[i], values)) {
      *failed |= events_of(planned);
      give_up(mine, i);
      continue;
    }
    for (uint32_t j = 0; j < planned->count; j++)
      now[planned->events[j]] = values[j];
    read |= events_of(planned);
  }
  return read;
}

static void miss(const struct hd_thread_counters *mine, uint64_t events) {
  if (mine->at)
    __atomic_fetch_or(&mine->at->missing[mine->class], events, __ATOMIC_RELAXED);
}

static uint64_t *counts_of(struct hd_counts_record *record, uint32_t event) {
  return (uint64_t *)(record + 1) + (size_t)event * HD_COUNT_CLASSES;
}

static uint64_t *ticks_of(struct hd_counts_record *record, uint32_t slot) {
  return counts_of(record, counters.plan.event_count + slot - 1);
}

/* Without what the reading itself has added. The last one's may have come out only in part. */
static uint64_t without_cost(struct hd_thread_counters *mine, uint32_t event, uint64_t gained) {
  const uint64_t cost = counters.events[event].cost;
  const uint64_t owed = mine->owed[event] + cost;
  const uint64_t taken_out = gained < owed ? gained : owed;
  mine->owed[event] = owed - taken_out < cost ? owed - taken_out : cost;
  return gained - taken_out;
}

static void charge(struct hd_thread_counters *mine, const uint64_t *now, uint64_t events) {
  for (uint32_t e = 0; e < counters.plan.event_count; e++) {
    if (!(events >> e & 1))
      continue;
    const uint64_t gained = now[e] - mine->before[e]; /* also when the counter went over its end, 2^64 */
    if (gained >> 63)                                 /* it went backwards, and how much is lost nobody knows */
      miss(mine, (uint64_t)1 << e);
    else if (mine->at)
      counts_of(mine->at, e)[mine->class] += without_cost(mine, e, gained);
  }
}

static void take_baseline(struct hd_thread_counters *mine, const uint64_t *now, uint64_t events) {
  for (uint32_t e = 0; e < counters.plan.event_count; e++)
    if (events >> e & 1)
      mine->before[e] = now[e];
}

static void read_baseline(struct hd_thread_counters *mine) {
  uint64_t now[HD_EVENTS_MOST];
  uint64_t failed;
  take_baseline(mine, now, read_sets(mine, now, &failed));
  miss(mine, failed);
}

/* ---- turns ---- */

static void start_slot(struct hd_thread_counters *mine, uint32_t slot) {
  char why[200];
  for (uint32_t i = 0; i < counters.plan.set_count; i++)
    if (counters.plan.sets[i].slot == slot && mine->sets[i] &&
        !counters.plan.sets[i].source->start(mine->sets[i], why, sizeof why))
      give_up(mine, i);
}

static void stop_slot(struct hd_thread_counters *mine) {
  for (uint32_t i = 0; i < counters.plan.set_count; i++)
    if (counters.plan.sets[i].slot == mine->slot && mine->sets[i])
      counters.plan.sets[i].source->stop(mine->sets[i]);
}

static void charge_turn(struct hd_thread_counters *mine, uint64_t now) {
  if (mine->at)
    ticks_of(mine->at, mine->slot)[mine->class] += now - mine->slot_ticks_from;
  mine->slot_ticks_from = now;
}

static void change_turn(struct hd_thread_counters *mine, uint64_t now) {
  stop_slot(mine);
  mine->slot = mine->slot % counters.plan.slots + 1;
  mine->turn_since = now;
  start_slot(mine, mine->slot);
  read_baseline(mine);
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
  const int saved = errno;
  const uint64_t events = read_sets(mine, now, &failed);
  const uint64_t epoch = epoch_now();
  if (epoch != mine->epoch)
    miss(mine, events);
  else if (!(epoch & 1))
    charge(mine, now, events);
  miss(mine, failed);
  take_baseline(mine, now, events);
  mine->epoch = epoch;
  if (mine->slot) {
    const uint64_t time = hd_clock_now();
    charge_turn(mine, time);
    if (time - mine->turn_since >= counters.turn_ticks)
      change_turn(mine, time);
  }
  errno = saved;
}

static bool make_room(struct hd_thread_counters *mine, uint32_t profile) {
  uint32_t limit = mine->record_limit ? mine->record_limit : 64;
  while (limit <= profile)
    limit *= 2;
  struct hd_counts_record **grown = hd_heap_resize(mine->records, limit * sizeof *grown);
  if (!grown)
    return false;
  memset(grown + mine->record_limit, 0, (limit - mine->record_limit) * sizeof *grown);
  mine->records = grown;
  mine->record_limit = limit;
  return true;
}

static struct hd_counts_record *add_record(struct hd_thread *thread, uint32_t profile) {
  struct hd_thread_counters *mine = thread->counters;
  struct hd_counts_record *record =
      hd_store_add(&hd_store, &mine->cursor, HD_BLOCK_COUNTS, thread->record->id, hd_store.header->counts_record_bytes);
  if (!record)
    return NULL;
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
  const int saved = errno;
  struct hd_counts_record *record = NULL;
  uint32_t owner = profile;
  while (!record) {
    const struct hd_profile_record *node = hd_callpath_record(owner);
    record = known_record(mine, owner);
    if (!record && hd_kind_is_told_apart(node->kind, hd_store.header->counters_at))
      record = add_record(thread, owner);
    if (node->parent == owner)
      break;
    owner = node->parent;
  }
  if (record && (profile < mine->record_limit || make_room(mine, profile)))
    mine->records[profile] = record;
  errno = saved;
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
static void point_at(struct hd_thread *thread, const struct hd_row_record *row, uint32_t state) {
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
  point_at(thread, row, state);
}

void hd_counters_take_back(struct hd_thread *thread, const struct hd_row_record *row, uint32_t state) {
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
    const int saved = errno;
    read_baseline(mine);
    errno = saved;
  }
  mine->away = mine->taken = false;
}

void hd_counters_before_pause(struct hd_thread *thread) {
  if (thread->pending)
    hd_thread_settle(thread);
  hd_counters_read(thread);
  thread->counters->taken = false;
}

void hd_counters_after_pause(struct hd_thread *thread) {
  read_baseline(thread->counters);
  thread->counters->epoch = epoch_now();
}

/* ---- life ---- */

/* What one reading adds: between two that follow each other at once. The median, because of interrupts. */
static void calibrate(struct hd_thread_counters *mine) {
  static uint64_t gained[HD_EVENTS_MOST][CALIBRATIONS];
  uint64_t before[HD_EVENTS_MOST], now[HD_EVENTS_MOST], failed;
  uint64_t events = read_sets(mine, before, &failed);
  const uint64_t begin = hd_clock_now();
  for (uint32_t i = 0; i < CALIBRATIONS; i++) {
    events &= read_sets(mine, now, &failed);
    for (uint32_t e = 0; e < counters.plan.event_count; e++) {
      uint32_t at = i;
      const uint64_t gain = events >> e & 1 && now[e] >= before[e] ? now[e] - before[e] : 0;
      for (; at > 0 && gained[e][at - 1] > gain; at--)
        gained[e][at] = gained[e][at - 1];
      gained[e][at] = gain;
    }
    memcpy(before, now, sizeof before);
  }
  hd_store.header->reading_ticks = (hd_clock_now() - begin) / CALIBRATIONS;
  for (uint32_t e = 0; e < counters.plan.event_count; e++)
    if (events >> e & 1)
      counters.events[e].cost = gained[e][CALIBRATIONS / 2];
}

static void create_sets(struct hd_thread_counters *mine) {
  char why[200];
  const struct hd_event *events[HD_EVENTS_MOST];
  for (uint32_t i = 0; i < counters.plan.set_count; i++) {
    const struct hd_planned_set *planned = &counters.plan.sets[i];
    mine->sets[i] =
        planned->source->create(events, hd_plan_set_events(&counters.plan, planned, events), why, sizeof why);
    if (!mine->sets[i])
      give_up(mine, i);
  }
}

/* The first thread's readings stand for those of all. */
static void calibrate_once(struct hd_thread_counters *mine) {
  pthread_mutex_lock(&counters.lock);
  if (!counters.calibrated) {
    counters.calibrated = true;
    calibrate(mine);
    for (uint32_t slot = 2; slot <= counters.plan.slots; slot++) {
      stop_slot(mine);
      mine->slot = slot;
      start_slot(mine, slot);
      calibrate(mine);
    }
    if (counters.plan.slots > 1) {
      stop_slot(mine);
      mine->slot = 1;
      start_slot(mine, 1);
    }
  }
  mine->next = counters.threads;
  counters.threads = mine;
  pthread_mutex_unlock(&counters.lock);
}

uint64_t hd_counters_events(void) {
  return counters.on ? counters.all : 0;
}

void hd_counters_start(struct hd_thread *thread, const struct hd_row_record *row, uint32_t state) {
  if (!counters.on)
    return;
  struct hd_thread_counters *mine = hd_heap_allocate(1, sizeof *mine);
  if (!mine) {
    thread->record->uncounted = counters.all;
    return;
  }
  mine->thread = thread;
  mine->slot = counters.plan.slots ? 1 : 0;
  thread->counters = mine;
  create_sets(mine);
  start_slot(mine, 0);
  if (mine->slot)
    start_slot(mine, mine->slot);
  calibrate_once(mine);
  thread->record->readings = 0;
  count_for(thread, find_record(thread, row->profile), class_of(state));
  mine->epoch = epoch_now();
  mine->turn_since = mine->slot_ticks_from = hd_clock_now();
  if (!mine->at) /* no room for the counts: the thread has none */
    thread->record->uncounted = counters.all;
  read_baseline(mine);
}

void hd_counters_end(struct hd_thread *thread) {
  struct hd_thread_counters *mine = thread->counters;
  hd_counters_read(thread);
  thread->record->counting = 0;
  pthread_mutex_lock(&counters.lock);
  mine->thread = NULL;
  pthread_mutex_unlock(&counters.lock);
  thread->counters = NULL;
  for (uint32_t i = 0; i < counters.plan.set_count; i++)
    if (mine->sets[i])
      counters.plan.sets[i].source->destroy(mine->sets[i]);
}

void hd_counters_close(struct hd_thread *self) {
  if (self && self->counters)
    hd_counters_read(self);
}

/* Its own record is not touched but for what is counted: the thread may come back, and find that all is closed. */
static void close_other(struct hd_thread_counters *other, bool is_at_work) {
  uint64_t values[HD_EVENTS_MOST];
  for (uint32_t i = 0; i < counters.plan.set_count; i++) {
    const struct hd_planned_set *planned = &counters.plan.sets[i];
    if (!is_running(other, i))
      continue;
    if (is_at_work || epoch_now() != other->epoch || planned->slot || !planned->source->reads_others ||
        !planned->source->read(other->sets[i], values)) {
      miss(other, events_of(planned));
      continue;
    }
    uint64_t now[HD_EVENTS_MOST];
    for (uint32_t j = 0; j < planned->count; j++)
      now[planned->events[j]] = values[j];
    if (!hd_clock_is_paused())
      charge(other, now, events_of(planned));
  }
}

void hd_counters_close_others(const struct hd_thread *self) {
  pthread_mutex_lock(&counters.lock);
  for (struct hd_thread_counters *other = counters.threads; other; other = other->next)
    if (other->thread && other->thread != self)
      close_other(other, __atomic_load_n(&other->thread->at_work, __ATOMIC_ACQUIRE) || hd_frontier.needs_fence);
  pthread_mutex_unlock(&counters.lock);
}
