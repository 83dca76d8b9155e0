/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file script_state.h
 * What the script builder knows of the program it builds, shared by script.c and script_inside.c.
 */
#ifndef HEDDLE_TESTS_SCRIPT_STATE_H
#define HEDDLE_TESTS_SCRIPT_STATE_H

#include "script.h"

#define SC_MAX_STACK 64
#define SC_MAX_REGIONS 100000

/* A region that a thread is in, innermost last. */
struct sc_place {
  uint32_t region;
  uint32_t implicit_task;
  uint32_t index;
  uint32_t team_size;     /* 0: the implicit task has not begun */
  uint32_t running_tasks; /* depth of the task stack when the implicit task began */
};

struct sc_region {
  uint64_t code;
  uint32_t flags;
  uint32_t level;
  bool swapped; /* its data lies where the enclosing serialised region's was */
};

struct sc_thread {
  bool begun;
  bool initial;
  bool ending; /* a region's end is held back */
  struct sc_place late;
  struct sc_place places[FK_MAX_LEVELS];
  uint32_t place_count;
  uint32_t tasks[SC_MAX_STACK]; /* running and suspended below it; last: current */
  uint32_t task_count;
};

struct sc_state {
  struct fk_script script;
  enum sc_runtime runtime;
  uint64_t now;
  uint32_t current;
  struct sc_region regions[SC_MAX_REGIONS];
  uint32_t thread_limit; /* threads from here on have not been selected */
  struct sc_thread threads[FK_MAX_THREADS];
};
extern struct sc_state sc;

struct sc_thread *sc_me(void);
/** The innermost region that the current thread is in; NULL: none, not even an initial thread's. */
struct sc_place *sc_innermost(void);
uint32_t sc_current_region(void);
void sc_push_task(uint32_t task);
/** A barrier's or taskwait's region and wait events. */
void sc_sync_both(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, uint64_t code, uint32_t region,
                  uint32_t habit);

#endif
