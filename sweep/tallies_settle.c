/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <string.h>

#include "support/inprocess/heap.h"
#include "sweep/tallies_internal.h"
#include "sweep/timeline.h"

/* ---- time by level ---- */

static struct hd_tally_levels *room_for_levels(struct hd_tally *tally, uint32_t index) {
  if (index >= tally->level_limit) {
    struct hd_tally_levels *levels = hd_heap_resize(tally->levels, (index + 1) * sizeof *levels, false);
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
  struct hd_level_record *record =
      levels ? hd_journal_add_record(&tallies->journal, HD_BLOCK_LEVELS, sizeof *record) : NULL;
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
    hd_tallies_count_lost(tallies);
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
  hd_tallies_keep(tallies, tally);
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
    hd_timeline_count(bucket, tallies->first_level + i, tallies->spent[i] - tallies->shown[i]);
    tallies->shown[i] = tallies->spent[i];
  }
  timeline->until_ticks = tallies->at;
}

/* The time up to `now` does not lie in one bucket. */
void hd_tallies_cross(struct hd_tallies *tallies, uint64_t now) {
  const uint32_t place = tallies->level - tallies->first_level;
  show(tallies);
  hd_timeline_add(tallies->timeline, now, tallies->level, &tallies->journal);
  tallies->bucket = hd_timeline_bucket(tallies->timeline, &tallies->bucket_end);
  tallies->spent[place] += now - tallies->at;
  tallies->shown[place] = tallies->spent[place];
  tallies->at = now;
}

/* ---- settling ---- */

static void unlist(struct hd_tallies *tallies, struct hd_tally *tally) {
  tally->owed->next = tallies->free_owed;
  tallies->free_owed = tally->owed;
  tally->owed = NULL;
}

void hd_tallies_settle(struct hd_tallies *tallies) {
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
  hd_tallies_keep(tallies, tallies->whole);
}

void hd_tallies_end_step(struct hd_tallies *tallies) {
  hd_tallies_settle(tallies);
  hd_journal_end_step(&tallies->journal);
}

bool hd_tallies_restore_levels(struct hd_tallies *tallies, uint32_t profile, enum hd_tally_what what,
                               struct hd_level_record *record) {
  struct hd_tally *tally = hd_tallies_find(tallies, profile, what);
  struct hd_tally_levels *levels = tally ? room_for_levels(tally, record->first / HD_LEVELS_PER_RECORD) : NULL;
  if (levels)
    levels->record = record;
  return levels;
}
