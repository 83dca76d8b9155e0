/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "team.h"

#include <dlfcn.h>
#include <errno.h>
#include <omp-tools.h>
#include <stdio.h>
#include <stdlib.h>

#include "../played_runtime.h"

static const char code[1 << 20]; /* made-up return addresses */

/* What the runtime keeps for the tool, each on a line of its own, as in libomp. */
struct word {
  _Alignas(LINE_BYTES) ompt_data_t data;
};

struct member {
  void *self;    /* what the library keeps in the thread's own storage */
  bool joins;    /* the end of its last region is still to come */
  bool executes; /* the single construct that it is in */
  struct word data, task, late, made;
};

static struct member *team;
static uint32_t team_size;
static struct word initial_region, initial_task, region, critical;
static uint32_t singles;
static void *no_seat;
static void **seat = &no_seat;

static ompt_data_t *get_thread_data(void) {
  return &team[0].data.data;
}

static struct member *become(uint32_t number) {
  *seat = team[number].self;
  return &team[number];
}

static void begin_thread(uint32_t number) {
  *seat = NULL;
  CALL(ompt_callback_thread_begin, number ? ompt_thread_worker : ompt_thread_initial, &team[number].data.data);
  if (number == 0)
    CALL(ompt_callback_implicit_task, ompt_scope_begin, &initial_region.data, &initial_task.data, 1, 1,
         ompt_task_initial);
  team[number].self = *seat;
}

/* ---- the library ---- */

static void *load(const char *folder, const char *name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/simulation_%s.so", folder, name);
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    fprintf(stderr, "simulation: %s\n", dlerror());
  return library;
}

static void find(void *library, const char *name, void *function) {
  void *const address = dlsym(library, name);
  memcpy(function, &address, sizeof address);
}

static void describe_memory(struct traced *traced) {
  static const char *stack_end;
  stack_end = (const char *)__builtin_frame_address(0) + (1 << 16);
  traced->own[0] = (struct range){(uintptr_t)stack_end - (9u << 20), (uintptr_t)stack_end};
  traced->own[1] = (struct range){(uintptr_t)seat, (uintptr_t)(seat + 1)};
  traced->own[2] = (struct range){(uintptr_t)&errno, (uintptr_t)(&errno + 1)};
  traced->runtime[0] = (struct range){(uintptr_t)team, (uintptr_t)(team + team_size)};
  traced->runtime[1] = (struct range){(uintptr_t)&region, (uintptr_t)(&region + 1)};
  traced->runtime[2] = (struct range){(uintptr_t)&initial_task, (uintptr_t)(&initial_task + 1)};
  traced->runtime[3] = (struct range){(uintptr_t)&initial_region, (uintptr_t)(&initial_region + 1)};
}

bool team_start(const char *folder, const char *name, uint32_t threads, struct traced **traced) {
  void **(*find_seat)(void) = NULL;
  ompt_start_tool_result_t *(*start_tool)(unsigned, const char *) = NULL;
  void *library = name ? load(folder, name) : NULL;
  team_size = threads;
  team = aligned_alloc(LINE_BYTES, threads * sizeof *team);
  if (team)
    memset(team, 0, threads * sizeof *team);
  if (!library || !team)
    return team && !name;
  find(library, "simulation_seat", &find_seat);
  find(library, "ompt_start_tool", &start_tool);
  seat = find_seat ? find_seat() : NULL;
  if (traced) {
    *traced = dlsym(library, "simulation_traced");
    describe_memory(*traced);
    (*traced)->act.begin_ps = (uint64_t)1e12;
    (*traced)->costs = (struct costs){.access_ps = PS_OF_NS, .usual = UINT64_MAX};
  }
  ompt_start_tool_result_t *tool = seat && start_tool ? start_tool(201611, "simulation") : NULL;
  if (!tool || !tool->initialize(look_up, 0, &tool->tool_data)) {
    fputs("simulation: the library declined\n", stderr);
    return false;
  }
  for (uint32_t i = 0; i < threads; i++) {
    if (traced)
      (*traced)->thread = i;
    begin_thread(i);
  }
  return true;
}

void team_end(void) {
  become(0);
}

void team_exchange(uint32_t a, uint32_t b) {
  const struct member member = team[a];
  team[a] = team[b];
  team[b] = member;
}

/* ---- callbacks ---- */

static void call_region(enum place place, struct member *member, uint32_t number, uint32_t threads,
                        const void *address) {
  const int flags = (int)(ompt_parallel_invoker_runtime | ompt_parallel_team);
  switch ((unsigned)place) {
  case PLACE_PARALLEL_BEGIN:
    region.data.value = 0;
    CALL(ompt_callback_parallel_begin, &initial_task.data, NULL, &region.data, threads, flags, address);
    break;
  case PLACE_LATE_IMPLICIT_END:
    CALL(ompt_callback_implicit_task, ompt_scope_end, NULL, &member->late.data, 0, number, ompt_task_implicit);
    break;
  case PLACE_IMPLICIT_BEGIN:
    member->task.data.value = 0;
    CALL(ompt_callback_implicit_task, ompt_scope_begin, &region.data, &member->task.data, threads, number,
         ompt_task_implicit);
    break;
  case PLACE_IMPLICIT_END:
    CALL(ompt_callback_implicit_task, ompt_scope_end, NULL, &member->task.data, threads, 0, ompt_task_implicit);
    break;
  case PLACE_PARALLEL_END:
    CALL(ompt_callback_parallel_end, &region.data, &initial_task.data, flags, address);
    break;
  default:
    break;
  }
}

static void wait_at(struct member *member, ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *its,
                    const void *address) {
  CALL(ompt_callback_sync_region_wait, kind, endpoint, its, &member->task.data, address);
}

static void call_wait(enum place place, struct member *member, uint32_t number, const void *address) {
  switch ((unsigned)place) {
  case PLACE_LATE_BARRIER_END:
    CALL(ompt_callback_sync_region_wait, ompt_sync_region_barrier_implicit_parallel, ompt_scope_end, NULL,
         &member->late.data, NULL);
    break;
  case PLACE_JOIN_BEGIN:
    wait_at(member, ompt_sync_region_barrier_implicit_parallel, ompt_scope_begin, &region.data,
            number ? NULL : address);
    member->late = member->task;
    member->joins = number != 0;
    break;
  case PLACE_JOIN_END:
    wait_at(member, ompt_sync_region_barrier_implicit_parallel, ompt_scope_end, NULL, address);
    break;
  case PLACE_LOOP_BARRIER_BEGIN:
    wait_at(member, ompt_sync_region_barrier_implicit_workshare, ompt_scope_begin, &region.data, address);
    break;
  case PLACE_LOOP_BARRIER_END:
    wait_at(member, ompt_sync_region_barrier_implicit_workshare, ompt_scope_end, &region.data, address);
    break;
  case PLACE_BARRIER_BEGIN:
    wait_at(member, ompt_sync_region_barrier_explicit, ompt_scope_begin, &region.data, address);
    break;
  case PLACE_BARRIER_END:
    wait_at(member, ompt_sync_region_barrier_explicit, ompt_scope_end, &region.data, address);
    break;
  default:
    break;
  }
}

static void call_work(enum place place, struct member *member, uint32_t threads, const void *address) {
  const bool is_begin = place == PLACE_LOOP_BEGIN || place == PLACE_SINGLE_BEGIN;
  ompt_work_t type = ompt_work_loop_static;
  if (place == PLACE_SINGLE_BEGIN) /* the first to come executes it */
    member->executes = singles++ % threads == 0;
  if (place == PLACE_SINGLE_BEGIN || place == PLACE_SINGLE_END)
    type = member->executes ? ompt_work_single_executor : ompt_work_single_other;
  CALL(ompt_callback_work, type, is_begin ? ompt_scope_begin : ompt_scope_end, &region.data, &member->task.data, 1,
       address);
}

static void call_critical(enum place place, const void *address) {
  const ompt_wait_id_t lock = (ompt_wait_id_t)(uintptr_t)&critical;
  if (place == PLACE_ACQUIRE)
    CALL(ompt_callback_mutex_acquire, ompt_mutex_critical, 0, 2, lock, address);
  else if (place == PLACE_ACQUIRED)
    CALL(ompt_callback_mutex_acquired, ompt_mutex_critical, lock, address);
  else
    CALL(ompt_callback_mutex_released, ompt_mutex_critical, lock, address);
}

/* Thread 0 makes a task for each thread. */
static void call_task(enum place place, struct member *member, const void *address) {
  static uint32_t made;
  if (place == PLACE_TASK_CREATE) {
    ompt_data_t *task = &team[made++ % team_size].made.data;
    task->value = 0;
    CALL(ompt_callback_task_create, &member->task.data, NULL, task, ompt_task_explicit, 0, address);
  } else if (place == PLACE_TASK_BEGIN) {
    CALL(ompt_callback_task_schedule, &member->task.data, ompt_task_switch, &member->made.data);
  } else {
    CALL(ompt_callback_task_schedule, &member->made.data, ompt_task_complete, &member->task.data);
  }
}

void team_call(enum place place, uint32_t number, uint32_t threads, uint32_t site) {
  struct member *member = become(number);
  const void *address = &code[1 + site];
  switch (place) {
  case PLACE_LOOP_BEGIN:
  case PLACE_LOOP_END:
  case PLACE_SINGLE_BEGIN:
  case PLACE_SINGLE_END:
    call_work(place, member, threads, address);
    break;
  case PLACE_ACQUIRE:
  case PLACE_ACQUIRED:
  case PLACE_RELEASED:
    call_critical(place, address);
    break;
  case PLACE_TASK_CREATE:
  case PLACE_TASK_BEGIN:
  case PLACE_TASK_END:
    call_task(place, member, address);
    break;
  case PLACE_LATE_BARRIER_END:
  case PLACE_LATE_IMPLICIT_END:
    if (!member->joins)
      break;
    member->joins = place == PLACE_LATE_BARRIER_END;
    __attribute__((fallthrough));
  default:
    call_region(place, member, number, threads, address);
    call_wait(place, member, number, address);
  }
}
