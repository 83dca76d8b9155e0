/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "oracle.h"

#include <stdlib.h>
#include <string.h>

#include "oracle_state.h"

struct or_task *or_task_of(struct oracle *o, const struct or_thread *thread) {
  return thread->task == FK_NONE ? NULL : &o->tasks[thread->task];
}

struct or_open *or_top_of(struct or_task *task) {
  return &task->open[task->open_count - 1];
}

void or_push(struct or_task *task, uint32_t node, enum hd_state state, enum or_tag tag) {
  if (task->open_count == OR_MAX_OPEN)
    abort();
  task->open[task->open_count++] = (struct or_open){.node = node, .state = state, .tag = tag};
}

/* Leaves the innermost open construct with `tag` and everything inside it. */
void or_pop(struct or_task *task, enum or_tag tag) {
  uint32_t i = task->open_count;
  while (i > 0 && task->open[i - 1].tag != tag)
    i--;
  if (i == 0)
    abort(); /* the script is wrong */
  task->open_count = i - 1;
}

uint32_t or_node_of(struct oracle *o, const struct or_thread *thread) {
  struct or_task *task = or_task_of(o, thread);
  (void)o;
  return task && task->open_count ? or_top_of(task)->node : 0;
}

/* Time from the thread's last event to `now`, to where it has been. */
static void charge(struct oracle *o, struct or_thread *thread, uint64_t now) {
  struct or_task *task = or_task_of(o, thread);
  uint64_t from = thread->last;
  thread->last = now;
  if (!task || !task->open_count) {
    or_add(o->result, 0, thread->id, thread->base_state, from, now);
    return;
  }
  const struct or_open *top = or_top_of(task);
  if (top->tag != OR_JOIN) {
    or_add(o->result, top->node, thread->id, top->state, from, now);
    return;
  }
  uint64_t join = o->regions[task->region].join;
  join = join > now ? now : join < from ? from : join;
  or_add(o->result, top->node, thread->id, top->state, from, join);
  or_add(o->result, 0, thread->id, HD_IDLE, join, now);
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
    if (e->op == FK_FINALIZE || e->op == FK_KILL || e->op == FK_EXIT)
      o->end = e->time;
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

static void on_thread(struct oracle *o, struct or_thread *thread, const struct fk_event *e) {
  if (e->op == FK_THREAD_BEGIN) {
    thread->base_state = e->kind == ompt_thread_initial ? HD_BUSY : HD_IDLE;
    return;
  }
  thread->ended = true;
  or_set_lifetime(o->result, thread->id, e->time);
}

static void on_parallel(struct oracle *o, struct or_thread *thread, const struct fk_event *e) {
  struct or_region *region = &o->regions[e->region];
  struct or_task *task = or_task_of(o, thread);
  if (e->op == FK_PARALLEL_END) {
    or_pop(task, OR_FORK);
    return;
  }
  uint32_t kind = e->flags & ompt_parallel_league ? HD_KIND_TEAMS : HD_KIND_PARALLEL;
  region->node = or_step(o->result, or_node_of(o, thread), kind, e->code);
  region->outer = task->inside;
  for (uint32_t outer = region->outer; outer != FK_NONE; outer = o->regions[outer].outer)
    region->recursive |= o->regions[outer].node == region->node;
  or_visit(o->result, region->node, thread->id);
  or_push(task, region->node, HD_RUNTIME, OR_FORK);
}

static void leave_implicit(struct oracle *o, struct or_thread *thread) {
  o->tasks[thread->task].open_count = 0;
  thread->task = thread->outer[--thread->outer_count];
  thread->leaving = false;
}

static void on_implicit_begin(struct oracle *o, struct or_thread *thread, const struct fk_event *e) {
  struct or_task *task = &o->tasks[e->task];
  if (thread->leaving)
    leave_implicit(o, thread);
  task->started = true;
  thread->outer[thread->outer_count++] = thread->task;
  thread->task = e->task;
  if (e->flags & ompt_task_initial && !e->level) {
    or_push(task, 0, HD_BUSY, OR_BASE);
    return;
  }
  struct or_region *region = &o->regions[e->region];
  or_push(task, region->node, HD_BUSY, OR_BASE);
  if (e->index > 0)
    or_visit(o->result, region->node, thread->id);
  else
    region->team_size = e->size;
  or_add_member(region, e->index, thread->id, e->time);
}

/* A worker waits for the join and is idle then, whenever it hears of its end. */
static void on_implicit_end(struct oracle *o, struct or_thread *thread, const struct fk_event *e) {
  thread->leaving = e->index > 0;
  if (!thread->leaving || !e->level)
    leave_implicit(o, thread);
}

static void on_create(struct oracle *o, struct or_thread *thread, const struct fk_event *e) {
  struct or_task *task = &o->tasks[e->next];
  if (e->flags & ompt_task_taskwait) { /* the begin of a wait for dependences */
    uint32_t node = or_step(o->result, or_node_of(o, thread), HD_KIND_TASKWAIT, e->code);
    or_visit(o->result, node, thread->id);
    or_push(or_task_of(o, thread), node, HD_WAIT_TASKWAIT, OR_SYNC);
    return;
  }
  task->node = or_node_of(o, thread);
  task->code = e->code;
  task->inside = or_task_of(o, thread)->inside;
}

static void on_schedule(struct oracle *o, struct or_thread *thread, const struct fk_event *e) {
  if (e->kind == ompt_taskwait_complete) {
    or_pop(or_task_of(o, thread), OR_SYNC);
    return;
  }
  struct or_task *next = &o->tasks[e->next];
  if (e->kind == ompt_task_complete || e->kind == ompt_task_cancel)
    o->tasks[e->task].open_count = 0;
  thread->task = e->next;
  if (next->started)
    return;
  next->started = true;
  uint32_t node = or_step(o->result, next->node, HD_KIND_TASK, next->code);
  or_visit(o->result, node, thread->id);
  or_push(next, node, HD_BUSY, OR_BASE);
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
  case FK_TASK_CREATE:
    on_create(o, thread, e);
    break;
  case FK_TASK_SCHEDULE:
    on_schedule(o, thread, e);
    break;
  default:
    break; /* reductions, nested locks held again, cancellation: no change of state */
  }
}

static void play(struct oracle *o) {
  for (size_t i = 0; i < o->script->count; i++) {
    const struct fk_event *e = &o->script->events[i];
    if (e->op == FK_FINALIZE || e->op == FK_KILL || e->op == FK_EXIT)
      return;
    struct or_thread *thread = &o->threads[e->thread];
    if (!thread->known) {
      *thread = (struct or_thread){.known = true, .task = FK_NONE, .last = e->time, .base_state = HD_BUSY};
      thread->id = or_new_thread(o->result, e->time);
    }
    if (thread->ended)
      continue;
    charge(o, thread, e->time);
    handle(o, thread, e);
  }
}

/* What was still open is closed at the end of the profile. */
static void close_all(struct oracle *o) {
  for (uint32_t i = 0; i < FK_MAX_THREADS; i++) {
    struct or_thread *thread = &o->threads[i];
    if (!thread->known || thread->ended)
      continue;
    charge(o, thread, o->end);
    or_set_lifetime(o->result, thread->id, o->end);
  }
  for (uint32_t i = 0; i < o->script->region_count; i++)
    or_end_region(o->result, &o->regions[i], o->end);
  or_set_span(o->result, o->script->count ? o->script->events[0].time : 0, o->end);
}

struct or_result *or_run(const struct fk_script *script, unsigned depth) {
  struct oracle *o = calloc(1, sizeof *o);
  if (!o)
    abort();
  o->script = script;
  o->result = or_new(depth);
  o->tasks = calloc(script->task_count + 1, sizeof *o->tasks);
  o->regions = calloc(script->region_count + 1, sizeof *o->regions);
  if (!o->tasks || !o->regions)
    abort();
  for (uint32_t i = 0; i < script->task_count; i++)
    o->tasks[i].region = o->tasks[i].inside = o->tasks[i].closed_work = FK_NONE;
  look_ahead(o);
  play(o);
  close_all(o);
  struct or_result *result = o->result;
  for (uint32_t i = 0; i < script->region_count; i++)
    or_free_region(&o->regions[i]);
  free(o->tasks);
  free(o->regions);
  free(o);
  return result;
}
