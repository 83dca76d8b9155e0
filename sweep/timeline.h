/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file timeline.h
 * The run in time, in a fixed number of buckets: Hollingsworth's time histogram (Hollingsworth, Miller, Cargille 1994).
 *
 * The library uses it while the program runs, and the reader for what was left to add. Not thread-safe: the caller has
 * the sweep's lock. Cost: a few additions for each bucket that the interval touches; folds are rare, each doubles the
 * time to the next.
 */
#ifndef HEDDLE_SWEEP_TIMELINE_H
#define HEDDLE_SWEEP_TIMELINE_H

#include <stdbool.h>

#include "heddle-format.h"
#include "sweep/journal.h"

/** Begins at `origin_ticks`, with the narrowest buckets. The record is zeroed. */
void hd_timeline_begin(struct hd_timeline_record *timeline, uint64_t origin_ticks);

/** Whether the record of a file that cannot be trusted can be added to: its width is a power of two. */
bool hd_timeline_is_valid(const struct hd_timeline_record *timeline);

/** Adds the time from `until_ticks` to `now`, during which `level` threads were busy. */
void hd_timeline_add(struct hd_timeline_record *timeline, uint64_t now, uint32_t level, struct hd_journal *journal);

/** Adds the time from `until_ticks` to `now`, which lies in one bucket. */
void hd_timeline_add_to_bucket(struct hd_timeline_record *timeline, uint64_t now,
                               const struct hd_timeline_bucket *ticks, struct hd_journal *journal);

/** Adds so many ticks at the level to a bucket. */
static inline void hd_timeline_count(struct hd_timeline_bucket *bucket, uint32_t level, uint64_t ticks) {
  bucket->none_ticks += level == 0 ? ticks : 0;
  bucket->sequential_ticks += level == 1 ? ticks : 0;
  bucket->busy_ticks += level * ticks;
}

#endif
