/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The oracle's view of explicit tasks, seen and unseen. */
#include <stdlib.h>

#include "oracle_state.h"

void or_switch_to(struct or_thread *thread, uint32_t task) {
  if (thread->outer_count == OR_MAX_OPEN)
    abort();
  thread->outer[thread->outer_count++] = thread->task;
  thread->task = task;
}

void or_on_create(struct oracle *o, struct or_thread *thread, const struct fk_event *e) {
  struct or_task *task = &o->tasks[e->next];
  if (e->flags & ompt_task_taskwait) { /* the begin of a wait for dependences */
    uint32_t node = or_step(o->result, or_node_of(o, thread), HD_KIND_TASKWAIT, e->code);
    or_enter(o, thread, node);
    or_push(or_task_of(o, thread), node, HD_WAIT_TASKWAIT, OR_SYNC);
    return;
  }
  task->known = task->is_explicit = true;
  task->created = e->time;
  task->epoch = o->task_epoch;
  task->node = or_node_of(o, thread);
  task->code = e->code;
  task->inside = or_task_of(o, thread)->inside;
  task->creator = thread->id;
  if (!o->paused)
    or_shares(o->result, or_step(o->result, task->node, HD_KIND_TASK, task->code), thread->id)->created++;
}

static void start_task(struct oracle *o, struct or_thread *thread, struct or_task *task, uint64_t now) {
  uint32_t node = or_step(o->result, task->node, HD_KIND_TASK, task->code);
  task->started = true;
  if (!o->paused)
    or_visit(o->result, node, thread->id);
  if (!o->paused && task->creator != thread->id)
    or_shares(o->result, node, thread->id)->elsewhere++;
  task->caller = or_note(o, thread, node, FK_NONE, !o->paused);
  or_push(task, node, HD_BUSY, OR_BASE);
  or_times_begin(o, task, node, now, true);
}

static bool waits_here(const struct or_thread *thread, uint32_t task) {
  for (uint32_t i = 0; i < thread->outer_count; i++)
    if (thread->outer[i] == task)
      return true;
  return false;
}

/* Tasks are on, and have been since it was created. */
static bool is_seen(const struct oracle *o, const struct or_task *task) {
  return task->known && task->epoch == o->task_epoch && !or_is_off(o, HD_CLASS_TASK);
}

/* Its thread rather works than waits. But at a region's end nobody hears when that is over. */
static void start_unseen_task(struct oracle *o, struct or_thread *thread, struct or_task *task) {
  struct or_open *top = or_top_of(or_task_of(o, thread));
  task->height = or_task_of(o, thread)->open_count;
  or_task_of(o, thread)->busy_as = HD_BUSY;
  if (top->tag == OR_SYNC)
    top->state = HD_BUSY;
}

/* A task leaves the thread, for good or not: what it has left open ends. If it is unseen, that lies on another's list.
 */
static void leave_task(struct oracle *o, struct or_thread *thread) {
  struct or_task *task = or_running(o, thread);
  struct or_task *list = or_task_of(o, thread);
  const uint32_t keep = task->unseen ? task->height : 1;
  or_times_leave(task);
  if (keep < list->open_count)
    or_drop(o, thread, list, keep);
  thread->task = thread->outer[--thread->outer_count];
}

/* Back to a task that waits on this thread: what ran on top of it has ended or is switched out, which is possible only
 * outside the routines that it has called. */
static void return_to(struct oracle *o, struct or_thread *thread, uint32_t task) {
  while (waits_here(thread, task))
    leave_task(o, thread);
}

/* Or on top of what the thread runs, a new task or one that goes on: in the state of the program now, but that is no
 * visit. A part of an untied task is seen or not, like a task. */
void or_on_schedule(struct oracle *o, struct or_thread *thread, const struct fk_event *e) {
  if (e->kind == ompt_taskwait_complete) {
    or_pop(o, thread, or_task_of(o, thread), OR_SYNC);
    return;
  }
  struct or_task *next = &o->tasks[e->next];
  bool ended = e->kind == ompt_task_complete || e->kind == ompt_task_cancel;
  if (ended && thread->task == e->task && thread->outer_count) {
    or_times_end(o, &o->tasks[e->task]);
    leave_task(o, thread);
  }
  if (ended)
    or_drop(o, thread, &o->tasks[e->task], 0);
  return_to(o, thread, e->next);
  if (thread->task == e->next)
    return;
  next->unseen = !is_seen(o, next);
  if (next->unseen)
    or_times_spoil(o, thread);
  or_switch_to(thread, e->next);
  next->busy_as = HD_BUSY;
  if (next->unseen)
    start_unseen_task(o, thread, next);
  else if (next->started) {
    next->caller = or_note(o, thread, next->open[0].node, FK_NONE, false);
    or_times_begin(o, next, next->open[0].node, e->time, false);
  } else {
    start_task(o, thread, next, e->time);
  }
}
