/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/inprocess/heap.h"
#include "sweep/tallies_internal.h"

enum { LISTED_MOST = 32 }; /* more only if they count */

/* It will have to be settled. There is room again when the others are settled, unless all of them still count, as they
 * do while they are restored: there is no timeline then. */
bool hd_tallies_list_anew(struct hd_tallies *tallies, struct hd_tally *tally) {
  if (!tallies->free_owed && tallies->listed_count >= LISTED_MOST && tallies->timeline)
    hd_tallies_settle(tallies);
  struct hd_tally_owed *owed = tallies->free_owed ? tallies->free_owed : hd_heap_allocate(1, sizeof *owed);
  if (!owed)
    return false;
  tallies->free_owed = owed->next;
  *owed = (struct hd_tally_owed){0};
  tally->owed = owed;
  tallies->listed[tallies->listed_count++] = tally;
  return true;
}

void hd_tallies_pair(struct hd_tallies *tallies, struct hd_tally *tally) {
  if (tally->record->what != HD_TALLY_BUSY || tallies->paired_count == HD_PAIRED_MOST)
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

/* A tally that can be counted always has its place in the list reserved. */
struct hd_tally *hd_tallies_restore(struct hd_tallies *tallies, struct hd_tally_record *record) {
  struct hd_tally_set *set = &tallies->sets[record->what];
  struct hd_tally *tally = hd_heap_allocate(1, sizeof *tally);
  if (!tally || !hd_heap_grow(&set->by_profile, &set->profile_limit, record->profile + 1, sizeof *set->by_profile) ||
      !hd_heap_grow(&tallies->listed, &tallies->listed_limit, tallies->tally_count + 1, sizeof *tallies->listed)) {
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
    if (!hd_tallies_list(tallies, tally))
      return NULL;
    hd_tallies_pair(tallies, tally);
  }
  return tally;
}

/* The record is there for good even when there is no memory to go with it: nothing refers to it. */
struct hd_tally *hd_tallies_add(struct hd_tallies *tallies, uint32_t profile, enum hd_tally_what what) {
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
    hd_tallies_count_lost(tallies);
  return tally;
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
  for (size_t what = 0; what <= HD_TALLY_ELAPSED; what++)
    free_set(&tallies->sets[what]);
  for (struct hd_tally_owed *owed = tallies->free_owed, *next; owed; owed = next) {
    next = owed->next;
    hd_heap_free(owed);
  }
  hd_heap_free(tallies->listed);
  hd_overlaps_free(&tallies->overlaps);
  hd_entries_free(&tallies->entries);
}
