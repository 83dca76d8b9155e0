/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/inprocess/heap.h"
#include "sweep/teams_internal.h"

enum { FIRST_SLOTS = 16, KEPT_WORDS = 3 };

/* ---- records ---- */

static struct hd_delay_record **slot_of(const struct hd_team_book *book, uint32_t thread) {
  uint32_t slot = thread * 0x9E3779B1u >> 7 & book->delay_mask; /* Fibonacci hashing, Knuth 6.4 */
  while (book->delays[slot] && book->delays[slot]->thread != thread)
    slot = (slot + 1) & book->delay_mask;
  return &book->delays[slot];
}

static bool make_room(struct hd_team_book *book) {
  const uint32_t before = book->delays ? book->delay_mask + 1 : 0;
  const uint32_t after = before ? 2 * before : FIRST_SLOTS;
  if (book->delay_count < before / 2)
    return true;
  struct hd_delay_record **delays = book->delays;
  struct hd_delay_record **grown = hd_heap_allocate(after, sizeof(struct hd_delay_record *));
  if (!grown)
    return book->delay_count + 1 < before;
  book->delays = grown;
  book->delay_mask = after - 1;
  for (uint32_t i = 0; i < before; i++)
    if (delays[i])
      *slot_of(book, delays[i]->thread) = delays[i];
  hd_heap_free(delays);
  return true;
}

/* A ring's owner is nearly always the same. */
static struct hd_delay_record *find(struct hd_team_book *book, const struct hd_ring_sweep *ring) {
  struct hd_team_ring *known = ring->index < book->ring_limit ? &book->rings[ring->index] : NULL;
  if (!book->delays)
    return NULL;
  if (known && known->delay && known->delay->thread == ring->thread)
    return known->delay;
  struct hd_delay_record *record = *slot_of(book, ring->thread);
  if (known)
    known->delay = record;
  return record;
}

static struct hd_delay_record *find_or_add(struct hd_team_book *book, const struct hd_ring_sweep *ring) {
  struct hd_delay_record *record = find(book, ring);
  if (record || !make_room(book))
    return record;
  record = hd_journal_add_record(book->journal, HD_BLOCK_DELAYS, sizeof *record);
  if (!record)
    return NULL;
  record->thread = ring->thread;
  book->delay_count++;
  return *slot_of(book, ring->thread) = record;
}

bool hd_teams_restore_delay(struct hd_team_book *book, struct hd_delay_record *record) {
  if (!make_room(book))
    return false;
  struct hd_delay_record **slot = slot_of(book, record->thread);
  book->delay_count += !*slot;
  *slot = record;
  return true;
}

static void set(struct hd_team_book *book, struct hd_delay_record *record, int64_t ticks, int64_t base,
                int64_t arrived) {
  if (record->ticks == ticks && record->base == base && record->arrived == arrived)
    return;
  hd_journal_keep_once(book->journal, &record->kept_in, &record->ticks, KEPT_WORDS);
  record->ticks = ticks;
  record->base = base;
  record->arrived = arrived;
}

/* What a file says may be anything. */
static int64_t sum(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t difference(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a - (uint64_t)b);
}

/* ---- what becomes of them ---- */

/* Whoever arrives at a barrier has left the one before: `base` is brought up to date only now. What a thread does not
 * know to be late by it could not take out of its wait. */
int64_t hd_team_delay_late(struct hd_team_book *book, const struct hd_team_record *record,
                           const struct hd_team_entry *entry, int64_t late, bool again) {
  struct hd_delay_record *delay = find(book, entry->ring);
  if (!delay)
    return late;
  const int64_t base = again ? delay->base : delay->arrived;
  const int64_t more = difference(delay->ticks, delay->arrived);
  struct hd_total_record *total = more ? hd_team_total(book, record, hd_team_operand(entry)) : NULL;
  if (total)
    total->merged = difference(total->merged, more);
  set(book, delay, delay->ticks, base, delay->ticks);
  return sum(late, difference(delay->ticks, base));
}

void hd_team_delay_start(struct hd_team_book *book, const struct hd_ring_sweep *ring) {
  struct hd_delay_record *delay = find(book, ring);
  if (delay)
    set(book, delay, delay->ticks, delay->ticks, delay->ticks);
}

void hd_team_delay_begin(struct hd_team_book *book, struct hd_team_record *record, const struct hd_ring_sweep *ring) {
  const struct hd_delay_record *delay = find(book, ring);
  if (!delay)
    return;
  record->ticks_before = delay->ticks;
  record->base_before = delay->base;
  record->arrived_before = delay->arrived;
  hd_team_delay_start(book, ring);
}

/* By what its own teams have made its primary late by since its team was together. */
void hd_team_delay_add(struct hd_team_book *book, struct hd_team_record *record, const struct hd_ring_sweep *ring) {
  const struct hd_delay_record *delay = find(book, ring);
  if (!delay)
    return;
  record->delay = sum(record->delay, difference(delay->ticks, delay->arrived));
  hd_team_delay_start(book, ring);
}

/* The region was as late as its barriers say, whatever the primary did in it: this is its delay now. */
void hd_team_delay_end(struct hd_team_book *book, struct hd_team_record *record, const struct hd_ring_sweep *ring) {
  hd_team_delay_add(book, record, ring);
  struct hd_delay_record *delay = record->delay ? find_or_add(book, ring) : find(book, ring);
  if (delay)
    set(book, delay, sum(record->ticks_before, record->delay), record->base_before, record->arrived_before);
}
