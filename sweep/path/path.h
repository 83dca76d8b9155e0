/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file path.h
 * The critical path of a program while it runs: takes what threads' logs tell of teams, tasks and locks, in the order
 * of time, and follows the longest chain of busy time up to each thread and task.
 *
 * A *strand* is a task, explicit or implicit: its chain grows while a thread is busy with it. Where a strand must wait
 * for others it goes on from the longest of their chains and its own: a worker from that of its region's begin, a
 * barrier's members from the longest with which one has arrived or a task of the team has ended, a taskwait from those
 * of the tasks created, a lock's next holder from the last one's. A strand that begins goes on from its creator's.
 *
 * Busy time is not told with what changes the order: for that every ring's log is read again, up to where the sweep
 * has come with it. So a ring's time may lag behind, which makes no difference to what others know of its chain.
 *
 * Not thread-safe: the caller has the sweep's lock. Memory is as much as there are threads, tasks that have not ended,
 * and locks, and for each the callpaths since the last time that all were together. When there is none left the path is
 * given up, and the profile says so. Cost: a look-up in a small hash table for each transition.
 */
#ifndef HEDDLE_SWEEP_PATH_PATH_H
#define HEDDLE_SWEEP_PATH_PATH_H

#include <stdbool.h>
#include <stdint.h>

#include "heddle-format.h"
#include "sweep/path/chain.h"
#include "sweep/path/index.h"

struct hd_path_ring;

/** What is summed up of a profile. */
struct hd_path_sum {
  uint64_t earliest; /* the shortest chain with which a thread became busy in it, + 1; 0: none did */
  /* Of its instances. */
  uint64_t span_ticks;
  uint64_t work_ticks;
  uint64_t instances;
};

struct hd_path_book {
  bool is_kept; /* else nothing below is used */
  struct hd_file_header *header;
  struct hd_chain_pool chains;
  struct hd_chain *ended;     /* the longest of threads that have ended and whose rings are others' */
  struct hd_path_ring *rings; /* by index */
  uint32_t ring_limit;
  struct hd_path_sum *sums; /* by profile */
  uint32_t sum_limit;
  uint64_t team_serial;       /* teams so far */
  struct hd_path_index teams; /* by HD_TEAM */
  struct hd_path_index locks; /* by what the runtime calls them */
  struct hd_path_index tasks; /* by the address of their data */
};

/** Follows the path from now on. */
void hd_path_begin(struct hd_path_book *book, struct hd_file_header *header);

/** Takes an entry that says something of order (hd_path_concerns), and the time before it. */
void hd_path_take(struct hd_path_book *book, struct hd_ring_record *ring, const struct hd_transition *entry);

/** Whether an entry says something of order. */
static inline bool hd_path_concerns(uint32_t what) {
  return HD_WHAT_CARRIES(what) || what >> HD_WHAT_SHIFT == HD_WHAT_LEFT;
}

/** The ring's log is read up to slot number `tail`, before which nothing is left that hd_path_take should have. */
void hd_path_advance(struct hd_path_book *book, struct hd_ring_record *ring, uint64_t tail);

/** All that was logged was taken: writes the records. `add` makes a zeroed one, HD_BLOCK_PATHS or HD_BLOCK_PATH_STEPS;
 *  NULL: no space. */
typedef void *hd_path_adder(void *context, enum hd_block_type type);
void hd_path_close(struct hd_path_book *book, hd_path_adder *add, void *context);

/** Frees all. */
void hd_path_free(struct hd_path_book *book);

#endif
