/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/rings.h"

static struct hd_transition *oldest(struct hd_ring_record *ring) {
  return &ring->transitions[ring->sweep.tail % HD_RING_LENGTH];
}

/* Twice the time, and one for what comes last at its instant. */
static uint64_t key_of(struct hd_ring_record *ring) {
  const struct hd_transition *transition = oldest(ring);
  const uint64_t ticks = __atomic_load_n(&transition->ticks, __ATOMIC_RELAXED);
  return ticks << 1 | (transition->what >> HD_WHAT_SHIFT == HD_WHAT_TEAM);
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

void hd_rings_take(struct hd_ring_heap *heap, uint64_t bound, struct hd_tallies *tallies) {
  order(heap);
  while (heap->count > 0 && heap->heads[0].key >> 1 <= bound) {
    struct hd_ring_head head = heap->heads[0];
    struct hd_ring_record *ring = head.ring;
    hd_tallies_apply(tallies, oldest(ring), &ring->sweep);
    __atomic_store_n(&ring->sweep.tail, ring->sweep.tail + 1, __ATOMIC_RELEASE);
    if (ring->sweep.tail == head.limit)
      head = heap->heads[--heap->count];
    else
      head.key = key_of(ring);
    if (heap->count > 0)
      sift(heap, 0, head);
  }
}
