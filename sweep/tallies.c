/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sweep/tallies.h"

#include <string.h>

#include "support/inprocess/heap.h"
#include "sweep/timeline.h"

enum { LISTED_MOST = 32 }; /* more only if they count */

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

static void settle_all(struct hd_tallies *tallies);

static bool find_owed(struct hd_tallies *tallies) {
  if (!tallies->free_owed)
    tallies->free_owed = hd_heap_allocate(1, sizeof *tallies->free_owed);
  return tallies->free_owed;
}

/* It will have to be settled. There is room again when the others are settled, unless all of them still count, as they
 * do while they are restored: there is no timeline then. */
static bool list_anew(struct hd_tallies *tallies, struct hd_tally *tally) {
  if (!tallies->free_owed && tallies->listed_count >= LISTED_MOST && tallies->timeline)
    settle_all(tallies);
  if (!find_owed(tallies))
    return false;
  struct hd_tally_owed *owed = tallies->free_owed;
  tallies->free_owed = owed->next;
  *owed = (struct hd_tally_owed){0};
  tally->owed = owed;
  tallies->listed[tallies->listed_count++] = tally;
  return true;
}

static inline bool list(struct hd_tallies *tallies, struct hd_tally *tally) {
  return __builtin_expect(tally->owed != NULL, true) || list_anew(tallies, tally);
}

static void unlist(struct hd_tallies *tallies, struct hd_tally *tally) {
  tally->owed->next = tallies->free_owed;
  tallies->free_owed = tally->owed;
  tally->owed = NULL;
}

static void pair(struct hd_tallies *tallies, struct hd_tally *tally) {
  if (tally->record->what != HD_TALLY_BUSY || tallies->paired_count == HD_PAIRED_MOST)
    return;
  tally->paired_place = tallies->paired_count;
  tallies->paired[tallies->paired_count++] = tally;
}

static void unpair(struct hd_tallies *tallies, struct hd_tally *tally) {
  if (tally->paired_place == HD_NONE)
    return;
  struct hd_tally *last = tallies->paired[--tallies->paired_count];
  tallies->paired[tally->paired_place] = last;
  last->paired_place = tally->paired_place;
  tally->paired_place = HD_NONE;
}

/* A tally that can be counted always has its place in the list reserved. */
static struct hd_tally *adopt(struct hd_tallies *tallies, struct hd_tally_record *record) {
  struct hd_tally_set *set = set_of(tallies, (enum hd_tally_what)record->what);
  struct hd_tally *tally = hd_heap_allocate(1, sizeof *tally);
  if (!tally || !grow(&set->by_profile, &set->profile_limit, record->profile + 1) ||
      !grow(&tallies->listed, &tallies->listed_limit, tallies->tally_count + 1)) {
    hd_heap_free(tally);
    return NULL;
  }
  if (record->what == HD_TALLY_PROGRAM) {
    tallies->instant = record;
    tallies->whole = tally;
  }
  tally->record = record;
  tally->index = tallies->tally_count++;
  tally->paired_place = HD_NONE;
  set->by_profile[record->profile] = tally;
  if (record->count > 0) {
    if (!list(tallies, tally))
      return NULL;
    pair(tallies, tally);
  }
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

static struct hd_tally *add_or_lose(struct hd_tallies *tallies, uint32_t profile, enum hd_tally_what what) {
  struct hd_tally *tally = add(tallies, profile, what);
  if (!tally)
    count_lost(tallies);
  return tally;
}

static inline struct hd_tally *find_or_add(struct hd_tallies *tallies, uint32_t profile, enum hd_tally_what what) {
  struct hd_tally *tally = find(set_of(tallies, what), profile);
  return __builtin_expect(tally != NULL, true) ? tally : add_or_lose(tallies, profile, what);
}

/* From its count on, all of the record may change. */
static void keep(struct hd_tallies *tallies, struct hd_tally *tally) {
  enum {
    FIRST = offsetof(struct hd_tally_record, count),
    WORDS = (sizeof(struct hd_tally_record) - FIRST) / sizeof(uint64_t)
  };
  hd_journal_keep_once(&tallies->journal, &tally->kept_in, (const char *)tally->record + FIRST, WORDS);
}

/* ---- time by level ---- */

static struct hd_tally_levels *room_for_levels(struct hd_tally *tally, uint32_t index) {
  if (index >= tally->level_limit) {
    struct hd_tally_levels *levels = hd_heap_resize(tally->levels, (index + 1) * sizeof *levels);
    if (!levels)
      return NULL;
    memset(levels + tally->level_limit, 0, (index + 1 - tally->level_limit) * sizeof *levels);
    tally->levels = levels;
    tally->level_limit = index + 1;
  }
  return &tally->levels[index];
}

static struct hd_tally_levels *add_levels(struct hd_tallies *tallies, struct hd_tally *tally, uint32_t index) {
  struct hd_tally_levels *levels = room_for_levels(tally, index);
  struct hd_level_record *record = levels ? tallies->allocate(tallies->context, HD_BLOCK_LEVELS, sizeof *record) : NULL;
  if (!record)
    return NULL;
  record->tally = tally->index;
  record->first = index * HD_LEVELS_PER_RECORD;
  levels->record = record;
  return levels;
}

/* To levels that lie in one record. */
static void add_at_levels(struct hd_tallies *tallies, struct hd_tally *tally, uint32_t level, const uint64_t *ticks,
                          uint32_t count) {
  const uint32_t index = level / HD_LEVELS_PER_RECORD;
  struct hd_tally_levels *levels = index < tally->level_limit ? &tally->levels[index] : NULL;
  uint64_t any = 0;
  for (uint32_t i = 0; i < count; i++)
    any |= ticks[i];
  if (any == 0)
    return;
  if (!(levels && levels->record) && !(levels = add_levels(tallies, tally, index))) {
    count_lost(tallies);
    return;
  }
  uint64_t *cells = levels->record->ticks + level % HD_LEVELS_PER_RECORD;
  hd_journal_keep_once(&tallies->journal, &levels->kept_in, levels->record->ticks, HD_LEVELS_PER_RECORD);
  for (uint32_t i = 0; i < count; i++)
    cells[i] += ticks[i];
}

/* The window's levels lie in two records. */
static void settle(struct hd_tallies *tallies, struct hd_tally *tally) {
  const uint64_t count = tally->record->count;
  const uint32_t first = tallies->first_level;
  const uint32_t split = HD_LEVELS_PER_RECORD - first % HD_LEVELS_PER_RECORD;
  uint64_t ticks[HD_WINDOW];
  keep(tallies, tally);
  tally->record->since_ticks = tallies->at;
  for (uint32_t i = 0; i < HD_WINDOW; i++) {
    ticks[i] = tally->owed->ticks[i] + count * tallies->spent[i];
    tally->owed->ticks[i] = 0;
  }
  add_at_levels(tallies, tally, first, ticks, split);
  add_at_levels(tallies, tally, first + split, ticks + split, HD_WINDOW - split);
}

/* ---- the timeline ---- */

/* All that was spent since then was spent in one bucket. */
static void show(struct hd_tallies *tallies) {
  struct hd_timeline_record *timeline = tallies->timeline;
  if (timeline->until_ticks >= tallies->at || !tallies->bucket)
    return;
  struct hd_timeline_bucket *bucket = tallies->bucket;
  hd_timeline_keep(timeline, bucket, &tallies->journal);
  hd_journal_keep(&tallies->journal, &timeline->until_ticks, 1);
  for (uint32_t i = 0; i < HD_WINDOW; i++) {
    const uint64_t ticks = tallies->spent[i] - tallies->shown[i];
    const uint32_t level = tallies->first_level + i;
    bucket->none_ticks += level == 0 ? ticks : 0;
    bucket->sequential_ticks += level == 1 ? ticks : 0;
    bucket->busy_ticks += level * ticks;
    tallies->shown[i] = tallies->spent[i];
  }
  timeline->until_ticks = tallies->at;
}

/* The time up to `now` does not lie in one bucket. */
static void cross(struct hd_tallies *tallies, uint64_t now) {
  const uint32_t place = tallies->level - tallies->first_level;
  show(tallies);
  hd_timeline_add(tallies->timeline, now, tallies->level, &tallies->journal);
  tallies->bucket = hd_timeline_bucket(tallies->timeline, &tallies->bucket_end);
  tallies->spent[place] += now - tallies->at;
  tallies->shown[place] = tallies->spent[place];
  tallies->at = now;
}

static void advance(struct hd_tallies *tallies, uint64_t now) {
  if (now <= tallies->at)
    return;
  if (__builtin_expect(now >= tallies->bucket_end, false)) {
    cross(tallies, now);
    return;
  }
  tallies->spent[tallies->level - tallies->first_level] += now - tallies->at;
  tallies->at = now;
}

/* ---- settling ---- */

static void settle_all(struct hd_tallies *tallies) {
  uint32_t left = 0;
  show(tallies);
  for (uint32_t i = 0; i < tallies->listed_count; i++) {
    struct hd_tally *tally = tallies->listed[i];
    settle(tallies, tally);
    if (tally->record->count > 0)
      tallies->listed[left++] = tally;
    else
      unlist(tallies, tally);
  }
  tallies->listed_count = left;
  memset(tallies->spent, 0, sizeof tallies->spent);
  memset(tallies->shown, 0, sizeof tallies->shown);
}

void hd_tallies_begin_step(struct hd_tallies *tallies) {
  keep(tallies, tallies->whole);
}

void hd_tallies_end_step(struct hd_tallies *tallies) {
  settle_all(tallies);
  hd_journal_end_step(&tallies->journal);
}

/* In the middle of the window, so that it does not leave it again soon. */
static void place_window(struct hd_tallies *tallies) {
  tallies->first_level = tallies->level < HD_WINDOW / 2 ? 0 : tallies->level - HD_WINDOW / 2;
}

static void move_level(struct hd_tallies *tallies, uint32_t level) {
  tallies->level = level;
  if (__builtin_expect(level - tallies->first_level < HD_WINDOW, true))
    return;
  settle_all(tallies);
  place_window(tallies);
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

static void deactivate(struct hd_tallies *tallies, struct hd_tally *tally) {
  tally->record->active_ticks += tallies->at - tally->record->active_since_ticks;
  if (tally->record->what == HD_TALLY_BUSY)
    pair_up(tallies, tally, tallies->at);
  unpair(tallies, tally);
}

/* The tally, ready to be changed; NULL: there was no space for it, which is counted. */
static inline struct hd_tally *open_tally(struct hd_tallies *tallies, uint32_t profile, enum hd_tally_what what) {
  struct hd_tally *tally = find_or_add(tallies, profile, what);
  if (!tally)
    return NULL;
  if (!list(tallies, tally)) {
    count_lost(tallies);
    return NULL;
  }
  keep(tallies, tally);
  return tally;
}

static inline void enter(struct hd_tallies *tallies, uint32_t profile, enum hd_tally_what what) {
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
  pair(tallies, tally);
}

static inline void leave(struct hd_tallies *tallies, uint32_t profile, enum hd_tally_what what) {
  struct hd_tally *tally = find(set_of(tallies, what), profile);
  if (!tally || tally->record->count == 0) /* there was no space when it was entered */
    return;
  keep(tallies, tally);
  const uint64_t *restrict spent = tallies->spent;
  uint64_t *restrict owed = tally->owed->ticks;
  for (uint32_t i = 0; i < HD_WINDOW; i++)
    owed[i] += spent[i];
  if (--tally->record->count == 0)
    deactivate(tallies, tally);
}

void hd_tallies_enter(struct hd_tallies *tallies, uint32_t profile, enum hd_tally_what what) {
  enter(tallies, profile, what);
}

void hd_tallies_leave(struct hd_tallies *tallies, uint32_t profile, enum hd_tally_what what) {
  leave(tallies, profile, what);
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
    add_overlap(tallies, profile, tallies->paired[i]->record->profile, ticks);
}

static void count_busy(struct hd_tallies *tallies, uint32_t before, uint32_t after) {
  if (before == after)
    return;
  if (before != HD_NONE)
    leave(tallies, before, HD_TALLY_BUSY);
  if (after != HD_NONE)
    enter(tallies, after, HD_TALLY_BUSY);
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
  const uint32_t what = transition->what >> HD_WHAT_SHIFT;
  if (what == HD_WHAT_REGION_BEGIN)
    enter(tallies, HD_WHAT_OPERAND(transition->what), HD_TALLY_ELAPSED);
  else if (what == HD_WHAT_REGION_END)
    leave(tallies, HD_WHAT_OPERAND(transition->what), HD_TALLY_ELAPSED);
  hd_entries_apply(&tallies->entries, ring, transition,
                   tallies->instant->level_before > (ring->busy_before == HD_NONE ? 0 : 1));
}

/* ---- begin and end ---- */

void hd_tallies_init(struct hd_tallies *tallies, hd_record_allocator *allocate, void *context,
                     struct hd_file_header *header) {
  *tallies = (struct hd_tallies){.allocate = allocate, .context = context, .header = header, .journal.step = 1};
  tallies->overlaps.allocate = tallies->entries.allocate = allocate;
  tallies->overlaps.context = tallies->entries.context = context;
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
  tallies->timeline = tallies->allocate(tallies->context, HD_BLOCK_TIMELINE, sizeof *tallies->timeline);
  if (!tallies->timeline)
    return false;
  hd_timeline_begin(tallies->timeline, begin_ticks);
  tallies->at = begin_ticks;
  enter(tallies, 0, HD_TALLY_PROGRAM);
  if (!tallies->instant)
    return false;
  tallies->instant->since_ticks = begin_ticks;
  hd_tallies_resume(tallies);
  return true;
}

bool hd_tallies_have_begun(const struct hd_tallies *tallies) {
  return tallies->instant && tallies->instant->count > 0;
}

void hd_tallies_end(struct hd_tallies *tallies, uint64_t now) {
  advance(tallies, now);
  settle_all(tallies);
  for (uint32_t i = 0; i < tallies->listed_count; i++)
    if (tallies->listed[i]->record->what == HD_TALLY_BUSY)
      deactivate(tallies, tallies->listed[i]);
}

bool hd_tallies_restore(struct hd_tallies *tallies, struct hd_tally_record *record) {
  return adopt(tallies, record) != NULL;
}

bool hd_tallies_restore_levels(struct hd_tallies *tallies, uint32_t profile, enum hd_tally_what what,
                               struct hd_level_record *record) {
  struct hd_tally *tally = hd_tallies_find(tallies, profile, what);
  struct hd_tally_levels *levels = tally ? room_for_levels(tally, record->first / HD_LEVELS_PER_RECORD) : NULL;
  if (levels)
    levels->record = record;
  return levels;
}

static void free_set(struct hd_tally_set *set) {
  for (uint32_t i = 0; i < set->profile_limit; i++) {
    struct hd_tally *tally = set->by_profile[i];
    if (tally) {
      hd_heap_free(tally->owed);
      hd_heap_free(tally->levels);
    }
    hd_heap_free(tally);
  }
  hd_heap_free(set->by_profile);
}

void hd_tallies_free(struct hd_tallies *tallies) {
  free_set(&tallies->program);
  free_set(&tallies->busy);
  free_set(&tallies->elapsed);
  for (struct hd_tally_owed *owed = tallies->free_owed, *next; owed; owed = next) {
    next = owed->next;
    hd_heap_free(owed);
  }
  hd_heap_free(tallies->listed);
  hd_overlaps_free(&tallies->overlaps);
  hd_entries_free(&tallies->entries);
}
