/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/thread/budget.h"

#include <pthread.h>
#include <sched.h>

#include "callpath/callpath.h"
#include "ompt/shared/clock.h"
#include "ompt/shared/measuring.h"
#include "ompt/thread/budget_internal.h"
#include "ompt/thread/current.h"
#include "ompt/thread/steering.h"
#include "ompt/thread/thread.h"
#include "support/inprocess/heap.h"
#include "support/inprocess/keep_errno.h"

/* Times in milliseconds. */
enum { OFF_LEAST_MS = 500, OFF_DOUBLED_MOST_MS = 64000 };
/* A thread was rather interrupted than at work for so long. */
enum { SPECIAL_MOST_US = 500 };
#define PPM 1e6 /* parts per million */
/* A class contributes when it costs so much: of the budget, and of what the dearest costs. */
enum { OF_BUDGET = 10, OF_DEAREST = 4 };
/* So many records for single times; then one for each class and region. */
enum { SINGLE_RECORDS = 64 };

struct hd_budget hd_budget = {.wake_ticks = UINT64_MAX};
struct hd_budget_state hd_budget_state;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

bool hd_budget_lock(void) {
  return pthread_mutex_trylock(&lock) == 0;
}

void hd_budget_unlock(void) {
  pthread_mutex_unlock(&lock);
}

static uint64_t longer(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

/* ---- records ---- */

static uint32_t where(const struct hd_thread *thread, const struct hd_budget_off *off) {
  const bool is_there = off->profile == HD_NONE || hd_budget_place(thread) == off->profile;
  if (off->is_asked)
    return off->in_part ? HD_SOME_REGIONS : HD_NONE;
  return is_there ? thread->row->profile : off->profile;
}

static struct hd_switch_record *new_record(const struct hd_thread *thread, const struct hd_budget_off *off) {
  HD_KEEP_ERRNO;
  struct hd_switch_record *record =
      hd_store_add(&hd_store, &hd_budget_state.cursor, HD_BLOCK_SWITCHES, HD_NONE, sizeof *record);
  if (!record) {
    __atomic_fetch_add(&hd_store.header->lost_switches, 1, __ATOMIC_RELAXED);
    return NULL;
  }
  hd_budget_state.records++;
  record->event_class = off->event_class;
  record->thread = thread->record->id;
  record->profile = where(thread, off);
  return record;
}

/* One of several times: it says where and why the first of them was, and when the last one began. */
static struct hd_switch_record *record_for(const struct hd_thread *thread, struct hd_budget_off *off) {
  if (hd_budget_state.records < SINGLE_RECORDS)
    return new_record(thread, off);
  struct hd_switch_record **others = &off->others[off->in_part];
  if (!*others)
    *others = new_record(thread, off);
  return *others;
}

static void write_off(const struct hd_thread *thread, struct hd_budget_off *off, uint64_t now, uint64_t cost_ppm) {
  struct hd_switch_record *record = off->record = record_for(thread, off);
  if (!record)
    return;
  record->off_ticks = now;
  record->on_ticks = 0;
  record->times++;
  record->cost_ppm = longer(cost_ppm, record->cost_ppm);
  hd_store_publish(&hd_budget_state.cursor);
}

void hd_budget_come_back(struct hd_budget_off *off, uint64_t now) {
  if (off->apart_ticks && off->record)
    off->record->total_ticks -= now - off->apart_ticks;
  off->apart_ticks = 0;
}

static void write_on(struct hd_budget_off *off, uint64_t now) {
  struct hd_switch_record *record = off->record;
  hd_budget_come_back(off, now);
  if (!record)
    return;
  record->total_ticks += now - record->off_ticks;
  __atomic_store_n(&record->on_ticks, now, __ATOMIC_RELEASE);
}

/* ---- off and on ---- */

/* Long enough that the class has cost no more than the budget when it is tried again; and twice as long as the last
 * time, if it was not on for as long since. */
static uint64_t off_length(const struct hd_budget_off *off, uint64_t now, uint64_t cost_ticks, uint64_t window_ticks) {
  const uint64_t paid = cost_ticks > 0 ? (uint64_t)((double)cost_ticks * PPM / hd_budget_limit_ppm()) : 0;
  const uint64_t least = longer(hd_budget_ms(OFF_LEAST_MS), paid > window_ticks ? paid - window_ticks : 0);
  if (off->length_ticks == 0 || now - off->on_ticks > off->length_ticks)
    return least;
  const uint64_t doubled = 2 * off->length_ticks, most = hd_budget_ms(OFF_DOUBLED_MOST_MS);
  return longer(least, doubled < most ? doubled : most);
}

/* Of the last so many ticks, in which it was tried again. */
static uint64_t time_on(const struct hd_budget_off *off, uint64_t now, uint64_t window_ticks) {
  const uint64_t since = now > off->on_ticks ? now - off->on_ticks : 1;
  return since < window_ticks ? since : window_ticks;
}

static bool is_waking(const struct hd_budget_off *off, uint64_t now) {
  return off->is_off && now >= off->off_ticks + off->length_ticks;
}

void hd_budget_look_over(uint64_t now) {
  uint64_t wake = hd_budget_watch_change(now);
  uint32_t classes = 0;
  for (const struct hd_budget_off *off = hd_budget_state.offs; off; off = off->next) {
    classes |= (uint32_t)off->is_off << off->event_class;
    if (off->is_off && off->off_ticks + off->length_ticks < wake)
      wake = off->off_ticks + off->length_ticks;
  }
  __atomic_store_n(&hd_budget.off, classes, __ATOMIC_RELEASE);
  __atomic_store_n(&hd_budget.wake_ticks, wake, __ATOMIC_RELAXED);
  __atomic_fetch_add(&hd_budget.turn, 1, __ATOMIC_RELEASE);
}

uint32_t *hd_budget_bits_of(uint32_t profile) {
  return profile == HD_NONE ? &hd_budget.everywhere : hd_callpath_off(profile);
}

struct hd_budget_off *hd_budget_find_off(uint32_t profile, enum hd_event_class event_class) {
  HD_KEEP_ERRNO;
  struct hd_budget_off *off = hd_budget_state.offs;
  while (off && (off->profile != profile || off->event_class != event_class))
    off = off->next;
  if (off)
    return off;
  off = hd_heap_allocate(1, sizeof *off);
  if (!off)
    return NULL;
  off->profile = profile;
  off->event_class = event_class;
  off->next = hd_budget_state.offs;
  hd_budget_state.offs = off;
  return off;
}

/* Regions are seen in windows, as a whole, and what is in them with them. */
static void end_in_regions(uint64_t now) {
  for (struct hd_budget_off *off = hd_budget_state.offs; off; off = off->next)
    if (off->is_off && off->profile != HD_PROGRAM_PROFILE && off->profile != HD_NONE)
      hd_budget_end_off(off, now);
}

/* Tasks that were created while it was on are not observed from now on. */
static void count_epoch(enum hd_event_class event_class, uint64_t now) {
  uint32_t *epoch = &hd_budget_state.epochs[event_class];
  hd_budget_state.regions = 0;
  if (event_class == HD_CLASS_TASK)
    __atomic_store_n(&hd_budget_state.tasks_off_ticks, now, __ATOMIC_RELAXED);
  __atomic_store_n(epoch, *epoch + 1, __ATOMIC_RELAXED);
}

/* `touched` first: who sees that the class is off must see that, too. */
void hd_budget_begin_off(const struct hd_thread *thread, struct hd_budget_off *off, uint64_t now, uint64_t cost_ppm) {
  const uint32_t bit = 1u << off->event_class;
  if (off->event_class == HD_CLASS_REGION)
    end_in_regions(now);
  write_off(thread, off, now, cost_ppm);
  off->is_off = true;
  off->off_ticks = now;
  count_epoch(off->event_class, now);
  __atomic_store_n(&hd_budget.touched, hd_budget.touched | bit, __ATOMIC_RELEASE);
  __atomic_fetch_or(hd_budget_bits_of(off->profile), bit, __ATOMIC_RELEASE);
  hd_budget_watch_off(off->profile, now);
  hd_budget_look_over(now);
}

static void switch_off(const struct hd_thread *thread, uint32_t profile, enum hd_event_class event_class, uint64_t now,
                       uint64_t cost_ticks, uint64_t window_ticks) {
  struct hd_budget_off *off = hd_budget_state.closed ? NULL : hd_budget_find_off(profile, event_class);
  if (!off || off->is_off)
    return;
  off->length_ticks = off_length(off, now, cost_ticks, window_ticks);
  off->cost_ppm = (uint64_t)((double)cost_ticks * PPM / (double)time_on(off, now, window_ticks));
  hd_budget_begin_off(thread, off, now, (uint64_t)((double)cost_ticks * PPM / (double)window_ticks));
}

void hd_budget_unmute(uint32_t classes) {
  if (hd_budget.muted & classes)
    hd_budget_state.mute(hd_budget.muted & classes, false);
  __atomic_store_n(&hd_budget.muted, hd_budget.muted & ~classes, __ATOMIC_RELAXED);
}

void hd_budget_end_off(struct hd_budget_off *off, uint64_t now) {
  const uint32_t bit = 1u << off->event_class;
  off->is_off = false;
  off->on_ticks = now;
  write_on(off, now);
  __atomic_fetch_and(hd_budget_bits_of(off->profile), ~bit, __ATOMIC_RELEASE);
  hd_budget_watch_on(off->profile, off->event_class);
  hd_budget_unmute(bit);
}

void hd_budget_change_off(const struct hd_thread *thread, struct hd_budget_off *off, bool in_part, bool more,
                          uint64_t now) {
  if (off->in_part != in_part) {
    const uint64_t cost_ppm = off->record ? off->record->cost_ppm : 0;
    write_on(off, now);
    off->in_part = in_part;
    write_off(thread, off, now, cost_ppm);
  }
  if (more)
    count_epoch(off->event_class, now);
  hd_budget_unmute(1u << off->event_class);
  hd_budget_look_over(now);
}

void hd_budget_do_what_is_due(uint64_t now) {
  if (!hd_budget_lock())
    return;
  for (struct hd_budget_off *off = hd_budget_state.offs; off && !hd_budget_state.closed; off = off->next)
    if (is_waking(off, now))
      hd_budget_end_off(off, now);
  hd_budget_look_over(now);
  hd_budget_unlock();
}

/* ---- the decision ---- */

/* The finest that contributes; HD_CLASS_COUNT: none does. */
static enum hd_event_class finest(const struct hd_budget_costs *costs, uint64_t limit_ticks) {
  uint64_t dearest = 0;
  for (uint32_t c = 0; c < HD_CLASS_COUNT; c++)
    dearest = longer(dearest, costs->by_class[c]);
  for (uint32_t c = 0; c < HD_CLASS_COUNT; c++) {
    const uint64_t cost = costs->by_class[c];
    if (cost > 0 && cost * OF_BUDGET >= limit_ticks && cost * OF_DEAREST >= dearest)
      return c;
  }
  return HD_CLASS_COUNT;
}

/* Events take more than the budget of the time spent there, not only of all time. */
static bool is_dear(const struct hd_budget_place *place) {
  return (double)place->followed_spent * PPM > (double)place->followed_ticks * hd_budget_limit_ppm();
}

/* Inside regions that are seen in windows nothing is switched off. */
static bool may_go_off(const struct hd_budget_place *place, enum hd_event_class event_class) {
  return !(*hd_callpath_off(place->profile) >> event_class & 1) &&
         (place->profile == HD_PROGRAM_PROFILE || !hd_budget_watches_regions());
}

/* Where the class is on and costs most, dear regions first; NULL: nowhere. */
static struct hd_budget_place *dearest_place(struct hd_budget_window *window, enum hd_event_class event_class) {
  struct hd_budget_place *found = NULL;
  for (uint32_t i = 0; i < HD_BUDGET_PLACES; i++) {
    struct hd_budget_place *place = &window->places[i];
    if (place->spent[event_class] == 0 || !may_go_off(place, event_class))
      continue;
    if (!found ||
        (is_dear(place) != is_dear(found) ? is_dear(place) : place->spent[event_class] > found->spent[event_class]))
      found = place;
  }
  return found;
}

/* Where it costs most, and then where it costs most of what is left, until what is left is in the budget; but not where
 * that would bring next to nothing. Where it is not dear it goes off only if it is dear nowhere. */
static void switch_off_class(struct hd_thread *thread, enum hd_event_class event_class,
                             const struct hd_budget_costs *costs, uint64_t limit_ticks, uint64_t now) {
  struct hd_budget_window *window = &thread->budget;
  double sampled = 0, left = (double)costs->all;
  bool was_dear = false;
  for (uint32_t i = 0; i < HD_BUDGET_PLACES; i++)
    sampled += (double)window->places[i].spent[event_class];
  struct hd_budget_place *place;
  while (left > (double)limit_ticks && (place = dearest_place(window, event_class)) && (is_dear(place) || !was_dear)) {
    was_dear = was_dear || is_dear(place);
    const double cost = (double)costs->by_class[event_class] * (double)place->spent[event_class] / sampled;
    /* With so many places at least one has twice that part of it. */
    const bool contributes = cost * (2 * (double)HD_BUDGET_PLACES) >= (double)costs->by_class[event_class];
    place->spent[event_class] = 0;
    if (contributes)
      switch_off(thread, place->profile, event_class, now, (uint64_t)cost, costs->ticks);
    left -= cost;
  }
}

/* What windows see of regions costs that much only if these last for longer than windows. Then what is dear in them may
 * go off. */
static void end_without_regions(uint64_t now) {
  struct hd_budget_off *off = hd_budget_state.offs;
  while (off && !(off->is_off && off->profile == HD_PROGRAM_PROFILE && off->event_class == HD_CLASS_REGION))
    off = off->next;
  if (!off)
    return;
  hd_budget_end_off(off, now);
  hd_budget_look_over(now);
}

static void switch_off_what(struct hd_thread *thread, enum hd_event_class event_class,
                            const struct hd_budget_costs *costs, uint64_t limit_ticks, uint64_t now) {
  if (event_class == HD_CLASS_REGION)
    switch_off(thread, HD_PROGRAM_PROFILE, event_class, now, costs->by_class[event_class], costs->ticks);
  else
    switch_off_class(thread, event_class, costs, limit_ticks, now);
}

static void decide(struct hd_thread *thread, uint64_t now) {
  struct hd_budget_costs costs;
  /* What a thread may pay in a whole window, a young one's first, too. */
  const uint64_t limit = (uint64_t)((double)hd_budget_ms(HD_BUDGET_WINDOW_MS) * hd_budget_limit_ppm() / PPM);
  hd_budget_window_costs(&thread->budget, now, &costs);
  costs.by_class[HD_CLASS_REGION] = hd_budget_cost_of_regions(thread, &costs, limit);
  const enum hd_event_class chosen = costs.all > limit ? finest(&costs, limit) : HD_CLASS_COUNT;
  if (chosen == HD_CLASS_COUNT || !hd_budget_lock())
    return; /* there will be another time */
  if (hd_budget_limit_ppm() != 0) {
    if (chosen != HD_CLASS_REGION && hd_budget_place(thread) != HD_PROGRAM_PROFILE)
      end_without_regions(now);
    hd_budget_watch_less();
    switch_off_what(thread, chosen, &costs, limit, now);
  }
  hd_budget_unlock();
}

/* ---- events ---- */

void hd_budget_begin(struct hd_thread *thread, uint64_t now) {
  hd_budget_window_begin(&thread->budget, thread->costs, now);
}

/* A region's last barrier is its own. */
static bool is_region_end(const struct hd_thread *thread, enum hd_event_kind kind) {
  return (kind == HD_EVENT_WAIT_BEGIN || kind == HD_EVENT_WAIT_END) && thread->base->state != HD_BUSY;
}

static void sample(struct hd_thread *thread, enum hd_event_kind kind, uint64_t special_ticks, uint64_t now) {
  const struct hd_event_cost *cost = &thread->costs[kind];
  const uint64_t ticks = special_ticks ? special_ticks : (uint64_t)(cost->mask + 1) * cost->ticks;
  const bool is_of_region = hd_budget_class_of(kind) == HD_CLASS_REGION;
  if (!is_region_end(thread, kind))
    hd_budget_window_sample(&thread->budget,
                            is_of_region ? hd_budget_place_of_region(thread, kind) : hd_budget_place(thread), kind,
                            ticks, now);
}

static uint32_t epoch_of(enum hd_event_class event_class) {
  return __atomic_load_n(&hd_budget_state.epochs[event_class], __ATOMIC_RELAXED);
}

/* With regions all went off that is in them. */
static void forget_what_went_off(struct hd_budget_window *window) {
  const uint32_t of_regions = epoch_of(HD_CLASS_REGION);
  for (uint32_t c = 0; c < HD_CLASS_COUNT; c++)
    hd_budget_window_forget(window, c, c == HD_CLASS_REGION ? of_regions : epoch_of(c) + of_regions);
}

void hd_budget_check(struct hd_thread *thread, enum hd_event_kind kind, uint64_t special_ticks, uint64_t now) {
  struct hd_budget_window *window = &thread->budget;
  const uint64_t most = hd_budget_ms(SPECIAL_MOST_US) / 1000;
  const uint64_t special = special_ticks < most ? special_ticks : most;
  const bool is_limited = hd_budget_limit_ppm() != 0;
  hd_steering_look();
  if (is_limited) {
    hd_budget_window_spend(window, kind, special);
    sample(thread, kind, special, now);
  }
  if (hd_budget_is_due(now))
    hd_budget_do_what_is_due(now);
  if (!is_limited || now < window->due_ticks)
    return;
  forget_what_went_off(window);
  hd_budget_window_add(window, thread->costs, now);
  decide(thread, now);
}

uint32_t hd_budget_task_epoch(void) {
  return epoch_of(HD_CLASS_TASK);
}

uint64_t hd_budget_tasks_off_ticks(void) {
  return __atomic_load_n(&hd_budget_state.tasks_off_ticks, __ATOMIC_RELAXED);
}

/* ---- start and end ---- */

void hd_budget_init(uint64_t limit_ppm, hd_budget_mute *mute_events) {
  hd_budget_state.mute = mute_events;
  hd_budget_window_init(hd_clock_ticks_per_ms(hd_store.header->clock_first));
  hd_budget.limit_ppm = (uint32_t)limit_ppm;
  hd_store.header->budget_ppm = limit_ppm;
}

void hd_budget_expect_ends(void) {
  hd_budget.touched |= 1u << HD_CLASS_COUNT; /* none of the classes */
}

void hd_budget_expect_exits(void) {
  __atomic_fetch_or(&hd_budget.touched, 1u << HD_CLASS_CALL, __ATOMIC_RELEASE);
}

void hd_budget_switch_for_test(uint32_t event_class, bool is_off) {
  if (event_class >= HD_CLASS_COUNT) {
    hd_budget_watch_for_test(event_class - HD_CLASS_COUNT, !is_off);
    return;
  }
  struct hd_thread *thread = hd_thread_known();
  const uint64_t now = hd_clock_now();
  struct hd_budget_off *off = thread ? hd_budget_find_off(HD_NONE, event_class) : NULL;
  if (!off || off->is_off == is_off)
    return;
  if (!is_off)
    hd_budget_end_off(off, now);
  else
    switch_off(thread, HD_NONE, event_class, now, 0, 1);
  off->length_ticks = is_off ? INT64_MAX : off->length_ticks;
  hd_budget_look_over(now);
}

static void come_back_to_the_end(void) {
  const uint64_t now = hd_clock_now();
  for (struct hd_budget_off *off = hd_budget_state.offs; off; off = off->next)
    hd_budget_come_back(off, now);
}

/* Who holds the lock does so for a microsecond; unless it is the caller itself, interrupted by a signal. */
void hd_budget_close(void) {
  __atomic_store_n(&hd_budget_state.closed, true, __ATOMIC_SEQ_CST);
  for (int i = 0; i < 1000; i++) {
    if (hd_budget_lock()) {
      come_back_to_the_end();
      hd_budget_unlock();
      return;
    }
    sched_yield();
  }
}
