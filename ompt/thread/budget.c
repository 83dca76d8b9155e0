/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/thread/budget.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "ompt/shared/clock.h"
#include "ompt/shared/measuring.h"
#include "ompt/thread/current.h"
#include "ompt/thread/registry.h"
#include "ompt/thread/thread.h"
#include "support/inprocess/keep_errno.h"

/* Times in milliseconds. A thread's first slots are short: what costs much then is to go off soon. */
enum { SLOT_MS = 50, FIRST_SLOT_MS = 10, FIRST_SLOTS = 5, OFF_LEAST_MS = 500, OFF_DOUBLED_MOST_MS = 64000 };
enum { WINDOW_MS = HD_BUDGET_WINDOW_MS };
_Static_assert(HD_BUDGET_SLOTS > FIRST_SLOTS + WINDOW_MS / SLOT_MS, "the ring holds a window");
/* A thread was rather interrupted than at work for so long. */
enum { SPECIAL_MOST_US = 500 };
enum { LOOK_EVERY = 1024 };
#define PPM 1e6 /* parts per million */
/* A class contributes when it costs so much: of the budget, and of what the dearest costs. */
enum { OF_BUDGET = 10, OF_DEAREST = 4 };
/* So many records for single times; then one for each class. */
enum { SINGLE_RECORDS = 64 };
/* Outermost regions between a class's going off and its being muted: a program that has many will have another soon, at
 * whose begin it can be heard of again. */
enum { REGIONS_BEFORE_MUTE = 8 };

struct hd_budget hd_budget = {.wake_ticks = UINT64_MAX};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Under the lock, but for `epoch`. */
static struct {
  bool closed;
  hd_budget_mute *mute;
  uint64_t ticks_per_ms;
  struct hd_store_cursor cursor;
  uint32_t records;
  uint32_t regions; /* outermost ones since the last class went off */
  struct class_state {
    uint32_t epoch;                  /* how often it was switched off */
    uint64_t off_ticks;              /* the last time */
    uint64_t on_ticks;               /* likewise */
    uint64_t length_ticks;           /* for which it was, or is, off */
    struct hd_switch_record *record; /* of that time */
    struct hd_switch_record *others; /* of all for which there were no more single records; NULL: none yet */
  } classes[HD_CLASS_COUNT];
} state;

static uint64_t ms(uint64_t count) {
  return count * state.ticks_per_ms;
}

/* ---- what events cost ---- */

static uint32_t class_of(enum hd_event_kind kind) {
#define CLASS(name, id, class) HD_CLASS_##class,
  static const uint8_t classes[HD_EVENT_KINDS] = {HD_EVENT_TABLE(CLASS)};
  return classes[kind];
}

/* A region's last barrier is told like all others and never switched off: its cost is the region's. There is one for
 * each implicit task. */
static uint64_t of_regions(const uint64_t fresh[HD_EVENT_KINDS], enum hd_event_kind kind) {
  if (kind != HD_EVENT_WAIT_BEGIN && kind != HD_EVENT_WAIT_END)
    return 0;
  return fresh[kind] < fresh[HD_EVENT_IMPLICIT_BEGIN] ? fresh[kind] : fresh[HD_EVENT_IMPLICIT_BEGIN];
}

/* Events times what one costs now. */
static void spend(struct hd_budget_window *window, const struct hd_event_cost costs[HD_EVENT_KINDS]) {
  uint64_t fresh[HD_EVENT_KINDS];
  for (uint32_t kind = 0; kind < HD_EVENT_KINDS; kind++) {
    fresh[kind] = costs[kind].count - window->seen[kind];
    window->seen[kind] = costs[kind].count;
  }
  for (uint32_t kind = 0; kind < HD_EVENT_KINDS; kind++) {
    const uint64_t fixed = of_regions(fresh, kind);
    window->spent[HD_CLASS_FIXED] += fixed * costs[kind].ticks;
    window->spent[class_of(kind)] += (fresh[kind] - fixed) * costs[kind].ticks;
  }
}

/* ---- the sliding window ---- */

static const struct hd_budget_boundary *boundary(const struct hd_budget_window *window, uint64_t number) {
  return &window->ring[number % HD_BUDGET_SLOTS];
}

static void add_boundary(struct hd_budget_window *window, uint64_t now) {
  struct hd_budget_boundary *added = &window->ring[window->boundary_count++ % HD_BUDGET_SLOTS];
  added->ticks = now;
  memcpy(added->spent, window->spent, sizeof added->spent);
  window->due_ticks = now + ms(window->boundary_count > FIRST_SLOTS ? SLOT_MS : FIRST_SLOT_MS);
}

/* A class that was off meanwhile begins anew: what it cost before has been paid for. */
static void forget_what_was_off(struct hd_budget_window *window) {
  for (uint32_t c = 0; c < HD_CLASS_COUNT; c++) {
    const uint32_t epoch = __atomic_load_n(&state.classes[c].epoch, __ATOMIC_RELAXED);
    if (window->epochs[c] == epoch)
      continue;
    window->epochs[c] = epoch;
    for (uint32_t i = 0; i < HD_BUDGET_SLOTS; i++)
      window->ring[i].spent[c] = window->spent[c];
  }
}

/* What class `c` had cost at `ticks`; between two boundaries it is taken to have cost the same all the time. */
static uint64_t spent_at(const struct hd_budget_window *window, uint64_t ticks, uint32_t c) {
  const uint64_t count = window->boundary_count;
  const uint64_t oldest = count > HD_BUDGET_SLOTS ? count - HD_BUDGET_SLOTS : 0;
  uint64_t number = count - 1;
  while (number > oldest && boundary(window, number)->ticks > ticks)
    number--;
  const struct hd_budget_boundary *before = boundary(window, number);
  if (number == count - 1 || ticks <= before->ticks)
    return before->spent[c];
  const struct hd_budget_boundary *after = boundary(window, number + 1);
  const double part = (double)(ticks - before->ticks) / (double)(after->ticks - before->ticks);
  return before->spent[c] + (uint64_t)((double)(after->spent[c] - before->spent[c]) * part);
}

/* ---- records ---- */

static struct hd_switch_record *new_record(struct hd_thread *thread, enum hd_event_class event_class) {
  HD_KEEP_ERRNO;
  struct hd_switch_record *record = hd_store_add(&hd_store, &state.cursor, HD_BLOCK_SWITCHES, HD_NONE, sizeof *record);
  if (!record) {
    __atomic_fetch_add(&hd_store.header->lost_switches, 1, __ATOMIC_RELAXED);
    return NULL;
  }
  state.records++;
  record->event_class = event_class;
  record->thread = thread->record->id;
  record->profile = thread->row->profile;
  return record;
}

/* One of several times: it says where and why the first of them was, and when the last one began. */
static struct hd_switch_record *record_for(struct hd_thread *thread, enum hd_event_class event_class) {
  struct class_state *class = &state.classes[event_class];
  if (state.records < SINGLE_RECORDS)
    return new_record(thread, event_class);
  if (!class->others)
    class->others = new_record(thread, event_class);
  return class->others;
}

static void write_off(struct hd_thread *thread, enum hd_event_class event_class, uint64_t now, uint64_t cost_ppm) {
  struct hd_switch_record *record = record_for(thread, event_class);
  state.classes[event_class].record = record;
  if (!record)
    return;
  record->off_ticks = now;
  record->on_ticks = 0;
  record->times++;
  record->cost_ppm = cost_ppm > record->cost_ppm ? cost_ppm : record->cost_ppm;
  hd_store_publish(&state.cursor);
}

static void write_on(enum hd_event_class event_class, uint64_t now) {
  struct hd_switch_record *record = state.classes[event_class].record;
  if (!record)
    return;
  record->total_ticks += now - record->off_ticks;
  __atomic_store_n(&record->on_ticks, now, __ATOMIC_RELEASE);
}

/* ---- off and on ---- */

static uint64_t longer(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

/* Long enough that the class has cost no more than the budget when it is tried again; and twice as long as the last
 * time, if it was not on for as long since. */
static uint64_t off_length(const struct class_state *class, uint64_t now, uint64_t cost_ticks, uint64_t window_ticks) {
  const uint64_t paid = (uint64_t)((double)cost_ticks * PPM / hd_budget.limit_ppm);
  const uint64_t least = longer(ms(OFF_LEAST_MS), paid > window_ticks ? paid - window_ticks : 0);
  if (class->length_ticks == 0 || now - class->on_ticks > class->length_ticks)
    return least;
  const uint64_t doubled = 2 * class->length_ticks;
  return longer(least, doubled < ms(OFF_DOUBLED_MOST_MS) ? doubled : ms(OFF_DOUBLED_MOST_MS));
}

static void find_wake_time(void) {
  uint64_t wake = UINT64_MAX;
  for (uint32_t c = 0; c < HD_CLASS_COUNT; c++)
    if (hd_budget.off >> c & 1 && state.classes[c].off_ticks + state.classes[c].length_ticks < wake)
      wake = state.classes[c].off_ticks + state.classes[c].length_ticks;
  __atomic_store_n(&hd_budget.wake_ticks, wake, __ATOMIC_RELAXED);
}

/* `touched` first: who sees that the class is off must see that, too. */
static void switch_off(struct hd_thread *thread, enum hd_event_class event_class, uint64_t now, uint64_t cost_ticks,
                       uint64_t window_ticks) {
  struct class_state *class = &state.classes[event_class];
  if (pthread_mutex_trylock(&lock))
    return; /* there will be another time */
  if (!state.closed && !(hd_budget.off >> event_class & 1)) {
    class->length_ticks = off_length(class, now, cost_ticks, window_ticks);
    class->off_ticks = now;
    state.regions = 0;
    write_off(thread, event_class, now, (uint64_t)((double)cost_ticks * PPM / (double)window_ticks));
    __atomic_store_n(&class->epoch, class->epoch + 1, __ATOMIC_RELAXED);
    __atomic_store_n(&hd_budget.touched, hd_budget.touched | 1u << event_class, __ATOMIC_RELEASE);
    __atomic_store_n(&hd_budget.off, hd_budget.off | 1u << event_class, __ATOMIC_RELEASE);
    find_wake_time();
  }
  pthread_mutex_unlock(&lock);
}

static void switch_on(enum hd_event_class event_class, uint64_t now) {
  struct class_state *class = &state.classes[event_class];
  class->on_ticks = now;
  write_on(event_class, now);
  __atomic_store_n(&hd_budget.off, hd_budget.off & ~(1u << event_class), __ATOMIC_RELEASE);
  if (hd_budget.muted >> event_class & 1)
    state.mute(1u << event_class, false);
  hd_budget.muted &= ~(1u << event_class);
}

static void switch_on_what_is_due(uint64_t now) {
  if (pthread_mutex_trylock(&lock))
    return;
  for (uint32_t c = 0; c < HD_CLASS_COUNT && !state.closed; c++) {
    const struct class_state *class = &state.classes[c];
    if (hd_budget.off >> c & 1 && now >= class->off_ticks + class->length_ticks)
      switch_on(c, now);
  }
  find_wake_time();
  pthread_mutex_unlock(&lock);
}

static inline bool is_due(uint64_t now) {
  return __builtin_expect(now >= __atomic_load_n(&hd_budget.wake_ticks, __ATOMIC_RELAXED), false);
}

/* ---- the decision ---- */

/* The finest that contributes; HD_CLASS_COUNT: none does. */
static enum hd_event_class finest(const uint64_t costs[HD_BUDGET_CLASSES], uint64_t limit_ticks) {
  uint64_t dearest = 0;
  for (uint32_t c = 0; c < HD_CLASS_COUNT; c++)
    dearest = longer(dearest, costs[c]);
  for (uint32_t c = 0; c < HD_CLASS_COUNT; c++)
    if (costs[c] * OF_BUDGET >= limit_ticks && costs[c] * OF_DEAREST >= dearest && costs[c] > 0)
      return c;
  return HD_CLASS_COUNT;
}

static void decide(struct hd_thread *thread, uint64_t now) {
  const struct hd_budget_window *window = &thread->budget;
  const uint64_t first = boundary(window, 0)->ticks;
  const bool is_young = window->boundary_count < HD_BUDGET_SLOTS && now - first < ms(WINDOW_MS);
  const uint64_t begin = is_young ? first : now - ms(WINDOW_MS);
  const uint32_t off = __atomic_load_n(&hd_budget.off, __ATOMIC_RELAXED);
  uint64_t costs[HD_BUDGET_CLASSES];
  uint64_t all = 0;
  for (uint32_t c = 0; c < HD_BUDGET_CLASSES; c++) {
    costs[c] = off >> c & 1 ? 0 : window->spent[c] - spent_at(window, begin, c);
    all += costs[c];
  }
  const uint64_t limit = (uint64_t)((double)ms(WINDOW_MS) * hd_budget.limit_ppm / PPM); /* of a young thread, too */
  const enum hd_event_class chosen = all > limit ? finest(costs, limit) : HD_CLASS_COUNT;
  if (chosen != HD_CLASS_COUNT)
    switch_off(thread, chosen, now, costs[chosen], now - begin);
}

void hd_budget_begin(struct hd_thread *thread, uint64_t now) {
  for (uint32_t kind = 0; kind < HD_EVENT_KINDS; kind++)
    thread->budget.seen[kind] = thread->costs[kind].count;
  add_boundary(&thread->budget, now);
}

void hd_budget_check(struct hd_thread *thread, enum hd_event_kind kind, uint64_t special_ticks, uint64_t now) {
  struct hd_budget_window *window = &thread->budget;
  if (hd_budget.limit_ppm == 0)
    return;
  if (special_ticks)
    window->spent[class_of(kind)] +=
        special_ticks < ms(SPECIAL_MOST_US) / 1000 ? special_ticks : ms(SPECIAL_MOST_US) / 1000;
  if (is_due(now))
    switch_on_what_is_due(now);
  if (now < window->due_ticks)
    return;
  forget_what_was_off(window);
  spend(window, thread->costs);
  add_boundary(window, now);
  decide(thread, now);
}

/* In a test's time every one looks at the clock. */
static bool look(enum hd_event_class event_class) {
  const uint64_t now = hd_clock_now();
  if (is_due(now))
    switch_on_what_is_due(now);
  return hd_budget_is_off(event_class);
}

bool hd_budget_refuse(enum hd_event_class event_class) {
  struct hd_thread *thread = hd_thread_current;
  if (__builtin_expect(thread && thread->record, true))
    return ++thread->budget.refused % LOOK_EVERY != 0 || look(event_class);
  return !hd_thread_known() || look(event_class);
}

uint32_t hd_budget_task_epoch(void) {
  return __atomic_load_n(&state.classes[HD_CLASS_TASK].epoch, __ATOMIC_RELAXED);
}

/* ---- not even sent ---- */

/* Only where other processors see stores in their order: budget.h. */
#if defined(__x86_64__)
enum { MAY_MUTE = 1 };
#else
enum { MAY_MUTE = 0 };
#endif

static bool is_in_construct(const struct hd_thread *thread) {
  for (uint32_t kind = 0; kind < HD_KIND_COUNT; kind++)
    if (kind != HD_KIND_ROUTINE && kind != HD_KIND_PHASE && thread->innermost[kind])
      return true;
  return false;
}

static void mute(void *data) {
  const uint32_t classes = *(const uint32_t *)data;
  state.mute(classes, true);
  hd_budget.muted |= classes;
}

void hd_budget_outside(struct hd_thread *thread) {
  const uint32_t mutable = 1u << HD_CLASS_MUTEX | 1u << HD_CLASS_WORK;
  if (!MAY_MUTE || !(__atomic_load_n(&hd_budget.off, __ATOMIC_RELAXED) & mutable) || is_in_construct(thread) ||
      pthread_mutex_trylock(&lock))
    return;
  uint32_t classes = hd_budget.off & mutable & ~hd_budget.muted;
  if (!state.closed && classes && ++state.regions > REGIONS_BEFORE_MUTE)
    hd_registry_while_alone(thread, mute, &classes);
  pthread_mutex_unlock(&lock);
}

/* ---- start and end ---- */

void hd_budget_init(uint64_t limit_ppm, hd_budget_mute *mute_events) {
  state.mute = mute_events;
  state.ticks_per_ms = limit_ppm ? hd_clock_ticks_per_ms(hd_store.header->clock_first) : 1;
  hd_budget.limit_ppm = (uint32_t)limit_ppm;
  hd_store.header->budget_ppm = limit_ppm;
}

void hd_budget_switch_for_test(uint32_t event_class, bool off) {
  struct hd_thread *thread = hd_thread_known();
  const uint64_t now = hd_clock_now();
  if (!thread)
    return;
  if (!off) {
    switch_on(event_class, now);
    return;
  }
  switch_off(thread, event_class, now, 0, 1);
  state.classes[event_class].length_ticks = INT64_MAX;
  find_wake_time();
}

/* Who holds the lock does so for a microsecond; unless it is the caller itself, interrupted by a signal. */
void hd_budget_close(void) {
  __atomic_store_n(&state.closed, true, __ATOMIC_SEQ_CST);
  for (int i = 0; i < 1000; i++) {
    if (pthread_mutex_trylock(&lock) == 0) {
      pthread_mutex_unlock(&lock);
      return;
    }
    sched_yield();
  }
}
