/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/tallies.h"

#include <string.h>

#include "output/timeline.h"
#include "support/heap.h"

static void count_lost(struct hd_tallies *tallies) {
  tallies->header->lost_tallies++;
}

/* ---- sets ---- */

static struct hd_tally_set *set_of(struct hd_tallies *tallies, enum hd_tally_what what) {
  return what == HD_TALLY_BUSY ? &tallies->busy : what == HD_TALLY_ELAPSED ? &tallies->elapsed : &tallies->program;
}

/* Room for `needed` pointers, the new ones NULL. */
static bool grow(struct hd_tally ***array, uint32_t *limit, uint32_t needed) {
  if (needed <= *limit)
    return true;
  uint32_t wanted = *limit ? *limit : 16;
  while (wanted < needed)
    wanted *= 2;
  struct hd_tally **grown = hd_heap_resize(*array, wanted * sizeof *grown);
  if (!grown)
    return false;
  memset(grown + *limit, 0, (wanted - *limit) * sizeof *grown);
  *array = grown;
  *limit = wanted;
  return true;
}

static struct hd_tally *find(const struct hd_tally_set *set, uint32_t profile) {
  return profile < set->profile_limit ? set->by_profile[profile] : NULL;
}

struct hd_tally *hd_tallies_find(const struct hd_tallies *tallies, uint32_t profile, enum hd_tally_what what) {
  return find(what == HD_TALLY_BUSY      ? &tallies->busy
              : what == HD_TALLY_ELAPSED ? &tallies->elapsed
                                         : &tallies->program,
              profile);
}

static void add_active(struct hd_tallies *tallies, struct hd_tally_set *set, struct hd_tally *tally) {
  tally->place = set->active_count;
  set->active[set->active_count++] = tally;
  if (set != &tallies->busy || tallies->paired_count == HD_PAIRED_MOST)
    return;
  tally->paired_place = tallies->paired_count;
  tallies->paired[tallies->paired_count++] = tally;
}

static void remove_active(struct hd_tallies *tallies, struct hd_tally_set *set, struct hd_tally *tally) {
  struct hd_tally *last = set->active[--set->active_count];
  set->active[tally->place] = last;
  last->place = tally->place;
  if (tally->paired_place == HD_NONE)
    return;
  last = tallies->paired[--tallies->paired_count];
  tallies->paired[tally->paired_place] = last;
  last->paired_place = tally->paired_place;
  tally->paired_place = HD_NONE;
}

/* A tally that can be counted always has its place among the active ones reserved. */
static struct hd_tally *adopt(struct hd_tallies *tallies, struct hd_tally_record *record) {
  struct hd_tally_set *set = set_of(tallies, (enum hd_tally_what)record->what);
  struct hd_tally *tally = hd_heap_allocate(1, sizeof *tally);
  if (!tally || !grow(&set->by_profile, &set->profile_limit, record->profile + 1) ||
      !grow(&set->active, &set->active_limit, tallies->tally_count + 1)) {
    hd_heap_free(tally);
    return NULL;
  }
  if (record->what == HD_TALLY_PROGRAM)
    tallies->instant = record;
  tally->record = record;
  tally->index = tallies->tally_count++;
  tally->paired_place = HD_NONE;
  set->by_profile[record->profile] = tally;
  if (record->count > 0)
    add_active(tallies, set, tally);
  return tally;
}

/* The record is there for good even when there is no memory to go with it: nothing refers to it. */
static struct hd_tally *add(struct hd_tallies *tallies, uint32_t profile, enum hd_tally_what what) {
  struct hd_tally_record *record = tallies->allocate(tallies->context, HD_BLOCK_TALLIES, sizeof *record);
  if (!record)
    return NULL;
  record->profile = profile;
  record->what = what;
  struct hd_tally *tally = adopt(tallies, record);
  if (!tally)
    record->what = 0, tallies->tally_count++;
  return tally;
}

/* ---- time by level ---- */

static struct hd_level_record **room_for_level(struct hd_tally *tally, uint32_t index) {
  if (index >= tally->level_limit) {
    struct hd_level_record **levels = hd_heap_resize(tally->levels, (index + 1) * sizeof *levels);
    if (!levels)
      return NULL;
    memset(levels + tally->level_limit, 0, (index + 1 - tally->level_limit) * sizeof *levels);
    tally->levels = levels;
    tally->level_limit = index + 1;
  }
  return &tally->levels[index];
}

static struct hd_level_record *add_levels(struct hd_tallies *tallies, struct hd_tally *tally, uint32_t index) {
  struct hd_level_record **place = room_for_level(tally, index);
  struct hd_level_record *record = place ? tallies->allocate(tallies->context, HD_BLOCK_LEVELS, sizeof *record) : NULL;
  if (!record)
    return NULL;
  record->tally = tally->index;
  record->first = index * HD_LEVELS_PER_RECORD;
  return *place = record;
}

/* Adds the time since the tally was last touched, at the present level. */
static void settle(struct hd_tallies *tallies, struct hd_tally *tally, uint64_t now) {
  struct hd_tally_record *record = tally->record;
  const uint32_t index = tallies->level / HD_LEVELS_PER_RECORD;
  if (record->since_ticks >= now)
    return;
  struct hd_level_record *levels = index < tally->level_limit ? tally->levels[index] : NULL;
  if (!levels && !(levels = add_levels(tallies, tally, index)))
    count_lost(tallies);
  else
    levels->ticks[tallies->level % HD_LEVELS_PER_RECORD] += record->count * (now - record->since_ticks);
  record->since_ticks = now;
}

static void settle_active(struct hd_tallies *tallies, const struct hd_tally_set *set, uint64_t now) {
  for (uint32_t i = 0; i < set->active_count; i++)
    settle(tallies, set->active[i], now);
}

static void settle_all(struct hd_tallies *tallies, uint64_t now) {
  hd_timeline_add(tallies->timeline, now, tallies->level);
  settle_active(tallies, &tallies->program, now);
  settle_active(tallies, &tallies->elapsed, now);
  settle_active(tallies, &tallies->busy, now);
}

/* ---- overlaps ---- */

static void add_overlap(struct hd_tallies *tallies, uint32_t a, uint32_t b, uint64_t ticks) {
  struct hd_overlaps *overlaps = &tallies->overlaps;
  if (hd_overlaps_add(overlaps, a, b, ticks))
    return;
  if (hd_overlaps_are_full(overlaps))
    tallies->header->lost_overlap_ticks += hd_overlaps_give_up(overlaps);
  if (!hd_overlaps_add(overlaps, a, b, ticks))
    tallies->header->lost_overlap_ticks += ticks;
}

/* A profile is left by its last thread: with each of the others it was busy since the later of the two began. */
static void pair_up(struct hd_tallies *tallies, const struct hd_tally *tally, uint64_t now) {
  struct hd_tally_record *record = tally->record;
  const uint64_t since = record->active_since_ticks;
  if (tally->paired_place == HD_NONE)
    record->unpaired_ticks += now - since;
  for (uint32_t i = 0; tally->paired_place != HD_NONE && i < tallies->paired_count; i++) {
    const struct hd_tally_record *other = tallies->paired[i]->record;
    const uint64_t both = other->active_since_ticks > since ? other->active_since_ticks : since;
    if (other != record)
      add_overlap(tallies, record->profile, other->profile, now > both ? now - both : 0);
  }
}

/* ---- counting ---- */

static void activate(struct hd_tallies *tallies, struct hd_tally_set *set, struct hd_tally *tally, uint64_t now) {
  tally->record->active_since_ticks = tally->record->since_ticks = now;
  add_active(tallies, set, tally);
}

static void deactivate(struct hd_tallies *tallies, struct hd_tally_set *set, struct hd_tally *tally, uint64_t now) {
  tally->record->active_ticks += now - tally->record->active_since_ticks;
  if (set == &tallies->busy)
    pair_up(tallies, tally, now);
  remove_active(tallies, set, tally);
}

static void enter(struct hd_tallies *tallies, uint32_t profile, enum hd_tally_what what, uint64_t now) {
  struct hd_tally_set *set = set_of(tallies, what);
  struct hd_tally *tally = find(set, profile);
  if (!tally && !(tally = add(tallies, profile, what))) {
    count_lost(tallies);
    return;
  }
  if (tally->record->count == 0)
    activate(tallies, set, tally, now);
  else
    settle(tallies, tally, now);
  tally->record->count++;
}

static void leave(struct hd_tallies *tallies, uint32_t profile, enum hd_tally_what what, uint64_t now) {
  struct hd_tally_set *set = set_of(tallies, what);
  struct hd_tally *tally = find(set, profile);
  if (!tally || tally->record->count == 0) /* there was no space when it was entered */
    return;
  settle(tallies, tally, now);
  if (--tally->record->count == 0)
    deactivate(tallies, set, tally, now);
}

static void count_busy(struct hd_tallies *tallies, uint32_t before, uint32_t after, uint64_t now) {
  if ((before == HD_NONE) != (after == HD_NONE)) {
    settle_all(tallies, now);
    tallies->level += after == HD_NONE ? UINT32_MAX : 1;
  }
  if (before != after && before != HD_NONE)
    leave(tallies, before, HD_TALLY_BUSY, now);
  if (before != after && after != HD_NONE)
    enter(tallies, after, HD_TALLY_BUSY, now);
}

/* What was true just before an instant holds for all that happens in it, in whatever order it is taken. */
static void reach(struct hd_tallies *tallies, struct hd_ring_sweep *ring, uint64_t now) {
  if (tallies->instant->tick < now) {
    tallies->instant->tick = now;
    tallies->instant->level_before = tallies->level;
  }
  if (ring->tick < now) {
    ring->tick = now;
    ring->busy_before = ring->busy;
  }
}

void hd_tallies_apply(struct hd_tallies *tallies, const struct hd_transition *transition, struct hd_ring_sweep *ring) {
  const uint64_t now = transition->ticks;
  reach(tallies, ring, now);
  count_busy(tallies, ring->busy, transition->busy, now);
  ring->busy = transition->busy;
  if (__builtin_expect(transition->what == 0, true))
    return;
  const uint32_t what = transition->what >> HD_WHAT_SHIFT;
  if (what == HD_WHAT_REGION_BEGIN)
    enter(tallies, HD_WHAT_OPERAND(transition->what), HD_TALLY_ELAPSED, now);
  else if (what == HD_WHAT_REGION_END)
    leave(tallies, HD_WHAT_OPERAND(transition->what), HD_TALLY_ELAPSED, now);
  hd_entries_apply(&tallies->entries, ring, transition,
                   tallies->instant->level_before > (ring->busy_before == HD_NONE ? 0 : 1));
}

/* ---- begin and end ---- */

bool hd_tallies_begin(struct hd_tallies *tallies, uint64_t begin_ticks) {
  tallies->timeline = tallies->allocate(tallies->context, HD_BLOCK_TIMELINE, sizeof *tallies->timeline);
  if (!tallies->timeline)
    return false;
  hd_timeline_begin(tallies->timeline, begin_ticks);
  enter(tallies, 0, HD_TALLY_PROGRAM, begin_ticks);
  return tallies->program.active_count == 1;
}

void hd_tallies_end(struct hd_tallies *tallies, uint64_t now) {
  settle_all(tallies, now);
  while (tallies->busy.active_count > 0)
    deactivate(tallies, &tallies->busy, tallies->busy.active[0], now);
}

bool hd_tallies_restore(struct hd_tallies *tallies, struct hd_tally_record *record) {
  return adopt(tallies, record) != NULL;
}

bool hd_tallies_restore_levels(struct hd_tallies *tallies, uint32_t profile, enum hd_tally_what what,
                               struct hd_level_record *record) {
  struct hd_tally *tally = hd_tallies_find(tallies, profile, what);
  struct hd_level_record **place = tally ? room_for_level(tally, record->first / HD_LEVELS_PER_RECORD) : NULL;
  if (!place)
    return false;
  *place = record;
  return true;
}

static void free_set(struct hd_tally_set *set) {
  for (uint32_t i = 0; i < set->profile_limit; i++) {
    if (set->by_profile[i])
      hd_heap_free(set->by_profile[i]->levels);
    hd_heap_free(set->by_profile[i]);
  }
  hd_heap_free(set->by_profile);
  hd_heap_free(set->active);
}

void hd_tallies_free(struct hd_tallies *tallies) {
  free_set(&tallies->program);
  free_set(&tallies->busy);
  free_set(&tallies->elapsed);
  hd_overlaps_free(&tallies->overlaps);
  hd_entries_free(&tallies->entries);
}
