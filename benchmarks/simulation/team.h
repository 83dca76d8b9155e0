/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file team.h
 * A team of threads that the calling thread plays, and what LLVM's libomp 19 sends to a tool for a region: a list of
 * steps that each thread of the team goes through.
 */
#ifndef HEDDLE_BENCHMARKS_SIMULATION_TEAM_H
#define HEDDLE_BENCHMARKS_SIMULATION_TEAM_H

#include <stdbool.h>
#include <stdint.h>

#include "seat.h"

enum { MOST_THREADS = 1 << 16, MOST_STEPS = 1 << 14 };

/** A callback, where it is sent. */
enum place {
  PLACE_PARALLEL_BEGIN,
  PLACE_LATE_BARRIER_END, /* a worker's end of the region before comes with its begin of the next */
  PLACE_LATE_IMPLICIT_END,
  PLACE_IMPLICIT_BEGIN,
  PLACE_LOOP_BEGIN,
  PLACE_LOOP_END,
  PLACE_LOOP_BARRIER_BEGIN,
  PLACE_LOOP_BARRIER_END,
  PLACE_SINGLE_BEGIN,
  PLACE_SINGLE_END,
  PLACE_BARRIER_BEGIN,
  PLACE_BARRIER_END,
  PLACE_ACQUIRE,
  PLACE_ACQUIRED,
  PLACE_RELEASED,
  PLACE_TASK_CREATE,
  PLACE_TASK_BEGIN,
  PLACE_TASK_END,
  PLACE_JOIN_BEGIN,
  PLACE_JOIN_END,
  PLACE_IMPLICIT_END,
  PLACE_PARALLEL_END,
  PLACES
};

enum step_kind {
  STEP_CALL,
  STEP_WORK, /* of the program */
  STEP_FORK, /* the workers begin */
  STEP_MEET, /* all wait for all */
  STEP_JOIN, /* thread 0 waits for all */
  STEP_LOCK,
  STEP_UNLOCK,
  STEP_AWAIT_TASK /* each thread, until thread 0 has made its task */
};
enum who { WHO_ALL, WHO_PRIMARY, WHO_WORKERS };

struct step {
  enum step_kind kind;
  enum who who;
  enum place place; /* STEP_CALL */
  uint32_t site;    /* of the construct: different ones are different places in the program */
};

struct shape {
  struct step steps[MOST_STEPS];
  uint32_t count;
  uint32_t works; /* steps of STEP_WORK */
};

/** A region with these constructs, comma-separated: loop, nowait (a loop without barrier), single, barrier, critical,
 * task (one for each thread, made by thread 0, and a barrier); loop*9 is nine times the same loop. The region's work is
 * done in the loops; without one, before the constructs. False: no such construct, or too many. */
bool team_shape(struct shape *shape, const char *constructs, uint32_t threads);

/** Loads the library ("played" or "traced", in `folder`; NULL: none) and begins the threads. `traced`: NULL, or where
 * the traced library's state is to be found. False: the reason is on stderr. */
bool team_start(const char *folder, const char *library, uint32_t threads, struct traced **traced);

/** Sends a callback as thread `number` of `threads`, which team_start has begun. */
void team_call(enum place place, uint32_t number, uint32_t threads, uint32_t site);

/** Exchanges two threads: teams may be smaller than what team_start has begun. */
void team_exchange(uint32_t a, uint32_t b);

/** The program goes on as thread 0. */
void team_end(void);

#endif
