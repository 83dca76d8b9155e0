/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file locks_internal.h
 * Between the files that follow locks only.
 */
#ifndef HEDDLE_SWEEP_LOCKS_LOCKS_INTERNAL_H
#define HEDDLE_SWEEP_LOCKS_LOCKS_INTERNAL_H

#include "support/inprocess/heap.h"
#include "sweep/locks/locks.h"

/* Threads that wait for the same lock in the same callpath. */
struct hd_lock_waiters {
  struct hd_lock_waiters *next;
  uint32_t profile;
  uint32_t count;
};

enum hd_lock_state {
  HD_LOCK_FREE,     /* nobody waited when it was last released */
  HD_LOCK_HANDOVER, /* since it was released while somebody waited */
  HD_LOCK_HELD,
  HD_LOCK_UNKNOWN /* somebody may hold it */
};

struct hd_lock {
  struct hd_path_item item; /* key: what the runtime calls it */
  enum hd_lock_state state;
  uint32_t holder;  /* HD_LOCK_HELD: the thread's ring, */
  uint32_t profile; /* and where it got the lock; HD_NONE: that is not known */
  uint32_t before;  /* ring + 1 of a thread that held it before, and whose release was not told; 0: none */
  uint64_t since;   /* HD_LOCK_HELD: when it was acquired; HD_LOCK_HANDOVER: when it was released */
  uint64_t at;      /* up to when its waiters' time is divided */
  struct hd_lock_waiters *waiters;
};

struct hd_lock_pair {
  struct hd_path_item item; /* key: both profiles */
  uint64_t ticks;
  uint64_t count;
};

/** A thread's hold that ended when another thread got the lock. */
struct hd_lock_late {
  uint64_t lock;
  uint32_t profile; /* where it got it */
};
enum { HD_LOCK_LATE_MOST = 4 };

/** A thread. */
struct hd_lock_ring {
  uint32_t thread;     /* + 1: whose log this is; 0: nobody's yet */
  uint32_t late_count; /* of `late`: releases that are not told yet, though another thread has the lock */
  struct hd_lock *waits_for;
  struct hd_lock_pair *meets; /* as whose holder it found the lock; NULL: it did not */
  uint64_t named;             /* the lock that it waits for or has tried to get, */
  uint32_t profile;           /* and where; HD_NONE: it has it, or has given up */
  struct hd_lock_late late[HD_LOCK_LATE_MOST];
};

/** locks.c: its waiters' time up to now. */
void hd_lock_divide(struct hd_lock_book *book, struct hd_lock *lock, uint64_t now);
/** The lock's holder has it until now. */
void hd_lock_end_hold(struct hd_lock_book *book, const struct hd_lock *lock, uint64_t now);

#endif
