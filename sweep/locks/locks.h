/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file locks.h
 * Who held what others waited for, while the program runs: takes what threads' logs tell of waits, acquisitions and
 * releases, in the order of time, and divides each wait among the callpaths of the lock's holders, hand-overs, and the
 * time in which the lock was free (heddle-locks.h).
 *
 * Only locks that somebody holds or waits for are in the table, since of all others it is known that they are free. Its
 * size is bounded (HD_LOCKS_MOST), that of the pairs of callpaths, too (HD_LOCK_PAIRS_MOST): what has no room is
 * counted in the header, and the time of its waits is not known.
 *
 * The runtime tells of a release after it: another thread may have acquired the lock before. Then the hold ends with
 * that acquisition, and the release is late. One thread may owe several, since processors' clocks may differ a little.
 * A release by a thread that neither holds the lock nor owes one is one of a lock that another thread has acquired,
 * which OpenMP allows for locks that are handed from task to task; so is one that is still owed when its thread turns
 * to another lock.
 *
 * Not thread-safe: the caller has the sweep's lock. Cost: a look-up in a small hash table for each entry, and one for
 * each callpath in which threads wait for the same lock.
 */
#ifndef HEDDLE_SWEEP_LOCKS_LOCKS_H
#define HEDDLE_SWEEP_LOCKS_LOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "heddle-format.h"
#include "sweep/path/index.h"

enum { HD_LOCKS_MOST = 4096, HD_LOCK_PAIRS_MOST = 4096 };

struct hd_lock_ring;

struct hd_lock_book {
  bool is_kept;  /* else nothing below is used */
  bool has_lost; /* a lock that is not in the table may be held */
  struct hd_file_header *header;
  struct hd_lock_ring *rings; /* by index */
  uint32_t ring_limit;
  struct hd_lock_record *sums; /* by profile */
  uint32_t sum_limit;
  struct hd_path_index locks; /* by what the runtime calls them */
  struct hd_path_index pairs; /* by both profiles */
};

/** Follows locks from now on. */
void hd_locks_begin(struct hd_lock_book *book, struct hd_file_header *header);

/** Takes an HD_WHAT_ORDER entry; those that are not about locks are left alone. */
void hd_locks_take(struct hd_lock_book *book, const struct hd_ring_sweep *ring, const struct hd_transition *entry);

/** All that was logged was taken, up to `now`: writes the records. `add` makes a zeroed one, HD_BLOCK_LOCKS or
 *  HD_BLOCK_LOCK_PAIRS; NULL: no space. */
typedef void *hd_lock_adder(void *context, enum hd_block_type type);
void hd_locks_close(struct hd_lock_book *book, uint64_t now, hd_lock_adder *add, void *context);

/** Frees all. */
void hd_locks_free(struct hd_lock_book *book);

#endif
