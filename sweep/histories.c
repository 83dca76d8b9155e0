/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sweep/histories.h"

#include "sweep/tallies.h"

enum {
  NARROWEST_BITS = 20, /* buckets of about half a millisecond */
  FIRST_WORD = offsetof(struct hd_history_record, until_ticks),
  HEAD_WORDS = (offsetof(struct hd_history_record, buckets) - FIRST_WORD) / sizeof(uint64_t),
  BUCKET_WORDS = sizeof(struct hd_history_bucket) / sizeof(uint64_t)
};

struct sums {
  uint64_t elapsed;
  uint64_t busy;
};

/* ---- buckets ---- */

static uint32_t width_bits(uint64_t since_origin) {
  uint32_t bits = NARROWEST_BITS;
  while (since_origin >> bits >= HD_HISTORY_BUCKETS)
    bits++;
  return bits;
}

/* Times that no program reaches are those of damaged files. */
static bool is_time(uint64_t origin, uint64_t at) {
  return at >= origin && at < UINT64_MAX / 4;
}

uint64_t hd_history_begin(uint64_t origin, uint64_t at) {
  const uint32_t bits = is_time(origin, at) ? width_bits(at - origin) : 0;
  return is_time(origin, at) ? origin + ((at - origin) >> bits << bits) : 0;
}

uint64_t hd_history_end(uint64_t origin, uint64_t at) {
  return is_time(origin, at) ? hd_history_begin(origin, at) + (1ull << width_bits(at - origin)) : UINT64_MAX;
}

uint64_t hd_history_width(uint64_t origin, uint64_t until) {
  return 1ull << width_bits(until > origin ? until - 1 - origin : 0);
}

static void fold(struct hd_history_record *history, struct hd_journal *journal) {
  struct hd_history_bucket *buckets = history->buckets;
  const uint32_t half = HD_HISTORY_BUCKETS / 2;
  hd_journal_keep(journal, &history->width_ticks, 1);
  hd_journal_keep(journal, buckets, HD_HISTORY_BUCKETS * BUCKET_WORDS);
  for (uint32_t i = 0; i < half; i++) {
    const struct hd_history_bucket first = buckets[2 * i], second = buckets[2 * i + 1];
    buckets[i].elapsed_ticks = first.elapsed_ticks + second.elapsed_ticks;
    buckets[i].busy_ticks = first.busy_ticks + second.busy_ticks;
  }
  memset(buckets + half, 0, half * sizeof *buckets);
  history->width_ticks *= 2;
}

/* `part` of `whole`, without overflow: a product of two times of a run has more than 64 bits. */
static uint64_t portion(uint64_t sum, uint64_t part, uint64_t whole) {
  return (uint64_t)((unsigned __int128)sum * part / whole);
}

/* Evenly: what each bucket gets is the difference of what was there by its end and by its begin, so all of it adds up.
 */
static void spread(struct hd_history_record *history, uint64_t origin, uint64_t now, struct sums more,
                   struct hd_journal *journal) {
  const uint64_t from = history->until_ticks, whole = now - from, width = history->width_ticks;
  struct sums given = {0};
  for (uint64_t at = from; at < now;) {
    const uint64_t index = (at - origin) / width, end = origin + (index + 1) * width;
    struct hd_history_bucket *bucket = &history->buckets[index];
    const uint64_t until = end < now ? end : now;
    const struct sums by = {portion(more.elapsed, until - from, whole), portion(more.busy, until - from, whole)};
    hd_journal_keep(journal, bucket, BUCKET_WORDS);
    bucket->elapsed_ticks += by.elapsed - given.elapsed;
    bucket->busy_ticks += by.busy - given.busy;
    given = by;
    at = until;
  }
}

/* ---- of a tally ---- */

static struct sums sums_of(const struct hd_tally *tally) {
  struct sums sums = {0};
  for (uint32_t part = 0; part < tally->level_limit; part++) {
    const struct hd_level_record *levels = tally->levels[part].record;
    for (uint32_t i = 0; levels && i < HD_LEVELS_PER_RECORD; i++) {
      sums.elapsed += levels->ticks[i];
      sums.busy += (levels->first + i) * levels->ticks[i];
    }
  }
  return sums;
}

static uint64_t more_than(uint64_t now, uint64_t before) {
  return now > before ? now - before : 0; /* else the file is damaged */
}

static void add(struct hd_tallies *tallies, struct hd_history_record *history, struct sums sums) {
  struct hd_journal *journal = &tallies->journal;
  const uint64_t origin = tallies->timeline->origin_ticks, now = tallies->at;
  const struct sums more = {more_than(sums.elapsed, history->elapsed_ticks), more_than(sums.busy, history->busy_ticks)};
  if (now <= history->until_ticks)
    return;
  while (history->width_ticks < hd_history_width(origin, now))
    fold(history, journal);
  if (more.elapsed > 0)
    spread(history, origin, now, more, journal);
  hd_journal_keep(journal, (const char *)history + FIRST_WORD, HEAD_WORDS);
  history->until_ticks = now;
  history->elapsed_ticks = sums.elapsed;
  history->busy_ticks = sums.busy;
  hd_journal_end_step(journal);
}

/* ---- which ---- */

/* `since`: nothing is known of the time before; `until`: what the region had then. */
static void begin(struct hd_tallies *tallies, struct hd_tally *tally, struct hd_history_record *history, uint64_t since,
                  uint64_t until, struct sums sums) {
  hd_journal_keep(&tallies->journal, history, sizeof *history / sizeof(uint64_t));
  *history = (struct hd_history_record){.profile = tally->record->profile,
                                        .width_ticks = hd_history_width(tallies->timeline->origin_ticks, until),
                                        .since_ticks = since,
                                        .until_ticks = until,
                                        .elapsed_ticks = sums.elapsed,
                                        .busy_ticks = sums.busy};
  hd_journal_end_step(&tallies->journal);
  tally->history = history;
}

/* The place of the one with the least time, if that is less than half as much. NULL: there is none. */
static struct hd_tally **find_small(struct hd_histories *histories, uint64_t elapsed) {
  struct hd_tally **least = &histories->tallies[0];
  for (uint32_t i = 1; i < histories->count; i++)
    if (histories->tallies[i]->history->elapsed_ticks < (*least)->history->elapsed_ticks)
      least = &histories->tallies[i];
  return histories->count > 0 && (*least)->history->elapsed_ticks < elapsed / 2 ? least : NULL;
}

/* So far each has got one at the first bucket's end after its begin: it had nothing at the one before. */
static void add_first(struct hd_tallies *tallies, struct hd_tally *tally, struct sums sums) {
  struct hd_histories *histories = &tallies->histories;
  struct hd_history_record *history = NULL;
  if (histories->count < HD_HISTORIES_MOST)
    history = hd_journal_add_record(&tallies->journal, HD_BLOCK_HISTORIES, sizeof *history);
  if (!history) {
    histories->is_full = true;
    __atomic_fetch_or(&tallies->header->flags, HD_FILE_HISTORIES_FULL, __ATOMIC_RELAXED);
    return;
  }
  histories->tallies[histories->count++] = tally;
  begin(tallies, tally, history, tallies->timeline->origin_ticks, histories->taken_ticks, (struct sums){0});
  add(tallies, history, sums);
}

static void replace_small(struct hd_tallies *tallies, struct hd_tally *tally, struct sums sums) {
  struct hd_tally **small = find_small(&tallies->histories, sums.elapsed);
  if (!small)
    return;
  begin(tallies, tally, (*small)->history, tallies->at, tallies->at, sums);
  (*small)->history = NULL;
  *small = tally;
}

/* Where there are many regions, all of them are looked at only when buckets become wider. */
static void choose(struct hd_tallies *tallies) {
  const struct hd_tally_set *regions = &tallies->sets[HD_TALLY_ELAPSED];
  for (uint32_t i = 0; i < regions->profile_limit; i++) {
    struct hd_tally *tally = regions->by_profile[i];
    const struct sums sums = tally && !tally->history ? sums_of(tally) : (struct sums){0};
    if (sums.elapsed > 0 && !tallies->histories.is_full)
      add_first(tallies, tally, sums);
    if (sums.elapsed > 0 && tallies->histories.is_full)
      replace_small(tallies, tally, sums);
  }
}

void hd_histories_take(struct hd_tallies *tallies) {
  struct hd_histories *histories = &tallies->histories;
  const uint64_t origin = tallies->timeline->origin_ticks, now = tallies->at;
  if (!is_time(origin, now))
    return;
  for (uint32_t i = 0; i < histories->count; i++)
    add(tallies, histories->tallies[i]->history, sums_of(histories->tallies[i]));
  if (!histories->is_full || hd_history_width(origin, now) != hd_history_width(origin, histories->taken_ticks))
    choose(tallies);
  histories->taken_ticks = now;
  histories->end_ticks = hd_history_end(origin, now);
}

/* ---- from a file ---- */

static bool is_valid(const struct hd_tallies *tallies, const struct hd_history_record *record,
                     const struct hd_tally *tally) {
  const uint64_t origin = tallies->timeline->origin_ticks;
  return tally && !tally->history && tallies->histories.count < HD_HISTORIES_MOST &&
         is_time(origin, record->since_ticks) && is_time(origin, record->until_ticks) &&
         record->until_ticks >= record->since_ticks &&
         record->width_ticks == hd_history_width(origin, record->until_ticks);
}

void hd_histories_restore(struct hd_tallies *tallies, struct hd_history_record *record) {
  struct hd_histories *histories = &tallies->histories;
  struct hd_tally *tally = hd_tallies_find(tallies, record->profile, HD_TALLY_ELAPSED);
  if (!is_valid(tallies, record, tally))
    return;
  histories->tallies[histories->count++] = tally;
  tally->history = record;
}

/* The bucket in which it was written has not ended, or a kill came between the commit at its end and what follows. */
void hd_histories_resume(struct hd_tallies *tallies) {
  struct hd_histories *histories = &tallies->histories;
  const uint64_t origin = tallies->timeline->origin_ticks, at = tallies->at;
  histories->is_full = tallies->header->flags & HD_FILE_HISTORIES_FULL;
  histories->taken_ticks = is_time(origin, at) && at > origin ? hd_history_begin(origin, at - 1) : origin;
  histories->end_ticks = hd_history_end(origin, at);
  if (hd_history_begin(origin, at) == at)
    hd_histories_take(tallies);
}
