/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is off where a thread is, and whether an event that begins there is observed. */
#include "callpath/callpath.h"
#include "ompt/shared/clock.h"
#include "ompt/thread/budget_internal.h"
#include "ompt/thread/current.h"
#include "ompt/thread/order.h"
#include "ompt/thread/steering.h"
#include "ompt/thread/team.h"
#include "ompt/thread/thread.h"
#include "ompt/thread/unresolved.h"
#include "ompt/thread/watch.h"

/* Of the events that are refused while a thread's time is unresolved already so many look at the clock once. */
enum { LOOK_EVERY = 64 };

/* ---- where a thread is ---- */

uint32_t hd_budget_place(const struct hd_thread *thread) {
  const struct hd_known_region *region = hd_team_current(thread);
  return region ? region->profile : HD_PROGRAM_PROFILE;
}

/* As long as something is off everywhere, windows are those of everywhere: it numbers them. */
static uint32_t join(uint32_t there, uint32_t everywhere) {
  return everywhere & HD_OFF_MASK ? (there & HD_OFF_MASK) | everywhere : there;
}

/* A thread that has no record yet comes from outside. */
uint32_t hd_budget_outside(void) {
  return join(__atomic_load_n(hd_callpath_off(HD_PROGRAM_PROFILE), __ATOMIC_ACQUIRE),
              __atomic_load_n(&hd_budget.everywhere, __ATOMIC_ACQUIRE));
}

static uint32_t off_here(struct hd_thread *thread) {
  struct hd_budget_window *window = &thread->budget;
  const uint32_t profile = hd_budget_place(thread);
  if (window->off_profile != profile || !window->off) {
    window->off_profile = profile;
    window->off = hd_callpath_off(profile);
  }
  return join(__atomic_load_n(window->off, __ATOMIC_ACQUIRE), __atomic_load_n(&hd_budget.everywhere, __ATOMIC_ACQUIRE));
}

/* ---- what is observed ---- */

bool hd_budget_is_off_here(enum hd_event_class event_class) {
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
  return !thread->counters && !hd_order_is_kept();
}

uint32_t hd_budget_unheard_here(struct hd_thread *thread) {
  const uint32_t muted = __atomic_load_n(&hd_budget.muted, __ATOMIC_RELAXED);
  return muted ? muted & off_here(thread) : 0;
}

bool hd_budget_is_restricted(struct hd_thread *thread, uint32_t classes) {
  const uint32_t off = off_here(thread);
  return (off | off >> HD_OPEN_SHIFT) & classes;
}

void hd_budget_mark(struct hd_row_record *row, uint32_t event_class) {
  if (!(row->refused >> event_class & 1))
    row->refused = (row->refused | 1u << event_class) & ((1u << (HD_REFUSED_SECTION + 1)) - 1);
}

static bool is_in(uint32_t classes, enum hd_event_class event_class) {
  return classes >> event_class & 1;
}

/* The first event that is refused must know the time, and so must all in a window and in a test's time. Of the others
 * few look at the clock; but each region does, which may last. */
static bool needs_clock(struct hd_thread *thread, enum hd_event_class event_class, bool was_off) {
  const bool is_real = __builtin_expect(thread == hd_thread_current, true);
  return !was_off || !is_real || event_class == HD_CLASS_REGION || !(thread->instruments & HD_INSTRUMENT_UNRESOLVED) ||
         ++thread->budget.refused % LOOK_EVERY == 0;
}

static uint64_t look(struct hd_thread *thread) {
  if (hd_steering_is_asked() && !hd_thread_is_at_work(thread))
    hd_steering_act(thread);
  const uint64_t now = hd_clock_now();
  if (hd_budget_is_due(now))
    hd_budget_do_what_is_due(now);
  return now;
}

bool hd_budget_refuse(enum hd_event_class event_class) {
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
  if (is_in(off, event_class))
    hd_unresolved_refuse(thread, event_class, now);
  else if (is_in(off >> HD_OPEN_SHIFT, event_class))
    hd_watch_begin(thread, off);
  return is_in(off, event_class);
}
