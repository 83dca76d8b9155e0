/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is off where a thread is, and whether an event that begins there is observed. */
#include "callpath/callpath.h"
#include "ompt/shared/clock.h"
#include "ompt/shared/measuring.h"
#include "ompt/thread/budget_internal.h"
#include "ompt/thread/current.h"
#include "ompt/thread/refuse.h"
#include "ompt/thread/steering.h"
#include "ompt/thread/team.h"
#include "ompt/thread/thread.h"
#include "ompt/thread/unresolved.h"
#include "ompt/thread/watch.h"

/* ---- where a thread is ---- */

uint32_t hd_budget_place(const struct hd_thread *thread) {
  const struct hd_known_region *region = hd_team_current(thread);
  return region ? region->profile : HD_PROGRAM_PROFILE;
}

static uint32_t join(uint32_t there, uint32_t everywhere) {
  return everywhere & HD_OFF_MASK ? (there & HD_OFF_MASK) | everywhere : there;
}

/* As long as something is off everywhere, windows are those of everywhere: it numbers them. `everywhere` first: what is
 * spared was so before the class went off. */
uint32_t hd_budget_off_at(const struct hd_profile_record *place) {
  const uint32_t everywhere = __atomic_load_n(&hd_budget.everywhere, __ATOMIC_ACQUIRE);
  const uint32_t spared = __atomic_load_n(&place->spared, __ATOMIC_ACQUIRE);
  return join(__atomic_load_n(&place->off, __ATOMIC_ACQUIRE), everywhere & ~(spared | spared << HD_OPEN_SHIFT));
}

/* A thread that has no record yet comes from outside. */
uint32_t hd_budget_outside(void) {
  return hd_budget_off_at(hd_callpath_record(HD_PROGRAM_PROFILE));
}

static uint32_t off_here(struct hd_thread *thread) {
  struct hd_budget_window *window = &thread->budget;
  const uint32_t profile = hd_budget_place(thread);
  if (!window->place || window->place->id != profile)
    window->place = hd_callpath_record(profile);
  return hd_budget_off_at(window->place);
}

/* ---- what is observed ---- */

bool hd_refuse_is_off(enum hd_event_class event_class) {
  struct hd_thread *thread = hd_thread_known_soon();
  return (thread ? off_here(thread) : hd_budget_outside()) >> event_class & 1;
}

bool hd_budget_watches_regions(void) {
  if (!hd_budget_touched(HD_CLASS_REGION))
    return false;
  const uint32_t off = hd_budget_outside();
  return (off | off >> HD_OPEN_SHIFT) >> HD_CLASS_REGION & 1;
}

bool hd_budget_may_refuse_regions(const struct hd_thread *thread) {
  return !thread->counters && !hd_measuring.logged_order;
}

uint32_t hd_budget_unheard_here(struct hd_thread *thread) {
  const uint32_t muted = __atomic_load_n(&hd_budget.muted, __ATOMIC_RELAXED);
  return muted ? muted & off_here(thread) : 0;
}

bool hd_budget_is_restricted(struct hd_thread *thread, uint32_t classes) {
  const uint32_t off = off_here(thread);
  return (off | off >> HD_OPEN_SHIFT) & classes;
}

static bool is_in(uint32_t classes, enum hd_event_class event_class) {
  return classes >> event_class & 1;
}

/* The first event that is refused must know the time, and so must all in a window and in a test's time. Of the others
 * few look at the clock; but each region does, which may last. */
static bool needs_clock(struct hd_thread *thread, enum hd_event_class event_class, bool was_off) {
  const bool is_real = __builtin_expect(thread == hd_thread_current, true);
  const bool is_turn = ++thread->budget.refused % HD_REFUSE_LOOK_EVERY == 0;
  return !was_off || !is_real || event_class == HD_CLASS_REGION || !(thread->instruments & HD_INSTRUMENT_UNRESOLVED) ||
         is_turn;
}

static uint64_t look(struct hd_thread *thread) {
  if (hd_steering_is_asked() && !hd_thread_is_at_work(thread))
    hd_steering_act(thread);
  const uint64_t now = hd_clock_now();
  if (hd_budget_is_due(now))
    hd_budget_do_what_is_due(now);
  return now;
}

/* `turn`: before `thread` looked at what is off. */
static void go_on_refusing(struct hd_thread *thread, enum hd_event_class event_class, uint32_t turn) {
  struct hd_budget_window *mine = &thread->budget;
  if (thread != hd_thread_current || (thread->instruments & HD_INSTRUMENT_WATCHED))
    return;
  mine->refusing = (mine->refusing_turn == turn ? mine->refusing : 0) | 1u << event_class;
  mine->refusing_turn = turn;
}

bool hd_refuse(enum hd_event_class event_class) {
  const uint32_t turn = __atomic_load_n(&hd_budget.turn, __ATOMIC_ACQUIRE);
  struct hd_thread *thread = hd_thread_known_soon();
  if (!thread)
    return is_in(hd_budget_outside(), event_class);
  uint32_t off = off_here(thread);
  const bool was_off = is_in(off, event_class);
  if (!was_off && !is_in(off >> HD_OPEN_SHIFT, event_class))
    return false;
  uint64_t now = 0;
  if (needs_clock(thread, event_class, was_off)) {
    now = look(thread);
    off = off_here(thread);
  }
  if (is_in(off, event_class)) {
    hd_unresolved_refuse(thread, event_class, now);
    go_on_refusing(thread, event_class, turn);
  } else if (is_in(off >> HD_OPEN_SHIFT, event_class)) {
    hd_watch_begin(thread, off);
  }
  return is_in(off, event_class);
}
