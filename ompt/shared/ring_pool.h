/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file ring_pool.h
 * Rings on their way between threads and the sweep: a thread that begins takes one that is free, or makes one, and
 * enters it; the sweep takes in those that were entered, and gives back those whose threads have ended. Threads wait
 * neither for one another nor for the sweep, which may last, or have lost its processor.
 */
#ifndef HEDDLE_OMPT_SHARED_RING_POOL_H
#define HEDDLE_OMPT_SHARED_RING_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "heddle-format.h"
#include "sweep/window.h"

/** What the sweep knows, under its lock. */
struct hd_ring_set {
  uint32_t limit;
  uint32_t count;
  uint32_t index_count;
  struct hd_ring_record **rings;    /* in use */
  struct hd_ring_record **by_index; /* that were ever taken in; NULL: not yet */
  struct hd_window *window;         /* for as many rings as may come */
  void *memory;
};

/** Any thread: a ring that nobody uses. NULL: there is none, or another thread is just taking one. */
struct hd_ring_record *hd_ring_pool_take(void);

/** Any thread: a new one, with an index. NULL: the file cannot grow. */
struct hd_ring_record *hd_ring_pool_make(uint32_t owner);

/** Any thread: all that were ever made, also while others are. */
uint32_t hd_ring_pool_count(void);
struct hd_ring_record *hd_ring_pool_at(uint32_t index);

/** Nobody uses it any more. */
void hd_ring_pool_give(struct hd_ring_record *ring);

/** Its owner ends: what was put into it is in it. */
void hd_ring_pool_leave(struct hd_ring_record *ring);

/** The sweep: one that was left is empty. */
void hd_ring_pool_retire(struct hd_ring_record *ring);

/** Whether there are rings that were left and are not empty yet, for all that is known. */
bool hd_ring_pool_has_left(void);

/** Any thread: the sweep sees the ring from now on. False: no memory. */
bool hd_ring_pool_enter(struct hd_ring_record *ring);

/** The sweep: adds what was entered. */
void hd_ring_pool_take_in(struct hd_ring_set *set);

#endif
