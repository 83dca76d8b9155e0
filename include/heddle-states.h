/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file heddle-states.h
 * The states of a thread, the kinds of constructs that it can be in, and the classes by which its intrusion and its
 * counts are kept. Part of heddle-format.h.
 */
#ifndef HEDDLE_STATES_H
#define HEDDLE_STATES_H

#include <stdint.h>

/** What a thread is doing: what a row has cells for (heddle-rows.h). HD_BUSY is the only working state. */
enum hd_state {
  HD_BUSY,
  HD_WAIT_BARRIER_IMPLICIT,
  HD_WAIT_BARRIER_EXPLICIT,
  HD_WAIT_TASKWAIT,
  HD_WAIT_TASKGROUP,
  HD_WAIT_CRITICAL,
  HD_WAIT_LOCK,
  HD_WAIT_ORDERED,
  HD_WAIT_ATOMIC,
  HD_WAIT_REDUCTION,
  HD_WAIT_OTHER,
  HD_WAIT_MPI_POINT_TO_POINT, /* in MPI, by the kind of call: mpi/calls.h */
  HD_WAIT_MPI_COLLECTIVE,
  HD_WAIT_MPI_ONE_SIDED,
  HD_WAIT_MPI_IO,
  HD_WAIT_MPI_OTHER,
  HD_RUNTIME_FORK_JOIN,     /* a region's primary thread opens it and closes it */
  HD_RUNTIME_SCHEDULING,    /* a loop is made ready, or a thread asks for a chunk until it has one or there is none */
  HD_RUNTIME_TASK_CREATION, /* a task is allocated, until it is queued or begins to run */
  HD_IDLE,                  /* a worker between regions */
  HD_STATE_COUNT
};
#define HD_WAIT_FIRST HD_WAIT_BARRIER_IMPLICIT
#define HD_WAIT_LAST HD_WAIT_MPI_OTHER
#define HD_WAIT_MPI_FIRST HD_WAIT_MPI_POINT_TO_POINT
#define HD_MPI_KINDS (HD_WAIT_LAST - HD_WAIT_MPI_FIRST + 1)
#define HD_RUNTIME_FIRST HD_RUNTIME_FORK_JOIN
#define HD_RUNTIME_LAST HD_RUNTIME_TASK_CREATION

/** Construct kinds of a site. Append only: the number is stored. */
enum hd_kind {
  HD_KIND_PROGRAM,
  HD_KIND_PARALLEL,
  HD_KIND_TEAMS,
  HD_KIND_LOOP, /* the runtime does not report the schedule (libomp before 17), or it was not always the same */
  HD_KIND_LOOP_STATIC,
  HD_KIND_LOOP_DYNAMIC,
  HD_KIND_LOOP_GUIDED,
  HD_KIND_SECTIONS,
  HD_KIND_SINGLE,
  HD_KIND_WORKSHARE,
  HD_KIND_DISTRIBUTE,
  HD_KIND_TASKLOOP,
  HD_KIND_SCOPE,
  HD_KIND_TASK,
  HD_KIND_TASKWAIT,
  HD_KIND_TASKGROUP,
  HD_KIND_BARRIER_EXPLICIT,
  HD_KIND_BARRIER_IMPLICIT, /* a worksharing barrier that does not follow its construct directly */
  HD_KIND_BARRIER,          /* GCC-built code: explicit, or the end of a static loop; the runtime reports no more */
  HD_KIND_REDUCTION,
  HD_KIND_CRITICAL,
  HD_KIND_LOCK,
  HD_KIND_ORDERED,
  HD_KIND_ATOMIC,
  HD_KIND_OTHER,   /* an enum value newer than this file */
  HD_KIND_ROUTINE, /* a function: its address is that of its first instruction */
  HD_KIND_PHASE,   /* between the user's markers; its name is a text of kind HD_TEXT_PHASE */
  HD_KIND_MASKED,  /* the block of a `masked` or `master`: only the threads that run it are in it */
  HD_KIND_WORKDISTRIBUTE,
  HD_KIND_BEFORE, /* regions and tasks that began before the measurement did (HEDDLE_DORMANT); it has no place */
  HD_KIND_MPI,    /* a call of a function of MPI, whose name is a text of kind HD_TEXT_MPI */
  HD_KIND_COUNT
};

/** The kind that distinguishes sites at one place. All loops there are one site: libomp chooses the schedule of an auto
 *  or guided loop by its length and its team, and may report another one the next time. */
static inline enum hd_kind hd_kind_of_site(enum hd_kind kind) {
  return kind >= HD_KIND_LOOP && kind <= HD_KIND_LOOP_GUIDED ? HD_KIND_LOOP : kind;
}

/**
 * The time that Heddle's own work takes in the program is its *intrusion*. Every event's cost is known: measured if it
 * is out of the ordinary, else the mean of what events of its kind cost this thread (hd_costs_record). A cell's
 * intrusion is the part of its ticks that Heddle took, so ticks - intrusion is the *corrected* time: Li and Zhang's
 * virtual clock, on which the program runs as if without Heddle. Intrusion may be negative: a thread that Heddle has
 * delayed waits less for others.
 */
enum hd_intrusion_class {
  HD_INTRUSION_BUSY,    /* HD_BUSY */
  HD_INTRUSION_WAITING, /* the waiting states */
  HD_INTRUSION_RUNTIME, /* the runtime's own work */
  HD_INTRUSION_IDLE,    /* HD_IDLE */
  HD_INTRUSION_CLASSES
};

static inline enum hd_intrusion_class hd_intrusion_class_of(uint32_t state) {
  return (enum hd_intrusion_class)((state >= HD_WAIT_FIRST) + (state >= HD_RUNTIME_FIRST) + (state >= HD_IDLE));
}

/** Which profiles have counts of their own: they are told apart. The counters are read at every change between one of
 *  them and what is around it; what happens in other profiles counts for the innermost one around them. At
 *  barriers, taskwaits and taskgroups they are read in any case. */
enum hd_counters_at {
  HD_COUNTERS_AT_REGION = 1, /* parallel regions, teams and phases */
  HD_COUNTERS_AT_LOOP = 2,   /* and worksharing constructs, and tasks */
  HD_COUNTERS_AT_ALL = 3     /* and whatever else has a profile */
};

/** Whether profiles of a kind are told apart. The program's always is. */
static inline int hd_kind_is_told_apart(uint32_t kind, uint32_t counters_at) {
  if (kind <= HD_KIND_TEAMS || kind == HD_KIND_PHASE || kind == HD_KIND_BEFORE)
    return 1;
  if (kind <= HD_KIND_TASK || kind == HD_KIND_WORKDISTRIBUTE)
    return counters_at >= HD_COUNTERS_AT_LOOP;
  return counters_at >= HD_COUNTERS_AT_ALL;
}

/** What a thread did while its events were counted. */
enum hd_count_class {
  HD_COUNT_BUSY,    /* HD_BUSY; but for HD_COUNTERS_AT_ALL also waits at criticals, locks, ordereds and atomics */
  HD_COUNT_WAITING, /* the waiting states, and HD_IDLE: a worker's wait at a region's end and its time between regions
                       are one number, the region's */
  HD_COUNT_RUNTIME, /* the runtime's own work */
  HD_COUNT_CLASSES
};

static inline enum hd_count_class hd_count_class_of(uint32_t state, uint32_t counters_at) {
  switch (state) {
  case HD_BUSY:
    return HD_COUNT_BUSY;
  case HD_RUNTIME_FORK_JOIN:
  case HD_RUNTIME_SCHEDULING:
  case HD_RUNTIME_TASK_CREATION:
    return HD_COUNT_RUNTIME;
  case HD_WAIT_CRITICAL:
  case HD_WAIT_LOCK:
  case HD_WAIT_ORDERED:
  case HD_WAIT_ATOMIC:
    return counters_at == HD_COUNTERS_AT_ALL ? HD_COUNT_WAITING : HD_COUNT_BUSY;
  default:
    return HD_COUNT_WAITING;
  }
}

_Static_assert((int)HD_BUSY < (int)HD_WAIT_FIRST && (int)HD_WAIT_LAST < (int)HD_RUNTIME_FIRST &&
                   (int)HD_RUNTIME_LAST < (int)HD_IDLE,
               "states and classes of intrusion come in the same order");

#endif
