/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file fake_ompt.h
 * A fake OMPT runtime: plays a list of events on a fake clock against the real libheddle.so.
 *
 * A test builds a script (script.h does it in libomp's order, fk_emit one event at a time), then fk_play forks a child
 * that loads the library, calls its entry points as libomp does and plays the events. The child has one OS thread for
 * any number of simulated threads, or one pthread each. The time is what the script says, in ticks of 1 ns, so that
 * every expected number is an exact integer. The profile stays in a file for the parent to read.
 *
 * The player keeps libomp's habits with tool data: parallel_begin gets a pointer to a stack variable whose content is
 * copied into the team, hot teams reuse their slots, a serialised region inside a serialised region swaps contents in
 * place, a worker's late end gets a copy of its implicit task's data, and memory of ended tasks is overwritten.
 *
 * Routines, phases and pauses come from the program itself: through the library's exported hooks and through the
 * functions that it publishes behind heddle.h's markers.
 */
#ifndef HEDDLE_TESTS_FAKE_OMPT_H
#define HEDDLE_TESTS_FAKE_OMPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <omp-tools.h>

#define FK_NONE UINT32_MAX /* no region (parallel_data NULL), no task, no thread (thread data NULL) */
#define FK_MAX_THREADS 1024
#define FK_MAX_LEVELS 8
#define FK_MAX_CONTROLS 16
#define FK_MPI_FUNCTION "MPI_Played"
#define FK_MAX_ENTRIES 16 /* entry points of the runtime that a thread is in at once */

enum fk_op {
  FK_THREAD_BEGIN,
  FK_THREAD_END,
  FK_PARALLEL_BEGIN,
  FK_PARALLEL_END,
  FK_IMPLICIT_TASK,
  FK_WORK,
  FK_SYNC_REGION,
  FK_SYNC_WAIT,
  FK_REDUCTION,
  FK_MUTEX_ACQUIRE,
  FK_MUTEX_ACQUIRED,
  FK_MUTEX_RELEASED,
  FK_NEST_LOCK,
  FK_TASK_CREATE,
  FK_TASK_SCHEDULE,
  FK_CANCEL,
  FK_MASKED,
  FK_DEPENDENCES,   /* one, of type `kind`, on the variable at `wait_id` */
  FK_ENTRY_BEGIN,   /* the program calls an entry point: `kind` is enum heddle_entry; to make a loop ready, if `size` is
                       not 0: as below, all of it */
  FK_ENTRY_END,     /* `size`: iterations of the chunk that it got; `code`: the first; `wait_id`: the step */
  FK_ROUTINE_ENTER, /* __cyg_profile_func_enter: `code` is the function, `wait_id` the call's return address */
  FK_ROUTINE_EXIT,
  FK_PHASE_BEGIN, /* heddle_phase_begin("phase <code>") */
  FK_PHASE_END,   /* code 0: NULL */
  FK_MPI_BEGIN,   /* a wrapper of a function of MPI: `kind` is enum heddle_mpi_kind, `code` the caller */
  FK_MPI_END,     /* `size`: bytes */
  FK_PAUSE,       /* heddle_pause() */
  FK_RESUME,
  FK_CONTROL,  /* omp_control_tool(kind) */
  FK_SWITCH,   /* nobody's event: the tool switches events of class `kind` off (ompt_scope_begin) or on */
  FK_ASK,      /* nobody's event: somebody writes the request `wait_id` into the live profile (heddle-control.h) */
  FK_SAMPLE,   /* nobody's event: the thread used the processor for `size` samples' time, at `code` */
  FK_FORK,     /* fork(2): the child plays the rest of the script and ends, then the parent does */
  FK_FINALIZE, /* the runtime's call of the tool's finalize: at the program's end, or, kind 1, in its midst */
  FK_EXIT,     /* exit(3) without finalize: destructors run */
  FK_KILL      /* SIGKILL */
};

enum fk_event_flag {
  FK_LATE = 1u << 0,         /* the task data is the thread's copy, as in a worker's late end of a region */
  FK_SWAP = 1u << 1,         /* serialised inside serialised: data swapped in place, restored at the end */
  FK_OFF_MEANWHILE = 1u << 2 /* another thread switches tasks off when the tool has asked whether they are on */
};

/** One event. Regions and tasks are numbers given by fk_new_region and fk_new_task; unused fields are 0 or FK_NONE. */
struct fk_event {
  uint64_t time;
  uint64_t wait_id;
  uint64_t code; /* return address, 0: NULL */
  uint32_t thread;
  uint32_t op;       /* enum fk_op */
  uint32_t kind;     /* thread, work, sync, mutex kind, or status of the prior task */
  uint32_t endpoint; /* ompt_scope_endpoint_t */
  uint32_t region;
  uint32_t task; /* encountering, implicit or prior task */
  uint32_t next; /* new or next task */
  uint32_t size; /* team size, requested parallelism, work count */
  uint32_t index;
  uint32_t flags; /* the runtime's flags */
  uint32_t level; /* nesting level of a region or implicit task: which slot its data lies in */
  uint32_t habit; /* enum fk_event_flag */
};

struct fk_script {
  struct fk_event *events;
  size_t count;
  size_t capacity;
  uint32_t region_count;
  uint32_t task_count;
};

struct fk_options {
  bool real_clock;   /* hide the fake clock: the library uses its own and may cache threads in TLS */
  bool pthreads;     /* one pthread for each simulated thread, one event at a time, in the script's order */
  bool free_running; /* with pthreads and the real clock: each plays its own events at its own speed, but for those
                        that the runtime would hold back: ends of barriers, what starts on another thread */
  uint32_t never;    /* this ompt_callbacks_t is answered ompt_set_never; 0: none */
  uint32_t failing;  /* this ompt_callbacks_t is answered ompt_set_error; 0: none */
  const char *depth; /* HEDDLE_CALLPATH_DEPTH; NULL: unset */
  const char *cycle_limit; /* HEDDLE_CYCLE_LIMIT; NULL: unset */
  bool late_runtime; /* the library is there from the start (preloaded), the runtime only at the first event of its own
                      */
  uint32_t failing_allocation;    /* the n-th request for memory or file space since the tool's start fails; 0: none */
  uint32_t failing_allocations;   /* so many in a row; 0: one; UINT32_MAX: all from there on */
  uint64_t growth_ticks;          /* the file takes so long to grow by a page while an implicit task begins */
  bool samples;                   /* the kernel samples threads: FK_SAMPLE */
  bool no_thread_data;            /* the look-up does not know ompt_get_thread_data */
  const char *counters;           /* HEDDLE_COUNTERS, counted by the stub libpapi (stub_papi.c); NULL: unset */
  const char *counters_at;        /* HEDDLE_COUNTERS_AT; NULL: unset */
  bool take_turns;                /* HEDDLE_MULTIPLEX */
  const char *const *environment; /* further variables, NAME=value; ends with NULL. NULL: none. HEDDLE_MEMORY is
                                     "off" if it is not among them */
  const char *output;             /* HEDDLE_OUTPUT; NULL: a file in the test's directory */
  /* Instead of the script the child plays what this sends (fk_send). */
  void (*live)(void *context);
  void *live_context;
  /* With HEDDLE_TEST_DELAY: for how long an event of a thread that is delayed lasts. NULL: as the variable says. */
  uint64_t (*delay)(const struct fk_event *event);
};

struct fk_result {
  int status;                    /* as waitpid tells it */
  bool registered[64];           /* unused entries false */
  int controls[FK_MAX_CONTROLS]; /* what the tool answered to the first FK_CONTROLs */
  uint32_t control_count;
  char path[512]; /* of the profile: the output, or what is left in the store directory; "" when there is none */
};

/** Empties the script. */
void fk_clear(struct fk_script *script);
/** Frees the script's memory. */
void fk_free(struct fk_script *script);
/** Appends one event; never fails (aborts the test program when memory is out). */
void fk_emit(struct fk_script *script, const struct fk_event *event);
/** Sorts by time; events of equal time keep their order. */
void fk_sort(struct fk_script *script);
uint32_t fk_new_region(struct fk_script *script);
uint32_t fk_new_task(struct fk_script *script);
/** An event with every reference set to FK_NONE and the rest 0. */
struct fk_event fk_event_of(enum fk_op op, uint64_t time, uint32_t thread);

/**
 * Plays the script in a forked child and waits for it. `options` may be NULL. Removes what the last play left.
 * The child ends with status 0 unless the script says otherwise; with 90..99 when the library misbehaved:
 * 90 could not be loaded or declined, 91 a callback changed errno, 92 bad script.
 */
struct fk_result fk_play(const struct fk_script *script, const struct fk_options *options);

/** In the child, from fk_options.live: plays an event. Returns the time at its end: the events' own time, unless
 *  HEDDLE_TEST_DELAY makes them last. */
uint64_t fk_send(const struct fk_event *event);

/** False in sanitized builds: `failing_allocation` then has no effect. */
bool fk_can_fail_allocations(void);

/** The most memory and file space that was in use at a time in this process since fk_memory_count_anew, as far as the
 *  tool asked for it. Not in sanitized builds. */
uint64_t fk_memory_most(void);
void fk_memory_count_anew(void);

/** Directory for this test program's files; removed at exit. */
const char *fk_directory(void);

/** Writes the script as text, for failed random seeds. */
void fk_print(const struct fk_script *script);

#endif
