/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file histories.h
 * Regions in time: the timeline (timeline.h) for each region that matters, Paradyn's folding histograms (Hollingsworth,
 * Miller, Cargille 1994). Each region has one as long as there is room, for HD_HISTORIES_MOST; then one with more than
 * twice the time takes the place of the one with the least.
 *
 * Nothing is added up for it at a transition. A window has a part that ends where a bucket does (hd_history_end); what
 * the region's tally has more at one such end than at the one before is what happened in that bucket, to the tick.
 * Buckets are wider than the timeline's, so there are few ends: 120, and 60 whenever the run has become twice as long.
 *
 * For the library's sweep and for the reader; the caller has the sweep's lock. Cost of an end: each region's levels are
 * added up once.
 */
#ifndef HEDDLE_SWEEP_HISTORIES_H
#define HEDDLE_SWEEP_HISTORIES_H

#include <stdbool.h>
#include <stdint.h>

#include "heddle-format.h"

struct hd_tallies;
struct hd_tally;

struct hd_histories {
  struct hd_tally *tallies[HD_HISTORIES_MOST]; /* that have one */
  uint32_t count;
  bool is_full;         /* there are regions that have none */
  uint64_t taken_ticks; /* when they were last brought up to date */
  uint64_t end_ticks;   /* of the present bucket */
};

/** Where the bucket ends in which `at` lies; UINT64_MAX: no program runs for so long. Only the time since the origin
 *  decides how wide buckets are. */
uint64_t hd_history_end(uint64_t origin, uint64_t at);

/** The last such end that is not later than `at`. */
uint64_t hd_history_begin(uint64_t origin, uint64_t at);

/** How wide the buckets of a history are that goes up to `until`. */
uint64_t hd_history_width(uint64_t origin, uint64_t until);

/** From a file: after the tallies and the timeline. One that is not valid is left out: the file may be a living
 *  program's, which had not filled it yet. */
void hd_histories_restore(struct hd_tallies *tallies, struct hd_history_record *record);

/** After all were restored. */
void hd_histories_resume(struct hd_tallies *tallies);

/** What the tallies have more than the histories becomes part of these: what was done since then was done in one
 *  bucket, or evenly all the time. Between two steps (journal.h). */
void hd_histories_take(struct hd_tallies *tallies);

#endif
