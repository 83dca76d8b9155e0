/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file causes.h
 * What threads did, and why time was lost: the only place where either has a name.
 */
#ifndef HEDDLE_OUTPUT_ANALYSIS_CAUSES_H
#define HEDDLE_OUTPUT_ANALYSIS_CAUSES_H

#include <stdbool.h>

#include "heddle-format.h"

/**
 * The causes of loss: name, its key in JSON and CSV, the heading of its column (13 characters at most), what time was
 * lost to, and what it was gained from.
 */
/* clang-format off */
#define HD_LOSSES(LOSS)                                                                                               \
  /* no work for the thread: outside regions, in regions with a smaller team, during a `single` or `masked` */        \
  LOSS(SERIAL, "serial", "serial", "serial time", "less serial time")                                                 \
  /* implicit barriers and reductions: others had more to do */                                                       \
  LOSS(IMBALANCE, "imbalance", "imbalance", "imbalance", "less imbalance")                                            \
  LOSS(BARRIER, "barrier_explicit", "barriers", "explicit barriers", "less waiting at explicit barriers")             \
  LOSS(LOCKS, "locks", "locks", "locks and critical sections", "less waiting for locks and critical sections")        \
  /* taskwaits, taskgroups, and barriers at which there was no task to run */                                         \
  LOSS(TASKS, "tasks", "tasks", "waits for tasks", "less waiting for tasks")                                          \
  /* fork, join, threads that came late, barriers themselves */                                                       \
  LOSS(RUNTIME, "runtime", "fork/barrier", "fork, join and barriers", "less time for fork, join and barriers")        \
  /* chunks of loops handed out */                                                                                    \
  LOSS(SCHEDULING, "scheduling", "scheduling", "handing out chunks of loops", "less handing out of chunks")           \
  LOSS(TASK_CREATION, "task_creation", "task creation", "creating tasks", "less creation of tasks")                   \
  /* in MPI; outside regions of all threads, which have no work meanwhile */                                          \
  LOSS(MPI, "mpi", "MPI", "waiting in MPI", "less waiting in MPI")                                                    \
  /* waits that the runtime does not explain */                                                                       \
  LOSS(OTHER, "other", "other waits", "other waits", "less of other waits")                                           \
  /* more busy time than in the run that is compared with; 0 in one run alone */                                      \
  LOSS(INFLATION, "work_inflation", "extra work", "work inflation", "less busy time for the work")

/**
 * The states of a thread, in the order of enum hd_state: name, its key in JSON and CSV, the heading of its column, and
 * the cause of loss that its time is. NONE: it is none, or others decide (implicit barriers: losses_barriers.c).
 */
#define HD_STATES(STATE)                                                                                              \
  STATE(HD_BUSY, "busy", "busy", HD_LOSS_NONE)                                                                        \
  STATE(HD_WAIT_BARRIER_IMPLICIT, "barrier_implicit", "barrier", HD_LOSS_NONE)                                        \
  STATE(HD_WAIT_BARRIER_EXPLICIT, "barrier_explicit", "expl.barrier", HD_LOSS_BARRIER)                                \
  STATE(HD_WAIT_TASKWAIT, "taskwait", "taskwait", HD_LOSS_TASKS)                                                      \
  STATE(HD_WAIT_TASKGROUP, "taskgroup", "taskgroup", HD_LOSS_TASKS)                                                   \
  STATE(HD_WAIT_CRITICAL, "critical", "critical", HD_LOSS_LOCKS)                                                      \
  STATE(HD_WAIT_LOCK, "lock", "lock", HD_LOSS_LOCKS)                                                                  \
  STATE(HD_WAIT_ORDERED, "ordered", "ordered", HD_LOSS_LOCKS)                                                         \
  STATE(HD_WAIT_ATOMIC, "atomic", "atomic", HD_LOSS_LOCKS)                                                            \
  STATE(HD_WAIT_REDUCTION, "reduction", "reduction", HD_LOSS_IMBALANCE)                                               \
  STATE(HD_WAIT_OTHER, "other", "other wait", HD_LOSS_OTHER)                                                          \
  STATE(HD_WAIT_MPI_POINT_TO_POINT, "mpi_point_to_point", "MPI p2p", HD_LOSS_MPI)                                     \
  STATE(HD_WAIT_MPI_COLLECTIVE, "mpi_collective", "MPI coll.", HD_LOSS_MPI)                                           \
  STATE(HD_WAIT_MPI_ONE_SIDED, "mpi_one_sided", "MPI 1-sided", HD_LOSS_MPI)                                           \
  STATE(HD_WAIT_MPI_IO, "mpi_io", "MPI I/O", HD_LOSS_MPI)                                                             \
  STATE(HD_WAIT_MPI_OTHER, "mpi_other", "MPI other", HD_LOSS_MPI)                                                     \
  STATE(HD_RUNTIME_FORK_JOIN, "fork_join", "fork/join", HD_LOSS_RUNTIME)                                              \
  STATE(HD_RUNTIME_SCHEDULING, "scheduling", "scheduling", HD_LOSS_SCHEDULING)                                        \
  STATE(HD_RUNTIME_TASK_CREATION, "task_creation", "creation", HD_LOSS_TASK_CREATION)                                 \
  STATE(HD_IDLE, "idle", "idle", HD_LOSS_NONE)
/* clang-format on */

enum hd_loss {
#define HD_LOSS_NUMBER(name, ...) HD_LOSS_##name,
  HD_LOSSES(HD_LOSS_NUMBER)
#undef HD_LOSS_NUMBER
      HD_LOSS_COUNT,
  HD_LOSS_NONE = HD_LOSS_COUNT
};

const char *hd_loss_id(enum hd_loss loss);
const char *hd_loss_words(enum hd_loss loss);

/** After "lost to", or with `gained` after "gained from". */
const char *hd_loss_reason(enum hd_loss loss, bool gained);

/** "other" for a number that is not known. */
const char *hd_state_id(enum hd_state state);
const char *hd_state_words(enum hd_state state);

/** Of a stretch of a thread's time: "wait: barrier implicit", "runtime: scheduling"; "busy" and "idle" are themselves.
 */
enum { HD_STATE_TEXT_BYTES = 32 };
void hd_state_text(char text[HD_STATE_TEXT_BYTES], enum hd_state state);

enum hd_loss hd_state_loss(enum hd_state state);

#endif
