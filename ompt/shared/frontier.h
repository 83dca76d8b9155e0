/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file frontier.h
 * How far a sweep may go: up to a time before which no thread will put anything into its ring any more.
 *
 * Times along a ring never decrease. So a thread that logs says by itself how far it is: with the time of its newest
 * entry (`latest_ticks`). Such an owner looks at nothing that another thread writes, and needs no fence. A sweep may go
 * up to the minimum of these times.
 *
 * A thread that logs nothing would hold the others back. The sweep *marks* its ring (`fences`, in the ring itself). The
 * owner of a marked ring hands over by Dekker's algorithm: it writes `writing`, fences, and reads the frontier; the
 * sweep writes the frontier, fences, and reads `writing`. An entry that is not finished when the sweep looks does not
 * lie before the frontier: it moves there if its owner looked at the clock earlier, and its row is charged by the same
 * time.
 *
 * Why nothing is put in before what a sweep has taken, wherever an owner loses its processor:
 *
 * - *Invariant.* The newest time of a ring that is not marked is not before the frontier. Its next entry is not before
 *   that, and the frontier moves no further than that. So no entry of such an owner can be too early, and where in it
 *   the owner is does not matter.
 * - *Publication.* An entry is complete before `head` covers it, and `head` covers it before `latest_ticks` is its
 *   time; both are release stores. So who sees a newest time, and then `head`, sees all entries up to that time. More
 *   may follow at the very same time; their order does not matter (rings.h).
 * - *Marking.* The owner writes `writing` before it reads `fences`. The sweep writes `fences` and calls membarrier(2):
 *   every owner then either has shown `writing`, or will see the mark. If the sweep now reads no `writing`, entries up
 *   to here are in the ring, and those that follow see the mark, and then the frontier or show `writing`. As long as it
 *   reads `writing`, now or in a later sweep, the entry may be one that has not seen the mark, but it is not before the
 *   newest time: the sweep goes up to there.
 * - *Unmarking.* Only when the newest time is not before the frontier: that is the invariant. The owner may see the
 *   mark for a while yet; that does no harm. No fence is needed.
 * - *A new thread.* It marks its ring before it enters it into the list from which sweeps take rings, and its newest
 *   time is 0 until its first entry, so no sweep unmarks it before. A sweep looks into the list again when it has moved
 *   the frontier: it finds the ring there, or the owner, which entered it later, finds the frontier.
 * - *A thread that ends* says so (`ended`) after its last entry, so it holds back nobody, and everything is in its
 * ring.
 * - *Tentative entries* (a failed lock test looks like a wait). Taking back is to put another one at the same time, or
 *   at the frontier if that is later. No sweep passes the newest entry of a ring that is not marked, nor, unless a ring
 *   is full, that of one that says that it is tentative: then nothing lies between the two.
 * - *A pause.* Entries have the time at which the clock stands, or that of an entry before them, by an owner that looked
 *   at the clock just before. The frontier goes up to the newest of these, and all that is in the rings can be taken.
 * - *The end.* All rings are marked for good, the frontier is HD_CLOSED, and a membarrier(2) follows: who has not begun
 *   its entry then sees that it is closed.
 *
 * membarrier(2) interrupts every processor on which the program runs, for some microseconds. One sweep marks all silent
 * rings at once, and there are no more than FENCES_MOST of them in a tenth of a second: the last one marks all rings,
 * and none is unmarked for a second, so no further one is needed. Where there is no membarrier(2) all rings are marked
 * for good.
 */
#ifndef HEDDLE_OMPT_SHARED_FRONTIER_H
#define HEDDLE_OMPT_SHARED_FRONTIER_H

#include <stdbool.h>
#include <stdint.h>

#include "heddle-format.h"
#include "ompt/shared/ring_pool.h"
#include "support/inside.h"

/** The frontier when the profile is closed: no event counts any more. */
#define HD_CLOSED UINT64_MAX

/** Read by owners of marked rings, written by sweeps: alone on its cache line. */
struct hd_frontier {
  _Alignas(64) uint64_t ticks;
  bool has_membarrier; /* else all rings are marked */
};
extern HD_INSIDE struct hd_frontier hd_frontier;

static inline bool hd_frontier_is_closed(void) {
  return __atomic_load_n(&hd_frontier.ticks, __ATOMIC_RELAXED) == HD_CLOSED;
}

/** At start: whether membarrier(2) can be used. */
void hd_frontier_init(void);

/** What a sweep is for: room in the fullest ring, and */
struct hd_sweep_aim {
  bool passing; /* tentative entries are taken for what they look like */
  bool leaving; /* rings that were left are to be empty */
};

/** The sweep, under its lock: takes in new rings, moves the frontier, and returns the time up to which everything is in
 *  the rings for good. 0: no further than before. */
uint64_t hd_frontier_move(struct hd_ring_set *set, struct hd_sweep_aim aim);

/** Any thread: owners that begin an entry from here on learn that the profile is closed. */
void hd_frontier_close(void);

/** After hd_frontier_close, under the lock: up to when everything is in the rings. */
uint64_t hd_frontier_closed_bound(const struct hd_ring_set *set);

#endif
