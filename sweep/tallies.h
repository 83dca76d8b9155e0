/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file tallies.h
 * Exact concurrency: integrates transitions, given in the order of time, into time by level.
 *
 * The level b(t) is the number of busy threads. A tally counts something (the threads busy in a profile, the running
 * instances of a region, one for the program); for each level k it adds up count * dt over the time with b(t) = k.
 *
 * Not at every transition. What is kept up to date is one short row of numbers: for how long the level has been k since
 * the last settling, for the HD_WINDOW levels around the present one. When a tally's count goes up that row is taken
 * from what the tally is owed, when it goes down it is added; so a tally is touched only when its own count changes.
 * All are settled, into the records of the profile file, when the level leaves the window and at the end of a step.
 *
 * Used by the library's sweep while the program runs and by the reader for what was left to add; all numbers live in
 * records of the profile file, and are right there between the steps of a sweep; for what lies within one see
 * journal.h. Not thread-safe: the caller has the sweep's lock.
 *
 * Cost of a transition: the row is added to one or two tallies, the threads' number does not matter. A settling touches
 * all active ones: as many as there are different callpaths with busy threads and different open regions, however many
 * threads. Overlaps cost one look-up for each other profile that is busy, at most HD_PAIRED_MOST, when a profile is
 * left by its last thread. Many transitions of one thread while the others have none are cheaper still:
 * tallies_batch.c.
 */
#ifndef HEDDLE_SWEEP_TALLIES_H
#define HEDDLE_SWEEP_TALLIES_H

#include <stdbool.h>

#include "heddle-format.h"
#include "sweep/entries.h"
#include "sweep/journal.h"
#include "sweep/overlaps.h"

enum {
  HD_PAIRED_MOST = 64, /* More profiles than these are not paired at once: overlaps would cost as much as there are
                          callpaths. */
  HD_WINDOW = 8        /* levels */
};

struct hd_tally {
  struct hd_tally_record *record;
  struct hd_tally_owed *owed; /* while it is in hd_tallies.listed */
  struct hd_tally_levels {
    struct hd_level_record *record; /* NULL: nothing at these levels */
    uint32_t kept_in;
  } *levels;             /* [k / HD_LEVELS_PER_RECORD] */
  uint32_t kept_in;      /* journal.h */
  uint32_t level_limit;  /* entries of `levels` */
  uint32_t index;        /* of its record in the file */
  uint32_t paired_place; /* in hd_tallies.paired; HD_NONE: it is not there */
};

/** With count * hd_tallies.spent what a tally's levels lack, modulo 2^64. */
struct hd_tally_owed {
  uint64_t ticks[HD_WINDOW];
  struct hd_tally_owed *next; /* while it is free */
};

/** Tallies by profile. */
struct hd_tally_set {
  struct hd_tally **by_profile; /* NULL: none yet */
  uint32_t profile_limit;
};

struct hd_tallies {
  uint64_t spent[HD_WINDOW]; /* for how long the level was first_level + i, since the last settling */
  uint64_t shown[HD_WINDOW]; /* how much of it is in the timeline */
  uint64_t at;               /* all is up to date until then */
  uint64_t bucket_end;       /* of the timeline's bucket in which `at` lies */
  uint32_t level;            /* threads busy now */
  uint32_t first_level;
  struct hd_tally_record *instant;                /* the program's: tick and level_before */
  struct hd_tally *whole;                         /* its tally */
  struct hd_tally_set sets[HD_TALLY_ELAPSED + 1]; /* by enum hd_tally_what */
  struct hd_tally **listed;                       /* whose count is not 0, or that are owed something */
  uint32_t listed_count;
  uint32_t listed_limit;
  struct hd_tally_owed *free_owed;
  uint32_t tally_count;
  struct hd_tally *paired[HD_PAIRED_MOST]; /* profiles whose count is not 0 and whose overlaps are kept */
  uint32_t paired_count;
  struct hd_timeline_record *timeline;
  struct hd_timeline_bucket *bucket;
  struct hd_overlaps overlaps;
  struct hd_entry_book entries;
  struct hd_journal journal;
  struct hd_file_header *header; /* what could not be kept is counted here */
};

/** Empty; `allocate` is asked for all records, with `context`. */
void hd_tallies_init(struct hd_tallies *tallies, hd_record_allocator *allocate, void *context,
                     struct hd_file_header *header);

/** New, for a program that begins at `begin_ticks`. False: no space. */
bool hd_tallies_begin(struct hd_tallies *tallies, uint64_t begin_ticks);

/** A step begins: from here on the journal knows what was before. All that is taken is in the records when it ends. */
void hd_tallies_begin_step(struct hd_tallies *tallies);
void hd_tallies_end_step(struct hd_tallies *tallies);

/** Takes one thread's next transition, which must not be before the last one of any thread. `ring` is brought up to
 *  date, but for its tail. */
void hd_tallies_apply(struct hd_tallies *tallies, const struct hd_transition *transition, struct hd_ring_sweep *ring);

/** Takes transitions of one ring, from its tail up to number `limit`, as long as they are before `stop`; no other ring
 *  has one before that. Returns how many were taken; their ring is brought up to date, but for its tail. */
uint64_t hd_tallies_apply_run(struct hd_tallies *tallies, struct hd_ring_record *ring, uint64_t limit, uint64_t stop);

/** Brings everything up to `now`, as if all threads stopped there. Nothing may be applied afterwards. */
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

/** Frees what is not records. */
void hd_tallies_free(struct hd_tallies *tallies);

#endif
