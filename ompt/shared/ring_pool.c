/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/shared/ring_pool.h"

#include <string.h>

#include "ompt/shared/measuring.h"
#include "support/inprocess/heap.h"
#include "support/inprocess/list.h"

/* Room for 64 rings, or twice as many, ... */
enum { FIRST_LIMIT = 64, LIMITS = 26 };

/* Lists are linked by offsets in the file. */
static uint64_t free_rings;
static uint64_t entered;
static uint32_t left_count;
static struct hd_list all; /* by index */
static uint32_t index_count;
static void *rooms[LIMITS]; /* for the sweep: made by whoever enters a ring, before it is needed */

/* ---- lists ---- */

static struct hd_ring_record *ring_at(uint64_t offset) {
  return offset ? (struct hd_ring_record *)(void *)(hd_store.base + offset) : NULL;
}

/* Rings that hang together, up to one whose `next` is free to use. */
static void push(uint64_t *list, struct hd_ring_record *first, struct hd_ring_record *last) {
  const uint64_t offset = hd_store_offset(&hd_store, first);
  uint64_t next = __atomic_load_n(list, __ATOMIC_RELAXED);
  do
    last->next = next;
  while (!__atomic_compare_exchange_n(list, &next, offset, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
}

static struct hd_ring_record *take_all(uint64_t *list) {
  return ring_at(__atomic_exchange_n(list, 0, __ATOMIC_SEQ_CST));
}

/* Takes the whole list and puts the rest back, as support/inprocess/free_list.h does. */
struct hd_ring_record *hd_ring_pool_take(void) {
  if (!__atomic_load_n(&free_rings, __ATOMIC_RELAXED))
    return NULL;
  struct hd_ring_record *ring = take_all(&free_rings);
  struct hd_ring_record *rest = ring ? ring_at(ring->next) : NULL;
  if (!rest)
    return ring;
  struct hd_ring_record *last = rest;
  while (last->next)
    last = ring_at(last->next);
  push(&free_rings, rest, last);
  return ring;
}

void hd_ring_pool_give(struct hd_ring_record *ring) {
  push(&free_rings, ring, ring);
}

void hd_ring_pool_leave(struct hd_ring_record *ring) {
  __atomic_fetch_add(&left_count, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&ring->ended, 1, __ATOMIC_RELEASE);
}

void hd_ring_pool_retire(struct hd_ring_record *ring) {
  __atomic_fetch_sub(&left_count, 1, __ATOMIC_RELAXED);
  hd_ring_pool_give(ring);
}

bool hd_ring_pool_has_left(void) {
  return __atomic_load_n(&left_count, __ATOMIC_RELAXED) > 0;
}

/* ---- new ones ---- */

/* The first index that no other ring has. */
static bool find_index(struct hd_ring_record *ring) {
  for (;;) {
    uint32_t index = __atomic_load_n(&index_count, __ATOMIC_ACQUIRE);
    if (!hd_list_make_place(&all, index))
      return false;
    const bool is_mine = hd_list_put(&all, index, ring) == ring;
    ring->sweep.index = index;
    __atomic_compare_exchange_n(&index_count, &index, index + 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    if (is_mine)
      return true;
  }
}

/* Shown to readers when it has its index. */
struct hd_ring_record *hd_ring_pool_make(uint32_t owner) {
  struct hd_store_cursor cursor = {0};
  if (!hd_list_make_place(&all, __atomic_load_n(&index_count, __ATOMIC_ACQUIRE)))
    return NULL;
  struct hd_ring_record *ring = hd_store_add(&hd_store, &cursor, HD_BLOCK_RING, owner, sizeof *ring);
  if (!ring)
    return NULL;
  ring->sweep.busy = ring->sweep.busy_before = HD_NONE;
  if (!find_index(ring))
    return NULL;
  hd_store_publish(&cursor);
  return ring;
}

uint32_t hd_ring_pool_count(void) {
  return __atomic_load_n(&index_count, __ATOMIC_ACQUIRE);
}

struct hd_ring_record *hd_ring_pool_at(uint32_t index) {
  return hd_list_at(&all, index);
}

/* ---- room for the sweep ---- */

static uint32_t limit_for(uint32_t index, uint32_t *number) {
  uint32_t limit = FIRST_LIMIT;
  for (*number = 0; limit <= index; limit *= 2)
    ++*number;
  return limit;
}

static bool make_room(uint32_t index) {
  uint32_t number;
  const uint32_t limit = limit_for(index, &number);
  if (number >= LIMITS)
    return false;
  if (__atomic_load_n(&rooms[number], __ATOMIC_ACQUIRE))
    return true;
  void *none = NULL;
  void *made = hd_heap_allocate(1, 2 * (size_t)limit * sizeof(struct hd_ring_record *) + hd_window_bytes(limit));
  if (!made || __atomic_compare_exchange_n(&rooms[number], &none, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return made;
  hd_heap_free(made);
  return true;
}

bool hd_ring_pool_enter(struct hd_ring_record *ring) {
  if (!make_room(ring->sweep.index))
    return false;
  push(&entered, ring, ring);
  return true;
}

static void move(struct hd_ring_set *set, uint32_t index) {
  uint32_t number;
  struct hd_ring_set larger = *set;
  larger.limit = limit_for(index, &number);
  larger.memory = __atomic_load_n(&rooms[number], __ATOMIC_ACQUIRE);
  larger.rings = larger.memory;
  larger.by_index = larger.rings + larger.limit;
  larger.window = hd_window_make(larger.by_index + larger.limit, larger.limit);
  if (set->memory) {
    memcpy(larger.rings, set->rings, set->count * sizeof *set->rings);
    memcpy(larger.by_index, set->by_index, set->index_count * sizeof *set->by_index);
    hd_heap_free(set->memory);
  }
  *set = larger;
}

void hd_ring_pool_take_in(struct hd_ring_set *set) {
  struct hd_ring_record *next;
  for (struct hd_ring_record *ring = take_all(&entered); ring; ring = next) {
    const uint32_t index = ring->sweep.index;
    next = ring_at(ring->next);
    if (index >= set->limit)
      move(set, index);
    set->rings[set->count++] = ring;
    set->by_index[index] = ring;
    if (index >= set->index_count)
      set->index_count = index + 1;
  }
}
