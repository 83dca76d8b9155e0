/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file rings.h
 * Takes transitions out of many rings in the order of time: for the library's sweep, and for the reader, which takes
 * what the last sweep left.
 *
 * Of equal times the order does not matter to what is counted (tallies.h), but for one thing: a worker may join its
 * team at the instant at which the region begins, and must be taken later.
 */
#ifndef HEDDLE_OUTPUT_RINGS_H
#define HEDDLE_OUTPUT_RINGS_H

#include "output/tallies.h"

/** A ring with something to take. */
struct hd_ring_head {
  uint64_t key;   /* by the time of its oldest transition */
  uint64_t limit; /* take them up to this one, exclusive */
  struct hd_ring_record *ring;
};

/** A binary heap (Knuth 5.2.3) of the caller's memory: room for all rings and one more. */
struct hd_ring_heap {
  struct hd_ring_head *heads;
  uint32_t count;
};

/** Forgets what it held. */
static inline void hd_rings_begin(struct hd_ring_heap *heap, struct hd_ring_head *heads) {
  *heap = (struct hd_ring_heap){.heads = heads};
}

/** Adds a ring's transitions up to number `limit`, exclusive. */
void hd_rings_add(struct hd_ring_heap *heap, struct hd_ring_record *ring, uint64_t limit);

/** Hands all that is not later than `bound` to the tallies. Each ring's tail moves with every single transition: a kill
 *  loses none and doubles none. */
void hd_rings_take(struct hd_ring_heap *heap, uint64_t bound, struct hd_tallies *tallies);

#endif
