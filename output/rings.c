/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/rings.h"

static struct hd_transition *oldest(struct hd_ring_record *ring) {
  return &ring->transitions[ring->sweep.tail % HD_RING_LENGTH];
}

static uint64_t oldest_ticks(struct hd_ring_record *ring) {
  return __atomic_load_n(&oldest(ring)->ticks, __ATOMIC_RELAXED);
}

static bool joins_team(const struct hd_transition *transition) {
  return transition->what >> HD_WHAT_SHIFT == HD_WHAT_TEAM;
}

/* Twice the time, and one for what is taken late at its instant. */
static uint64_t key_of(struct hd_ring_record *ring) {
  return oldest_ticks(ring) << 1 | joins_team(oldest(ring));
}

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

void hd_rings_add(struct hd_ring_heap *heap, struct hd_ring_record *ring, uint64_t limit) {
  if (limit != ring->sweep.tail)
    heap->heads[heap->count++] = (struct hd_ring_head){.key = key_of(ring), .limit = limit, .ring = ring};
}

static void order(struct hd_ring_heap *heap) {
  for (uint32_t i = heap->count / 2; i-- > 0;)
    sift(heap, i, heap->heads[i]);
}

/* Rings were taken from past the heap. */
static void order_anew(struct hd_ring_heap *heap) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < heap->count; i++) {
    struct hd_ring_head head = heap->heads[i];
    if (head.ring->sweep.tail >= head.limit)
      continue;
    head.key = key_of(head.ring);
    heap->heads[kept++] = head;
  }
  heap->count = kept;
  order(heap);
}

static void take_oldest(struct hd_ring_record *ring, struct hd_tallies *tallies) {
  hd_tallies_apply(tallies, oldest(ring), &ring->sweep);
  __atomic_store_n(&ring->sweep.tail, ring->sweep.tail + 1, __ATOMIC_RELEASE);
}

/* Of the primary whose team a worker joins: all at this instant, and before that of the primary whose team that one
 * joins. What it had put in when the worker joined can be seen by now, though it may not when the heap was made.
 * `tries` bounds the depth: who was whose primary may change while the clock stands still. */
static bool take_primary(struct hd_ring_heap *heap, const struct hd_transition *join, uint32_t tries,
                         struct hd_tallies *tallies) {
  const uint32_t index = HD_TEAM_RING(HD_WHAT_OPERAND(join->what));
  struct hd_ring_record *ring = index < heap->ring_count ? heap->rings[index] : NULL;
  bool took = false;
  while (ring && tries > 0 && ring->sweep.tail != __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE) &&
         oldest_ticks(ring) <= join->ticks) {
    if (joins_team(oldest(ring)))
      take_primary(heap, oldest(ring), tries - 1, tallies);
    take_oldest(ring, tallies);
    took = true;
  }
  return took;
}

void hd_rings_take(struct hd_ring_heap *heap, uint64_t bound, struct hd_tallies *tallies) {
  order(heap);
  while (heap->count > 0 && heap->heads[0].key >> 1 <= bound) {
    struct hd_ring_head head = heap->heads[0];
    if (joins_team(oldest(head.ring)) && take_primary(heap, oldest(head.ring), heap->ring_count, tallies)) {
      order_anew(heap);
      continue;
    }
    take_oldest(head.ring, tallies);
    if (head.ring->sweep.tail == head.limit)
      head = heap->heads[--heap->count];
    else
      head.key = key_of(head.ring);
    if (heap->count > 0)
      sift(heap, 0, head);
  }
}
