/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sweep/timeline.h"

#include <string.h>

enum {
  NARROWEST_TICKS = 1024,
  BUCKET_WORDS = sizeof(struct hd_timeline_bucket) / sizeof(uint64_t),
  SINGLY_MOST = 16 /* buckets that are kept one by one */
};

void hd_timeline_begin(struct hd_timeline_record *timeline, uint64_t origin_ticks) {
  timeline->origin_ticks = timeline->until_ticks = origin_ticks;
  timeline->width_ticks = NARROWEST_TICKS;
}

bool hd_timeline_is_valid(const struct hd_timeline_record *timeline) {
  const uint64_t width = timeline->width_ticks;
  return width > 0 && (width & (width - 1)) == 0 && timeline->until_ticks >= timeline->origin_ticks;
}

/* Once in a step: its journal has room for that. */
static void keep_all(struct hd_timeline_record *timeline, struct hd_journal *journal) {
  hd_journal_keep_once(journal, &timeline->kept_in, timeline->buckets, HD_TIMELINE_BUCKETS * BUCKET_WORDS);
}

static void keep(const struct hd_timeline_record *timeline, const struct hd_timeline_bucket *bucket,
                 struct hd_journal *journal) {
  if (timeline->kept_in != journal->step)
    hd_journal_keep(journal, bucket, BUCKET_WORDS);
}

/* Pairs of buckets become one: what is known of each stays exact. */
static void fold(struct hd_timeline_record *timeline, struct hd_journal *journal) {
  struct hd_timeline_bucket *buckets = timeline->buckets;
  const uint32_t half = HD_TIMELINE_BUCKETS / 2;
  keep_all(timeline, journal);
  hd_journal_keep(journal, &timeline->width_ticks, 1);
  for (uint32_t i = 0; i < half; i++) {
    const struct hd_timeline_bucket first = buckets[2 * i];
    const struct hd_timeline_bucket second = buckets[2 * i + 1];
    buckets[i].none_ticks = first.none_ticks + second.none_ticks;
    buckets[i].sequential_ticks = first.sequential_ticks + second.sequential_ticks;
    buckets[i].busy_ticks = first.busy_ticks + second.busy_ticks;
  }
  memset(buckets + half, 0, half * sizeof *buckets);
  timeline->width_ticks *= 2;
}

static uint32_t bucket_of(const struct hd_timeline_record *timeline, uint64_t ticks) {
  const uint64_t index = (ticks - timeline->origin_ticks) >> __builtin_ctzll(timeline->width_ticks);
  return index < HD_TIMELINE_BUCKETS ? (uint32_t)index : HD_TIMELINE_BUCKETS;
}

void hd_timeline_add(struct hd_timeline_record *timeline, uint64_t now, uint32_t level, struct hd_journal *journal) {
  uint64_t from = timeline->until_ticks;
  if (now <= from)
    return;
  while (bucket_of(timeline, now - 1) == HD_TIMELINE_BUCKETS)
    fold(timeline, journal);
  if ((now - from) / timeline->width_ticks > SINGLY_MOST)
    keep_all(timeline, journal);
  while (from < now) {
    struct hd_timeline_bucket *bucket = &timeline->buckets[bucket_of(timeline, from)];
    const uint64_t left = timeline->width_ticks - ((from - timeline->origin_ticks) & (timeline->width_ticks - 1));
    const uint64_t ticks = now - from < left ? now - from : left;
    keep(timeline, bucket, journal);
    hd_timeline_count(bucket, level, ticks);
    from += ticks;
  }
  hd_journal_keep(journal, &timeline->until_ticks, 1);
  timeline->until_ticks = now;
}

void hd_timeline_add_to_bucket(struct hd_timeline_record *timeline, uint64_t now,
                               const struct hd_timeline_bucket *ticks, struct hd_journal *journal) {
  if (now <= timeline->until_ticks) /* a damaged file */
    return;
  while (bucket_of(timeline, now - 1) == HD_TIMELINE_BUCKETS)
    fold(timeline, journal);
  struct hd_timeline_bucket *bucket = &timeline->buckets[bucket_of(timeline, timeline->until_ticks)];
  keep(timeline, bucket, journal);
  bucket->none_ticks += ticks->none_ticks;
  bucket->sequential_ticks += ticks->sequential_ticks;
  bucket->busy_ticks += ticks->busy_ticks;
  hd_journal_keep(journal, &timeline->until_ticks, 1);
  timeline->until_ticks = now;
}
