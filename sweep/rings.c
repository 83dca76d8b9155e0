/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sweep/rings.h"

enum {
  RUN_LENGTH = 6,     /* transitions: with fewer it is not worth the while */
  STEP_LENGTH = 4096, /* likewise, and more with many rings: owners of full ones wait for a step's end */
  CHECK_LENGTH = 16,
  JOURNAL_PER_RING = 32 /* entries */
};

/* Of a ring that has something to take. */
static struct hd_transition *oldest(struct hd_ring_record *ring) {
  return hd_log_at(ring, ring->sweep.tail);
}

static uint64_t ticks_of(const struct hd_transition *transition) {
  return __atomic_load_n(&transition->ticks, __ATOMIC_RELAXED);
}

static bool joins_team(const struct hd_transition *transition) {
  return hd_what_of(transition) == HD_WHAT_TEAM;
}

/* Twice the time, and one for what is taken late at its instant. */
static uint64_t key_of(const struct hd_transition *transition) {
  return ticks_of(transition) << 1 | joins_team(transition);
}

/* ---- the heap ---- */

/* Puts `head` where it belongs from place `i` downwards. Which child is the earlier cannot be predicted, so it is
 * computed: a sentinel behind the last spares the question whether there are two. */
static void sift(struct hd_ring_heap *heap, uint32_t i, struct hd_ring_head head) {
  struct hd_ring_head *heads = heap->heads;
  heads[heap->count].key = UINT64_MAX;
  for (uint32_t child = 2 * i + 1; child < heap->count; child = 2 * i + 1) {
    child += heads[child + 1].key < heads[child].key;
    if (head.key <= heads[child].key)
      break;
    heads[i] = heads[child];
    i = child;
  }
  heads[i] = head;
}

static struct hd_ring_head head_of(struct hd_ring_record *ring, uint64_t limit) {
  struct hd_transition *transition = oldest(ring);
  return (struct hd_ring_head){.key = key_of(transition), .limit = limit, .ring = ring, .oldest = transition};
}

void hd_rings_add(struct hd_ring_heap *heap, struct hd_ring_record *ring, uint64_t limit) {
  if (limit != ring->sweep.tail)
    heap->heads[heap->count++] = head_of(ring, limit);
}

static void order(struct hd_ring_heap *heap) {
  for (uint32_t i = heap->count / 2; i-- > 0;)
    sift(heap, i, heap->heads[i]);
}

/* Rings were taken from past the heap. */
static void order_anew(struct hd_ring_heap *heap) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < heap->count; i++) {
    const struct hd_ring_head head = heap->heads[i];
    if (head.ring->sweep.tail < head.limit)
      heap->heads[kept++] = head_of(head.ring, head.limit);
  }
  heap->count = kept;
  order(heap);
}

/* What is the oldest in the other rings. */
static uint64_t other_key(const struct hd_ring_heap *heap) {
  const uint64_t left = heap->count > 1 ? heap->heads[1].key : UINT64_MAX;
  const uint64_t right = heap->count > 2 ? heap->heads[2].key : UINT64_MAX;
  return left < right ? left : right;
}

/* ---- steps ---- */

static void end_step(struct hd_ring_heap *heap, struct hd_tallies *tallies) {
  hd_tallies_end_step(tallies);
  for (uint32_t i = 0; i < heap->ring_count; i++) {
    struct hd_ring_sweep *sweep = heap->rings[i] ? &heap->rings[i]->sweep : NULL;
    if (sweep && sweep->released != sweep->tail)
      __atomic_store_n(&sweep->released, sweep->tail, __ATOMIC_RELEASE);
  }
  heap->taken = 0;
}

/* A step costs something for every ring and tally that was touched, so many rings have long ones, and a long journal.
 */
static void end_step_if_long(struct hd_ring_heap *heap, struct hd_tallies *tallies) {
  const bool is_filling = hd_journal_is_filling(&tallies->journal);
  heap->check_at = heap->taken + CHECK_LENGTH;
  const bool may_grow = tallies->journal.limit < JOURNAL_PER_RING * (uint64_t)heap->ring_count;
  if (heap->taken < STEP_LENGTH + 4 * heap->ring_count &&
      (!is_filling || (may_grow && hd_journal_grow(&tallies->journal, 2 * tallies->journal.limit))))
    return;
  end_step(heap, tallies);
  heap->check_at = CHECK_LENGTH;
  hd_tallies_begin_step(tallies);
}

/* All of it that the sweep writes. */
static void keep(struct hd_ring_sweep *sweep, struct hd_tallies *tallies) {
  enum { WORDS = offsetof(struct hd_ring_sweep, released) / sizeof(uint64_t) };
  hd_journal_keep_once(&tallies->journal, &sweep->kept_in, sweep, WORDS);
}

/* ---- taking ---- */

/* Of the primary whose team a worker joins: all at this instant, and before that of the primary whose team that one
 * joins. What it had put in when the worker joined can be seen by now, though it may not when the heap was made.
 * `tries` bounds the depth: who was whose primary may change while the clock stands still. */
static bool take_primary(struct hd_ring_heap *heap, const struct hd_transition *join, uint32_t tries,
                         struct hd_tallies *tallies) {
  const uint32_t index = HD_TEAM_RING(hd_log_member_of(join)->team);
  struct hd_ring_record *ring = index < heap->ring_count ? heap->rings[index] : NULL;
  bool took = false;
  while (ring && tries > 0 && ring->sweep.tail != __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE) &&
         ticks_of(oldest(ring)) <= join->ticks) {
    if (joins_team(oldest(ring)) && take_primary(heap, oldest(ring), tries - 1, tallies)) {
      took = true;
      continue; /* perhaps from this ring, too: teams that join one another, or a damaged file */
    }
    keep(&ring->sweep, tallies);
    hd_tallies_apply(tallies, oldest(ring), &ring->sweep);
    heap->taken += hd_what_slots(oldest(ring)->what);
    ring->sweep.tail += hd_what_slots(oldest(ring)->what);
    took = true;
  }
  return took;
}

/* Whether so many are before `stop` that a run is worth it. */
static bool is_run(const struct hd_ring_head *head, uint64_t stop) {
  uint64_t n = head->ring->sweep.tail;
  struct hd_transition *entry = head->oldest;
  for (int i = 1; i < RUN_LENGTH; i++) {
    const uint32_t slots = hd_what_slots(entry->what);
    n += slots;
    if (n >= head->limit)
      return false;
    entry = hd_log_skip(head->ring, entry, slots);
  }
  return ticks_of(entry) < stop;
}

/* At least one; no other ring has one that is older. Returns the slots. */
static uint64_t take_some(const struct hd_ring_head *head, uint64_t stop, struct hd_tallies *tallies) {
  struct hd_ring_record *ring = head->ring;
  keep(&ring->sweep, tallies);
  const uint64_t count = is_run(head, stop) ? hd_tallies_apply_run(tallies, ring, head->limit, stop) : 0;
  if (count > 0)
    return count;
  hd_tallies_apply(tallies, head->oldest, &ring->sweep);
  return hd_what_slots(head->oldest->what);
}

/* Takes from a head, none of the others is older than `other`. False: its ring is empty then. */
static inline bool take_from(struct hd_ring_heap *heap, struct hd_ring_head *head, uint64_t other, uint64_t bound,
                             struct hd_tallies *tallies) {
  const uint64_t taken = take_some(head, other >> 1 <= bound ? other >> 1 : bound + 1, tallies);
  const uint64_t tail = head->ring->sweep.tail += taken;
  heap->taken += (uint32_t)taken;
  if (__builtin_expect(heap->taken >= heap->check_at, false))
    end_step_if_long(heap, tallies);
  if (tail == head->limit)
    return false;
  head->oldest = hd_log_skip(head->ring, head->oldest, taken);
  head->key = key_of(head->oldest);
  return true;
}

static void take_from_first(struct hd_ring_heap *heap, uint64_t bound, struct hd_tallies *tallies) {
  struct hd_ring_head head = heap->heads[0];
  const uint64_t other = other_key(heap);
  if (!take_from(heap, &head, other, bound, tallies))
    head = heap->heads[--heap->count];
  if (heap->count > 0)
    sift(heap, 0, head);
}

/* As the heap would, without moving them, which is what two threads that take turns need. */
static void take_from_two(struct hd_ring_heap *heap, uint64_t bound, struct hd_tallies *tallies) {
  struct hd_ring_head *first = &heap->heads[0];
  struct hd_ring_head *second = &heap->heads[1];
  while (first->key >> 1 <= bound && !joins_team(first->oldest)) {
    if (!take_from(heap, first, second->key, bound, tallies)) {
      heap->heads[0] = *second;
      heap->count = 1;
      return;
    }
    if (second->key < first->key) {
      struct hd_ring_head *swapped = first;
      first = second;
      second = swapped;
    }
  }
  if (first != heap->heads) {
    const struct hd_ring_head swapped = *first;
    *first = *second;
    *second = swapped;
  }
}

void hd_rings_take(struct hd_ring_heap *heap, uint64_t bound, struct hd_tallies *tallies) {
  order(heap);
  hd_tallies_begin_step(tallies);
  heap->check_at = CHECK_LENGTH;
  while (heap->count > 0 && heap->heads[0].key >> 1 <= bound) {
    struct hd_transition *first = heap->heads[0].oldest;
    if (__builtin_expect(joins_team(first), false) && take_primary(heap, first, heap->ring_count, tallies))
      order_anew(heap);
    else if (heap->count == 2 && !joins_team(first))
      take_from_two(heap, bound, tallies);
    else
      take_from_first(heap, bound, tallies);
  }
  end_step(heap, tallies);
}
