/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is off belongs to a region: what becomes of it when such a region begins and ends; and what regions themselves
 * cost. */
#include "callpath/callpath.h"
#include "ompt/thread/budget_internal.h"
#include "ompt/thread/registry.h"
#include "ompt/thread/team.h"
#include "ompt/thread/thread.h"

/* Outermost regions between a class's going off and its being muted: a program that has many will have another soon, at
 * whose begin it can be heard of again. */
enum { REGIONS_BEFORE_MUTE = 8 };

/* Regions go off when they alone cost so many times the budget: what threads do at the same time is exact as long as
 * all regions are observed. */
enum { OF_REGIONS = 5 };
/* With outermost regions nested ones go off, which cannot go off alone; but not because of a few with many in them. */
enum { OF_NESTED = 4 };

/* Only where other processors see stores in their order: budget.h. */
#if defined(__x86_64__)
enum { MAY_MUTE = 1 };
#else
enum { MAY_MUTE = 0 };
#endif
static const uint32_t mutable = 1u << HD_CLASS_MUTEX | 1u << HD_CLASS_WORK;

/* But for the region itself, which has just begun or is about to end. */
static bool is_in_construct(const struct hd_thread *thread) {
  for (uint32_t kind = 0; kind < HD_KIND_COUNT; kind++) {
    const uint32_t innermost = thread->innermost[kind];
    const uint32_t around = kind == HD_KIND_PARALLEL ? thread->frames[innermost].outer : innermost;
    if (kind != HD_KIND_ROUTINE && kind != HD_KIND_PHASE && around)
      return true;
  }
  return false;
}

static uint32_t off_in(uint32_t profile) {
  return hd_budget_off_at(hd_callpath_record(profile)) & HD_OFF_MASK;
}

struct muting {
  uint32_t profile;
  uint32_t classes;
};

static void mute(void *data) {
  const struct muting *muting = data;
  hd_callpath_mark_unheard(muting->profile, muting->classes);
  hd_budget_state.mute(muting->classes, true);
  __atomic_store_n(&hd_budget.muted, hd_budget.muted | muting->classes, __ATOMIC_RELAXED);
}

static void mute_if_alone(const struct hd_thread *thread, uint32_t profile, uint32_t off) {
  struct muting muting = {profile, off & mutable & ~hd_budget.muted};
  if (MAY_MUTE && muting.classes && !hd_budget_state.closed && ++hd_budget_state.regions > REGIONS_BEFORE_MUTE)
    hd_registry_while_alone(thread, mute, &muting);
}

static void come_back(uint32_t profile, uint64_t now) {
  for (struct hd_budget_off *off = hd_budget_state.offs; off; off = off->next)
    if (off->profile == profile)
      hd_budget_come_back(off, now);
}

static void go_apart(uint32_t profile, uint64_t now) {
  for (struct hd_budget_off *off = hd_budget_state.offs; off; off = off->next)
    if (off->profile == profile && off->is_off && !off->apart_ticks)
      off->apart_ticks = now;
}

void hd_budget_begin_region(const struct hd_thread *thread, uint64_t now) {
  const uint32_t profile = hd_budget_place(thread), off = off_in(profile);
  if ((!off && !__atomic_load_n(&hd_budget.muted, __ATOMIC_RELAXED)) || !hd_budget_lock())
    return;
  hd_budget_unmute(~off);
  come_back(profile, now);
  if (!is_in_construct(thread))
    mute_if_alone(thread, profile, off);
  hd_budget_unlock();
}

/* With one initial thread no other such region can be running. */
void hd_budget_end_region(const struct hd_thread *thread, uint64_t now) {
  const uint32_t profile = hd_budget_place(thread);
  if (!off_in(profile) || is_in_construct(thread) || !hd_budget_lock())
    return;
  hd_budget_unmute(UINT32_MAX);
  if (hd_registry_while_alone(thread, NULL, NULL))
    go_apart(profile, now);
  hd_budget_unlock();
}

/* ---- what regions themselves cost ---- */

uint32_t hd_budget_place_of_region(const struct hd_thread *thread, enum hd_event_kind kind) {
  const struct hd_known_region *region = hd_team_current(thread);
  const bool is_nested = region && (kind == HD_EVENT_PARALLEL_END || region->outer_profile || region->encloses_itself);
  return is_nested ? region->profile : HD_PROGRAM_PROFILE;
}

uint64_t hd_budget_cost_of_regions(const struct hd_thread *thread, const struct hd_budget_costs *costs,
                                   uint64_t limit_ticks) {
  uint64_t sampled = 0, outermost = 0;
  for (uint32_t i = 0; i < HD_BUDGET_PLACES; i++) {
    const struct hd_budget_place *place = &thread->budget.places[i];
    sampled += place->spent[HD_CLASS_REGION];
    outermost += place->profile == HD_PROGRAM_PROFILE ? place->spent[HD_CLASS_REGION] : 0;
  }
  const uint64_t cost = costs->by_class[HD_CLASS_REGION];
  const bool is_flood = outermost > 0 && outermost * OF_NESTED >= sampled && cost > OF_REGIONS * limit_ticks;
  return is_flood && hd_budget_may_refuse_regions(thread) ? cost : 0;
}
