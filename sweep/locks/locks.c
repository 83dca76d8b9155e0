/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sweep/locks/locks_internal.h"

/* ---- sums ---- */

static void lose(struct hd_lock_book *book) {
  book->header->lost_locks += book->header->lost_locks < UINT32_MAX;
}

/* What has no room, or no profile, is added up in nothing. */
static struct hd_lock_record *sum_of(struct hd_lock_book *book, uint32_t profile) {
  static struct hd_lock_record nowhere; /* the sweep's lock is held */
  if (profile == HD_NONE)
    return &nowhere;
  if (hd_heap_grow(&book->sums, &book->sum_limit, profile + 1, sizeof *book->sums))
    return &book->sums[profile];
  lose(book);
  return &nowhere;
}

/* NULL: no room, or the holder is not known. */
static struct hd_lock_pair *pair_of(struct hd_lock_book *book, uint32_t waiter, uint32_t holder) {
  const uint64_t key = (uint64_t)waiter << 32 | holder;
  if (holder == HD_NONE)
    return NULL;
  struct hd_lock_pair *pair = hd_path_find(&book->pairs, key);
  if (!pair && book->pairs.count < HD_LOCK_PAIRS_MOST)
    pair = hd_path_make(&book->pairs, key, sizeof *pair);
  if (!pair)
    lose(book);
  return pair;
}

/* ---- locks ---- */

/* Of one that is not there, everybody who waits for it or holds it would be known. NULL: no room. */
static struct hd_lock *find_or_make(struct hd_lock_book *book, uint64_t key, uint64_t now) {
  struct hd_lock *lock = hd_path_find(&book->locks, key);
  if (lock)
    return lock;
  lock = book->locks.count < HD_LOCKS_MOST ? hd_path_make(&book->locks, key, sizeof *lock) : NULL;
  if (!lock) {
    book->has_lost = true;
    lose(book);
    return NULL;
  }
  lock->state = book->has_lost ? HD_LOCK_UNKNOWN : HD_LOCK_FREE;
  lock->at = now;
  return lock;
}

static void drop_if_unused(struct hd_lock_book *book, struct hd_lock *lock) {
  if (lock->waiters || lock->state == HD_LOCK_HELD)
    return;
  hd_path_take_out(&book->locks, &lock->item);
  hd_heap_free(lock);
}

/* Its waiters' time up to now. */
void hd_lock_divide(struct hd_lock_book *book, struct hd_lock *lock, uint64_t now) {
  const uint64_t ticks = now > lock->at ? now - lock->at : 0;
  lock->at += ticks;
  for (const struct hd_lock_waiters *waiters = lock->waiters; waiters && ticks > 0; waiters = waiters->next) {
    const uint64_t waited = ticks * waiters->count;
    struct hd_lock_pair *pair = lock->state == HD_LOCK_HELD ? pair_of(book, waiters->profile, lock->profile) : NULL;
    if (pair)
      pair->ticks += waited;
    else if (lock->state == HD_LOCK_HANDOVER)
      sum_of(book, waiters->profile)->handover_ticks += waited;
    else if (lock->state == HD_LOCK_FREE)
      sum_of(book, waiters->profile)->free_ticks += waited;
  }
}

/* ---- waits ---- */

static bool add_waiter(struct hd_lock *lock, uint32_t profile) {
  struct hd_lock_waiters *waiters = lock->waiters;
  while (waiters && waiters->profile != profile)
    waiters = waiters->next;
  if (!waiters) {
    waiters = hd_heap_allocate_for(HD_MEMORY_ORDER, 1, sizeof *waiters);
    if (!waiters)
      return false;
    *waiters = (struct hd_lock_waiters){.next = lock->waiters, .profile = profile};
    lock->waiters = waiters;
  }
  waiters->count++;
  return true;
}

static void take_waiter(struct hd_lock *lock, uint32_t profile) {
  struct hd_lock_waiters **at = &lock->waiters;
  while ((*at)->profile != profile)
    at = &(*at)->next;
  struct hd_lock_waiters *waiters = *at;
  if (--waiters->count > 0)
    return;
  *at = waiters->next;
  hd_heap_free(waiters);
}

/* The thread waits no longer. Returns what it waited for, which somebody must drop; NULL: nothing. */
static struct hd_lock *end_wait(struct hd_lock_book *book, struct hd_lock_ring *ring, uint64_t now) {
  struct hd_lock *lock = ring->waits_for;
  ring->waits_for = NULL;
  if (!lock)
    return NULL;
  hd_lock_divide(book, lock, now);
  take_waiter(lock, ring->profile);
  return lock;
}

/* It has never waited, or what ended its wait was not told. */
static void give_up(struct hd_lock_book *book, struct hd_lock_ring *ring, uint64_t now) {
  struct hd_lock *lock = end_wait(book, ring, now);
  if (!lock)
    return;
  sum_of(book, ring->profile)->waits--;
  if (ring->meets)
    ring->meets->count--;
  drop_if_unused(book, lock);
}

static void name(struct hd_lock_ring *ring, const struct hd_log_order *told) {
  ring->named = told->a;
  ring->profile = (uint32_t)told->b;
}

static void begin_wait(struct hd_lock_book *book, struct hd_lock_ring *ring, const struct hd_log_order *told,
                       uint64_t now) {
  struct hd_lock *lock = find_or_make(book, told->a, now);
  name(ring, told);
  ring->meets = NULL;
  if (!lock)
    return;
  hd_lock_divide(book, lock, now);
  if (!add_waiter(lock, ring->profile)) {
    lose(book);
    drop_if_unused(book, lock);
    return;
  }
  ring->waits_for = lock;
  sum_of(book, ring->profile)->waits++;
  ring->meets = lock->state == HD_LOCK_HELD ? pair_of(book, ring->profile, lock->profile) : NULL;
  if (ring->meets)
    ring->meets->count++;
}

/* ---- holds ---- */

void hd_lock_end_hold(struct hd_lock_book *book, const struct hd_lock *lock, uint64_t now) {
  sum_of(book, lock->profile)->hold_ticks += now > lock->since ? now - lock->since : 0;
}

/* Releases that it still owes are none of its own: it has gone on, so another thread released the lock. */
static void settle_late(struct hd_lock_book *book, struct hd_lock_ring *ring) {
  for (uint32_t i = 0; i < ring->late_count; i++)
    sum_of(book, ring->late[i].profile)->elsewhere++;
  ring->late_count = 0;
}

/* False: it owes no release of that lock. */
static bool take_late(struct hd_lock_ring *ring, uint64_t lock, uint32_t *profile) {
  for (uint32_t i = 0; i < ring->late_count; i++)
    if (ring->late[i].lock == lock) {
      *profile = ring->late[i].profile;
      ring->late[i] = ring->late[--ring->late_count];
      return true;
    }
  return false;
}

/* Its release will be told, if it was it that released it. */
static void take_over(struct hd_lock_book *book, struct hd_lock *lock, uint32_t thief) {
  struct hd_lock_ring *holder = &book->rings[lock->holder];
  if (lock->holder == thief)
    return;
  if (holder->late_count == HD_LOCK_LATE_MOST)
    settle_late(book, holder);
  holder->late[holder->late_count++] = (struct hd_lock_late){lock->item.key, lock->profile};
  lock->before = lock->holder + 1;
}

static void begin_hold(struct hd_lock_book *book, struct hd_lock *lock, uint32_t index, uint64_t now) {
  const uint32_t profile = book->rings[index].profile;
  lock->state = HD_LOCK_HELD;
  lock->holder = index;
  lock->profile = profile;
  lock->since = now;
  sum_of(book, profile)->holds++;
  for (const struct hd_lock_waiters *waiters = lock->waiters; waiters; waiters = waiters->next) {
    struct hd_lock_pair *pair = pair_of(book, waiters->profile, profile);
    if (pair)
      pair->count += waiters->count;
  }
}

static void acquire(struct hd_lock_book *book, struct hd_lock_ring *ring, uint64_t key, uint64_t now) {
  const uint32_t index = (uint32_t)(ring - book->rings);
  if (ring->named != key) {
    give_up(book, ring, now);
    ring->profile = HD_NONE;
  }
  const bool waited = ring->waits_for;
  struct hd_lock *lock = waited ? end_wait(book, ring, now) : find_or_make(book, key, now);
  if (!lock)
    return;
  hd_lock_divide(book, lock, now);
  sum_of(book, ring->profile)->handovers += waited && (lock->state == HD_LOCK_HELD || lock->state == HD_LOCK_HANDOVER);
  if (waited && lock->state == HD_LOCK_HANDOVER && now > lock->since)
    sum_of(book, ring->profile)->delay_ticks += now - lock->since;
  lock->before = 0;
  if (lock->state == HD_LOCK_HELD) {
    hd_lock_end_hold(book, lock, now);
    take_over(book, lock, index);
  }
  begin_hold(book, lock, index, now);
  ring->profile = HD_NONE;
}

/* Another thread than the one that got the lock has released it: the one before, if that has not. */
static void release_of_another(struct hd_lock_book *book, struct hd_lock *lock, uint64_t now) {
  uint32_t profile = lock->profile;
  const bool is_before = lock->before && take_late(&book->rings[lock->before - 1], lock->item.key, &profile);
  sum_of(book, profile)->elsewhere++;
  lock->before = 0;
  if (is_before)
    return;
  hd_lock_end_hold(book, lock, now);
  lock->state = HD_LOCK_HANDOVER;
}

static void release(struct hd_lock_book *book, const struct hd_lock_ring *ring, uint64_t key, uint64_t now) {
  struct hd_lock *lock = hd_path_find(&book->locks, key);
  if (!lock)
    return;
  hd_lock_divide(book, lock, now);
  if (lock->state == HD_LOCK_HELD && lock->holder != (uint32_t)(ring - book->rings)) {
    release_of_another(book, lock, now);
  } else {
    if (lock->state == HD_LOCK_HELD)
      hd_lock_end_hold(book, lock, now);
    lock->state = HD_LOCK_HANDOVER;
  }
  if (lock->state == HD_LOCK_HANDOVER)
    lock->since = now;
  drop_if_unused(book, lock);
}

/* ---- entries ---- */

static struct hd_lock_ring *ring_of(struct hd_lock_book *book, const struct hd_ring_sweep *log, uint64_t now) {
  if (!hd_heap_grow(&book->rings, &book->ring_limit, log->index + 1, sizeof *book->rings)) {
    book->has_lost = true;
    lose(book);
    return NULL;
  }
  struct hd_lock_ring *ring = &book->rings[log->index];
  if (ring->thread == log->thread + 1)
    return ring;
  give_up(book, ring, now);
  settle_late(book, ring);
  *ring = (struct hd_lock_ring){.thread = log->thread + 1, .profile = HD_NONE};
  return ring;
}

void hd_locks_take(struct hd_lock_book *book, const struct hd_ring_sweep *log, const struct hd_transition *entry) {
  const struct hd_log_order *told = (const struct hd_log_order *)(const void *)(entry + 1);
  const enum hd_order order = (enum hd_order)HD_WHAT_OPERAND(entry->what);
  const bool concerns = order == HD_ORDER_WAITS || order == HD_ORDER_TRIES || order == HD_ORDER_FAILED ||
                        order == HD_ORDER_ACQUIRED || order == HD_ORDER_RELEASED;
  struct hd_lock_ring *ring = concerns ? ring_of(book, log, entry->ticks) : NULL;
  if (!ring)
    return;
  uint32_t profile;
  if (order == HD_ORDER_RELEASED && take_late(ring, told->a, &profile))
    return;
  if (order != HD_ORDER_RELEASED)
    settle_late(book, ring);
  if (order == HD_ORDER_ACQUIRED) {
    acquire(book, ring, told->a, entry->ticks);
  } else if (order == HD_ORDER_RELEASED) {
    release(book, ring, told->a, entry->ticks);
  } else {
    give_up(book, ring, entry->ticks);
    ring->profile = HD_NONE;
    if (order == HD_ORDER_WAITS)
      begin_wait(book, ring, told, entry->ticks);
    else if (order == HD_ORDER_TRIES)
      name(ring, told);
  }
}
