/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file heddle-events.h
 * The one definition of each event: its name, the class that it is switched off with, and what is lost without it; and
 * the records of what events cost. Part of heddle-format.h. Profiles store the numbers: append only. CONTRIBUTING.md,
 * "To add an event".
 */
#ifndef HEDDLE_EVENTS_H
#define HEDDLE_EVENTS_H

#include <stdint.h>

/** Events that are switched off together when they cost more than the budget allows, finest first. Never switched off
 *  are threads and markers. With regions, the coarsest, all goes that is in them, and the waits at their ends: only
 *  outermost ones, and only where they alone cost several times the budget. X(NAME, id, words) */
#define HD_CLASS_TABLE(X)                                                                                              \
  X(ENTRY, "entry", "handing out of chunks and creation of tasks")                                                     \
  X(MUTEX, "mutex", "critical sections, locks, ordered and atomic")                                                    \
  X(TASK, "task", "explicit tasks")                                                                                    \
  X(CALL, "call", "routines")                                                                                          \
  X(WORK, "work", "loops, sections, single and masked")                                                                \
  X(SYNC, "sync", "barriers inside regions, taskwaits, taskgroups and reductions")                                     \
  X(REGION, "region", "parallel regions, and all that is in them")

/** What has a cost of its own: callbacks of the runtime, and calls from the program itself. FIXED: never switched off.
 *  X(NAME, id, class) */
#define HD_EVENT_TABLE(X)                                                                                              \
  X(THREAD, "thread", FIXED) /* begin and end */                                                                       \
  X(PARALLEL_BEGIN, "parallel_begin", REGION)                                                                          \
  X(PARALLEL_END, "parallel_end", REGION)                                                                              \
  X(IMPLICIT_BEGIN, "implicit_task_begin", REGION)                                                                     \
  X(IMPLICIT_END, "implicit_task_end", REGION)                                                                         \
  X(WORK_BEGIN, "work_begin", WORK)                                                                                    \
  X(WORK_END, "work_end", WORK)                                                                                        \
  X(WAIT_BEGIN, "wait_begin", SYNC) /* barriers, taskwait, taskgroup, reduction */                                     \
  X(WAIT_END, "wait_end", SYNC)                                                                                        \
  X(MASKED_BEGIN, "masked_begin", WORK)                                                                                \
  X(MASKED_END, "masked_end", WORK)                                                                                    \
  X(MUTEX_ACQUIRE, "mutex_acquire", MUTEX)                                                                             \
  X(MUTEX_ACQUIRED, "mutex_acquired", MUTEX)                                                                           \
  X(MUTEX_RELEASED, "mutex_released", MUTEX)                                                                           \
  X(TASK_CREATE, "task_create", TASK)                                                                                  \
  X(TASK_SCHEDULE, "task_schedule", TASK)                                                                              \
  X(CALL, "call", CALL) /* of an instrumented routine */                                                               \
  X(RETURN, "return", CALL)                                                                                            \
  X(MARKER, "marker", FIXED)                                                                                           \
  X(SCHEDULING_BEGIN, "scheduling_begin", ENTRY) /* an entry point of the runtime: entry/entries.h */                  \
  X(SCHEDULING_END, "scheduling_end", ENTRY)                                                                           \
  X(CREATION_BEGIN, "creation_begin", ENTRY)                                                                           \
  X(CREATION_END, "creation_end", ENTRY)                                                                               \
  X(MPI_BEGIN, "mpi_begin", FIXED) /* a call of a function of MPI: mpi/calls.h */                                      \
  X(MPI_END, "mpi_end", FIXED)

/** The callbacks that the tool registers with the runtime. Each has one function, hd_callbacks_on_NAME.
 *  sync_region_wait rather than sync_region: for barriers and taskwait they are the same, but for a taskgroup it is the
 *  wait at its end without the body. Never flush: a program that spins on it sends millions. dependences for doacross
 *  loops only: it comes after each of their waits, and does not tell how long that was.
 *  X(NAME, OMPT's name, its function's type, the class that it may be muted with, what is lost without it) */
#define HD_CALLBACK_TABLE(X)                                                                                           \
  X(THREAD_BEGIN, thread_begin, thread_begin, FIXED, "threads are seen from their first event on")                     \
  X(THREAD_END, thread_end, thread_end, FIXED, "threads end with their last event")                                    \
  X(PARALLEL_BEGIN, parallel_begin, parallel_begin, FIXED, "parallel regions are missing")                             \
  X(PARALLEL_END, parallel_end, parallel_end, FIXED, "parallel regions do not end")                                    \
  X(IMPLICIT_TASK, implicit_task, implicit_task, FIXED, "what workers do in regions is missing")                       \
  X(WORK, work, work, WORK, "loops, sections and single are missing: their time is counted in their regions")          \
  X(SYNC_REGION_WAIT, sync_region_wait, sync_region, FIXED, "waiting at barriers and for tasks counts as busy")        \
  X(MUTEX_ACQUIRE, mutex_acquire, mutex_acquire, MUTEX, "waiting for criticals and locks counts as busy")              \
  X(MUTEX_ACQUIRED, mutex_acquired, mutex, MUTEX, "time inside criticals and locks counts as waiting for them")        \
  X(MUTEX_RELEASED, mutex_released, mutex, MUTEX, "criticals and locks do not end where they should")                  \
  X(TASK_CREATE, task_create, task_create, FIXED, "tasks have no source location")                                     \
  X(TASK_SCHEDULE, task_schedule, task_schedule, FIXED, "tasks count as what the thread did before, often as waiting") \
  X(CONTROL_TOOL, control_tool, control_tool, FIXED, "omp_control_tool has no effect")                                 \
  X(MASKED, masked, masked, WORK, "blocks of masked and master are missing: their time is counted in their regions")   \
  X(DEPENDENCES, dependences, dependences, FIXED, "waits in doacross loops count as busy, and nothing says so")

enum hd_event_class {
#define HD_ROW(name, ...) HD_CLASS_##name,
  HD_CLASS_TABLE(HD_ROW)
#undef HD_ROW
      HD_CLASS_COUNT,
  HD_CLASS_FIXED = HD_CLASS_COUNT
};

enum hd_event_kind {
#define HD_ROW(name, ...) HD_EVENT_##name,
  HD_EVENT_TABLE(HD_ROW)
#undef HD_ROW
      HD_EVENT_KINDS
};

enum hd_callback {
#define HD_ROW(name, ...) HD_CALLBACK_##name,
  HD_CALLBACK_TABLE(HD_ROW)
#undef HD_ROW
      HD_CALLBACK_COUNT
};

/** hd_file_header.registered has four bits for each callback: the answer of ompt_set_callback (ompt_set_result_t) + 1;
 *  0: no answer was kept. */
#define HD_REGISTERED_BITS 4u
static inline uint32_t hd_registered(uint64_t registered, enum hd_callback callback) {
  return (uint32_t)(registered >> (HD_REGISTERED_BITS * (uint32_t)callback)) & 15u;
}
_Static_assert(HD_CALLBACK_COUNT <= 64 / HD_REGISTERED_BITS, "all answers fit their word");

/** What one thread's events of each kind have cost it. */
struct hd_costs_record {
  uint32_t thread;
  uint32_t reserved;
  struct hd_event_cost {
    uint64_t count;       /* events so far */
    uint64_t charged;     /* so many of them are in `total_ticks`; the others cost `ticks` each */
    uint64_t total_ticks; /* intrusion */
    uint32_t ticks;       /* of an ordinary one: the mean of those measured last */
    uint32_t mask;        /* an ordinary one is measured when its number & mask is 0 */
  } kinds[HD_EVENT_KINDS];
};

/** The budget is a part of a thread's time (hd_file_header.budget_ppm): what events cost in any time of this length. */
#define HD_BUDGET_WINDOW_MS 500u

/** How long the events of a class were switched off because they cost more than the budget allows: in the regions of
 *  one profile, that of the innermost region at or above `profile`, or outside all regions. Or everywhere, because it
 *  was asked for (heddle-control.h), or in part: everywhere but in the regions of profiles that have it in `spared`. */
#define HD_SOME_REGIONS (HD_NONE - 1)
struct hd_switch_record {
  uint32_t event_class; /* enum hd_event_class */
  uint32_t thread;      /* whose time they cost; everywhere: that acted on the request */
  uint32_t profile;     /* where it was then, if it was in such a region; else the region's. HD_NONE: everywhere;
                           HD_SOME_REGIONS: in part */
  uint32_t times;       /* 1; more: several such times in one record */
  uint64_t off_ticks;   /* when the newest of these times began; merged files: this and the next are 0 */
  uint64_t on_ticks;    /* when it ended; 0: still off */
  uint64_t total_ticks; /* length of all that have ended, summed, less, modulo 2^64, the times without such a region */
  uint64_t cost_ppm;    /* part of the thread's time that led to it; the highest */
};

#endif
