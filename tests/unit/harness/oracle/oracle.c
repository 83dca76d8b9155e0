/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "oracle.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "oracle_critical.h"
#include "oracle_data.h"
#include "oracle_state.h"

struct or_task *or_running(struct oracle *o, struct or_thread *thread) {
  return thread->task == FK_NONE ? &thread->outside : &o->tasks[thread->task];
}

struct or_task *or_task_of(struct oracle *o, struct or_thread *thread) {
  uint32_t task = thread->task;
  for (uint32_t i = thread->outer_count; i > 0 && task != FK_NONE && o->tasks[task].unseen; i--)
    task = thread->outer[i - 1];
  return task == FK_NONE ? &thread->outside : &o->tasks[task];
}

struct or_open *or_top_of(struct or_task *task) {
  return &task->open[task->open_count - 1];
}

enum hd_state or_state_of(struct or_task *task) {
  const enum hd_state state = or_top_of(task)->state;
  return state == HD_BUSY ? task->busy_as : state;
}

struct or_open *or_push(struct or_task *task, uint32_t node, enum hd_state state, enum or_tag tag) {
  task->open = or_grown_by_one(task->open, task->open_count, sizeof *task->open);
  task->open[task->open_count++] = (struct or_open){.node = node, .state = state, .tag = tag};
  return or_top_of(task);
}

void or_drop(struct oracle *o, const struct or_thread *thread, struct or_task *task, uint32_t keep) {
  for (uint32_t i = keep; i < task->open_count; i++) {
    const struct or_open *open = &task->open[i];
    if (open->tag == OR_ROUTINE)
      or_end_entry(o->result, open->entry, thread->last, o->event);
    o->result->left_routines += open->tag == OR_ROUTINE;
    o->result->unmatched_phases += open->tag == OR_PHASE;
  }
  task->open_count = keep;
}

void or_pop(struct oracle *o, const struct or_thread *thread, struct or_task *task, enum or_tag tag) {
  uint32_t i = task->open_count;
  while (i > 0 && task->open[i - 1].tag != tag)
    i--;
  if (i == 0)
    abort(); /* the script is wrong */
  or_drop(o, thread, task, i - 1);
}

uint32_t or_node_of(struct oracle *o, struct or_thread *thread) {
  return or_top_of(or_task_of(o, thread))->node;
}

void or_enter(struct oracle *o, const struct or_thread *thread, uint32_t node) {
  if (o->paused)
    return;
  or_visit(o->result, node, thread->id);
  or_note(o, thread, node, FK_NONE, true);
}

static void add(struct oracle *o, struct or_thread *thread, struct or_task *task, uint64_t from, uint64_t to) {
  const struct or_open *top = or_top_of(task);
  or_add(o->result, top->node, thread->id, or_state_of(task), from, to);
  if (or_state_of(task) == HD_BUSY)
    or_times_add(o, thread, to - from);
  if (o->result->critical && or_state_of(task) == HD_BUSY)
    or_critical_add(o, task, top->node, to - from);
}

/* A worker that has arrived at its region's end leaves all that it is in when the primary joins. */
static void charge_join(struct oracle *o, struct or_thread *thread, struct or_task *task, uint64_t now) {
  const uint64_t from = thread->last;
  const uint64_t told = o->regions[task->region].join;
  const uint64_t join = told > now ? now : told < from ? from : told;
  add(o, thread, task, from, join);
  thread->last = join;
  if (told < now)
    or_drop(o, thread, task, 1);
  or_add(o->result, 0, thread->id, HD_IDLE, join, now);
}

/* Time from the thread's last event to `now`, to where it has been. */
static void charge(struct oracle *o, struct or_thread *thread, uint64_t now) {
  struct or_task *task = or_task_of(o, thread);
  if (task->open[0].tag == OR_JOIN)
    charge_join(o, thread, task, now);
  else
    add(o, thread, task, thread->last, now);
  thread->last = now;
}

/* Reading ahead. */

/* Is this barrier the one at the region's end? libomp 14 and 16 tell it by the address alone. */
bool or_is_join(const struct oracle *o, const struct fk_event *e) {
  if (e->kind == ompt_sync_region_barrier_implicit_parallel || e->kind == ompt_sync_region_barrier_teams)
    return true;
  if (e->kind != ompt_sync_region_barrier_implicit)
    return false;
  uint32_t region = o->tasks[e->task].region;
  return e->code == 0 || (region != FK_NONE && e->code == o->regions[region].code);
}

static void look_ahead(struct oracle *o) {
  const struct fk_script *script = o->script;
  for (size_t i = 0; i < script->count; i++) {
    const struct fk_event *e = &script->events[i];
    if (or_is_last(e)) {
      o->end = e->time;
      return;
    }
    if (e->op == FK_PARALLEL_BEGIN) {
      o->regions[e->region] =
          (struct or_region){.code = e->code, .begin = e->time, .join = UINT64_MAX, .outer = FK_NONE};
      o->regions[e->region].gcc = e->flags & ompt_parallel_invoker_program;
    } else if (e->op == FK_PARALLEL_END) {
      o->regions[e->region].end = e->time;
    } else if (e->op == FK_IMPLICIT_TASK && e->endpoint == ompt_scope_begin &&
               !(e->flags & ompt_task_initial && !e->level)) {
      o->tasks[e->task].region = o->tasks[e->task].inside = e->region;
      o->tasks[e->task].index = e->index;
    } else if (e->op == FK_SYNC_REGION && e->endpoint == ompt_scope_end && e->region == FK_NONE && e->task != FK_NONE &&
               o->tasks[e->task].region != FK_NONE && o->tasks[e->task].index == 0) {
      if (or_is_join(o, e))
        o->regions[o->tasks[e->task].region].join = e->time;
    } else if (e->op == FK_IMPLICIT_TASK && e->endpoint == ompt_scope_end && e->size == 1 && !e->index) {
      o->regions[o->tasks[e->task].region].join = e->time; /* a team of one: no barrier */
    }
  }
}

/* Events. */

/* What a thread has open ends with it. Routines were not left: it may end anywhere, by exit() for one. */
static void leave_all(struct oracle *o, struct or_thread *thread) {
  const uint64_t left = o->result->left_routines;
  or_drop(o, thread, or_task_of(o, thread), 1);
  while (thread->outer_count) {
    thread->task = thread->outer[--thread->outer_count];
    or_drop(o, thread, or_task_of(o, thread), 1);
  }
  o->result->left_routines = left;
}

/* Nothing of it goes on: a worker's region has ended, too. */
static bool is_done(const struct oracle *o, const struct or_thread *thread, uint64_t now) {
  return thread->task == FK_NONE || (thread->leaving && o->regions[o->tasks[thread->task].region].join <= now);
}

static void free_id(struct oracle *o, const struct or_thread *thread) {
  o->free_ids[o->free_count] = thread->id;
  o->free_kinds[o->free_count++] = thread->kind;
}

/* A number of its own, or that of the last one of its kind that has ended. */
static uint32_t find_id(struct oracle *o, uint32_t kind, uint64_t now) {
  uint32_t at = o->free_count;
  while (at > 0 && o->free_kinds[at - 1] != kind)
    at--;
  if (at == 0)
    return or_new_thread(o->result, now);
  const uint32_t id = o->free_ids[at - 1];
  o->free_count--;
  memmove(&o->free_ids[at - 1], &o->free_ids[at], (o->free_count - at + 1) * sizeof *o->free_ids);
  memmove(&o->free_kinds[at - 1], &o->free_kinds[at], (o->free_count - at + 1) * sizeof *o->free_kinds);
  or_take_over(o->result, id, now);
  return id;
}

static void on_thread(struct oracle *o, struct or_thread *thread, const struct fk_event *e) {
  if (e->op == FK_THREAD_BEGIN) {
    thread->outside.open[0].state = e->kind == ompt_thread_initial ? HD_BUSY : HD_IDLE;
    return;
  }
  if (thread->id >= o->apart && is_done(o, thread, e->time))
    free_id(o, thread);
  leave_all(o, thread);
  thread->ended = true;
  or_set_lifetime(o->result, thread->id, e->time);
}

static void on_parallel(struct oracle *o, struct or_thread *thread, const struct fk_event *e) {
  struct or_region *region = &o->regions[e->region];
  struct or_task *task = or_task_of(o, thread);
  if (e->op == FK_PARALLEL_END) {
    or_pop(o, thread, task, OR_FORK);
    return;
  }
  uint32_t kind = e->flags & ompt_parallel_league ? HD_KIND_TEAMS : HD_KIND_PARALLEL;
  region->node = or_step(o->result, or_node_of(o, thread), kind, e->code);
  region->outer = task->inside;
  for (uint32_t outer = region->outer; outer != FK_NONE; outer = o->regions[outer].outer)
    region->recursive |= o->regions[outer].node == region->node;
  or_enter(o, thread, region->node);
  region->caller = or_caller(task);
  region->unasked = o->paused;
  or_push(task, region->node, HD_RUNTIME_FORK_JOIN, OR_FORK);
}

static void free_task(struct or_task *task) {
  free(task->open);
  free(task->calls);
}

static void move_task(struct or_task *to, struct or_task *from) {
  free_task(to);
  *to = *from;
  from->open = NULL;
  from->calls = NULL;
  from->open_count = from->call_count = 0;
}

/* The initial task stands for what is outside all tasks: its list is the thread's own. */
static void leave_implicit(struct oracle *o, struct or_thread *thread) {
  struct or_task *task = &o->tasks[thread->task];
  if (task->region == FK_NONE)
    move_task(&thread->outside, task);
  else
    or_drop(o, thread, task, 0);
  thread->task = thread->outer[--thread->outer_count];
  thread->leaving = false;
}

static void on_implicit_begin(struct oracle *o, struct or_thread *thread, const struct fk_event *e) {
  struct or_task *task = &o->tasks[e->task];
  if (thread->leaving)
    leave_implicit(o, thread);
  or_switch_to(thread, e->task);
  if (e->flags & ompt_task_initial && !e->level) {
    move_task(task, &thread->outside);
    task->open[0].state = HD_BUSY;
    return;
  }
  task->started = true;
  struct or_region *region = &o->regions[e->region];
  task->caller = region->caller;
  or_push(task, region->node, HD_BUSY, OR_BASE);
  if (e->index == 0)
    region->team_size = e->size;
  else if (!o->paused)
    or_visit(o->result, region->node, thread->id);
  or_add_member(region, e->index, thread->id, e->time);
}

/* A worker waits for the join and is idle then, whenever it hears of its end. */
static void on_implicit_end(struct oracle *o, struct or_thread *thread, const struct fk_event *e) {
  thread->leaving = e->index > 0;
  if (!thread->leaving || !e->level)
    leave_implicit(o, thread);
}

/* Of the innermost loop. */
static void get_chunk(struct oracle *o, const struct or_thread *thread, const struct or_task *task,
                      uint32_t iterations) {
  for (uint32_t i = task->open_count; i-- > 1 && !o->paused;) {
    const struct or_path *path = &o->result->nodes[task->open[i].node].path;
    const uint32_t kind = path->count > 0 ? path->sites[path->count - 1].kind : HD_KIND_PROGRAM;
    if (task->open[i].tag != OR_WORK ||
        ((kind < HD_KIND_LOOP || kind > HD_KIND_LOOP_GUIDED) && kind != HD_KIND_DISTRIBUTE))
      continue;
    struct hd_shares *shares = or_shares(o->result, task->open[i].node, thread->id);
    shares->chunks++;
    shares->iterations += iterations;
    return;
  }
}

/* Entry points that the runtime itself calls are part of the outer one. */
static void on_entry(struct oracle *o, struct or_thread *thread, const struct fk_event *e) {
  static const enum hd_state states[] = {HD_RUNTIME_SCHEDULING, HD_RUNTIME_TASK_CREATION};
  struct or_task *task = or_task_of(o, thread);
  if (e->op == FK_ENTRY_BEGIN) {
    const bool told = task->busy_as == HD_BUSY && !or_is_off(o, HD_CLASS_ENTRY);
    thread->entries[thread->entry_count++] = told ? task : NULL;
    task->busy_as = told ? states[e->kind] : task->busy_as;
  } else if (thread->entries[--thread->entry_count] == task) {
    task->busy_as = HD_BUSY;
  }
  if (e->op == FK_ENTRY_END && e->size)
    get_chunk(o, thread, task, e->size);
}

/* What MPI calls itself is part of the call. */
static void on_mpi(struct oracle *o, struct or_thread *thread, const struct fk_event *e) {
  struct or_task *task = or_task_of(o, thread);
  if (e->op == FK_MPI_END && thread->in_mpi-- == 1) {
    if (!o->paused)
      or_shares(o->result, or_top_of(task)->node, thread->id)->mpi_bytes += e->size;
    or_pop(o, thread, task, OR_MPI);
  } else if (e->op == FK_MPI_BEGIN && thread->in_mpi++ == 0) {
    const uint32_t node = or_step(o->result, or_top_of(task)->node, HD_KIND_MPI, e->code);
    or_enter(o, thread, node);
    or_push(task, node, (enum hd_state)(HD_WAIT_MPI_FIRST + e->kind), OR_MPI);
  }
}

static void handle(struct oracle *o, struct or_thread *thread, const struct fk_event *e) {
  switch ((enum fk_op)e->op) {
  case FK_THREAD_BEGIN:
  case FK_THREAD_END:
    on_thread(o, thread, e);
    break;
  case FK_PARALLEL_BEGIN:
  case FK_PARALLEL_END:
    on_parallel(o, thread, e);
    break;
  case FK_IMPLICIT_TASK:
    e->endpoint == ompt_scope_begin ? on_implicit_begin(o, thread, e) : on_implicit_end(o, thread, e);
    break;
  case FK_WORK:
    or_on_work(o, thread, e);
    break;
  case FK_SYNC_REGION:
  case FK_SYNC_WAIT:
    or_on_sync(o, thread, e);
    break;
  case FK_MUTEX_ACQUIRE:
  case FK_MUTEX_ACQUIRED:
  case FK_MUTEX_RELEASED:
    or_on_mutex(o, thread, e);
    break;
  case FK_MASKED:
    or_on_masked(o, thread, e);
    break;
  case FK_ENTRY_BEGIN:
  case FK_ENTRY_END:
    on_entry(o, thread, e);
    break;
  case FK_TASK_CREATE:
    or_on_create(o, thread, e);
    break;
  case FK_TASK_SCHEDULE:
    or_on_schedule(o, thread, e);
    break;
  case FK_ROUTINE_ENTER:
  case FK_ROUTINE_EXIT:
    or_on_routine(o, thread, e);
    break;
  case FK_PHASE_BEGIN:
  case FK_PHASE_END:
    or_on_phase(o, thread, e);
    break;
  case FK_MPI_BEGIN:
  case FK_MPI_END:
    on_mpi(o, thread, e);
    break;
  default:
    break; /* reductions, nested locks held again, cancellation: no change of state */
  }
}

static void on_pause(struct oracle *o, struct or_thread *thread, bool paused) {
  const unsigned before = o->epoch;
  o->epoch += o->paused != paused;
  o->paused = paused;
  if (thread->known && !thread->ended)
    or_mark(o, thread, before, OR_READS);
}

static uint32_t open_phases(const struct or_task *task) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < task->open_count; i++)
    count += task->open[i].tag == OR_PHASE;
  return count;
}

/* Who ends the profile tells which phases it never ended; a killed program cannot. */
static void on_last(struct oracle *o, const struct fk_event *e) {
  struct or_thread *thread = &o->threads[e->thread];
  if (e->op == FK_KILL || !thread->known || thread->ended)
    return;
  o->result->unmatched_phases += open_phases(or_task_of(o, thread));
  for (uint32_t i = 0; i < thread->outer_count; i++)
    o->result->unmatched_phases +=
        open_phases(thread->outer[i] == FK_NONE ? &thread->outside : &o->tasks[thread->outer[i]]);
}

static void play(struct oracle *o) {
  for (size_t i = 0; i < o->script->count; i++) {
    const struct fk_event *e = &o->script->events[i];
    if (or_is_last(e)) {
      on_last(o, e);
      return;
    }
    o->event = i;
    struct or_thread *thread = &o->threads[e->thread];
    if (or_pauses(e))
      on_pause(o, thread, or_pauses(e) > 0);
    if (e->op == FK_SWITCH)
      or_switch(o, e);
    if (or_pauses(e) || e->op == FK_CONTROL || e->op == FK_SWITCH)
      continue;
    if (!thread->known) {
      *thread = (struct or_thread){.known = true, .task = FK_NONE, .last = e->time};
      thread->outside.region = thread->outside.inside = thread->outside.caller = FK_NONE;
      thread->outside.closed_work = FK_NONE;
      or_push(&thread->outside, 0, HD_BUSY, OR_BASE);
      thread->kind = e->op == FK_THREAD_BEGIN ? e->kind : ompt_thread_initial;
      thread->id = find_id(o, thread->kind, e->time);
      or_mark(o, thread, o->epoch, OR_BEGINS);
    }
    if (thread->ended)
      continue;
    charge(o, thread, e->time);
    if (o->result->critical)
      or_critical_take(o, thread, e);
    if (!or_refuses(o, thread, e))
      handle(o, thread, e);
    or_mark(o, thread, o->epoch, thread->ended ? OR_READS : OR_READS_IF_MOVED);
  }
}

/* Not left: the program may have ended in there. */
static void end_entries(struct oracle *o, struct or_thread *thread) {
  or_end_entries(o, thread, or_task_of(o, thread));
  while (thread->outer_count) {
    thread->task = thread->outer[--thread->outer_count];
    or_end_entries(o, thread, or_task_of(o, thread));
  }
}

/* What was still open is closed at the end of the profile. */
static void close_all(struct oracle *o) {
  const struct fk_event *last = &o->script->events[o->script->count - 1];
  o->event = o->script->count;
  for (uint32_t i = 0; i < FK_MAX_THREADS; i++) {
    struct or_thread *thread = &o->threads[i];
    if (!thread->known || thread->ended)
      continue;
    charge(o, thread, o->end);
    if (i == last->thread && last->op != FK_KILL)
      or_mark(o, thread, o->epoch, OR_READS_PERHAPS);
    end_entries(o, thread);
    or_set_lifetime(o->result, thread->id, o->end);
  }
  for (uint32_t i = 0; i < o->script->region_count; i++)
    or_end_region(o->result, &o->regions[i], o->end);
  or_set_span(o->result, o->script->count ? o->script->events[0].time : 0, o->end);
}

static void run(const struct fk_script *script, struct or_result *result, unsigned apart) {
  struct oracle *o = calloc(1, sizeof *o);
  if (!o)
    abort();
  o->result = result;
  struct fk_script unpaused = or_unpaused(script, result);
  o->script = &unpaused;
  o->raw = script;
  o->apart = apart > 0 ? apart : 1;
  o->tasks = calloc(script->task_count + 1, sizeof *o->tasks);
  o->regions = calloc(script->region_count + 1, sizeof *o->regions);
  if (!o->tasks || !o->regions)
    abort();
  for (uint32_t i = 0; i < script->task_count; i++)
    o->tasks[i].region = o->tasks[i].inside = o->tasks[i].closed_work = FK_NONE;
  look_ahead(o);
  play(o);
  close_all(o);
  for (uint32_t i = 0; i < script->region_count; i++)
    or_free_region(&o->regions[i]);
  for (uint32_t i = 0; i < script->task_count; i++)
    free_task(&o->tasks[i]);
  for (uint32_t i = 0; i < FK_MAX_THREADS; i++)
    free_task(&o->threads[i].outside);
  fk_free(&unpaused);
  free(o->tasks);
  free(o->regions);
  free(o);
}

struct or_result *or_run_apart(const struct fk_script *script, unsigned depth, unsigned cycle_limit, unsigned apart) {
  struct or_result *result = or_new(depth, cycle_limit);
  run(script, result, apart);
  return result;
}

struct or_result *or_run_path(const struct fk_script *script) {
  struct or_result *result = or_new(0, 1);
  or_critical_begin(result);
  run(script, result, UINT_MAX);
  return result;
}

struct or_result *or_run_with(const struct fk_script *script, unsigned depth, unsigned cycle_limit) {
  return or_run_apart(script, depth, cycle_limit, UINT_MAX);
}

struct or_result *or_run(const struct fk_script *script, unsigned depth) {
  return or_run_with(script, depth, 1);
}
