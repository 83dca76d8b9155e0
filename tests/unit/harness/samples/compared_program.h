/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file compared_program.h
 * For tests of comparisons: a program of regions that follow one another, played as a script, with the same code for
 * each number of threads.
 */
#ifndef HEDDLE_TESTS_COMPARED_PROGRAM_H
#define HEDDLE_TESTS_COMPARED_PROGRAM_H

#include "compared_runs.h"

/* When a region began, and how many threads have been asked for. */
static uint64_t begin;
static uint32_t p;

static inline void begin_program(uint32_t threads) {
  p = threads;
  begin = 0;
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
}

/* Plays the program and keeps the run. */
static inline void end_program(void) {
  sc_thread(0);
  run_ends(begin, p);
}

static inline void as(uint32_t thread, uint64_t time) {
  sc_thread(thread);
  sc_at(begin + time);
}

/* All threads begin at once. */
static inline void fork_team(uint64_t code, uint32_t team) {
  as(0, 0);
  sc_fork(code, team, 1, begin);
}

static inline void arrives(uint32_t thread, uint64_t time) {
  as(thread, time);
  sc_join_begin();
}

/* The barrier ends at `join`, the region at `end`, and the program goes on. */
static inline void join_team(uint64_t join, uint64_t end) {
  as(0, join);
  sc_join_end();
  sc_at(begin + end);
  sc_parallel_end();
  begin += end;
}

/* So much work for each thread of a team, without any delay. */
static inline void even(uint64_t code, uint32_t team, uint64_t work) {
  fork_team(code, team);
  for (uint32_t i = 0; i < team; i++)
    arrives(i, work);
  join_team(work, work);
}

#endif
