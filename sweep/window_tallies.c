/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <string.h>

#include "sweep/tallies.h"
#include "sweep/window_internal.h"

enum {
  TALLY_SLOTS = sizeof(((struct hd_window *)0)->tally_slots),
  PAIR_SLOTS = sizeof(((struct hd_window *)0)->pair_slots) / sizeof(uint16_t),
  TALLIES_SOON = HD_WINDOW_TALLIES - 24, /* one transition may need three */
  TALLIES_AT_ONCE = HD_WINDOW_TALLIES - 4,
  PAIRS_SOON = HD_WINDOW_PAIRS - 3 * HD_PAIRED_MOST / 2, /* or HD_PAIRED_MOST pairs */
  PAIRS_AT_ONCE = HD_WINDOW_PAIRS - HD_PAIRED_MOST
};
_Static_assert((int)HD_WINDOW_TALLIES < UINT8_MAX, "numbers fit the slots");

/* ---- finding ---- */

static bool pair(struct hd_window *window, struct hd_window_tally *tally) {
  tally->paired_place = HD_NONE;
  if (window->paired_count == HD_PAIRED_MOST)
    return false;
  tally->paired_place = window->paired_count;
  window->paired[window->paired_count++] = tally;
  return true;
}

static void unpair(struct hd_window *window, struct hd_window_tally *tally) {
  if (tally->paired_place == HD_NONE)
    return;
  struct hd_window_tally *last = window->paired[--window->paired_count];
  window->paired[tally->paired_place] = last;
  last->paired_place = tally->paired_place;
  tally->paired_place = HD_NONE;
}

/* Busy profiles are nearly all paired, and then they are there before they are looked for. */
static uint32_t count_at_begin(const struct hd_window *window, uint32_t profile) {
  const struct hd_tally *tally = window->committed ? hd_tallies_find(window->committed, profile, HD_TALLY_BUSY) : NULL;
  return tally ? tally->record->count : 0;
}

static struct hd_window_tally *add(struct hd_window *window, uint8_t *slot, uint32_t profile, enum hd_tally_what what) {
  struct hd_window_tally *tally = &window->tallies[window->tally_count++];
  *slot = (uint8_t)window->tally_count;
  *tally = (struct hd_window_tally){.profile = profile, .what = what, .paired_place = HD_NONE, .since = window->from};
  if (what == HD_TALLY_BUSY)
    tally->count = tally->start = count_at_begin(window, profile);
  tally->carried = tally->count > 0;
  if (__builtin_expect(window->tally_count > TALLIES_AT_ONCE, false))
    hd_window_end_at_once(window);
  else if (__builtin_expect(window->tally_count > TALLIES_SOON, false))
    hd_window_end_soon(window);
  return tally;
}

struct hd_window_tally *hd_window_tally(struct hd_window *window, uint32_t profile, enum hd_tally_what what) {
  uint32_t i = (profile * 2 + what) % TALLY_SLOTS;
  for (; window->tally_slots[i]; i = (i + 1) % TALLY_SLOTS) {
    struct hd_window_tally *tally = &window->tallies[window->tally_slots[i] - 1];
    if (tally->profile == profile && tally->what == what)
      return tally;
  }
  return add(window, &window->tally_slots[i], profile, what);
}

void hd_window_list(struct hd_window *window, struct hd_window_tally *tally) {
  tally->listed = true;
  window->listed[window->listed_count++] = tally;
  hd_window_check_cells(window);
}

/* ---- the begin ---- */

static void begin_as_committed(struct hd_window *window) {
  const struct hd_tallies *committed = window->committed;
  for (uint32_t i = 0; i < committed->paired_count; i++) {
    struct hd_window_tally *tally = hd_window_tally(window, committed->paired[i]->record->profile, HD_TALLY_BUSY);
    tally->was_paired = true;
    pair(window, tally);
  }
}

void hd_window_begin_tallies(struct hd_window *window) {
  window->tally_count = window->pair_count = window->listed_count = window->paired_count = 0;
  window->newest = NULL;
  memset(window->tally_slots, 0, sizeof window->tally_slots);
  memset(window->pair_slots, 0, sizeof window->pair_slots);
  if (window->committed)
    begin_as_committed(window);
}

/* Threads of a team are mostly busy in the same profile. */
void hd_window_begin_busy(struct hd_window *window, const uint32_t *states, uint32_t count) {
  struct hd_window_tally *tally = NULL;
  for (uint32_t i = 0; i < count; i++) {
    if (states[i] == HD_NONE)
      continue;
    if (!tally || tally->profile != states[i])
      tally = hd_window_tally(window, states[i], HD_TALLY_BUSY);
    if (!tally->carried) {
      tally->carried = tally->was_paired = true;
      if (!pair(window, tally)) {
        window->is_crowded = true;
        return;
      }
    }
    tally->start = ++tally->count;
    window->level++;
  }
  hd_window_place_levels(window);
}

/* ---- overlaps ---- */

static struct hd_window_pair *find_pair(struct hd_window *window, uint32_t a, uint32_t b) {
  struct hd_window_pair *newest = window->newest;
  if (newest && newest->a == a && newest->b == b)
    return newest;
  uint32_t i = (a * 31 + b) % PAIR_SLOTS;
  for (; window->pair_slots[i]; i = (i + 1) % PAIR_SLOTS) {
    struct hd_window_pair *known = &window->pairs[window->pair_slots[i] - 1];
    if (known->a == a && known->b == b)
      return window->newest = known;
  }
  struct hd_window_pair *made = &window->pairs[window->pair_count++];
  *made = (struct hd_window_pair){.a = a, .b = b};
  window->pair_slots[i] = (uint16_t)window->pair_count;
  return window->newest = made;
}

/* A profile is left by its last thread: with each of the others it was busy since the later of the two began. */
static void pair_up(struct hd_window *window, const struct hd_window_tally *tally) {
  const uint64_t now = window->at;
  for (uint32_t i = 0; i < window->paired_count; i++) {
    const struct hd_window_tally *other = window->paired[i];
    if (other == tally)
      continue;
    const bool carried = tally->carried && other->carried;
    const uint64_t since =
        tally->carried || (!other->carried && other->since > tally->since) ? other->since : tally->since;
    if (!carried && since == now)
      continue;
    const uint32_t a = tally->profile, b = other->profile;
    struct hd_window_pair *both = find_pair(window, a < b ? a : b, a < b ? b : a);
    if (carried) {
      both->has_ended = true;
      both->ended = now;
    } else {
      both->ticks += now - since;
    }
  }
  if (__builtin_expect(window->pair_count > PAIRS_AT_ONCE, false))
    hd_window_end_at_once(window);
  else if (__builtin_expect(window->pair_count > PAIRS_SOON, false))
    hd_window_end_soon(window);
}

/* ---- counting ---- */

void hd_window_activate(struct hd_window *window, struct hd_window_tally *tally) {
  tally->since = window->at;
  pair(window, tally);
}

void hd_window_deactivate(struct hd_window *window, struct hd_window_tally *tally) {
  const uint64_t now = window->at;
  const bool is_paired = tally->paired_place != HD_NONE;
  if (tally->carried) {
    tally->has_ended = true;
    tally->ended = now;
  } else {
    tally->active += now - tally->since;
    tally->unpaired += is_paired ? 0 : now - tally->since;
  }
  if (is_paired)
    pair_up(window, tally);
  tally->carried = false;
  unpair(window, tally);
}

/* ---- instances ---- */

/* Whether any ran at the begin is not known: with c of them, none runs while the count is -c, its least. */

static struct hd_window_tally *change_region(struct hd_window *window, uint32_t profile) {
  struct hd_window_tally *tally = hd_window_tally(window, profile, HD_TALLY_ELAPSED);
  if (!tally->listed)
    hd_window_list(window, tally);
  return tally;
}

void hd_window_begin_region(struct hd_window *window, uint32_t profile) {
  struct hd_window_tally *tally = change_region(window, profile);
  for (uint32_t i = 0; i < HD_WINDOW_LEVELS; i++)
    tally->owed[i] -= window->spent[i];
  if ((int32_t)tally->count++ != tally->least)
    return;
  tally->active += window->at - tally->since;
  tally->since = window->at;
}

void hd_window_end_region(struct hd_window *window, uint32_t profile) {
  struct hd_window_tally *tally = change_region(window, profile);
  for (uint32_t i = 0; i < HD_WINDOW_LEVELS; i++)
    tally->owed[i] += window->spent[i];
  const int32_t count = (int32_t)--tally->count;
  if (count < tally->least) {
    tally->least = count;
    tally->active = 0;
  }
  if (count == tally->least)
    tally->since = window->at;
}
