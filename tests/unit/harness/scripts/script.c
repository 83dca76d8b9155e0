/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "script_state.h"

#include <stdlib.h>
#include <string.h>

struct sc_state sc;

struct fk_script *sc_script(void) {
  return &sc.script;
}

void sc_start(enum sc_runtime runtime) {
  fk_clear(&sc.script);
  memset(sc.threads, 0, sc.thread_limit * sizeof *sc.threads); /* not all: pages that the last play's fork shares */
  sc.thread_limit = 1;
  sc.runtime = runtime;
  sc.now = 0;
  sc.current = 0;
}

enum sc_runtime sc_runtime(void) {
  return sc.runtime;
}

void sc_at(uint64_t time) {
  sc.now = time;
}

void sc_thread(uint32_t thread) {
  if (thread >= FK_MAX_THREADS)
    abort();
  if (thread >= sc.thread_limit)
    sc.thread_limit = thread + 1;
  sc.current = thread;
}

struct fk_event sc_event(enum fk_op op) {
  return fk_event_of(op, sc.now, sc.current);
}

void sc_emit(struct fk_event event) {
  event.time = sc.now;
  event.thread = sc.current;
  fk_emit(&sc.script, &event);
}

struct sc_thread *sc_me(void) {
  return &sc.threads[sc.current];
}

struct sc_place *sc_innermost(void) {
  struct sc_thread *thread = sc_me();
  return thread->place_count ? &thread->places[thread->place_count - 1] : NULL;
}

uint32_t sc_current_region(void) {
  struct sc_place *place = sc_innermost();
  return place ? place->region : FK_NONE;
}

uint32_t sc_current_task(void) {
  struct sc_thread *thread = sc_me();
  return thread->task_count ? thread->tasks[thread->task_count - 1] : FK_NONE;
}

void sc_push_task(uint32_t task) {
  struct sc_thread *thread = sc_me();
  if (thread->task_count == SC_MAX_STACK)
    abort();
  thread->tasks[thread->task_count++] = task;
}

/* Threads. */

static void thread_begin(ompt_thread_t kind) {
  struct fk_event event = sc_event(FK_THREAD_BEGIN);
  event.kind = kind;
  sc_emit(event);
  sc_me()->begun = true;
  sc_me()->initial = kind == ompt_thread_initial;
}

void sc_initial_begin(void) {
  thread_begin(ompt_thread_initial);
  struct sc_place *place = &sc_me()->places[sc_me()->place_count++];
  *place = (struct sc_place){.region = fk_new_region(&sc.script), .index = 1, .team_size = 1};
  place->implicit_task = fk_new_task(&sc.script);
  sc.regions[place->region] = (struct sc_region){0};
  struct fk_event event = sc_event(FK_IMPLICIT_TASK);
  event.endpoint = ompt_scope_begin;
  event.region = place->region;
  event.task = place->implicit_task;
  event.size = event.index = 1;
  event.flags = ompt_task_initial;
  sc_emit(event);
  sc_push_task(place->implicit_task);
}

static void thread_end(void) {
  sc_emit(sc_event(FK_THREAD_END));
  memset(sc_me(), 0, sizeof *sc_me());
}

void sc_initial_end(void) {
  struct fk_event event = sc_event(FK_IMPLICIT_TASK);
  event.endpoint = ompt_scope_end;
  event.region = sc_me()->places[0].region;
  event.task = sc_me()->places[0].implicit_task;
  event.index = 1;
  event.flags = ompt_task_initial;
  sc_emit(event);
  thread_end();
}

void sc_worker_begin(void) {
  thread_begin(ompt_thread_worker);
}

void sc_worker_thread_end(void) {
  sc_worker_end();
  thread_end();
}

void sc_finish(void) {
  for (uint32_t i = 0, limit = sc.thread_limit; i < limit; i++) {
    sc_thread(i);
    if (!sc_me()->begun)
      continue;
    if (sc_me()->initial)
      sc_initial_end();
    else
      sc_worker_thread_end();
  }
  sc_thread(0);
  sc_finalize();
}

/* Parallel regions. */

static uint32_t fork_event(uint64_t code, uint32_t requested, uint32_t flags) {
  const struct sc_place *outer = sc_innermost();
  const struct sc_region *around = outer ? &sc.regions[outer->region] : NULL;
  struct fk_event event = sc_event(FK_PARALLEL_BEGIN);
  event.region = fk_new_region(&sc.script);
  if (event.region >= SC_MAX_REGIONS)
    abort();
  struct sc_region *region = &sc.regions[event.region];
  region->code = code;
  region->flags = flags | (sc.runtime == SC_GOMP ? ompt_parallel_invoker_program : ompt_parallel_invoker_runtime);
  region->swapped = around && around->level > 0 && outer->team_size == 1;
  region->level = (around ? around->level : 0) + !region->swapped;
  event.task = sc_current_task();
  event.size = requested;
  event.flags = region->flags;
  event.code = code;
  event.level = region->level;
  sc_emit(event);
  return event.region;
}

uint32_t sc_parallel_begin(uint64_t code, uint32_t requested) {
  return fork_event(code, requested, ompt_parallel_team);
}

uint32_t sc_teams_begin(uint64_t code, uint32_t requested) {
  return fork_event(code, requested, ompt_parallel_league);
}

static bool is_league(uint32_t region) {
  return sc.regions[region].flags & ompt_parallel_league;
}

/* libomp 14 and 16 say 2 for every implicit barrier. */
static ompt_sync_region_t join_barrier(uint32_t region) {
  if (sc.runtime == SC_LIBOMP_14)
    return ompt_sync_region_barrier_implicit;
  return is_league(region) ? ompt_sync_region_barrier_teams : ompt_sync_region_barrier_implicit_parallel;
}

static struct fk_event implicit_event(const struct sc_place *place, ompt_scope_endpoint_t endpoint) {
  struct fk_event event = sc_event(FK_IMPLICIT_TASK);
  event.endpoint = endpoint;
  event.task = place->implicit_task;
  event.index = place->index;
  event.flags = is_league(place->region) ? ompt_task_initial : ompt_task_implicit;
  event.level = sc.regions[place->region].level;
  return event;
}

void sc_implicit_begin(uint32_t region, uint32_t index, uint32_t team_size) {
  if (!sc_me()->begun)
    sc_worker_begin();
  if (index > 0) /* a primary may still be in a barrier, running a task */
    sc_worker_end();
  struct sc_thread *thread = sc_me();
  struct sc_place *place = &thread->places[thread->place_count++];
  *place = (struct sc_place){.region = region, .index = index, .team_size = team_size};
  place->implicit_task = fk_new_task(&sc.script);
  place->running_tasks = thread->task_count;
  struct fk_event event = implicit_event(place, ompt_scope_begin);
  event.region = region;
  event.size = team_size;
  sc_emit(event);
  sc_push_task(place->implicit_task);
}

/* Every barrier and taskwait sends its region and its wait events, within 0.1 us of each other. */
void sc_sync_both(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, uint64_t code, uint32_t region,
                  uint32_t habit) {
  struct fk_event event = sc_event(FK_SYNC_REGION);
  event.kind = kind;
  event.endpoint = endpoint;
  event.code = code;
  event.region = region;
  event.task = sc_current_task();
  event.habit = habit;
  enum fk_op first = endpoint == ompt_scope_begin ? FK_SYNC_REGION : FK_SYNC_WAIT;
  event.op = first;
  sc_emit(event);
  event.op = first == FK_SYNC_REGION ? FK_SYNC_WAIT : FK_SYNC_REGION;
  sc_emit(event);
}

/* What is left of a region for a worker that has arrived at its end. */
static void leave_place(struct sc_thread *thread) {
  thread->late = thread->places[--thread->place_count];
  thread->task_count = thread->late.running_tasks;
}

void sc_join_begin(void) {
  const struct sc_place *place = sc_innermost();
  if (place->team_size == 1)
    return;
  uint64_t code = place->index ? 0 : sc.regions[place->region].code;
  sc_sync_both(join_barrier(place->region), ompt_scope_begin, code, place->region, 0);
  if (place->index > 0)
    sc_me()->ending = true;
}

void sc_worker_end(void) {
  struct sc_thread *thread = sc_me();
  if (!thread->ending)
    return;
  thread->ending = false;
  sc_sync_both(join_barrier(sc_innermost()->region), ompt_scope_end, 0, FK_NONE, FK_LATE);
  leave_place(thread);
  struct fk_event event = implicit_event(&thread->late, ompt_scope_end);
  event.habit = FK_LATE;
  sc_emit(event);
}

void sc_join_end(void) {
  const struct sc_place *place = sc_innermost();
  const struct sc_region *region = &sc.regions[place->region];
  if (place->team_size > 1)
    sc_sync_both(join_barrier(place->region), ompt_scope_end, region->code, FK_NONE, 0);
  struct fk_event event = implicit_event(place, ompt_scope_end);
  event.size = is_league(place->region) ? 0 : place->team_size;
  event.habit = region->swapped ? FK_SWAP : 0;
  sc_emit(event);
  leave_place(sc_me());
}

void sc_parallel_end(void) {
  const struct sc_region *region = &sc.regions[sc_me()->late.region]; /* just left by sc_join_end */
  struct fk_event event = sc_event(FK_PARALLEL_END);
  event.region = sc_me()->late.region;
  event.task = sc_current_task();
  event.flags = region->flags;
  event.code = region->code;
  event.level = region->level;
  event.habit = region->swapped ? FK_SWAP : 0;
  sc_emit(event);
}

uint32_t sc_fork(uint64_t code, uint32_t team_size, uint32_t first_worker, uint64_t begin) {
  uint32_t primary = sc.current;
  uint32_t region = sc_parallel_begin(code, team_size);
  sc_at(begin);
  for (uint32_t i = 1; i < team_size; i++) {
    sc_thread(first_worker + i - 1);
    sc_implicit_begin(region, i, team_size);
  }
  sc_thread(primary);
  sc_implicit_begin(region, 0, team_size);
  return region;
}

void sc_join(uint64_t arrive, uint64_t join, uint64_t end) {
  sc_at(arrive);
  sc_join_begin();
  sc_at(join);
  sc_join_end();
  sc_at(end);
  sc_parallel_end();
}

/* Ends of the process. */

void sc_finalize(void) {
  sc_emit(sc_event(FK_FINALIZE));
}

void sc_exit(uint32_t status) {
  struct fk_event event = sc_event(FK_EXIT);
  event.kind = status;
  sc_emit(event);
}

void sc_kill(void) {
  sc_emit(sc_event(FK_KILL));
}

static void inner_team(uint32_t primary, uint32_t helper, void (*inside)(uint32_t index)) {
  sc_thread(primary);
  sc_at(10);
  sc_fork(0x110, 2, helper, 12);
  for (uint32_t index = 0; inside && index < 2; index++) {
    sc_thread(index == 0 ? primary : helper);
    sc_at(12);
    inside(index);
  }
  sc_thread(helper);
  sc_at(20);
  sc_join_begin();
  sc_thread(primary);
  sc_join(22, 24, 25);
}

void sc_nested_teams(void (*inside)(uint32_t index)) {
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  sc_fork(0x100, 2, 1, 0);
  for (uint32_t i = 0; i < 2; i++) {
    inner_team(i, 3 - i, inside);
    sc_at(30);
    sc_join_begin();
  }
  sc_thread(0);
  sc_at(32);
  sc_join_end();
  sc_parallel_end();
  sc_at(40);
  sc_finish();
  fk_sort(sc_script());
}
