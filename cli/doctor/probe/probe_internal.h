/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file probe_internal.h
 * A small OpenMP program inside `heddle` that tries out a runtime.
 *
 *     run.c          runs it in a child, since a runtime that was loaded into a process stays there
 *     constructs.c   calls a libomp's entry points (entries.h), as compiled code would: no OpenMP compiler is needed
 *     tool.c         is at the same time the OMPT tool that notes what arrives
 *     rows.c         what had to arrive, what did, and what Heddle's reports lose without it
 *
 * Whether an event came in time is told from the order of things, not from a clock: the probe always knows which
 * construct it is in (`place`) and how far each thread is inside it (`step`).
 */
#ifndef HEDDLE_CLI_DOCTOR_PROBE_PROBE_INTERNAL_H
#define HEDDLE_CLI_DOCTOR_PROBE_PROBE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
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
  X(DOACROSS, "doacross loop", do_doacross)                                                                            \
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

/* ---- in the child only ---- */

/** In the child only; NULL: this process is no probe. */
extern struct hd_probe *hd_probe;

/** The calling thread's. */
extern _Thread_local uint8_t hd_probe_step;
extern _Thread_local bool hd_probe_is_primary;

/** Runs all constructs on a libomp that was opened; `why` says why they cannot run at all. */
bool hd_probe_play(void *libomp, char *why, size_t why_bytes);

/* ---- run.c ---- */

struct hd_probe_end {
  int signal;      /* that ended the child; 0: none. SIGALRM: it hung */
  char said[1000]; /* lines that the runtime or the tool wrote to stderr, or why the probe could not run */
};

/**
 * Runs the probe in a child on `libomp` (a path). `tool` NULL: with the probe's own tool; else with this library, as
 * OMP_TOOL_LIBRARIES, which writes its profile to `output`. Variables that steer OpenMP are kept from it; those for
 * libheddle.so are not. The result is in shared memory that the caller unmaps with hd_probe_free(); NULL: no memory.
 */
struct hd_probe *hd_probe_run(const char *libomp, const char *tool, const char *output, struct hd_probe_end *end);
void hd_probe_free(struct hd_probe *probe);

/** The construct's name in OpenMP's words. */
const char *hd_probe_place_name(uint32_t place);

/* ---- rows.c ---- */

enum hd_probe_verdict {
  HD_PROBE_FINE,
  HD_PROBE_HANDLED, /* not as the standard wants it, but Heddle knows and does without */
  HD_PROBE_LOST
};

/** One line of the table. */
struct hd_probe_row {
  const char *event;      /* "work" */
  const char *what;       /* "static loop" */
  const char *loss;       /* what reports lose without it */
  const char *registered; /* the runtime's answer: "always", ... */
  unsigned expected, delivered;
  unsigned timely;     /* of those delivered */
  unsigned addressed;  /* of those that need one: with an address inside the code that called the runtime */
  unsigned in_runtime; /* with one inside the runtime, so that the caller must be looked for */
  unsigned needing_address;
  enum hd_probe_verdict verdict;
};

/** How many rows there are, and row `index` of them, from what the probe recorded. */
size_t hd_probe_row_count(void);
void hd_probe_row(const struct hd_probe *probe, size_t index, struct hd_probe_row *row);

/** "yes" or "late"; NULL: none came. */
const char *hd_probe_timely(const struct hd_probe_row *row);

/** Whose the addresses were: "yes" (of the code that called), "runtime's" or "no"; NULL: none is needed. */
const char *hd_probe_address_of(const struct hd_probe_row *row);

#endif
