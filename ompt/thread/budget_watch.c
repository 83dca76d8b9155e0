/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Windows: in regions where classes of events are off they are on for a millisecond now and then. The distances are
 * random, so that nothing that a program does regularly is always missed, or always seen; and so long that windows take
 * a quarter of the budget if events cost in them what they did before they were switched off. If they cost more there
 * are fewer windows, down to what takes a quarter if events took all the time in them.
 *
 * While a class is off everywhere, because it was asked for, all windows are at the same time: in one, all classes are
 * on. */
#include "ompt/shared/measuring.h"
#include "ompt/thread/budget_internal.h"
#include "ompt/thread/budget_window.h"
#include "support/inprocess/heap.h"
#include "support/inprocess/keep_errno.h"

enum { OPEN_MS = 1, OF_BUDGET = 4, LIMIT_USUAL_PPM = 20000 };
#define PPM 1000000u

static bool is_off_there(const struct hd_budget_off *off, uint32_t profile) {
  return off->profile == profile && off->is_off;
}

static uint32_t off_there(uint32_t profile) {
  uint32_t classes = 0;
  for (const struct hd_budget_off *off = hd_budget_state.offs; off; off = off->next)
    classes |= is_off_there(off, profile) ? 1u << off->event_class : 0;
  return classes;
}

static uint64_t distance_for(uint64_t cost_ppm) {
  const uint64_t most = hd_budget_limit_ppm(), cost = cost_ppm < PPM ? cost_ppm : PPM;
  const uint64_t limit = most ? most : LIMIT_USUAL_PPM;
  return hd_budget_ms(OPEN_MS) * OF_BUDGET * (cost > limit ? cost : limit) / limit;
}

static uint64_t cost_there(uint32_t profile) {
  uint64_t cost_ppm = 0;
  for (const struct hd_budget_off *off = hd_budget_state.offs; off; off = off->next)
    cost_ppm += is_off_there(off, profile) ? off->cost_ppm : 0;
  return cost_ppm;
}

/* Of the common windows: where most is off besides. */
static uint64_t mean_distance(uint32_t profile) {
  uint64_t most = 0;
  for (const struct hd_budget_watch *watch = hd_budget_state.watches; watch && profile == HD_NONE; watch = watch->next)
    if (watch->profile != HD_NONE && cost_there(watch->profile) > most)
      most = cost_there(watch->profile);
  return distance_for(cost_there(profile) + most);
}

/* Knuth's MMIX. */
static uint64_t next_random(void) {
  hd_budget_state.random = hd_budget_state.random * 6364136223846793005u + 1442695040888963407u;
  return hd_budget_state.random >> 33;
}

/* Half of the mean at least, and as much more on average. */
static uint64_t random_distance(const struct hd_budget_watch *watch) {
  return watch->distance_ticks / 2 + (uint64_t)((double)watch->distance_ticks * (double)next_random() / 0x1p31);
}

static void open_window(struct hd_budget_watch *watch, uint64_t now) {
  const uint32_t classes = off_there(watch->profile);
  uint32_t *bits = hd_budget_bits_of(watch->profile);
  watch->change_ticks = classes ? now + hd_budget_ms(OPEN_MS) : UINT64_MAX;
  watch->is_open = classes;
  __atomic_fetch_add(bits, 1u << HD_WINDOW_SHIFT, __ATOMIC_RELEASE);
  __atomic_fetch_or(bits, classes << HD_OPEN_SHIFT, __ATOMIC_RELEASE);
  __atomic_fetch_and(bits, ~classes, __ATOMIC_RELEASE);
  hd_budget_unmute(classes);
}

static void close_window(struct hd_budget_watch *watch, uint64_t now) {
  const uint32_t classes = off_there(watch->profile);
  uint32_t *bits = hd_budget_bits_of(watch->profile);
  watch->is_open = false;
  watch->change_ticks = classes ? now + random_distance(watch) : UINT64_MAX;
  __atomic_fetch_or(bits, classes, __ATOMIC_RELEASE);
  __atomic_fetch_and(bits, ~(((1u << HD_OPEN_SHIFT) - 1) << HD_OPEN_SHIFT), __ATOMIC_RELEASE);
}

static struct hd_budget_watch *find(uint32_t profile) {
  struct hd_budget_watch *watch = hd_budget_state.watches;
  while (watch && watch->profile != profile)
    watch = watch->next;
  return watch;
}

/* NULL: nothing is off everywhere because it was asked for, so every profile has its own windows. */
static struct hd_budget_watch *find_common(void) {
  struct hd_budget_watch *watch = find(HD_NONE);
  return watch && watch->change_ticks != UINT64_MAX ? watch : NULL;
}

/* In tests nothing opens windows by itself. */
static bool has_windows(uint32_t profile) {
  const struct hd_budget_off *off = hd_budget_state.offs;
  while (off && !(is_off_there(off, profile) && off->is_asked))
    off = off->next;
  return profile != HD_NONE || off;
}

/* Without memory there are no windows. */
void hd_budget_watch_off(uint32_t profile, uint64_t now) {
  HD_KEEP_ERRNO;
  struct hd_budget_watch *watch = find(profile);
  if (!watch) {
    watch = hd_heap_allocate(1, sizeof *watch);
    if (!watch)
      return;
    watch->profile = profile;
    watch->change_ticks = UINT64_MAX;
    watch->next = hd_budget_state.watches;
    hd_budget_state.watches = watch;
    hd_budget_state.random += now;
  }
  watch->distance_ticks = mean_distance(profile);
  if (has_windows(profile) && (watch->is_open || watch->change_ticks == UINT64_MAX))
    close_window(watch, now);
  struct hd_budget_watch *common = find_common();
  if (!common)
    return;
  common->distance_ticks = mean_distance(HD_NONE);
  for (watch = hd_budget_state.watches; watch && !common->is_open; watch = watch->next)
    if (watch->is_open)
      close_window(watch, now);
}

void hd_budget_watch_on(uint32_t profile, uint32_t event_class) {
  __atomic_fetch_and(hd_budget_bits_of(profile), ~(1u << (event_class + HD_OPEN_SHIFT)), __ATOMIC_RELEASE);
}

void hd_budget_watch_less(void) {
  const uint64_t most = distance_for(PPM);
  for (struct hd_budget_watch *watch = hd_budget_state.watches; watch; watch = watch->next)
    watch->distance_ticks = 2 * watch->distance_ticks < most ? 2 * watch->distance_ticks : most;
}

/* All at once. What has nothing off any more has no windows from then on. */
static uint64_t change_all(struct hd_budget_watch *common, uint64_t now) {
  const bool is_open = common->is_open;
  if (now >= common->change_ticks)
    for (struct hd_budget_watch *watch = hd_budget_state.watches; watch; watch = watch->next)
      is_open ? close_window(watch, now) : open_window(watch, now);
  return common->change_ticks;
}

uint64_t hd_budget_watch_change(uint64_t now) {
  struct hd_budget_watch *common = find_common();
  uint64_t next = UINT64_MAX;
  if (common && (next = change_all(common, now)) != UINT64_MAX)
    return next;
  for (struct hd_budget_watch *watch = hd_budget_state.watches; watch; watch = watch->next) {
    if (now >= watch->change_ticks)
      watch->is_open ? close_window(watch, now) : open_window(watch, now);
    next = watch->change_ticks < next ? watch->change_ticks : next;
  }
  return next;
}

void hd_budget_watch_for_test(uint32_t event_class, bool is_open) {
  const uint32_t off = 1u << event_class, watched = off << HD_OPEN_SHIFT;
  __atomic_fetch_add(&hd_budget.everywhere, (uint32_t)is_open << HD_WINDOW_SHIFT, __ATOMIC_RELEASE);
  __atomic_fetch_or(&hd_budget.everywhere, is_open ? watched : off, __ATOMIC_RELEASE);
  __atomic_fetch_and(&hd_budget.everywhere, ~(is_open ? off : watched), __ATOMIC_RELEASE);
}
