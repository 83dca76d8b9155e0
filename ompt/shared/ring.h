/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file ring.h
 * A thread's ring of transitions, as its owner sees it. Nobody else puts anything into it; a sweep (sweeper.h) takes
 * out what was put in.
 *
 * How far a sweep may go is said by the time of the newest entry (frontier.h). So an owner touches nothing but its
 * ring, and the sweep only looks at it; but if the owner is silent the sweep *marks* the ring, and the two hand over by
 * a common frontier. Before it is half full the owner does not even look at how much the sweep has taken.
 *
 * An entry may be tentative (a failed lock test looks like a wait, see thread.c): the owner can take it back, and no
 * trace remains unless a sweep has passed it, which one does only when a ring is full.
 */
#ifndef HEDDLE_OMPT_SHARED_RING_H
#define HEDDLE_OMPT_SHARED_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ompt/shared/frontier.h"

/** The owner's view of its ring. Only the owner uses it. */
struct hd_ring {
  struct hd_ring_record *record;
  struct hd_transition *next; /* where the next entry goes */
  uint64_t check_at;          /* when `head` gets here there may be no room: look. 0: an entry is held */
  uint64_t check_later;       /* `check_at` when it is no longer */
  uint32_t busy;              /* profile in which the thread is busy since the newest transition; HD_NONE: it is not */
  uint32_t what;              /* hd_transition.what of the next one */
  uint32_t index;             /* hd_ring_sweep.index */
  uint32_t begun;             /* regions that its owners have begun, or numbers of them that they have skipped */
  uint32_t begun_outermost;   /* what that was when it began the outermost of those that it has open */
  bool holds;                 /* the next entry is not shown before hd_ring_tell: what it carries is known later */
  struct hd_transition *held; /* such a one; NULL: none */
  union hd_log_payload {      /* what the next entry carries, as its kind says */
    struct hd_log_begin begin;
    struct hd_log_end end;
    struct hd_log_member member;
    struct hd_log_arrival arrival;
    struct hd_log_work work;
    struct hd_log_finish finish;
    struct hd_log_join join;
    struct hd_log_alone alone;
    struct hd_log_order order;
  } payload[HD_SLOTS_MOST - 1];
};

/** A ring for thread `id`. Its first transition follows with hd_ring_open and hd_ring_put. False: no space. */
bool hd_ring_join(struct hd_ring *ring, uint32_t id);

/** The owner ends: the ring's last transition is in it. */
void hd_ring_leave(struct hd_ring *ring);

/** Makes room for one entry: sweeps, if it must. Before hd_ring_open, when hd_ring_is_due; what is held is told first.
 */
void hd_ring_make_room(struct hd_ring *ring);
static inline bool hd_ring_is_due(const struct hd_ring *ring) {
  return __builtin_expect(ring->record->head >= ring->check_at, false);
}

/** Whether there is something to take that a sweep is worth. */
bool hd_ring_is_filling(const struct hd_ring *ring);

static inline void hd_ring_release(struct hd_ring *ring) {
  __atomic_store_n(&ring->record->writing, 0, __ATOMIC_RELEASE);
}

/** The same as hd_ring_open in a marked ring. */
bool hd_ring_open_marked(struct hd_ring *ring, uint64_t *now);

/**
 * Begins an entry at `*now`, or at the frontier if the ring is marked and that is later. hd_ring_put or hd_ring_release
 * must follow at once. False: the profile is closed, and nothing was begun.
 */
static inline bool hd_ring_open(struct hd_ring *ring, uint64_t *now) {
  __atomic_store_n(&ring->record->writing, 1, __ATOMIC_RELAXED);
  __atomic_signal_fence(__ATOMIC_SEQ_CST); /* keeps the compiler's order; the processor's is the sweep's concern */
  if (__builtin_expect(__atomic_load_n(&ring->record->fences, __ATOMIC_RELAXED) != 0, false))
    return hd_ring_open_marked(ring, now);
  return true;
}

/** Where the entry that the owner has written, of so many slots, is seen. */
static inline void hd_ring_show(struct hd_ring *ring, uint64_t ticks, uint32_t slots) {
  struct hd_ring_record *record = ring->record;
  __atomic_store_n(&record->head, record->head + slots, __ATOMIC_RELEASE);
  __atomic_store_n(&record->latest_ticks, ticks, __ATOMIC_RELEASE); /* who sees it sees that `head`, too */
  hd_ring_release(ring);
}

/** The second half of hd_ring_put, with a payload. */
void hd_ring_put_payload(struct hd_ring *ring, struct hd_transition *entry);

/** What the next entry carries is known after it has been put: it is shown with hd_ring_tell, before any other. Until
 *  then hd_ring_is_due. */
static inline void hd_ring_hold(struct hd_ring *ring) {
  ring->holds = true;
}
/** Shows it, if there is one, with that; what a later entry is to carry may stand in the ring already. */
void hd_ring_tell(struct hd_ring *ring, const union hd_log_payload *payload);

/** Ends it: from `ticks` on, not before what hd_ring_open said, the thread is busy in profile `busy`, or not busy. */
static inline void hd_ring_put(struct hd_ring *ring, uint64_t ticks, uint32_t busy) {
  struct hd_transition *entry = ring->next;
  const uint32_t what = ring->what;
  __atomic_store_n(&entry->ticks, ticks, __ATOMIC_RELAXED);
  /* Each by itself: gcc would put the two together in a vector register first. */
  __atomic_store_n(&entry->busy, busy, __ATOMIC_RELAXED);
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

/** Before an entry that may have to be taken back; or when the newest one no longer may. */
static inline void hd_ring_set_tentative(struct hd_ring *ring, bool tentative) {
  __atomic_store_n(&ring->record->tentative, tentative, __ATOMIC_RELEASE);
}

/**
 * Takes the newest entry back, before which the thread was busy in `busy` (or HD_NONE): it is so again from the same
 * time on. Returns that time, or a later one, when a sweep has passed it. Nothing to do if the thread's state is
 * `busy`.
 */
uint64_t hd_ring_take_back(struct hd_ring *ring, uint32_t busy);

#endif
