/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file tallies_internal.h
 * What the parts of the tallies share: tallies.c counts at every transition, tallies_batch.c counts many at once,
 * tallies_list.c keeps the tallies, tallies_settle.c brings their records up to date. For no other file.
 */
#ifndef HEDDLE_SWEEP_TALLIES_INTERNAL_H
#define HEDDLE_SWEEP_TALLIES_INTERNAL_H

#include "sweep/tallies.h"

/* ---- tallies.c ---- */

/** At `at` one more thread is busy in the profile, or one more instance of it runs; or one less. */
void hd_tallies_enter(struct hd_tallies *tallies, uint32_t profile, enum hd_tally_what what);
void hd_tallies_leave(struct hd_tallies *tallies, uint32_t profile, enum hd_tally_what what);

/** A thread was busy in the profile for `ticks` in all, while the other threads did not change and the level was
 *  `level`, which lies in the window. */
void hd_tallies_add_stretch(struct hd_tallies *tallies, uint32_t profile, uint32_t level, uint64_t ticks);

/* ---- tallies_settle.c ---- */

/** Adds all that is owed to the records; removes tallies from the list whose count is 0. */
void hd_tallies_settle(struct hd_tallies *tallies);

/** Advances to `now`, which does not lie in the timeline's present bucket. */
void hd_tallies_cross(struct hd_tallies *tallies, uint64_t now);

/* ---- tallies_list.c ---- */

/** Lists a tally that is not: it will have to be settled. False: no memory. */
bool hd_tallies_list_anew(struct hd_tallies *tallies, struct hd_tally *tally);

/** A new tally; NULL: there is no space, which is counted. */
struct hd_tally *hd_tallies_add(struct hd_tallies *tallies, uint32_t profile, enum hd_tally_what what);

/** Keeps the overlaps of the tally's profile from now on, if there are not too many; or no longer. */
void hd_tallies_pair(struct hd_tallies *tallies, struct hd_tally *tally);
void hd_tallies_unpair(struct hd_tallies *tallies, struct hd_tally *tally);

/* ---- */

static inline void hd_tallies_count_lost(struct hd_tallies *tallies) {
  tallies->header->lost_tallies++;
}

static inline bool hd_tallies_list(struct hd_tallies *tallies, struct hd_tally *tally) {
  return __builtin_expect(tally->owed != NULL, true) || hd_tallies_list_anew(tallies, tally);
}

/* From its count on, all of the record may change. */
static inline void hd_tallies_keep(struct hd_tallies *tallies, struct hd_tally *tally) {
  enum {
    FIRST = offsetof(struct hd_tally_record, count),
    WORDS = (sizeof(struct hd_tally_record) - FIRST) / sizeof(uint64_t)
  };
  hd_journal_keep_once(&tallies->journal, &tally->kept_in, (const char *)tally->record + FIRST, WORDS);
}

#endif
