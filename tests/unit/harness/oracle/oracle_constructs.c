/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The oracle's view of what happens inside tasks: worksharing, barriers and waits, mutual exclusion, masked. */
#include "oracle_state.h"

bool or_is_lock(uint32_t kind) {
  return kind >= ompt_mutex_lock && kind <= ompt_mutex_test_nest_lock;
}

/* Some events say nothing about what a thread does; no tool need ask for them. */
static bool is_telling(const struct fk_event *e) {
  if (e->op == FK_MUTEX_RELEASED)
    return !or_is_lock(e->kind);
  if (or_pauses(e) || e->op == FK_CONTROL)
    return or_is_last(e);
  return e->op != FK_SYNC_REGION && e->op != FK_REDUCTION && e->op != FK_NEST_LOCK && e->op != FK_CANCEL &&
         e->op != FK_SWITCH && e->op != FK_ASK;
}

/* What is heard of the same thread next, or NULL. */
static const struct fk_event *next_event(const struct oracle *o, const struct fk_event *e) {
  const struct fk_event *end = o->script->events + o->script->count;
  for (const struct fk_event *next = e + 1; next < end; next++)
    if (next->thread == e->thread && is_telling(next))
      return next;
  return NULL;
}

static uint32_t work_kind(uint32_t kind) {
  switch (kind) {
  case ompt_work_loop:
  case ompt_work_loop_other:
    return HD_KIND_LOOP;
  case ompt_work_loop_static:
    return HD_KIND_LOOP_STATIC;
  case ompt_work_loop_dynamic:
    return HD_KIND_LOOP_DYNAMIC;
  case ompt_work_loop_guided:
    return HD_KIND_LOOP_GUIDED;
  case ompt_work_sections:
    return HD_KIND_SECTIONS;
  case ompt_work_single_executor:
  case ompt_work_single_other:
    return HD_KIND_SINGLE;
  case ompt_work_workshare:
    return HD_KIND_WORKSHARE;
  case ompt_work_distribute:
    return HD_KIND_DISTRIBUTE;
  case ompt_work_taskloop:
    return HD_KIND_TASKLOOP;
  case ompt_work_scope:
    return HD_KIND_SCOPE;
  default:
    return HD_KIND_OTHER;
  }
}

bool or_is_gcc(const struct oracle *o, const struct or_task *task) {
  return task->region != FK_NONE && o->regions[task->region].gcc;
}

void or_on_work(struct oracle *o, struct or_thread *thread, const struct fk_event *e) {
  struct or_task *task = or_task_of(o, thread);
  if (e->endpoint == ompt_scope_end) {
    or_pop(o, thread, task, OR_WORK); /* stays where it was */
    if (e->kind == ompt_work_taskloop)
      return;
    task->closed_work = task->open[task->open_count].node;
    task->work_end = e->time;
    return;
  }
  uint32_t node = or_step(o->result, or_node_of(o, thread), work_kind(e->kind), e->code);
  or_enter(o, thread, node);
  if (e->kind != ompt_work_taskloop) {
    task->work_begin = task->work_end = e->time;
    task->closed_work = FK_NONE;
  }
  if (e->kind == ompt_work_single_executor && or_is_gcc(o, task))
    task->closed_work = node; /* GCC-built code never says where the block ends: its time is the region's */
  else
    or_push(task, node, HD_BUSY, OR_WORK);
}

static void wait_in_own_node(struct oracle *o, struct or_thread *thread, const struct fk_event *e) {
  static const struct {
    enum hd_kind kind;
    enum hd_state state;
  } kinds[] = {
      [ompt_sync_region_barrier] = {HD_KIND_BARRIER_IMPLICIT, HD_WAIT_BARRIER_IMPLICIT},
      [ompt_sync_region_barrier_implicit] = {HD_KIND_BARRIER_IMPLICIT, HD_WAIT_BARRIER_IMPLICIT},
      [ompt_sync_region_barrier_explicit] = {HD_KIND_BARRIER_EXPLICIT, HD_WAIT_BARRIER_EXPLICIT},
      [ompt_sync_region_barrier_implementation] = {HD_KIND_REDUCTION, HD_WAIT_REDUCTION},
      [ompt_sync_region_taskwait] = {HD_KIND_TASKWAIT, HD_WAIT_TASKWAIT},
      [ompt_sync_region_taskgroup] = {HD_KIND_TASKGROUP, HD_WAIT_TASKGROUP},
      [ompt_sync_region_reduction] = {HD_KIND_REDUCTION, HD_WAIT_REDUCTION},
      [ompt_sync_region_barrier_implicit_workshare] = {HD_KIND_BARRIER_IMPLICIT, HD_WAIT_BARRIER_IMPLICIT},
  };
  bool known = e->kind > 0 && e->kind < sizeof kinds / sizeof *kinds;
  enum hd_kind kind = known ? kinds[e->kind].kind : HD_KIND_OTHER;
  enum hd_state state = known ? kinds[e->kind].state : HD_WAIT_OTHER;
  struct or_task *task = or_task_of(o, thread);
  if (e->kind == ompt_sync_region_barrier_implementation && or_is_gcc(o, task)) {
    kind = HD_KIND_BARRIER; /* explicit or a static loop's: the runtime does not tell */
    state = HD_WAIT_OTHER;
  }
  uint32_t node = or_step(o->result, or_node_of(o, thread), kind, e->code);
  or_enter(o, thread, node);
  or_push(task, node, state, OR_SYNC);
  if (e->kind == ompt_sync_region_barrier_explicit)
    task->closed_work = FK_NONE; /* what closes a construct follows it directly */
}

/* The barrier that ends a worksharing construct, and its reduction before it, are the construct's own time. */
static void wait_in_construct(struct oracle *o, const struct or_thread *thread, struct or_task *task, bool reduction) {
  or_push(task, task->closed_work, reduction ? HD_WAIT_REDUCTION : HD_WAIT_BARRIER_IMPLICIT, OR_SYNC);
  if (reduction)
    return;
  or_top_of(task)->closing = true;
  if (task->region != FK_NONE)
    or_arrive(&o->regions[task->region], task->index, task->barriers,
              (struct or_share){.node = task->closed_work,
                                .arrived = true,
                                .begin = task->work_begin,
                                .work_end = task->work_end,
                                .arrival = thread->last});
}

static void on_sync_begin(struct oracle *o, struct or_thread *thread, const struct fk_event *e) {
  struct or_task *task = or_task_of(o, thread);
  bool implementation = e->kind == ompt_sync_region_barrier_implementation;
  bool implicit =
      e->kind == ompt_sync_region_barrier_implicit || e->kind == ompt_sync_region_barrier_implicit_workshare;
  if (or_is_join(o, e)) {
    or_drop(o, thread, task, 1);
    or_top_of(task)->state = HD_WAIT_BARRIER_IMPLICIT;
    if (task->index > 0)
      or_top_of(task)->tag = OR_JOIN;
    return;
  }
  if (or_is_barrier(e->kind))
    task->barriers++;
  if ((implicit || implementation) && task->closed_work != FK_NONE) {
    wait_in_construct(o, thread, task, implementation && !or_is_gcc(o, task));
  } else {
    wait_in_own_node(o, thread, e);
  }
}

bool or_is_barrier(uint32_t kind) {
  return kind != ompt_sync_region_taskwait && kind != ompt_sync_region_taskgroup && kind != ompt_sync_region_reduction;
}

/* What is waited in; an unseen task may have left routines open inside. */
static const struct or_open *wait_of(const struct or_task *task) {
  uint32_t i = task->open_count;
  while (i > 1 && task->open[i - 1].tag != OR_SYNC)
    i--;
  return &task->open[i - 1];
}

static void on_sync_end(struct oracle *o, struct or_thread *thread, const struct fk_event *e) {
  struct or_task *task = or_task_of(o, thread);
  if (or_is_join(o, e)) { /* a worker's comes at any time and means nothing */
    if (task->index == 0)
      or_top_of(task)->state = HD_RUNTIME_FORK_JOIN;
    return;
  }
  if (wait_of(task)->closing) {
    if (task->region != FK_NONE)
      or_close(&o->regions[task->region], task->barriers, task->index, e->time);
    task->closed_work = FK_NONE;
  }
  or_pop(o, thread, task, OR_SYNC);
}

static bool is_test(uint32_t kind) {
  return kind == ompt_mutex_test_lock || kind == ompt_mutex_test_nest_lock;
}

static void on_acquire(struct oracle *o, struct or_thread *thread, const struct fk_event *e) {
  static const struct {
    uint32_t kind;
    enum hd_state state;
  } kinds[] = {
      [ompt_mutex_lock] = {HD_KIND_LOCK, HD_WAIT_LOCK},
      [ompt_mutex_test_lock] = {HD_KIND_LOCK, HD_WAIT_LOCK},
      [ompt_mutex_nest_lock] = {HD_KIND_LOCK, HD_WAIT_LOCK},
      [ompt_mutex_test_nest_lock] = {HD_KIND_LOCK, HD_WAIT_LOCK},
      [ompt_mutex_critical] = {HD_KIND_CRITICAL, HD_WAIT_CRITICAL},
      [ompt_mutex_atomic] = {HD_KIND_ATOMIC, HD_WAIT_ATOMIC},
      [ompt_mutex_ordered] = {HD_KIND_ORDERED, HD_WAIT_ORDERED},
  };
  const struct fk_event *next = next_event(o, e);
  bool failed = next && !or_is_last(next) && next->op != FK_MUTEX_ACQUIRED;
  uint32_t node = or_step(o->result, or_node_of(o, thread), kinds[e->kind].kind, e->code);
  or_enter(o, thread, node);
  if (or_is_lock(e->kind) && (is_test(e->kind) || failed))
    return; /* a test never waits; one that fails is not acquired. A thread that waits for ever waits */
  or_push(or_task_of(o, thread), node, kinds[e->kind].state, OR_MUTEX);
}

void or_on_mutex(struct oracle *o, struct or_thread *thread, const struct fk_event *e) {
  struct or_task *task = or_task_of(o, thread);
  if (e->op == FK_MUTEX_ACQUIRE)
    on_acquire(o, thread, e);
  else if (or_is_lock(e->kind) == (e->op == FK_MUTEX_ACQUIRED) && !is_test(e->kind))
    or_pop(o, thread, task, OR_MUTEX); /* the wait for a lock, or a critical section */
  else if (e->op == FK_MUTEX_ACQUIRED && !or_is_lock(e->kind))
    or_top_of(task)->state = HD_BUSY;
}

/* Who is not in a masked block hears nothing of it. */
void or_on_masked(struct oracle *o, struct or_thread *thread, const struct fk_event *e) {
  if (e->endpoint == ompt_scope_end) {
    or_pop(o, thread, or_task_of(o, thread), OR_MASKED);
    return;
  }
  uint32_t node = or_step(o->result, or_node_of(o, thread), HD_KIND_MASKED, e->code);
  or_enter(o, thread, node);
  or_push(or_task_of(o, thread), node, HD_BUSY, OR_MASKED);
}

/* Barriers and taskwaits send both events at the same time; of a taskgroup only the wait at its end counts, its body is
 * the surrounding construct's. */
void or_on_sync(struct oracle *o, struct or_thread *thread, const struct fk_event *e) {
  if (e->op == FK_SYNC_REGION)
    return;
  if (e->endpoint == ompt_scope_begin)
    on_sync_begin(o, thread, e);
  else
    on_sync_end(o, thread, e);
}
