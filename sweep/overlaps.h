/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file overlaps.h
 * For pairs of profiles, how long threads were busy in one and, at the same time, others in the other.
 *
 * The number of pairs is bounded. When it is reached the smaller half is given up, so what stays are the large ones. A
 * pair may come again, and be given up again: it lacks at most the sum, over all times, of the largest that went then.
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

enum { HD_OVERLAPS_MOST = 16384 };

struct hd_overlaps {
  hd_record_allocator *allocate;
  void *context;
  struct hd_journal *journal;
  struct hd_overlap_record **table; /* open addressing, NULL: empty; `limit` entries, a power of two */
  uint32_t limit;
  uint32_t count;                     /* pairs in the table */
  struct hd_overlap_record **records; /* all there are, those that were given up included */
  uint32_t record_count;
  uint32_t free_count; /* records that were given up */
  uint32_t most;       /* pairs that there is memory for, once there was none for more; 0: HD_OVERLAPS_MOST */
  struct hd_overlap_record *newest; /* the pair that was added to last: often it is the next one, too */
};

/** Takes a record of an earlier process over. False: no memory. */
bool hd_overlaps_restore(struct hd_overlaps *overlaps, struct hd_overlap_record *record);

/** Adds to a pair. False: there is no room for another pair; try again after hd_overlaps_give_up(). */
bool hd_overlaps_add(struct hd_overlaps *overlaps, uint32_t a, uint32_t b, uint64_t ticks);

/** Whether a new pair needs others to be given up. */
bool hd_overlaps_are_full(const struct hd_overlaps *overlaps);

/** Gives the smaller half up, to be used again for others. Returns the ticks of the largest that went. */
uint64_t hd_overlaps_give_up(struct hd_overlaps *overlaps);

/** Frees what is not records. */
void hd_overlaps_free(struct hd_overlaps *overlaps);

#endif
