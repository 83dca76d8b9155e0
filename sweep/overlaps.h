/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file overlaps.h
 * For pairs of profiles, how long threads were busy in one and, at the same time, others in the other.
 *
 * The number of pairs is bounded. At the bound the smaller half is given up, so the large ones stay. A pair may come
 * again, and be given up again: it lacks at most the sum, over all these times, of the largest that was given up.
 *
 * Used by the library while the program runs and by the reader for what was left to add. Not thread-safe: the caller
 * has the sweep's lock. Adding to a known pair: one hash look-up.
 */
#ifndef HEDDLE_SWEEP_OVERLAPS_H
#define HEDDLE_SWEEP_OVERLAPS_H

#include <stdbool.h>
#include <stddef.h>

#include "heddle-format.h"
#include "sweep/journal.h"

struct hd_overlaps {
  struct hd_journal *journal;
  struct hd_overlap_record **table; /* open addressing, NULL: empty; `limit` entries, a power of two */
  uint32_t limit;
  uint32_t count;                     /* pairs in the table */
  struct hd_overlap_record **records; /* all there are, those that were given up included */
  uint32_t record_count;
  uint32_t free_count; /* records that were given up */
  uint32_t most;       /* pairs that there was memory for, once there was none for more; 0: OVERLAPS_MOST */
  struct hd_overlap_record *newest; /* the last pair that was added to: often it is the next one, too */
};

/** Takes over a record from a file. False: no memory. */
bool hd_overlaps_restore(struct hd_overlaps *overlaps, struct hd_overlap_record *record);

/** Adds to a pair. Returns how many ticks a pair may now lack in addition: those of the largest that had to make room,
 *  or `ticks` if there was no memory. */
uint64_t hd_overlaps_add(struct hd_overlaps *overlaps, uint32_t a, uint32_t b, uint64_t ticks);

/** Frees what is not records. */
void hd_overlaps_free(struct hd_overlaps *overlaps);

#endif
