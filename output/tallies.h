/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file tallies.h
 * Exact concurrency: integrates transitions, given in the order of time, into time by level.
 *
 * The level b(t) is the number of busy threads. A tally counts something (the threads busy in a profile, the running
 * instances of a region, one for the program); for each level k it adds up count * dt over the time with b(t) = k.
 * A tally is brought up to date when its count changes, all active ones (count > 0) when the level does.
 *
 * Used by the library's sweep while the program runs and by the reader for what was left to add; all numbers live in
 * records of the profile file. Not thread-safe: the caller has the sweep's lock.
 *
 * Cost of a transition: a change of profile at the same level touches two tallies; a change of level touches all active
 * ones: as many as there are different callpaths with busy threads and different open regions, however many threads.
 * Overlaps cost one look-up for each other profile that is busy, at most HD_PAIRED_MOST, when a profile is left by its
 * last thread.
 */
#ifndef HEDDLE_OUTPUT_TALLIES_H
#define HEDDLE_OUTPUT_TALLIES_H

#include <stdbool.h>

#include "heddle-format.h"
#include "output/entries.h"
#include "output/overlaps.h"

/** More profiles than these are not paired at once: overlaps would cost as much as there are callpaths. */
enum { HD_PAIRED_MOST = 64 };

struct hd_tally {
  struct hd_tally_record *record;
  uint32_t index;                  /* of its record in the file */
  uint32_t place;                  /* in its list of active ones, while its count is not 0 */
  uint32_t paired_place;           /* likewise in hd_tallies.paired; HD_NONE: it is not there */
  struct hd_level_record **levels; /* [k / HD_LEVELS_PER_RECORD], NULL: nothing at those levels */
  uint32_t level_limit;            /* entries of `levels` */
};

/** Tallies by profile, and those among them whose count is not 0. */
struct hd_tally_set {
  struct hd_tally **by_profile; /* NULL: none yet */
  uint32_t profile_limit;
  struct hd_tally **active;
  uint32_t active_count;
  uint32_t active_limit;
};

struct hd_tallies {
  hd_record_allocator *allocate; /* where records come from */
  void *context;
  struct hd_file_header *header; /* what could not be kept is counted here */
  struct hd_tally_set program;   /* one tally, always active */
  struct hd_tally_set busy;
  struct hd_tally_set elapsed;
  uint32_t tally_count;
  struct hd_tally *paired[HD_PAIRED_MOST]; /* active profiles whose overlaps are kept */
  uint32_t paired_count;
  struct hd_tally_record *instant; /* the program's: tick and level_before */
  uint32_t level;                  /* threads busy now */
  struct hd_timeline_record *timeline;
  struct hd_overlaps overlaps;
  struct hd_entry_book entries;
};

/** New, for a program that begins at `begin_ticks`. False: no space. */
bool hd_tallies_begin(struct hd_tallies *tallies, uint64_t begin_ticks);

/** Takes one thread's next transition, which must not be before the last one of any thread. `ring` is brought up to
 *  date, but for its tail. */
void hd_tallies_apply(struct hd_tallies *tallies, const struct hd_transition *transition, struct hd_ring_sweep *ring);

/** Brings everything up to `now`, as if all threads stopped there. Nothing may be applied afterwards. */
void hd_tallies_end(struct hd_tallies *tallies, uint64_t now);

/** From a file: a tally (in the order of their records), levels of the last one restored or of an earlier one. False:
 *  no memory. The caller has checked that all references are valid and restores the timeline and level itself. */
bool hd_tallies_restore(struct hd_tallies *tallies, struct hd_tally_record *record);
bool hd_tallies_restore_levels(struct hd_tallies *tallies, uint32_t profile, enum hd_tally_what what,
                               struct hd_level_record *record);

/** The tally of a profile; NULL: none. */
struct hd_tally *hd_tallies_find(const struct hd_tallies *tallies, uint32_t profile, enum hd_tally_what what);

/** Frees what is not records. */
void hd_tallies_free(struct hd_tallies *tallies);

#endif
