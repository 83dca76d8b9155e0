/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file schedule.h
 * A team goes through regions, each thread with a time of its own: the thread that is first in time takes the next
 * step. Barriers, joins, locks and tasks let threads wait for each other, as a runtime does.
 */
#ifndef HEDDLE_BENCHMARKS_SIMULATION_SCHEDULE_H
#define HEDDLE_BENCHMARKS_SIMULATION_SCHEDULE_H

#include "team.h"

/** What a callback took. */
struct spent {
  uint64_t ps;
  uint64_t interrupts; /* of all other threads */
};

struct program {
  uint32_t threads;
  const struct shape *shape;
  uint64_t work_ps;      /* of each thread in a region, on the average */
  bool is_unbalanced;    /* from half to one and a half of it, rising with the thread's number */
  double jitter;         /* each thread's work varies from region to region by up to this part of it */
  uint64_t fork_ps;      /* until the workers begin */
  uint64_t barrier_ps;   /* from the last arrival until all go on */
  uint64_t interrupt_ps; /* that a thread loses with each */
  /** Sends the callback as that thread at that time. NULL: no tool, no time. */
  struct spent (*call)(const struct step *step, uint32_t number, uint64_t now_ps);
};

/** Sums over regions, in ps. */
struct times {
  uint64_t regions;
  uint64_t elapsed;
  uint64_t primary; /* what thread 0 spent in callbacks */
  uint64_t last;    /* what the thread spent that arrived last at the region's end */
  uint64_t total;   /* what all spent */
  uint64_t alone;   /* of that, while all others waited */
  uint64_t longest; /* what the most one thread spent in one callback */
};

/** Goes through so many regions, one after the other, from where the last call for this team ended. Memory for
 * `threads` threads is kept from the first call on. */
struct times schedule_run(const struct program *program, uint64_t regions);

#endif
