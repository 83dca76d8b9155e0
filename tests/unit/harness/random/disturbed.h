/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file disturbed.h
 * Fork-join programs that can be played with and without events that take time: the same work, the same order of
 * events on every thread, but times as fork and join have them. An event that lasts makes its thread late; a barrier
 * opens when the last has come, and a team begins when its primary has told of it.
 *
 * The programs are random: teams of one to six threads, nested to two levels, worksharing constructs with and without
 * their barrier, explicit barriers, single, masked, locks that nobody else wants, tasks that run in the barriers and
 * taskwaits of the thread that made them, taskgroups, routines and phases. Who does what does not depend on who comes
 * first: so a play without delays is what a disturbed one would have been.
 */
#ifndef HEDDLE_TESTS_DISTURBED_H
#define HEDDLE_TESTS_DISTURBED_H

#include <stdbool.h>
#include <stdint.h>

#include "fake_ompt.h"
#include "script.h"

enum di_what { DI_WORK, DI_SEND, DI_ARRIVE, DI_PASS };

enum di_event {
  DI_INITIAL_BEGIN,
  DI_WORKER_BEGIN,
  DI_WORKER_THREAD_END,
  DI_PARALLEL_BEGIN, /* slot, size, code */
  DI_IMPLICIT_BEGIN, /* slot, size, index */
  DI_JOIN_BEGIN,
  DI_JOIN_END,
  DI_WORKER_END,
  DI_PARALLEL_END,
  DI_WORK_BEGIN, /* kind, code */
  DI_WORK_END,
  DI_BARRIER_BEGIN, /* kind, code */
  DI_BARRIER_END,
  DI_ACQUIRE, /* kind, code */
  DI_ACQUIRED,
  DI_RELEASED,
  DI_TASK_CREATE, /* slot, kind: flags, code */
  DI_TASK_RUN,    /* slot */
  DI_TASK_LEAVE,
  DI_GROUP_BEGIN, /* code */
  DI_GROUP_WAIT,
  DI_GROUP_END,
  DI_MASKED_BEGIN, /* code */
  DI_MASKED_END,
  DI_ENTER, /* code */
  DI_EXIT,
  DI_PHASE_BEGIN,
  DI_PHASE_END
};

/** What a thread does next. */
struct di_action {
  enum di_what what;
  enum di_event event; /* DI_SEND */
  uint32_t slot;       /* DI_SEND: of a region or task; DI_ARRIVE, DI_PASS: the gate */
  uint32_t size;
  uint32_t index;
  uint32_t kind;
  uint64_t code;
  uint64_t ticks; /* DI_WORK: how long; DI_PASS: how long after the last has come */
};

struct di_thread {
  struct di_action *actions;
  size_t count, limit;
};

/** Opens when so many have arrived. */
struct di_gate {
  uint32_t expected;
  uint32_t arrived;
  uint64_t ticks;
};

struct di_program {
  enum sc_runtime runtime;
  struct di_thread threads[64];
  uint32_t thread_count;
  struct di_gate *gates;
  uint32_t gate_count, gate_limit;
  uint32_t slots; /* of regions and tasks */
  bool left;      /* at the end workers wait where they are: nobody ends them */
};

struct di_options {
  bool tasks;         /* explicit tasks */
  bool nested;        /* regions in regions */
  bool routines;      /* and phases */
  bool left;          /* workers never end */
  bool prompt;        /* workers' ends of regions come at once, some of them; else at the next region */
  uint64_t gap_ticks; /* at least so long after such a region, and at the start: longer than all that events may take */
  uint32_t statements; /* about so many */
};

/** The same seed gives the same program. */
void di_generate(struct di_program *program, uint64_t seed, const struct di_options *options);
void di_free(struct di_program *program);

/** Plays a program: fk_options.live, with the program as the context. */
void di_play(void *context);

#endif
