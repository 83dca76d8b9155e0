/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What `heddle ctl` asks of the budget. */
#include "ompt/shared/measuring.h"
#include "ompt/thread/budget_internal.h"

bool hd_budget_ask_off(const struct hd_thread *thread, enum hd_event_class event_class, uint64_t cost_ppm,
                       uint64_t now) {
  if (!hd_budget_lock())
    return false;
  struct hd_budget_off *off = hd_budget_state.closed ? NULL : hd_budget_find_off(HD_NONE, event_class);
  if (off && !off->is_off) {
    off->is_asked = true;
    off->length_ticks = INT64_MAX;
    off->cost_ppm = cost_ppm;
    hd_budget_begin_off(thread, off, now, cost_ppm);
  }
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
