/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sweep/locks/locks.h"

#include "support/inprocess/heap.h"

/* Threads that wait for the same lock in the same callpath. */
struct waiters {
  struct waiters *next;
  uint32_t profile;
  uint32_t count;
};

enum state {
  FREE,     /* nobody waited when it was last released */
  HANDOVER, /* since it was released while somebody waited */
  HELD,
  UNKNOWN /* somebody may hold it */
};

struct lock {
  struct hd_path_item item; /* key: what the runtime calls it */
  enum state state;
  uint32_t holder;  /* HELD: the thread's ring, */
  uint32_t profile; /* and where it got the lock; HD_NONE: that is not known */
  uint32_t before;  /* ring + 1 of a thread that held it before, and whose release was not told; 0: none */
  uint64_t since;   /* HELD: when it was acquired; HANDOVER: when it was released */
  uint64_t at;      /* up to when its waiters' time is divided */
  struct waiters *waiters;
};

struct pair {
  struct hd_path_item item; /* key: both profiles */
  uint64_t ticks;
  uint64_t count;
};

/** A thread. */
struct hd_lock_ring {
  uint32_t thread; /* + 1: whose log this is; 0: nobody's yet */
  bool is_late;    /* its release of `late` is not told, though another thread has the lock */
  struct lock *waits_for;
  struct pair *meets; /* as whose holder it found the lock; NULL: it did not */
  uint64_t named;     /* the lock that it waits for or has tried to get, */
  uint32_t profile;   /* and where; HD_NONE: it has it, or has given up */
  uint32_t late_profile;
  uint64_t late;
};

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
static struct pair *pair_of(struct hd_lock_book *book, uint32_t waiter, uint32_t holder) {
  const uint64_t key = (uint64_t)waiter << 32 | holder;
  if (holder == HD_NONE)
    return NULL;
  struct pair *pair = hd_path_find(&book->pairs, key);
  if (!pair && book->pairs.count < HD_LOCK_PAIRS_MOST)
    pair = hd_path_make(&book->pairs, key, sizeof *pair);
  if (!pair)
    lose(book);
  return pair;
}

/* ---- locks ---- */

/* Of one that is not there, everybody who waits for it or holds it would be known. NULL: no room. */
static struct lock *find_or_make(struct hd_lock_book *book, uint64_t key, uint64_t now) {
  struct lock *lock = hd_path_find(&book->locks, key);
  if (lock)
    return lock;
  lock = book->locks.count < HD_LOCKS_MOST ? hd_path_make(&book->locks, key, sizeof *lock) : NULL;
  if (!lock) {
    book->has_lost = true;
    lose(book);
    return NULL;
  }
  lock->state = book->has_lost ? UNKNOWN : FREE;
  lock->at = now;
  return lock;
}

static void drop_if_unused(struct hd_lock_book *book, struct lock *lock) {
  if (lock->waiters || lock->state == HELD)
    return;
  hd_path_take_out(&book->locks, &lock->item);
  hd_heap_free(lock);
}

/* Its waiters' time up to now. */
static void divide(struct hd_lock_book *book, struct lock *lock, uint64_t now) {
  const uint64_t ticks = now > lock->at ? now - lock->at : 0;
  lock->at += ticks;
  for (const struct waiters *waiters = lock->waiters; waiters && ticks > 0; waiters = waiters->next) {
    const uint64_t waited = ticks * waiters->count;
    struct pair *pair = lock->state == HELD ? pair_of(book, waiters->profile, lock->profile) : NULL;
    if (pair)
      pair->ticks += waited;
    else if (lock->state == HANDOVER)
      sum_of(book, waiters->profile)->handover_ticks += waited;
    else if (lock->state == FREE)
      sum_of(book, waiters->profile)->free_ticks += waited;
  }
}

/* ---- waits ---- */

static bool add_waiter(struct lock *lock, uint32_t profile) {
  struct waiters *waiters = lock->waiters;
  while (waiters && waiters->profile != profile)
    waiters = waiters->next;
  if (!waiters) {
    waiters = hd_heap_allocate_for(HD_MEMORY_ORDER, 1, sizeof *waiters);
    if (!waiters)
      return false;
    *waiters = (struct waiters){.next = lock->waiters, .profile = profile};
    lock->waiters = waiters;
  }
  waiters->count++;
  return true;
}

static void take_waiter(struct lock *lock, uint32_t profile) {
  struct waiters **at = &lock->waiters;
  while ((*at)->profile != profile)
    at = &(*at)->next;
  struct waiters *waiters = *at;
  if (--waiters->count > 0)
    return;
  *at = waiters->next;
  hd_heap_free(waiters);
}

/* The thread waits no longer. Returns what it waited for, which somebody must drop; NULL: nothing. */
static struct lock *end_wait(struct hd_lock_book *book, struct hd_lock_ring *ring, uint64_t now) {
  struct lock *lock = ring->waits_for;
  ring->waits_for = NULL;
  if (!lock)
    return NULL;
  divide(book, lock, now);
  take_waiter(lock, ring->profile);
  return lock;
}

/* It has never waited, or what ended its wait was not told. */
static void give_up(struct hd_lock_book *book, struct hd_lock_ring *ring, uint64_t now) {
  struct lock *lock = end_wait(book, ring, now);
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
  struct lock *lock = find_or_make(book, told->a, now);
  name(ring, told);
  ring->meets = NULL;
  if (!lock)
    return;
  divide(book, lock, now);
  if (!add_waiter(lock, ring->profile)) {
    lose(book);
    drop_if_unused(book, lock);
    return;
  }
  ring->waits_for = lock;
  sum_of(book, ring->profile)->waits++;
  ring->meets = lock->state == HELD ? pair_of(book, ring->profile, lock->profile) : NULL;
  if (ring->meets)
    ring->meets->count++;
}

/* ---- holds ---- */

static void end_hold(struct hd_lock_book *book, const struct lock *lock, uint64_t now) {
  sum_of(book, lock->profile)->hold_ticks += now > lock->since ? now - lock->since : 0;
}

/* Its release will be told, if it was it that released it. */
static void take_over(struct hd_lock_book *book, struct lock *lock, uint32_t thief) {
  struct hd_lock_ring *holder = &book->rings[lock->holder];
  if (lock->holder == thief)
    return;
  holder->is_late = true;
  holder->late = lock->item.key;
  holder->late_profile = lock->profile;
  lock->before = lock->holder + 1;
}

static void begin_hold(struct hd_lock_book *book, struct lock *lock, uint32_t index, uint64_t now) {
  const uint32_t profile = book->rings[index].profile;
  lock->state = HELD;
  lock->holder = index;
  lock->profile = profile;
  lock->since = now;
  sum_of(book, profile)->holds++;
  for (const struct waiters *waiters = lock->waiters; waiters; waiters = waiters->next) {
    struct pair *pair = pair_of(book, waiters->profile, profile);
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
  struct lock *lock = waited ? end_wait(book, ring, now) : find_or_make(book, key, now);
  if (!lock)
    return;
  divide(book, lock, now);
  sum_of(book, ring->profile)->handovers += waited && (lock->state == HELD || lock->state == HANDOVER);
  if (waited && lock->state == HANDOVER && now > lock->since)
    sum_of(book, ring->profile)->delay_ticks += now - lock->since;
  lock->before = 0;
  if (lock->state == HELD) {
    end_hold(book, lock, now);
    take_over(book, lock, index);
  }
  begin_hold(book, lock, index, now);
  ring->profile = HD_NONE;
}

/* Another thread than the one that got the lock has released it: the one before, if that has not. */
static void release_of_another(struct hd_lock_book *book, struct lock *lock, uint64_t now) {
  struct hd_lock_ring *before = lock->before ? &book->rings[lock->before - 1] : NULL;
  const bool is_before = before && before->is_late && before->late == lock->item.key;
  sum_of(book, is_before ? before->late_profile : lock->profile)->elsewhere++;
  lock->before = 0;
  if (is_before) {
    before->is_late = false;
    return;
  }
  end_hold(book, lock, now);
  lock->state = HANDOVER;
}

static void release(struct hd_lock_book *book, const struct hd_lock_ring *ring, uint64_t key, uint64_t now) {
  struct lock *lock = hd_path_find(&book->locks, key);
  if (!lock)
    return;
  divide(book, lock, now);
  if (lock->state == HELD && lock->holder != (uint32_t)(ring - book->rings)) {
    release_of_another(book, lock, now);
  } else {
    if (lock->state == HELD)
      end_hold(book, lock, now);
    lock->state = HANDOVER;
  }
  if (lock->state == HANDOVER)
    lock->since = now;
  drop_if_unused(book, lock);
}

/* ---- entries ---- */

/* It has gone on, so it did not release that lock: another thread did. */
static void settle_late(struct hd_lock_book *book, struct hd_lock_ring *ring) {
  if (ring->is_late)
    sum_of(book, ring->late_profile)->elsewhere++;
  ring->is_late = false;
}

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
  if (order == HD_ORDER_RELEASED && ring->is_late && ring->late == told->a) {
    ring->is_late = false;
    return;
  }
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

/* ---- begin and end ---- */

void hd_locks_begin(struct hd_lock_book *book, struct hd_file_header *header) {
  *book = (struct hd_lock_book){.is_kept = true, .header = header};
  header->lock_flags = HD_LOCKS_ASKED;
}

static bool write_sums(const struct hd_lock_book *book, hd_lock_adder *add, void *context) {
  for (uint32_t i = 0; i < book->sum_limit; i++) {
    const struct hd_lock_record *sum = &book->sums[i];
    if (sum->waits == 0 && sum->holds == 0)
      continue;
    struct hd_lock_record *record = add(context, HD_BLOCK_LOCKS);
    if (!record)
      return false;
    *record = *sum;
    record->profile = i;
  }
  return true;
}

/* Empties the table. */
static bool write_pairs(struct hd_lock_book *book, hd_lock_adder *add, void *context) {
  for (struct pair *pair; (pair = hd_path_any(&book->pairs));) {
    struct hd_lock_pair_record *record = add(context, HD_BLOCK_LOCK_PAIRS);
    if (!record)
      return false;
    *record = (struct hd_lock_pair_record){.profile = (uint32_t)(pair->item.key >> 32),
                                           .holder = (uint32_t)pair->item.key,
                                           .ticks = pair->ticks,
                                           .count = pair->count};
    hd_path_take_out(&book->pairs, &pair->item);
    hd_heap_free(pair);
  }
  return true;
}

/* Threads that are waiting do so until the end. */
static void end_locks(struct hd_lock_book *book, uint64_t now) {
  for (struct lock *lock; (lock = hd_path_any(&book->locks));) {
    if (now > 0)
      divide(book, lock, now);
    if (now > 0 && lock->state == HELD)
      end_hold(book, lock, now);
    for (struct waiters *waiters; (waiters = lock->waiters);) {
      lock->waiters = waiters->next;
      hd_heap_free(waiters);
    }
    hd_path_take_out(&book->locks, &lock->item);
    hd_heap_free(lock);
  }
}

void hd_locks_close(struct hd_lock_book *book, uint64_t now, hd_lock_adder *add, void *context) {
  if (!book->is_kept)
    return;
  end_locks(book, now);
  if (write_sums(book, add, context) && write_pairs(book, add, context))
    book->header->lock_flags |= HD_LOCKS_KNOWN;
  hd_locks_free(book);
}

void hd_locks_free(struct hd_lock_book *book) {
  end_locks(book, 0);
  for (struct pair *pair; (pair = hd_path_any(&book->pairs));) {
    hd_path_take_out(&book->pairs, &pair->item);
    hd_heap_free(pair);
  }
  hd_path_free_index(&book->locks);
  hd_path_free_index(&book->pairs);
  hd_heap_free(book->rings);
  hd_heap_free(book->sums);
  *book = (struct hd_lock_book){.header = book->header};
}
