/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file sweeper.h
 * Exact concurrency inside the program: every thread's ring of transitions, and the sweep that takes them out of all
 * rings in the order of time and integrates them (sweep/batch.h).
 *
 * An entry is put into the ring by its owner alone. When a ring is half full its owner tries to sweep, when it is full
 * it must: nobody waits for a thread that is silent. How a sweep knows up to when the rings are complete: frontier.h.
 */
#ifndef HEDDLE_OMPT_SHARED_SWEEPER_H
#define HEDDLE_OMPT_SHARED_SWEEPER_H

#include <stdbool.h>
#include <stdint.h>

#include "ompt/shared/frontier.h"

/** Starts the program's tallies; `test_windows`: how tests have sweeps cut, NULL: as is best. False: no space. */
bool hd_sweeper_init(uint64_t begin_ticks, const char *test_windows);

/** From now on sweeps follow the critical path, too. Once, before there are threads. */
void hd_sweeper_follow_path(void);

/** Likewise who holds the locks that others wait for. */
void hd_sweeper_follow_locks(void);

/** Does a part of the present sweep, some microseconds of work, if there is one. False: there is none to be taken. */
bool hd_sweeper_help(void);

/** Whether a thread other than the one whose ring is `own` (NULL: none) is busy now; true if that is not known. */
bool hd_sweeper_others_are_busy(const struct hd_ring_record *own);

/** Makes room in a full ring, whatever that takes; but not once the profile is closed, or if another thread has lost
 * its processor in the middle of a transition. */
void hd_sweeper_make_room(const struct hd_ring_record *ring);

/** Adds up what the rings hold, as far as they are complete, unless another thread is at it. Keeps errno. */
void hd_sweeper_flush(void);

/** Likewise; rings that were left can be used again then. */
void hd_sweeper_empty_left(void);

/** Stops counting: later transitions are refused, and what the rings hold is taken out, or, if another thread's sweep
 *  does not end within a moment, left to the reader. */
void hd_sweeper_close(void);

#endif
