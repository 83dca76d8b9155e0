/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file ring.h
 * A thread's ring of transitions, as its owner sees it. Nobody else puts anything into it; a sweep (sweeper.h) takes
 * out what was put in.
 *
 * The hand-over is Dekker's: the owner writes `writing` and reads the frontier, the sweep writes the frontier and reads
 * `writing`. The owner needs no fence: the sweep runs one on all processors (membarrier(2)). A thread that is
 * descheduled within those few instructions holds the sweep back to its last transition.
 *
 * membarrier(2) interrupts every processor on which the program runs, for some microseconds. So when sweeps come more
 * often than about two hundred times a second, the owners fence themselves (`needs_fence`, some five nanoseconds a
 * transition) until sweeps are rare again. The owner looks at `needs_fence` after it has written `writing`. So the last
 * membarrier(2), which follows the order to fence, leaves two sorts of owners: those whose `writing` it has made
 * visible, and those that see the order.
 *
 * A transition may be tentative (a failed lock test looks like a wait, see thread.c): the owner can take it back unless
 * a sweep has passed it, which one does only when its own ring is full.
 */
#ifndef HEDDLE_OMPT_SHARED_RING_H
#define HEDDLE_OMPT_SHARED_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ompt/shared/sweeper.h"

/** The owner's view of its ring. Only the owner uses it. */
struct hd_ring {
  struct hd_ring_record *record;
  struct hd_transition *next; /* where the next entry goes */
  uint64_t check_at;          /* when `head` gets here there may be no room: look */
  uint32_t busy;              /* profile in which the thread is busy since the newest transition; HD_NONE: it is not */
  uint32_t what;              /* hd_transition.what of the next one */
  uint32_t index;             /* hd_ring_sweep.index */
  uint32_t begun;             /* regions that its owner has begun */
  union hd_log_payload {      /* what the next entry carries, as its kind says */
    struct hd_log_begin begin;
    struct hd_log_end end;
    struct hd_log_member member;
    struct hd_log_arrival arrival;
    struct hd_log_work work;
    struct hd_log_finish finish;
  } payload[HD_SLOTS_MOST - 1];
};

/** A ring for thread `id`. Its first transition follows with hd_ring_open and hd_ring_put. False: no space. */
bool hd_ring_join(struct hd_ring *ring, uint32_t id);

/** The owner ends: the ring's last transition is in it. */
void hd_ring_leave(struct hd_ring *ring);

/** Makes room for one entry: sweeps, if it must. Before hd_ring_open, when hd_ring_is_due. */
void hd_ring_make_room(struct hd_ring *ring);
static inline bool hd_ring_is_due(const struct hd_ring *ring) {
  return __builtin_expect(ring->record->head >= ring->check_at, false);
}

/** Whether there is something to take that a sweep is worth. */
bool hd_ring_is_filling(const struct hd_ring *ring);

static inline void hd_ring_release(struct hd_ring *ring) {
  __atomic_store_n(&ring->record->writing, 0, __ATOMIC_RELEASE);
}

/**
 * Begins a transition at `*now`, which moves to the frontier if it lies before it. hd_ring_put or hd_ring_release must
 * follow at once. False: the profile is closed, and nothing was begun.
 */
static inline bool hd_ring_open(struct hd_ring *ring, uint64_t *now) {
  __atomic_store_n(&ring->record->writing, 1, __ATOMIC_RELAXED);
  __atomic_signal_fence(__ATOMIC_SEQ_CST); /* keeps the compiler's order; the processor's is the sweep's concern */
  if (__builtin_expect(__atomic_load_n(&hd_frontier.needs_fence, __ATOMIC_RELAXED), false))
    __atomic_exchange_n(&ring->record->writing, 1, __ATOMIC_SEQ_CST); /* a fence */
  uint64_t frontier = __atomic_load_n(&hd_frontier.ticks, __ATOMIC_SEQ_CST);
  if (__builtin_expect(*now < frontier, false)) {
    if (frontier == HD_CLOSED) {
      hd_ring_release(ring);
      return false;
    }
    *now = frontier;
  }
  return true;
}

/** Where the entry that the owner has written, of so many slots, is seen. */
static inline void hd_ring_show(struct hd_ring *ring, uint64_t ticks, uint32_t slots) {
  struct hd_ring_record *record = ring->record;
  __atomic_store_n(&record->latest_ticks, ticks, __ATOMIC_RELEASE); /* who sees it sees all transitions before it */
  __atomic_store_n(&record->head, record->head + slots, __ATOMIC_RELEASE);
  hd_ring_release(ring);
}

/** The second half of hd_ring_put, with a payload. */
void hd_ring_put_payload(struct hd_ring *ring, struct hd_transition *entry);

/** Ends it: from `ticks` on, not before what hd_ring_open said, the thread is busy in profile `busy`, or not busy. */
static inline void hd_ring_put(struct hd_ring *ring, uint64_t ticks, uint32_t busy) {
  struct hd_transition *entry = ring->next;
  const uint32_t what = ring->what;
  __atomic_store_n(&entry->ticks, ticks, __ATOMIC_RELAXED);
  __atomic_store_n(&entry->busy, busy,
                   __ATOMIC_RELAXED); /* else gcc puts the two together in a vector register first */
  __atomic_store_n(&entry->what, what, __ATOMIC_RELAXED);
  ring->busy = busy;
  ring->what = 0;
  if (__builtin_expect(HD_WHAT_CARRIES(what), false)) {
    hd_ring_put_payload(ring, entry);
    return;
  }
  ring->next = hd_log_skip(ring->record, entry, 1);
  hd_ring_show(ring, ticks, 1);
}

/** The newest transition may have to be taken back; or no more. */
static inline void hd_ring_set_tentative(struct hd_ring *ring, bool tentative) {
  __atomic_store_n(&ring->record->tentative_ticks, tentative ? ring->record->latest_ticks : 0, __ATOMIC_RELAXED);
}

/**
 * Takes the newest transition back, before which the thread was busy in `busy` (or HD_NONE). Returns from when on it
 * never happened: its own time, or later, when a sweep has passed it. Nothing to do if the thread's state is `busy`.
 */
uint64_t hd_ring_take_back(struct hd_ring *ring, uint32_t busy);

#endif
