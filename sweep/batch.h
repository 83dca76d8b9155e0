/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file batch.h
 * All that the logs hold up to a time: cut into windows (window.h), which any threads integrate, each by itself, and
 * which are committed (commit.h) in the order of time. For the library's sweep, and for the reader, which takes what
 * the last sweep left.
 *
 * Where a window begins in each log, and which threads are busy then, is found first, by groups of rings: a *task*, as
 * a window is. Whoever helps takes the next task. A window that is ready early waits in its memory: whoever has made
 * the one before ready commits both. Nobody waits for a thread that has taken a task and lost its processor; the others
 * just find nothing to take.
 *
 * One window does for all, and nothing needs to be found, when there is little to take or memory for one window alone.
 */
#ifndef HEDDLE_SWEEP_BATCH_H
#define HEDDLE_SWEEP_BATCH_H

#include "sweep/commit.h"

enum { HD_BATCH_WINDOWS = 64, HD_BATCH_SPARE = 63 };

/** For tests. */
struct hd_batch_habits {
  uint32_t window_slots;  /* of all logs, about: so much is in a window. 0: as is best */
  uint32_t part_entries;  /* more are another part. 0: as many as there is memory for */
  uint32_t spare_windows; /* besides the first, however few rings there are */
  uint32_t order;         /* not 0: windows are taken in another order */
};

struct hd_batch {
  struct hd_batch_habits habits;
  struct hd_tallies *tallies;
  struct hd_ring_record *const *rings; /* none is NULL */
  uint32_t ring_count;
  uint32_t in_memory;                /* windows */
  struct hd_window_span whole;       /* what the windows share */
  uint64_t bounds[HD_BATCH_WINDOWS]; /* where they begin */

  /* What was found: [window * ring_count + ring] */
  void *memory;
  size_t memory_bytes;
  uint64_t *bases;  /* each ring's tail */
  uint64_t *limits; /* each ring's head when it was looked at */
  uint32_t *states; /* profile in which its thread is busy when the window begins */
  uint16_t *places; /* slots from the base */
  uint16_t *lasts;  /* likewise of the last entry before, and 1; 0: none */

  /* Any thread. */
  uint64_t next;       /* generation of the batch, and number of the task that is to be taken next */
  uint32_t find_count; /* tasks: groups of rings; and windows behind them */
  uint32_t window_count;
  uint32_t found;   /* groups */
  uint32_t is_open; /* not all is committed yet */
  uint32_t is_committing;
  uint32_t committed;    /* windows */
  uint64_t free_windows; /* bits: places in `windows` that nobody uses */
  struct hd_window *windows[HD_BATCH_SPARE + 1];
  struct hd_window *ready[HD_BATCH_WINDOWS]; /* NULL: not yet */
};

/** For all that is taken out of logs into these tallies. */
void hd_batch_init(struct hd_batch *batch, struct hd_tallies *tallies);

/** Plans to take all transitions up to the time `until` that are in the rings. Only while the batch is not open, by one
 *  thread at a time; the rings stay until it is over. `window` has room for them all. */
void hd_batch_plan(struct hd_batch *batch, struct hd_window *window, struct hd_ring_record *const *rings,
                   uint32_t ring_count, uint64_t until);

/** Does the next task. False: there is none to take. */
bool hd_batch_help(struct hd_batch *batch);

/** Whether something that was planned is not committed yet. */
static inline bool hd_batch_is_open(const struct hd_batch *batch) {
  return __atomic_load_n(&batch->is_open, __ATOMIC_ACQUIRE);
}

/** Frees what it has allocated. */
void hd_batch_free(struct hd_batch *batch);

#endif
