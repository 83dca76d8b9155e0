/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sweep/tallies.h"

#include <string.h>

#include "support/inprocess/heap.h"
#include "sweep/timeline.h"

static void count_lost(struct hd_tallies *tallies) {
  tallies->header->lost_tallies++;
}

/* ---- time by level ---- */

static struct hd_tally_levels *room_for_levels(struct hd_tally *tally, uint32_t part) {
  if (part >= tally->level_limit) {
    struct hd_tally_levels *levels = hd_heap_resize(tally->levels, (part + 1) * sizeof *levels, false);
    if (!levels)
      return NULL;
    memset(levels + tally->level_limit, 0, (part + 1 - tally->level_limit) * sizeof *levels);
    tally->levels = levels;
    tally->level_limit = part + 1;
  }
  return &tally->levels[part];
}

static struct hd_tally_levels *add_levels(struct hd_tallies *tallies, struct hd_tally *tally, uint32_t part) {
  struct hd_tally_levels *levels = room_for_levels(tally, part);
  struct hd_level_record *record =
      levels ? hd_journal_add_record(&tallies->journal, HD_BLOCK_LEVELS, sizeof *record) : NULL;
  if (!record)
    return NULL;
  record->tally = tally->index;
  record->first = part * HD_LEVELS_PER_RECORD;
  levels->record = record;
  return levels;
}

void hd_tallies_add_levels(struct hd_tallies *tallies, struct hd_tally *tally, uint32_t part,
                           const uint64_t ticks[HD_LEVELS_PER_RECORD], uint64_t times) {
  struct hd_tally_levels *levels = part < tally->level_limit ? &tally->levels[part] : NULL;
  uint64_t any = 0;
  for (uint32_t i = 0; i < HD_LEVELS_PER_RECORD; i++)
    any |= ticks[i];
  if (any == 0)
    return;
  if (!(levels && levels->record) && !(levels = add_levels(tallies, tally, part))) {
    count_lost(tallies);
    return;
  }
  hd_journal_keep_once(&tallies->journal, &levels->kept_in, levels->record->ticks, HD_LEVELS_PER_RECORD);
  for (uint32_t i = 0; i < HD_LEVELS_PER_RECORD; i++)
    levels->record->ticks[i] += times * ticks[i];
}

bool hd_tallies_restore_levels(struct hd_tallies *tallies, uint32_t profile, enum hd_tally_what what,
                               struct hd_level_record *record) {
  struct hd_tally *tally = hd_tallies_find(tallies, profile, what);
  struct hd_tally_levels *levels = tally ? room_for_levels(tally, record->first / HD_LEVELS_PER_RECORD) : NULL;
  if (levels && !levels->record) /* a killed program's last one may say nothing yet */
    levels->record = record;
  return levels;
}

/* ---- tallies ---- */

void hd_tallies_pair(struct hd_tallies *tallies, struct hd_tally *tally) {
  if (tallies->paired_count == HD_PAIRED_MOST)
    return;
  tally->paired_place = tallies->paired_count;
  tallies->paired[tallies->paired_count++] = tally;
}

void hd_tallies_unpair(struct hd_tallies *tallies, struct hd_tally *tally) {
  if (tally->paired_place == HD_NONE)
    return;
  struct hd_tally *last = tallies->paired[--tallies->paired_count];
  tallies->paired[tally->paired_place] = last;
  last->paired_place = tally->paired_place;
  tally->paired_place = HD_NONE;
}

void hd_tallies_activate(struct hd_tallies *tallies, struct hd_tally *tally) {
  tally->active_place = tallies->active_count;
  tallies->active[tallies->active_count++] = tally;
  tallies->busy_count += tally->record->what == HD_TALLY_BUSY;
}

void hd_tallies_deactivate(struct hd_tallies *tallies, struct hd_tally *tally) {
  struct hd_tally *last = tallies->active[--tallies->active_count];
  tallies->active[tally->active_place] = last;
  last->active_place = tally->active_place;
  tally->active_place = HD_NONE;
  tallies->busy_count -= tally->record->what == HD_TALLY_BUSY;
  hd_tallies_unpair(tallies, tally);
}

/* A tally that can be counted always has its place among the active reserved. */
struct hd_tally *hd_tallies_restore(struct hd_tallies *tallies, struct hd_tally_record *record) {
  struct hd_tally_set *set = &tallies->sets[record->what];
  struct hd_tally *tally = hd_heap_allocate(1, sizeof *tally);
  if (!tally || !hd_heap_grow(&set->by_profile, &set->profile_limit, record->profile + 1, sizeof *set->by_profile) ||
      !hd_heap_grow(&tallies->active, &tallies->active_limit, tallies->tally_count + 1, sizeof *tallies->active)) {
    hd_heap_free(tally);
    return NULL;
  }
  if (record->what == HD_TALLY_PROGRAM) {
    tallies->instant = record;
    tallies->whole = tally;
  }
  tally->record = record;
  tally->index = tallies->tally_count++;
  tally->active_place = tally->paired_place = HD_NONE;
  set->by_profile[record->profile] = tally;
  if (record->count > 0)
    hd_tallies_activate(tallies, tally);
  if (record->count > 0 && record->what == HD_TALLY_BUSY)
    hd_tallies_pair(tallies, tally);
  return tally;
}

/* The record is there for good even when there is no memory to go with it: nothing refers to it. */
static struct hd_tally *add(struct hd_tallies *tallies, uint32_t profile, enum hd_tally_what what) {
  struct hd_tally *tally = NULL;
  struct hd_tally_record *record = hd_journal_add_record(&tallies->journal, HD_BLOCK_TALLIES, sizeof *record);
  if (record) {
    record->profile = profile;
    record->what = what;
    tally = hd_tallies_restore(tallies, record);
    if (!tally)
      record->what = 0, tallies->tally_count++;
  }
  if (!tally)
    count_lost(tallies);
  return tally;
}

struct hd_tally *hd_tallies_find_or_add(struct hd_tallies *tallies, uint32_t profile, enum hd_tally_what what) {
  struct hd_tally *tally = hd_tallies_find(tallies, profile, what);
  return tally ? tally : add(tallies, profile, what);
}

void hd_tallies_overlap(struct hd_tallies *tallies, uint32_t a, uint32_t b, uint64_t ticks) {
  tallies->header->lost_overlap_ticks += hd_overlaps_add(&tallies->overlaps, a, b, ticks);
}

/* ---- begin and end ---- */

void hd_tallies_init(struct hd_tallies *tallies, hd_record_allocator *allocate, void *context,
                     struct hd_file_header *header) {
  *tallies = (struct hd_tallies){.header = header, .journal = {.allocate = allocate, .context = context, .step = 1}};
  tallies->overlaps.journal = tallies->entries.journal = &tallies->journal;
  tallies->teams.journal = tallies->teams.totals.journal = &tallies->journal;
  tallies->entries.header = tallies->teams.header = tallies->teams.totals.header = header;
}

/* The records say where. */
void hd_tallies_resume(struct hd_tallies *tallies) {
  tallies->at = tallies->instant->since_ticks;
  hd_histories_resume(tallies);
}

bool hd_tallies_begin(struct hd_tallies *tallies, uint64_t begin_ticks) {
  tallies->timeline = hd_journal_add_record(&tallies->journal, HD_BLOCK_TIMELINE, sizeof *tallies->timeline);
  if (!tallies->timeline)
    return false;
  hd_timeline_begin(tallies->timeline, begin_ticks);
  tallies->whole = add(tallies, 0, HD_TALLY_PROGRAM);
  if (!tallies->whole)
    return false;
  tallies->instant->count = 1;
  tallies->instant->since_ticks = tallies->instant->active_since_ticks = begin_ticks;
  hd_tallies_activate(tallies, tallies->whole);
  hd_tallies_resume(tallies);
  return true;
}

static void end_busy(struct hd_tallies *tallies, const struct hd_tally *tally) {
  struct hd_tally_record *record = tally->record;
  const uint64_t since = record->active_since_ticks;
  record->active_ticks += tallies->at - since;
  if (tally->paired_place == HD_NONE)
    record->unpaired_ticks += tallies->at - since;
  for (uint32_t i = tally->paired_place; i-- > 0 && tally->paired_place != HD_NONE;) {
    const uint64_t other = tallies->paired[i]->record->active_since_ticks;
    const uint64_t both = other > since ? other : since;
    hd_tallies_overlap(tallies, record->profile, tallies->paired[i]->record->profile,
                       tallies->at > both ? tallies->at - both : 0);
  }
}

void hd_tallies_end(struct hd_tallies *tallies, uint64_t now) {
  uint64_t ticks[HD_LEVELS_PER_RECORD] = {0};
  hd_histories_take(tallies);
  if (now > tallies->at) {
    ticks[tallies->level % HD_LEVELS_PER_RECORD] = now - tallies->at;
    hd_timeline_add(tallies->timeline, now, tallies->level, &tallies->journal);
    tallies->at = now;
  }
  for (uint32_t i = 0; i < tallies->active_count; i++) {
    struct hd_tally *tally = tallies->active[i];
    hd_tallies_add_levels(tallies, tally, tallies->level / HD_LEVELS_PER_RECORD, ticks, tally->record->count);
    if (tally->record->what == HD_TALLY_BUSY)
      end_busy(tallies, tally);
  }
  hd_histories_take(tallies);
}

static void free_set(struct hd_tally_set *set) {
  for (uint32_t i = 0; i < set->profile_limit; i++) {
    if (set->by_profile[i])
      hd_heap_free(set->by_profile[i]->levels);
    hd_heap_free(set->by_profile[i]);
  }
  hd_heap_free(set->by_profile);
}

void hd_tallies_free(struct hd_tallies *tallies) {
  for (size_t what = 0; what <= HD_TALLY_ELAPSED; what++)
    free_set(&tallies->sets[what]);
  hd_heap_free(tallies->active);
  hd_overlaps_free(&tallies->overlaps);
  hd_entries_free(&tallies->entries);
  hd_teams_free(&tallies->teams);
  hd_path_free(&tallies->path);
  hd_locks_free(&tallies->locks);
}
