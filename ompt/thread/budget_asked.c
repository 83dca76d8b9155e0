/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is asked of the budget: by `heddle ctl`, or from the start. */
#include "callpath/callpath.h"
#include "ompt/shared/measuring.h"
#include "ompt/thread/budget_internal.h"

/* What a class is taken to cost that nobody has seen: windows take a fortieth of the time then. */
enum { UNKNOWN_COST_PPM = 200000 };

/* NULL: nothing is switched any more, or no memory. */
static struct hd_budget_off *find(enum hd_event_class event_class) {
  return hd_budget_state.closed ? NULL : hd_budget_find_off(HD_NONE, event_class);
}

/* `cost_ppm` 0: what it had cost the last time, if it was off before. */
static void begin(const struct hd_thread *thread, struct hd_budget_off *off, bool in_part, uint64_t cost_ppm,
                  uint64_t now) {
  off->is_asked = true;
  off->in_part = in_part;
  off->length_ticks = INT64_MAX;
  if (cost_ppm > 0 || off->cost_ppm == 0)
    off->cost_ppm = cost_ppm > 0 ? cost_ppm : UNKNOWN_COST_PPM;
  hd_budget_begin_off(thread, off, now, cost_ppm);
}

/* What is spared says nothing while the class is on. */
static void begin_off(const struct hd_thread *thread, enum hd_event_class event_class, uint64_t cost_ppm,
                      uint64_t now) {
  struct hd_budget_off *off = find(event_class);
  if (!off || (off->is_off && !off->in_part))
    return;
  hd_callpath_spare(HD_PROGRAM_PROFILE, 1u << event_class, false, now);
  if (off->is_off)
    hd_budget_change_off(thread, off, false, true, now);
  else
    begin(thread, off, false, cost_ppm, now);
}

bool hd_budget_ask_off(const struct hd_thread *thread, enum hd_event_class event_class, uint64_t cost_ppm,
                       uint64_t now) {
  if (!hd_budget_lock())
    return false;
  begin_off(thread, event_class, cost_ppm, now);
  hd_budget_unlock();
  return true;
}

/* Of a class that is on all are spared but those: so off in part is off everywhere else. */
static void begin_off_under(const struct hd_thread *thread, struct hd_budget_off *off, uint32_t profile, uint64_t now) {
  const uint32_t bit = 1u << off->event_class;
  if (!off->is_off)
    hd_callpath_spare(HD_PROGRAM_PROFILE, bit, true, now);
  hd_callpath_spare(profile, bit, false, now);
  if (!off->is_off)
    begin(thread, off, true, 0, now);
  else if (off->in_part)
    hd_budget_change_off(thread, off, true, true, now);
}

static void end_off_under(const struct hd_thread *thread, struct hd_budget_off *off, uint32_t profile, uint64_t now) {
  for (struct hd_budget_off *at = hd_budget_state.offs; at; at = at->next)
    if (at->is_off && at->event_class == off->event_class && at->profile != HD_NONE &&
        hd_callpath_is_under(at->profile, profile))
      hd_budget_end_off(at, now);
  if (off->is_off) {
    hd_callpath_spare(profile, 1u << off->event_class, true, now);
    hd_budget_change_off(thread, off, true, false, now);
  }
  hd_budget_look_over(now);
}

bool hd_budget_ask_under(const struct hd_thread *thread, enum hd_event_class event_class, uint32_t profile, bool off,
                         uint64_t now) {
  if (!hd_budget_lock())
    return false;
  struct hd_budget_off *found = find(event_class);
  if (found && off)
    begin_off_under(thread, found, profile, now);
  else if (found)
    end_off_under(thread, found, profile, now);
  hd_budget_unlock();
  return true;
}

/* Those that it was asked for, or those of the budget. */
static void end_all(uint32_t classes, bool asked_too, uint64_t now) {
  for (struct hd_budget_off *off = hd_budget_state.offs; off && !hd_budget_state.closed; off = off->next)
    if (off->is_off && (classes >> off->event_class & 1) && (asked_too || !off->is_asked))
      hd_budget_end_off(off, now);
  hd_budget_look_over(now);
}

bool hd_budget_ask_on(enum hd_event_class event_class, uint64_t now) {
  if (!hd_budget_lock())
    return false;
  end_all(1u << event_class, true, now);
  hd_budget_unlock();
  return true;
}

bool hd_budget_ask_only(const struct hd_thread *thread, uint32_t classes, uint64_t now) {
  if (!hd_budget_lock())
    return false;
  end_all(classes, true, now);
  for (uint32_t c = 0; c < HD_CLASS_COUNT; c++)
    if (!(classes >> c & 1))
      begin_off(thread, c, 0, now);
  hd_budget_unlock();
  return true;
}

bool hd_budget_ask_limit(uint64_t limit_ppm, uint64_t now) {
  if (!hd_budget_lock())
    return false;
  __atomic_store_n(&hd_budget.limit_ppm, (uint32_t)limit_ppm, __ATOMIC_RELAXED);
  hd_store.header->budget_ppm = limit_ppm;
  if (limit_ppm == 0)
    end_all(UINT32_MAX, false, now);
  hd_budget_unlock();
  return true;
}
