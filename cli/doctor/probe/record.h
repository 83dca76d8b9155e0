/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file record.h
 * What the probe records of a runtime's events.
 *
 * Whether an event came in time is told from the order of things, not from a clock: the probe always knows which
 * construct it is in (`place`) and how far each thread is inside it (`step`).
 */
#ifndef HEDDLE_CLI_DOCTOR_PROBE_RECORD_H
#define HEDDLE_CLI_DOCTOR_PROBE_RECORD_H

#include <stdint.h>

/** The constructs, in the order in which they run: X(NAME, what it is called, what each thread of a team does: a
 * function of constructs.c). */
#define HD_PROBE_CONSTRUCTS(X)                                                                                         \
  X(REGION, "parallel region", NULL)                                                                                   \
  X(BARRIER, "barrier", do_barrier)                                                                                    \
  X(STATIC, "static loop", do_static)                                                                                  \
  X(DYNAMIC, "dynamic loop", do_dynamic)                                                                               \
  X(GUIDED, "guided loop", do_guided)                                                                                  \
  X(SECTIONS, "sections", do_sections)                                                                                 \
  X(SINGLE, "single", do_single)                                                                                       \
  X(MASTER, "master", do_master)                                                                                       \
  X(CRITICAL, "critical", do_critical)                                                                                 \
  X(LOCK, "lock", do_lock)                                                                                             \
  X(ORDERED, "ordered", do_ordered)                                                                                    \
  X(ATOMIC, "atomic", do_atomic)                                                                                       \
  X(REDUCTION, "reduction", do_reduction)                                                                              \
  X(TASK, "task", do_task)                                                                                             \
  X(TASKWAIT, "taskwait", do_taskwait)                                                                                 \
  X(TASKGROUP, "taskgroup", do_taskgroup)                                                                              \
  X(TASKLOOP, "taskloop", do_taskloop)                                                                                 \
  X(TEAMS, "teams", do_distribute)                                                                                     \
  X(CONTROL, "omp_control_tool", NULL)

/** Where the probe is. */
enum hd_probe_place {
  HD_PROBE_NOWHERE, /* before the first construct */
#define HD_ROW(name, words, body) HD_PROBE_##name,
  HD_PROBE_CONSTRUCTS(HD_ROW)
#undef HD_ROW
      HD_PROBE_END, /* while the runtime shuts down */
  HD_PROBE_PLACES
};

/** How far a thread is inside a construct: each call of the runtime is made at a step of its own. */
enum hd_probe_step { HD_PROBE_BEFORE, HD_PROBE_FIRST, HD_PROBE_SECOND, HD_PROBE_THIRD, HD_PROBE_AFTER };

enum hd_probe_address { HD_PROBE_NO_ADDRESS, HD_PROBE_OWN_ADDRESS, HD_PROBE_OTHER_ADDRESS };

/** Kinds of events whose kind the runtime tells in flags. */
enum { HD_PROBE_TEAM_OF_THREADS = 1, HD_PROBE_LEAGUE = 2, HD_PROBE_IMPLICIT = 1, HD_PROBE_INITIAL = 2 };

/** One event, as it came. */
struct hd_probe_record {
  uint8_t event;    /* ompt_callbacks_t */
  uint8_t kind;     /* its own enumeration's; 0: the event has none */
  uint8_t endpoint; /* ompt_scope_endpoint_t; 0: the event has none */
  uint8_t place;    /* enum hd_probe_place at that moment */
  uint8_t home;     /* the place of the region that the thread was last put into */
  uint8_t step;
  uint8_t worker; /* 0: the thread that opens the regions */
  uint8_t address;
};

enum { HD_PROBE_RECORDS = 4096, HD_PROBE_EVENTS = 64, HD_PROBE_TEAM = 2, HD_PROBE_ITERATIONS = 8 };

/** What parent and child share. The child writes, also when it dies half-way. */
struct hd_probe {
  char runtime[128];                   /* what the runtime calls itself */
  uint32_t yields;                     /* set before: another tool is to be tried */
  uint32_t asked;                      /* the runtime looked for a tool */
  uint32_t started;                    /* and took the probe's */
  uint32_t place;                      /* enum hd_probe_place */
  uint32_t team;                       /* threads that the runtime gave */
  uint32_t done;                       /* it came through all constructs */
  uint32_t count;                      /* events; those beyond HD_PROBE_RECORDS are not recorded */
  uint8_t registered[HD_PROBE_EVENTS]; /* by ompt_callbacks_t: ompt_set_result_t + 1; 0: was not asked */
  struct hd_probe_record records[HD_PROBE_RECORDS];
};

#endif
