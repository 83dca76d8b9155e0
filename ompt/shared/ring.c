/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/shared/ring.h"

#include <sched.h>
#include <string.h>
#include <time.h>

#include "ompt/shared/ring_pool.h"
#include "ompt/shared/sweeper.h"
#include "support/inprocess/keep_errno.h"

enum {
  HALF = HD_RING_LENGTH / 2,
  QUARTER = HD_RING_LENGTH / 4,
  FULL = HD_RING_LENGTH - HD_SLOTS_MOST + 1,
  YIELDS = 100
};

/* Where the last transitions of a thread go that was given up in the middle of an event. */
static struct hd_ring_record nowhere;

/* One that was left is used again: a program may start any number of threads one after the other. If another thread
 * just sweeps, or takes one, there will be a ring more. */
static struct hd_ring_record *find_ring(uint32_t id) {
  struct hd_ring_record *ring = hd_ring_pool_take();
  if (!ring && hd_ring_pool_has_left()) {
    hd_sweeper_empty_left();
    ring = hd_ring_pool_take();
  }
  return ring ? ring : hd_ring_pool_make(id);
}

bool hd_ring_join(struct hd_ring *ring, uint32_t id) {
  struct hd_ring_record *record = find_ring(id);
  if (!record)
    return false;
  record->sweep.thread = id;
  record->sweep.base_state = HD_SEQUENTIAL;
  record->latest_ticks = 0;
  __atomic_store_n(&record->ended, 0, __ATOMIC_RELAXED);
  __atomic_fetch_or(&record->fences, HD_RING_MARKED, __ATOMIC_RELAXED); /* before the sweep sees it */
  if (!hd_ring_pool_enter(record)) {
    hd_ring_pool_give(record);
    return false;
  }
  *ring = (struct hd_ring){
      .record = record, .busy = HD_NONE, .index = record->sweep.index, .begun = (uint32_t)record->begun};
  ring->next = hd_log_at(record, record->head);
  ring->check_at = record->head + HALF;
  return true;
}

void hd_ring_leave(struct hd_ring *ring) {
  hd_ring_set_tentative(ring, false);
  if (ring->record != &nowhere) {
    ring->record->begun = ring->begun;
    hd_ring_pool_leave(ring->record);
  }
  *ring = (struct hd_ring){.record = &nowhere, .next = nowhere.transitions, .check_at = UINT64_MAX, .busy = HD_NONE};
}

static uint64_t backlog(const struct hd_ring *ring) {
  return ring->record->head - __atomic_load_n(&ring->record->released, __ATOMIC_ACQUIRE);
}

/* A thread was descheduled in the middle of a transition: it may go on, also if this one has the higher priority. */
static void let_others_run(int tries) {
  if (tries < YIELDS)
    sched_yield();
  else
    nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
}

void hd_ring_make_room(struct hd_ring *ring) {
  HD_KEEP_ERRNO;
  int tries = 0;
  if (backlog(ring) >= HALF)
    hd_sweeper_flush();
  while (backlog(ring) >= FULL && !hd_frontier_is_closed()) {
    hd_sweeper_make_room(ring->record);
    if (backlog(ring) >= FULL)
      let_others_run(tries++);
  }
  uint64_t used = backlog(ring);
  uint64_t room = used < HALF ? HALF - used : used < FULL ? FULL - used : 0;
  ring->check_at = ring->record->head + (room < QUARTER || used < HALF ? room : QUARTER);
}

bool hd_ring_is_filling(const struct hd_ring *ring) {
  return backlog(ring) >= QUARTER;
}

static void show_payload(struct hd_ring *ring, struct hd_transition *entry, const union hd_log_payload *payload) {
  const uint32_t slots = hd_what_slots(entry->what);
  memcpy(&entry[1], payload, (slots - 1) * sizeof *payload);
  ring->next = hd_log_skip(ring->record, entry, slots);
  hd_ring_show(ring, entry->ticks, slots);
}

void hd_ring_put_payload(struct hd_ring *ring, struct hd_transition *entry) {
  if (!ring->holds) {
    show_payload(ring, entry, ring->payload);
    return;
  }
  ring->held = entry;
  ring->check_later = ring->check_at;
  ring->check_at = 0;
}

void hd_ring_tell(struct hd_ring *ring, const union hd_log_payload *payload) {
  struct hd_transition *entry = ring->held;
  ring->holds = false;
  ring->held = NULL;
  if (!entry)
    return;
  ring->check_at = ring->check_later;
  show_payload(ring, entry, payload);
}

bool hd_ring_open_marked(struct hd_ring *ring, uint64_t *now) {
  __atomic_exchange_n(&ring->record->writing, 1, __ATOMIC_SEQ_CST); /* a fence */
  const uint64_t frontier = __atomic_load_n(&hd_frontier.ticks, __ATOMIC_SEQ_CST);
  if (frontier == HD_CLOSED) {
    hd_ring_release(ring);
    return false;
  }
  if (*now < frontier)
    *now = frontier;
  return true;
}

uint64_t hd_ring_take_back(struct hd_ring *ring, uint32_t busy) {
  uint64_t from = ring->record->latest_ticks;
  if (ring->busy != busy) {
    if (hd_ring_is_due(ring))
      hd_ring_make_room(ring);
    if (hd_ring_open(ring, &from))
      hd_ring_put(ring, from, busy);
    else
      from = ring->record->latest_ticks;
  }
  hd_ring_set_tentative(ring, false);
  return from;
}
