/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file tallies.h
 * The records of exact concurrency as they are known so far: what was taken out of the logs and committed (commit.h).
 *
 * Used by the library's sweep while the program runs and by the reader for what was left to add; all numbers live in
 * records of the profile file, and are right there between the steps of a sweep; for what lies within one see
 * journal.h. Whoever changes them has the sweep's lock. Windows that are no batch's (window.h) read them.
 */
#ifndef HEDDLE_SWEEP_TALLIES_H
#define HEDDLE_SWEEP_TALLIES_H

#include <stdbool.h>

#include "heddle-format.h"
#include "sweep/entries.h"
#include "sweep/histories.h"
#include "sweep/journal.h"
#include "sweep/locks/locks.h"
#include "sweep/overlaps.h"
#include "sweep/path/path.h"
#include "sweep/teams.h"
#include "sweep/window.h"

struct hd_tally {
  struct hd_tally_record *record;
  struct hd_tally_levels {
    struct hd_level_record *record; /* NULL: nothing at these levels */
    uint32_t kept_in;
  } * levels;            /* [k / HD_LEVELS_PER_RECORD] */
  uint32_t kept_in;      /* journal.h */
  uint32_t level_limit;  /* entries of `levels` */
  uint32_t index;        /* of its record in the file */
  uint32_t active_place; /* in hd_tallies.active; HD_NONE: its count is 0 */
  uint32_t paired_place; /* in hd_tallies.paired; HD_NONE: it is not there */
  struct hd_history_record *history; /* HD_TALLY_ELAPSED; NULL: none */
};

/** Tallies by profile. */
struct hd_tally_set {
  struct hd_tally **by_profile; /* NULL: none yet */
  uint32_t profile_limit;
};

struct hd_tallies {
  uint64_t at;                                    /* all is up to date until then */
  uint32_t level;                                 /* threads busy then */
  uint32_t tally_count;                           /* records */
  struct hd_tally_record *instant;                /* the program's: tick and level_before */
  struct hd_tally *whole;                         /* its tally */
  struct hd_tally_set sets[HD_TALLY_ELAPSED + 1]; /* by enum hd_tally_what */
  struct hd_tally **active;                       /* whose count is not 0 */
  uint32_t active_count;
  uint32_t active_limit;
  uint32_t busy_count;                     /* of them, profiles that are busy */
  uint32_t paired_count;                   /* and profiles whose overlaps are kept */
  struct hd_tally *paired[HD_PAIRED_MOST]; /* the latter */
  struct hd_timeline_record *timeline;
  struct hd_histories histories;
  struct hd_overlaps overlaps;
  struct hd_entry_book entries;
  struct hd_team_book teams;
  struct hd_path_book path;
  struct hd_lock_book locks;
  struct hd_journal journal;
  struct hd_file_header *header; /* what could not be kept is counted here */
};

/** Empty; `allocate` is asked for all records, with `context`. */
void hd_tallies_init(struct hd_tallies *tallies, hd_record_allocator *allocate, void *context,
                     struct hd_file_header *header);

/** New, for a program that begins at `begin_ticks`. False: no space. */
bool hd_tallies_begin(struct hd_tallies *tallies, uint64_t begin_ticks);

/** Brings everything up to `now`, as if all threads stopped there. Nothing may be committed afterwards. */
void hd_tallies_end(struct hd_tallies *tallies, uint64_t now);

/** From a file: a tally (in the order of their records), levels of the last one restored or of an earlier one. False:
 *  no memory. The caller has checked that all references are valid, restores timeline and level itself, and resumes
 *  then. */
struct hd_tally *hd_tallies_restore(struct hd_tallies *tallies, struct hd_tally_record *record);
bool hd_tallies_restore_levels(struct hd_tallies *tallies, uint32_t profile, enum hd_tally_what what,
                               struct hd_level_record *record);
void hd_tallies_resume(struct hd_tallies *tallies);

/** The tally of a profile; NULL: none. */
static inline struct hd_tally *hd_tallies_find(const struct hd_tallies *tallies, uint32_t profile,
                                               enum hd_tally_what what) {
  const struct hd_tally_set *set = &tallies->sets[what];
  return profile < set->profile_limit ? set->by_profile[profile] : NULL;
}

/** Likewise, made if need be. NULL: there is no space, which is counted. */
struct hd_tally *hd_tallies_find_or_add(struct hd_tallies *tallies, uint32_t profile, enum hd_tally_what what);

/** Adds `times` the ticks to a tally's levels from part * HD_LEVELS_PER_RECORD on. */
void hd_tallies_add_levels(struct hd_tallies *tallies, struct hd_tally *tally, uint32_t part,
                           const uint64_t ticks[HD_LEVELS_PER_RECORD], uint64_t times);

/** The tally's count is more than 0 from now on; or it is 0. */
void hd_tallies_activate(struct hd_tallies *tallies, struct hd_tally *tally);
void hd_tallies_deactivate(struct hd_tallies *tallies, struct hd_tally *tally);

/** A busy profile's overlaps are kept from now on, if there are not too many; or no longer. */
void hd_tallies_pair(struct hd_tallies *tallies, struct hd_tally *tally);
void hd_tallies_unpair(struct hd_tallies *tallies, struct hd_tally *tally);

/** How long two profiles were busy at once. */
void hd_tallies_overlap(struct hd_tallies *tallies, uint32_t a, uint32_t b, uint64_t ticks);

/** The record will change, from its count on. */
static inline void hd_tallies_keep(struct hd_tallies *tallies, struct hd_tally *tally) {
  enum {
    FIRST = offsetof(struct hd_tally_record, count),
    WORDS = (sizeof(struct hd_tally_record) - FIRST) / sizeof(uint64_t)
  };
  hd_journal_keep_once(&tallies->journal, &tally->kept_in, (const char *)tally->record + FIRST, WORDS);
}

/** Frees what is not records. */
void hd_tallies_free(struct hd_tallies *tallies);

#endif
