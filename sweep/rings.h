/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file rings.h
 * Takes transitions out of many rings in the order of time: for the library's sweep, and for the reader, which takes
 * what the last sweep left.
 *
 * The order of transitions at one instant does not matter to the tallies (tallies.h), with one exception: a worker may
 * join a team at the instant at which the region begins, and everything that happens while the measurement is paused
 * happens at one instant. So a primary's transitions of an instant are taken before a worker joins its team.
 */
#ifndef HEDDLE_SWEEP_RINGS_H
#define HEDDLE_SWEEP_RINGS_H

#include "sweep/tallies.h"

/** A ring with something to take. */
struct hd_ring_head {
  uint64_t key;   /* by the time of its oldest transition */
  uint64_t limit; /* take them up to this one, exclusive */
  struct hd_ring_record *ring;
  struct hd_transition *oldest;
};

/** A binary heap (Knuth 5.2.3). All memory is the caller's. */
struct hd_ring_heap {
  struct hd_ring_head *heads; /* room for all rings and one more */
  uint32_t count;
  struct hd_ring_record *const *rings; /* by index; NULL: not known yet */
  uint32_t ring_count;
  uint32_t taken;    /* transitions, in this step */
  uint32_t check_at; /* when so many have been taken it may have to end */
};

/** Empty. */
static inline void hd_rings_begin(struct hd_ring_heap *heap, struct hd_ring_head *heads,
                                  struct hd_ring_record *const *rings, uint32_t ring_count) {
  *heap = (struct hd_ring_heap){.heads = heads, .rings = rings, .ring_count = ring_count};
}

/** Adds a ring's transitions up to number `limit`, exclusive. */
void hd_rings_add(struct hd_ring_heap *heap, struct hd_ring_record *ring, uint64_t limit);

/** Hands all transitions up to the time `bound` to the tallies, in steps (journal.h): a kill loses no transition and
 *  doubles none. At the end of a step the rings have room again. */
void hd_rings_take(struct hd_ring_heap *heap, uint64_t bound, struct hd_tallies *tallies);

#endif
