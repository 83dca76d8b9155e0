/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the budget leaves out (docs/budget.md). What begins while its class is off is not observed, nor is its end,
 * whenever that comes; what begins while it is on is. Every task remembers that of what it has begun, whoever sees the
 * task. */
#include <stdlib.h>

#include "oracle_state.h"

bool or_is_off(const struct oracle *o, enum hd_event_class event_class) {
  return o->off >> event_class & 1;
}

void or_switch(struct oracle *o, const struct fk_event *e) {
  const bool off = e->endpoint == ompt_scope_begin;
  o->task_epoch += e->kind == HD_CLASS_TASK && off && !or_is_off(o, HD_CLASS_TASK);
  o->off = (o->off & ~(1u << e->kind)) | (uint32_t)off << e->kind;
  o->touched |= (uint32_t)off << e->kind;
}

static bool begin(struct or_task *task, bool refused) {
  task->refused_constructs = task->refused_constructs << 1 | refused;
  return refused;
}

static bool end(struct or_task *task) {
  const bool refused = task->refused_constructs & 1;
  task->refused_constructs >>= 1;
  return refused;
}

/* The barrier that closes it must not be taken for an earlier construct's. */
static bool refuses_work(struct oracle *o, struct or_thread *thread, const struct fk_event *e) {
  struct or_task *task = or_running(o, thread);
  struct or_task *seen = or_task_of(o, thread);
  const bool off = or_is_off(o, HD_CLASS_WORK);
  if (e->endpoint == ompt_scope_end)
    return end(task);
  if (off && e->kind != ompt_work_taskloop)
    seen->closed_work = FK_NONE;
  return e->kind == ompt_work_single_executor && or_is_gcc(o, seen) ? off : begin(task, off);
}

/* A team counts its barriers, observed or not. What closes a construct follows it directly, but for its reduction. */
static bool refuses_wait(struct oracle *o, struct or_thread *thread, const struct fk_event *e) {
  struct or_task *task = or_running(o, thread);
  struct or_task *seen = or_task_of(o, thread);
  if (or_is_join(o, e))
    return false;
  if (e->endpoint == ompt_scope_end)
    return task->refused_wait;
  task->refused_wait = or_is_off(o, HD_CLASS_SYNC);
  if (task->refused_wait)
    or_times_spoil(o, thread);
  if (!task->refused_wait || !or_is_barrier(e->kind))
    return task->refused_wait;
  seen->barriers++;
  if (e->kind != ompt_sync_region_barrier_implementation || or_is_gcc(o, seen))
    seen->closed_work = FK_NONE;
  return true;
}

/* A lock holds only the wait for it. */
static bool refuses_mutex(struct oracle *o, struct or_thread *thread, const struct fk_event *e) {
  struct or_task *task = or_running(o, thread);
  const bool off = or_is_off(o, HD_CLASS_MUTEX);
  if (off && e->op == FK_MUTEX_ACQUIRE)
    or_times_spoil(o, thread);
  if (or_is_lock(e->kind))
    return e->op == FK_MUTEX_ACQUIRE ? (task->refused_lock = off) : task->refused_lock;
  if (e->op == FK_MUTEX_ACQUIRED)
    return task->refused_constructs & 1;
  return e->op == FK_MUTEX_ACQUIRE ? begin(task, off) : end(task);
}

static bool refuses_create(struct oracle *o, struct or_thread *thread, const struct fk_event *e) {
  const bool off = or_is_off(o, HD_CLASS_TASK);
  if (e->flags & ompt_task_taskwait) {
    or_running(o, thread)->refused_wait = off || or_is_off(o, HD_CLASS_SYNC);
    if (or_running(o, thread)->refused_wait)
      or_times_spoil(o, thread);
    return or_running(o, thread)->refused_wait;
  }
  return off;
}

static bool refuses_entry(struct oracle *o, struct or_thread *thread, const struct fk_event *e) {
  struct or_task *task = or_running(o, thread);
  task->calls = or_grown_by_one(task->calls, task->call_count, sizeof *task->calls);
  task->calls[task->call_count++] = (struct or_call){e->code, or_is_off(o, HD_CLASS_CALL)};
  return or_is_off(o, HD_CLASS_CALL);
}

/* Where routines have been off, one that was never entered is not told from one that was refused. */
static bool refuses_exit(struct oracle *o, struct or_thread *thread, const struct fk_event *e) {
  struct or_task *task = or_running(o, thread);
  uint32_t i = task->call_count;
  while (i > 0 && task->calls[i - 1].code != e->code)
    i--;
  if (i == 0)
    return o->touched >> HD_CLASS_CALL & 1;
  task->call_count = i - 1;
  return task->calls[i - 1].refused;
}

bool or_refuses(struct oracle *o, struct or_thread *thread, const struct fk_event *e) {
  switch ((enum fk_op)e->op) {
  case FK_WORK:
    return refuses_work(o, thread, e);
  case FK_MASKED:
    return e->endpoint == ompt_scope_end ? end(or_running(o, thread))
                                         : begin(or_running(o, thread), or_is_off(o, HD_CLASS_WORK));
  case FK_SYNC_WAIT:
    return refuses_wait(o, thread, e);
  case FK_MUTEX_ACQUIRE:
  case FK_MUTEX_ACQUIRED:
  case FK_MUTEX_RELEASED:
    return refuses_mutex(o, thread, e);
  case FK_TASK_CREATE:
    return refuses_create(o, thread, e);
  case FK_TASK_SCHEDULE:
    return e->kind == ompt_taskwait_complete && or_running(o, thread)->refused_wait;
  case FK_ROUTINE_ENTER:
    return refuses_entry(o, thread, e);
  case FK_ROUTINE_EXIT:
    return refuses_exit(o, thread, e);
  default:
    return false;
  }
}
