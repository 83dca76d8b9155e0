/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file random_parts.h
 * What the parts of the random program generator share: threads' own clocks, teams with their pool of tasks.
 *
 * The script is generated thread by thread, each with its own time, and sorted afterwards. What one thread waits for
 * therefore has to be generated before the end of its wait: all arrivals and all tasks before a barrier's ends.
 */
#ifndef HEDDLE_TESTS_RANDOM_PARTS_H
#define HEDDLE_TESTS_RANDOM_PARTS_H

#include "entry/entries.h"
#include "fake_ompt.h"
#include "random_program.h"

#define RP_MAX_TEAM 64
#define RP_MAX_POOL 256

enum rp_site {
  RP_REGION,
  RP_WORK,
  RP_BARRIER,
  RP_CRITICAL,
  RP_LOCK,
  RP_ORDERED,
  RP_ATOMIC,
  RP_TASK,
  RP_TASKWAIT,
  RP_TASKGROUP,
  RP_REDUCTION,
  RP_ROUTINE,
  RP_LEFT_ROUTINE,
  RP_MASKED
};

struct rp_team;

/** A thread at a place in the program. */
struct rp_cursor {
  uint32_t thread;
  uint32_t level; /* of nested regions */
  uint32_t depth; /* of the callpath */
  uint64_t now;
  struct rp_team *team;
};

/** A task that waits to be run, or to go on. */
struct rp_task {
  uint32_t task;
  uint32_t creator; /* its parent task */
  uint32_t group;   /* innermost taskgroup; 0: none */
  uint32_t depth;
  uint64_t ready;
  bool untied;
  uint32_t parts;           /* still to run */
  uint64_t open_group_code; /* a taskgroup begun in an earlier part; 0: none */
  uint32_t open_group;
};

struct rp_team {
  uint32_t size;
  struct rp_cursor members[RP_MAX_TEAM];
  struct rp_task pool[RP_MAX_POOL];
  uint32_t pool_count;
};

struct rp_program {
  uint64_t random;
  struct rp_options options;
  bool routines, pauses;
  int budget;          /* statements still to be generated */
  size_t event_limit;  /* the script has enough events then; 0: any number */
  uint32_t nesting;    /* of statements, on whatever thread */
  uint32_t tick_scale; /* times are this much longer */
  uint64_t begin, end;
  uint32_t thread_count;
  uint32_t group_count;
  uint32_t hot[FK_MAX_THREADS][FK_MAX_LEVELS][RP_MAX_TEAM];
  uint64_t free_at[FK_MAX_THREADS]; /* when a worker's last region is behind it */
  uint32_t group[FK_MAX_THREADS];   /* innermost taskgroup of what the thread runs */
};
extern struct rp_program rp;

uint32_t rp_random(uint32_t below);
bool rp_chance(uint32_t percent);
/** The program is long enough. */
bool rp_is_full(void);
/** Makes the cursor's thread and time the script's. */
void rp_select(const struct rp_cursor *c);
/** Time passes, perhaps none, and the cursor is selected. */
void rp_pass(struct rp_cursor *c);
uint64_t rp_code(enum rp_site kind, uint32_t depth);

/** A whole parallel region, opened by `primary`. */
void rp_region(struct rp_cursor *primary);
/** Something all threads of a team take part in. */
void rp_team_statement(struct rp_team *team);
/** A few statements of one thread, inside what it is in. */
void rp_statements(struct rp_cursor *c);

/** Runs all tasks of the team on its threads, which wait in a barrier; returns the time of the last arrival or end. */
uint64_t rp_run_pool(struct rp_team *team);
void rp_create_task(struct rp_cursor *c);
/** In an entry point of the runtime, from now on or until now. */
void rp_enter(struct rp_cursor *c, enum heddle_entry entry);
void rp_come_back(struct rp_cursor *c, enum heddle_entry entry);
void rp_taskwait(struct rp_cursor *c);
/** Runs one of a task's tasks, one that may run; there must be one that waits to be run. */
void rp_run_one_of(struct rp_cursor *c, uint32_t creator);

/* Dependences between tasks, if the program has them: */
void rp_forget_dependences(void);
/** The task that has just been created gets some. */
void rp_depend(uint32_t task, uint32_t creator);
/** Whether it depends on nothing that has not ended, as the script stands; in `ready` from when on, if that is later.
 */
bool rp_may_run(uint32_t task, uint64_t *ready);
void rp_task_runs(uint32_t task);
void rp_task_has_ended(uint32_t task, uint64_t now);
/** `taskwait depend`. */
void rp_wait_for_dependences(struct rp_cursor *c);

void rp_taskgroup(struct rp_cursor *c);

/** Something of the program itself: mostly a routine, with statements inside. */
void rp_program_statement(struct rp_cursor *c);
/** A routine that all threads of a team call, with a statement of the team inside. */
void rp_team_routine(struct rp_team *team);

#endif
