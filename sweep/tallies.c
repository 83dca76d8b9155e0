/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sweep/tallies.h"

#include "sweep/tallies_internal.h"
#include "sweep/timeline.h"

/* ---- time and level ---- */

static inline struct hd_tally *find_or_add(struct hd_tallies *tallies, uint32_t profile, enum hd_tally_what what) {
  struct hd_tally *tally = hd_tallies_find(tallies, profile, what);
  return __builtin_expect(tally != NULL, true) ? tally : hd_tallies_add(tallies, profile, what);
}

static void advance(struct hd_tallies *tallies, uint64_t now) {
  if (now <= tallies->at)
    return;
  if (__builtin_expect(now >= tallies->bucket_end, false)) {
    hd_tallies_cross(tallies, now);
    return;
  }
  tallies->spent[tallies->level - tallies->first_level] += now - tallies->at;
  tallies->at = now;
}

/* In the middle of the window, so that it does not leave it again soon. */
static void place_window(struct hd_tallies *tallies) {
  tallies->first_level = tallies->level < HD_WINDOW / 2 ? 0 : tallies->level - HD_WINDOW / 2;
}

static void move_level(struct hd_tallies *tallies, uint32_t level) {
  tallies->level = level;
  if (__builtin_expect(level - tallies->first_level < HD_WINDOW, true))
    return;
  hd_tallies_settle(tallies);
  place_window(tallies);
}

/* ---- overlaps ---- */

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
      tallies->header->lost_overlap_ticks +=
          hd_overlaps_add(&tallies->overlaps, record->profile, other->profile, now > both ? now - both : 0);
  }
}

/* ---- counting ---- */

static void deactivate(struct hd_tallies *tallies, struct hd_tally *tally) {
  tally->record->active_ticks += tallies->at - tally->record->active_since_ticks;
  if (tally->record->what == HD_TALLY_BUSY)
    pair_up(tallies, tally, tallies->at);
  hd_tallies_unpair(tallies, tally);
}

/* The tally, ready to be changed; NULL: there was no space for it, which is counted. */
static inline struct hd_tally *open_tally(struct hd_tallies *tallies, uint32_t profile, enum hd_tally_what what) {
  struct hd_tally *tally = find_or_add(tallies, profile, what);
  if (!tally)
    return NULL;
  if (!hd_tallies_list(tallies, tally)) {
    hd_tallies_count_lost(tallies);
    return NULL;
  }
  hd_tallies_keep(tallies, tally);
  return tally;
}

void hd_tallies_enter(struct hd_tallies *tallies, uint32_t profile, enum hd_tally_what what) {
  struct hd_tally *tally = open_tally(tallies, profile, what);
  if (!tally)
    return;
  const uint64_t *restrict spent = tallies->spent;
  uint64_t *restrict owed = tally->owed->ticks;
  for (uint32_t i = 0; i < HD_WINDOW; i++)
    owed[i] -= spent[i];
  if (tally->record->count++ > 0)
    return;
  tally->record->active_since_ticks = tallies->at;
  hd_tallies_pair(tallies, tally);
}

void hd_tallies_leave(struct hd_tallies *tallies, uint32_t profile, enum hd_tally_what what) {
  struct hd_tally *tally = hd_tallies_find(tallies, profile, what);
  if (!tally || tally->record->count == 0) /* there was no space when it was entered */
    return;
  hd_tallies_keep(tallies, tally);
  const uint64_t *restrict spent = tallies->spent;
  uint64_t *restrict owed = tally->owed->ticks;
  for (uint32_t i = 0; i < HD_WINDOW; i++)
    owed[i] += spent[i];
  if (--tally->record->count == 0)
    deactivate(tallies, tally);
}

void hd_tallies_add_stretch(struct hd_tallies *tallies, uint32_t profile, uint32_t level, uint64_t ticks) {
  struct hd_tally *tally = open_tally(tallies, profile, HD_TALLY_BUSY);
  if (!tally)
    return;
  tally->owed->ticks[level - tallies->first_level] += ticks;
  if (tally->record->count > 0)
    return;
  tally->record->active_ticks += ticks;
  if (tallies->paired_count == HD_PAIRED_MOST)
    tally->record->unpaired_ticks += ticks;
  for (uint32_t i = 0; tallies->paired_count < HD_PAIRED_MOST && i < tallies->paired_count; i++)
    tallies->header->lost_overlap_ticks +=
        hd_overlaps_add(&tallies->overlaps, profile, tallies->paired[i]->record->profile, ticks);
}

static void count_busy(struct hd_tallies *tallies, uint32_t before, uint32_t after) {
  if (before == after)
    return;
  if (before != HD_NONE)
    hd_tallies_leave(tallies, before, HD_TALLY_BUSY);
  if (after != HD_NONE)
    hd_tallies_enter(tallies, after, HD_TALLY_BUSY);
  if (before == HD_NONE)
    move_level(tallies, tallies->level + 1);
  else if (after == HD_NONE)
    move_level(tallies, tallies->level - 1);
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
  advance(tallies, now);
  reach(tallies, ring, now);
  count_busy(tallies, ring->busy, transition->busy);
  ring->busy = transition->busy;
  if (__builtin_expect(transition->what == 0, true))
    return;
  const enum hd_what what = hd_what_of(transition);
  if (what == HD_WHAT_REGION_BEGIN)
    hd_tallies_enter(tallies, HD_WHAT_OPERAND(transition->what), HD_TALLY_ELAPSED);
  else if (what == HD_WHAT_REGION_END)
    hd_tallies_leave(tallies, HD_WHAT_OPERAND(transition->what), HD_TALLY_ELAPSED);
  hd_entries_apply(&tallies->entries, ring, transition,
                   tallies->instant->level_before > (ring->busy_before == HD_NONE ? 0 : 1));
}

/* ---- begin and end ---- */

void hd_tallies_init(struct hd_tallies *tallies, hd_record_allocator *allocate, void *context,
                     struct hd_file_header *header) {
  *tallies = (struct hd_tallies){.header = header, .journal = {.allocate = allocate, .context = context, .step = 1}};
  tallies->overlaps.journal = tallies->entries.journal = &tallies->journal;
  tallies->entries.header = header;
}

/* The records say where: all active tallies' are up to date until the same time. */
void hd_tallies_resume(struct hd_tallies *tallies) {
  tallies->at = tallies->instant->since_ticks;
  tallies->bucket = hd_timeline_bucket(tallies->timeline, &tallies->bucket_end);
  place_window(tallies);
}

bool hd_tallies_begin(struct hd_tallies *tallies, uint64_t begin_ticks) {
  tallies->timeline = hd_journal_add_record(&tallies->journal, HD_BLOCK_TIMELINE, sizeof *tallies->timeline);
  if (!tallies->timeline)
    return false;
  hd_timeline_begin(tallies->timeline, begin_ticks);
  tallies->at = begin_ticks;
  hd_tallies_enter(tallies, 0, HD_TALLY_PROGRAM);
  if (!tallies->instant)
    return false;
  tallies->instant->since_ticks = begin_ticks;
  hd_tallies_resume(tallies);
  return true;
}

void hd_tallies_end(struct hd_tallies *tallies, uint64_t now) {
  advance(tallies, now);
  hd_tallies_settle(tallies);
  for (uint32_t i = 0; i < tallies->listed_count; i++)
    if (tallies->listed[i]->record->what == HD_TALLY_BUSY)
      deactivate(tallies, tallies->listed[i]);
}
