/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/thread/budget_window.h"

#include <string.h>

/* In its first slot a thread looks more often: what costs much then is to go off soon. */
enum { SLOT_MS = 50, FIRST_LOOKS_MS = 10, WINDOW_MS = HD_BUDGET_WINDOW_MS };
_Static_assert(HD_BUDGET_SLOTS > WINDOW_MS / SLOT_MS, "the ring holds a window");
enum { FADES = 8 }; /* with each boundary a sample loses a part of so many */
/* Samples of different kinds come together, when their constructs' turn has come: so close they count as one. */
enum { TOGETHER_MS = 1 };

static uint64_t ticks_per_ms;

void hd_budget_window_init(uint64_t ticks) {
  ticks_per_ms = ticks;
}

uint64_t hd_budget_ms(uint64_t count) {
  return count * ticks_per_ms;
}

/* ---- what events cost ---- */

uint32_t hd_budget_class_of(enum hd_event_kind kind) {
#define CLASS(name, id, class) HD_CLASS_##class,
  static const uint8_t classes[HD_EVENT_KINDS] = {HD_EVENT_TABLE(CLASS)};
  return classes[kind];
}

/* A region's last barrier is told like all others and not switched off with them: its cost is the region's. There is
 * one for each implicit task. */
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
    window->spent[HD_CLASS_REGION] += fixed * costs[kind].ticks;
    window->spent[hd_budget_class_of(kind)] += (fresh[kind] - fixed) * costs[kind].ticks;
  }
}

void hd_budget_window_spend(struct hd_budget_window *window, enum hd_event_kind kind, uint64_t ticks) {
  window->spent[hd_budget_class_of(kind)] += ticks;
}

/* ---- boundaries ---- */

static const struct hd_budget_boundary *boundary(const struct hd_budget_window *window, uint64_t number) {
  return &window->ring[number % HD_BUDGET_SLOTS];
}

static void add_boundary(struct hd_budget_window *window, uint64_t now) {
  struct hd_budget_boundary *added = &window->ring[window->boundary_count++ % HD_BUDGET_SLOTS];
  added->ticks = now;
  memcpy(added->spent, window->spent, sizeof added->spent);
  window->due_ticks = now + hd_budget_ms(SLOT_MS);
}

static void fade(struct hd_budget_window *window) {
  for (uint32_t i = 0; i < HD_BUDGET_PLACES; i++) {
    struct hd_budget_place *place = &window->places[i];
    for (uint32_t c = 0; c < HD_CLASS_COUNT; c++)
      place->spent[c] -= place->spent[c] / FADES;
    place->followed_spent -= place->followed_spent / FADES;
    place->followed_ticks -= place->followed_ticks / FADES;
  }
}

void hd_budget_window_begin(struct hd_budget_window *window, const struct hd_event_cost costs[HD_EVENT_KINDS],
                            uint64_t now) {
  for (uint32_t kind = 0; kind < HD_EVENT_KINDS; kind++)
    window->seen[kind] = costs[kind].count;
  add_boundary(window, now);
  window->due_ticks = now + hd_budget_ms(FIRST_LOOKS_MS);
}

static bool is_in_first_slot(const struct hd_budget_window *window, uint64_t now) {
  return window->boundary_count == 1 && now < window->ring[0].ticks + hd_budget_ms(SLOT_MS);
}

void hd_budget_window_add(struct hd_budget_window *window, const struct hd_event_cost costs[HD_EVENT_KINDS],
                          uint64_t now) {
  spend(window, costs);
  if (is_in_first_slot(window, now)) {
    window->due_ticks = now + hd_budget_ms(FIRST_LOOKS_MS);
    return;
  }
  add_boundary(window, now);
  fade(window);
}

void hd_budget_window_forget(struct hd_budget_window *window, enum hd_event_class event_class, uint32_t epoch) {
  if (window->epochs[event_class] == epoch)
    return;
  window->epochs[event_class] = epoch;
  for (uint32_t i = 0; i < HD_BUDGET_SLOTS; i++)
    window->ring[i].spent[event_class] = window->spent[event_class];
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

void hd_budget_window_costs(const struct hd_budget_window *window, uint64_t now, struct hd_budget_costs *costs) {
  const uint64_t first = boundary(window, 0)->ticks, width = hd_budget_ms(WINDOW_MS);
  const bool is_young = window->boundary_count < HD_BUDGET_SLOTS && now - first < width;
  const uint64_t begin = is_young ? first : now - width;
  *costs = (struct hd_budget_costs){.ticks = now - begin};
  for (uint32_t c = 0; c < HD_BUDGET_CLASSES; c++) {
    costs->by_class[c] = window->spent[c] - spent_at(window, begin, c);
    costs->all += costs->by_class[c];
  }
}

/* ---- where ---- */

static void add(uint32_t *to, uint64_t ticks) {
  *to = ticks < UINT32_MAX - *to ? *to + (uint32_t)ticks : UINT32_MAX;
}

static uint64_t weight_of(const struct hd_budget_place *place) {
  uint64_t sum = 0;
  for (uint32_t c = 0; c < HD_CLASS_COUNT; c++)
    sum += place->spent[c];
  return sum;
}

/* If it has no place yet it gets the one with least samples. */
static struct hd_budget_place *find_place(struct hd_budget_window *window, uint32_t profile) {
  struct hd_budget_place *least = &window->places[0];
  for (uint32_t i = 0; i < HD_BUDGET_PLACES; i++) {
    struct hd_budget_place *place = &window->places[i];
    if (place->profile == profile)
      return place;
    if (weight_of(place) < weight_of(least))
      least = place;
  }
  *least = (struct hd_budget_place){.profile = profile};
  return least;
}

void hd_budget_window_sample(struct hd_budget_window *window, uint32_t profile, enum hd_event_kind kind, uint64_t ticks,
                             uint64_t now) {
  const uint32_t class = hd_budget_class_of(kind);
  if (class == HD_CLASS_FIXED)
    return;
  struct hd_budget_place *place = find_place(window, profile);
  add(&place->spent[class], ticks);
  if (class == HD_CLASS_REGION) /* it may be elsewhere when it ends */
    return;
  if (window->last_place != profile || now >= window->last_ticks + hd_budget_ms(TOGETHER_MS)) {
    window->follows = window->last_ticks > 0 && window->last_place == profile;
    add(&place->followed_ticks, window->follows ? now - window->last_ticks : 0);
    window->last_place = profile;
    window->last_ticks = now;
  }
  add(&place->followed_spent, window->follows ? ticks : 0);
}
