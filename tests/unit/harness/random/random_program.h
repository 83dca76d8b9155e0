/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file random_program.h
 * Random OpenMP programs as event scripts: what libomp would send for a program that could exist.
 *
 * Teams of 1 to 64 threads, nested to three levels, several initial threads, worksharing constructs with and without
 * their barrier, tasks (tied, untied, undeferred) that run in barriers and taskwaits on any thread, taskgroups, locks,
 * critical sections and masked blocks; workers' ends come late, promptly or before the join. Times are random, ties are
 * common. Routines, some of them left by a jump, and phases wherever user code runs; pauses. Long programs also have
 * stretches in which one thread sends thousands of events while the others send none.
 */
#ifndef HEDDLE_TESTS_RANDOM_PROGRAM_H
#define HEDDLE_TESTS_RANDOM_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

struct rp_options {
  bool recursive;   /* the same sites at every depth; else no site lies on its own callpath */
  bool flat;        /* no nested regions */
  bool large_teams; /* up to 64 threads, else up to 6 */
  bool killed;      /* cut at a random event and killed there */
  bool routines;    /* three of four programs have routines and phases, some of these pauses */
  bool mpi;         /* where routines are called, MPI is, too */
  bool no_pauses;
  bool no_tasks;      /* no explicit tasks */
  bool dependences;   /* tasks have some */
  bool no_jumps;      /* every routine is left by its exit, and none by another's */
  uint32_t switched;  /* classes of events (bits) that the budget switches off and on again */
  bool short_threads; /* dozens of initial threads that end, with the threads of their teams */
  uint32_t events;    /* up to about so many: all of them, half as many and so on, down to 1/64. 0: a few hundred */
};

/** Builds the current script (script.h) from `seed`: the same seed gives the same script. */
void rp_generate(uint64_t seed, const struct rp_options *options);

#endif
