/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file sweeper.h
 * Exact concurrency inside the program: every thread's ring of transitions, and the sweep that takes them out of all
 * rings in the order of time and integrates them (sweep/tallies.h).
 *
 * A transition is put into the ring by its owner alone. When a ring is half full its owner tries to sweep, when it is
 * full it must: nobody waits for a thread that is silent. That works because a sweep announces the *frontier*, the time
 * up to which it takes everything, before it looks at the rings; from then on a thread's transitions are not before the
 * frontier. A thread caught between its clock and its ring thus stays what it was until the frontier, and charges its
 * row by the same time: rows and levels agree to the tick. How the two hand over: ring.h.
 */
#ifndef HEDDLE_OMPT_SHARED_SWEEPER_H
#define HEDDLE_OMPT_SHARED_SWEEPER_H

#include <stdbool.h>
#include <stdint.h>

#include "heddle-format.h"
#include "support/inside.h"

/** The frontier when the profile is closed: no event counts any more. */
#define HD_CLOSED UINT64_MAX

/** Read at every transition, written by sweeps: alone on its cache line. */
struct hd_frontier {
  _Alignas(64) uint64_t ticks;
  bool needs_fence;    /* owners must order their own accesses */
  bool has_membarrier; /* else they always must */
};
extern HD_INSIDE struct hd_frontier hd_frontier;

static inline bool hd_frontier_is_closed(void) {
  return __atomic_load_n(&hd_frontier.ticks, __ATOMIC_RELAXED) == HD_CLOSED;
}

/** Starts the program's tallies. False: no space. */
bool hd_sweeper_init(uint64_t begin_ticks);

/** Whether a thread other than the one whose ring is `own` (NULL: none) is busy now; true if that is not known. */
bool hd_sweeper_others_are_busy(const struct hd_ring_record *own);

/** Makes room in a full ring, whatever that takes; but not once the profile is closed, or if another thread has lost
 * its processor in the middle of a transition. */
void hd_sweeper_make_room(const struct hd_ring_record *ring);

/** Adds up what the rings hold up to now, unless another thread is at it. Keeps errno. */
void hd_sweeper_flush(void);

/** Stops counting: later transitions are refused, and what the rings hold is taken out, or, if another thread's sweep
 *  does not end within a moment, left to the reader. */
void hd_sweeper_close(void);

#endif
