/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file commit.h
 * Adds what a window (window.h) has seen to the records of the profile file, completely or not at all (journal.h), in
 * the order of time.
 *
 * Until the last window of a batch is committed, the logs say nothing of how far they were taken: what lies before
 * hd_tally_record.since_ticks of the program's tally was. So the cost of a commit depends on what the window saw
 * (callpaths, levels), not on how many threads and transitions there were.
 */
#ifndef HEDDLE_SWEEP_COMMIT_H
#define HEDDLE_SWEEP_COMMIT_H

#include "sweep/tallies.h"
#include "sweep/window.h"

/** Adds the window's part. */
void hd_commit(struct hd_tallies *tallies, const struct hd_window *window);

/** All up to slot number `tail`, behind which the thread is `busy`, since `tick` at the latest, was committed: the ring
 * says so, unless it says more. Belongs to a step that the caller ends. */
void hd_commit_move(struct hd_tallies *tallies, struct hd_ring_record *ring, uint64_t tail, uint64_t tick,
                    uint32_t busy);

/** Passes by what was committed in a ring that says nothing of it (a killed program's). */
void hd_commit_catch_up(const struct hd_tallies *tallies, struct hd_ring_record *ring);

#endif
