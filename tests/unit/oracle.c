/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "oracle.h"

#include <stdlib.h>
#include <string.h>

#include "oracle_result.h"

#define MAX_OPEN 64

/* Why a construct is on a task's list: what its end will look for. */
enum tag { BASE, FORK, WORK, SYNC, MUTEX, JOIN };

struct open {
  uint32_t node;
  enum hd_state state;
  enum tag tag;
  uint64_t wait_id; /* MUTEX */
  bool closing;     /* SYNC: the worksharing construct's own barrier */
};

struct task {
  struct open open[MAX_OPEN];
  uint32_t open_count;
  uint32_t node;   /* where it was created */
  uint64_t code;   /* its site */
  uint32_t region; /* implicit tasks': FK_NONE outside any */
  uint32_t inside; /* the region that the task, explicit or implicit, belongs to */
  uint32_t index;  /* implicit tasks */
  bool started;
  uint32_t closed_work; /* node of the construct whose barrier may follow; FK_NONE */
  uint64_t work_begin;
  uint64_t work_end;
  uint32_t constructs; /* closed by a barrier, in this implicit task */
};

struct thread {
  bool known;
  bool ended;
  uint32_t id; /* in the profile: threads are numbered as they are heard of */
  uint32_t task;
  uint32_t outer[MAX_OPEN]; /* implicit tasks to return to, of enclosing regions */
  uint32_t outer_count;
  bool leaving;             /* a worker has been told of its region's end, perhaps before the primary's join */
  enum hd_state base_state; /* outside all tasks */
  uint64_t last;
};

struct oracle {
  const struct fk_script *script;
  struct or_result *result;
  struct task *tasks;
  struct or_region *regions;
  struct thread threads[FK_MAX_THREADS];
  uint64_t end;
};

static struct task *task_of(struct oracle *o, const struct thread *thread) {
  return thread->task == FK_NONE ? NULL : &o->tasks[thread->task];
}

static struct open *top_of(struct task *task) {
  return &task->open[task->open_count - 1];
}

static void push(struct task *task, uint32_t node, enum hd_state state, enum tag tag) {
  if (task->open_count == MAX_OPEN)
    abort();
  task->open[task->open_count++] = (struct open){.node = node, .state = state, .tag = tag};
}

/* Leaves the innermost open construct with `tag` and everything inside it. */
static void pop(struct task *task, enum tag tag) {
  uint32_t i = task->open_count;
  while (i > 0 && task->open[i - 1].tag != tag)
    i--;
  if (i == 0)
    abort(); /* the script is wrong */
  task->open_count = i - 1;
}

static uint32_t node_of(struct oracle *o, const struct thread *thread) {
  struct task *task = task_of(o, thread);
  (void)o;
  return task && task->open_count ? top_of(task)->node : 0;
}

/* Time from the thread's last event to `now`, to where it has been. */
static void charge(struct oracle *o, struct thread *thread, uint64_t now) {
  struct task *task = task_of(o, thread);
  uint64_t from = thread->last;
  thread->last = now;
  if (!task || !task->open_count) {
    or_add(o->result, 0, thread->id, thread->base_state, from, now);
    return;
  }
  const struct open *top = top_of(task);
  if (top->tag != JOIN) {
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
static bool is_join(const struct oracle *o, const struct fk_event *e) {
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
      if (is_join(o, e))
        o->regions[o->tasks[e->task].region].join = e->time;
    } else if (e->op == FK_IMPLICIT_TASK && e->endpoint == ompt_scope_end && e->size == 1 && !e->index) {
      o->regions[o->tasks[e->task].region].join = e->time; /* a team of one: no barrier */
    }
  }
}

/* The next event of the same thread that is no sync_region_wait (its pair) or NULL. */
static const struct fk_event *next_event(const struct oracle *o, const struct fk_event *e) {
  const struct fk_event *end = o->script->events + o->script->count;
  for (const struct fk_event *next = e + 1; next < end; next++)
    if (next->thread == e->thread)
      return next;
  return NULL;
}

/* Events. */

static void on_thread(struct oracle *o, struct thread *thread, const struct fk_event *e) {
  if (e->op == FK_THREAD_BEGIN) {
    thread->base_state = e->kind == ompt_thread_initial ? HD_BUSY : HD_IDLE;
    return;
  }
  thread->ended = true;
  or_set_lifetime(o->result, thread->id, e->time);
}

static void on_parallel(struct oracle *o, struct thread *thread, const struct fk_event *e) {
  struct or_region *region = &o->regions[e->region];
  struct task *task = task_of(o, thread);
  if (e->op == FK_PARALLEL_END) {
    pop(task, FORK);
    return;
  }
  uint32_t kind = e->flags & ompt_parallel_league ? HD_KIND_TEAMS : HD_KIND_PARALLEL;
  region->node = or_step(o->result, node_of(o, thread), kind, e->code);
  region->outer = task->inside;
  for (uint32_t outer = region->outer; outer != FK_NONE; outer = o->regions[outer].outer)
    region->recursive |= o->regions[outer].node == region->node;
  or_visit(o->result, region->node, thread->id);
  push(task, region->node, HD_RUNTIME, FORK);
}

static void leave_implicit(struct oracle *o, struct thread *thread) {
  o->tasks[thread->task].open_count = 0;
  thread->task = thread->outer[--thread->outer_count];
  thread->leaving = false;
}

static void on_implicit_begin(struct oracle *o, struct thread *thread, const struct fk_event *e) {
  struct task *task = &o->tasks[e->task];
  if (thread->leaving)
    leave_implicit(o, thread);
  task->started = true;
  thread->outer[thread->outer_count++] = thread->task;
  thread->task = e->task;
  if (e->flags & ompt_task_initial && !e->level) {
    push(task, 0, HD_BUSY, BASE);
    return;
  }
  struct or_region *region = &o->regions[e->region];
  push(task, region->node, HD_BUSY, BASE);
  if (e->index > 0)
    or_visit(o->result, region->node, thread->id);
  else
    region->team_size = e->size;
  or_add_member(region, e->index, thread->id, e->time);
}

/* A worker waits for the join and is idle then, whenever it hears of its end. */
static void on_implicit_end(struct oracle *o, struct thread *thread, const struct fk_event *e) {
  thread->leaving = e->index > 0;
  if (!thread->leaving || !e->level)
    leave_implicit(o, thread);
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

static bool in_gcc_region(const struct oracle *o, const struct task *task) {
  return task->region != FK_NONE && o->regions[task->region].gcc;
}

static void on_work(struct oracle *o, struct thread *thread, const struct fk_event *e) {
  struct task *task = task_of(o, thread);
  if (e->endpoint == ompt_scope_end) {
    uint32_t node = top_of(task)->node;
    pop(task, WORK);
    if (e->kind == ompt_work_taskloop)
      return;
    task->closed_work = node;
    task->work_end = e->time;
    return;
  }
  uint32_t node = or_step(o->result, node_of(o, thread), work_kind(e->kind), e->code);
  or_visit(o->result, node, thread->id);
  if (e->kind != ompt_work_taskloop) {
    task->work_begin = task->work_end = e->time;
    task->closed_work = FK_NONE;
  }
  if (e->kind == ompt_work_single_executor && in_gcc_region(o, task))
    task->closed_work = node; /* GCC-built code never says where the block ends: its time is the region's */
  else
    push(task, node, HD_BUSY, WORK);
}

static void wait_in_own_node(struct oracle *o, struct thread *thread, const struct fk_event *e) {
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
  struct task *task = task_of(o, thread);
  if (e->kind == ompt_sync_region_barrier_implementation && in_gcc_region(o, task)) {
    kind = HD_KIND_BARRIER; /* explicit or a static loop's: the runtime does not tell */
    state = HD_WAIT_OTHER;
  }
  uint32_t node = or_step(o->result, node_of(o, thread), kind, e->code);
  or_visit(o->result, node, thread->id);
  push(task, node, state, SYNC);
  if (e->kind == ompt_sync_region_barrier_explicit)
    task->closed_work = FK_NONE; /* what closes a construct follows it directly */
}

/* The barrier that ends a worksharing construct, and its reduction before it, are the construct's own time. */
static void wait_in_construct(struct oracle *o, const struct thread *thread, struct task *task, bool reduction) {
  push(task, task->closed_work, reduction ? HD_WAIT_REDUCTION : HD_WAIT_BARRIER_IMPLICIT, SYNC);
  if (reduction)
    return;
  top_of(task)->closing = true;
  if (task->region != FK_NONE)
    or_arrive(&o->regions[task->region], task->index, task->constructs, task->closed_work,
              (struct or_share){.begin = task->work_begin, .work_end = task->work_end, .arrival = thread->last});
}

static void on_sync_begin(struct oracle *o, struct thread *thread, const struct fk_event *e) {
  struct task *task = task_of(o, thread);
  bool implementation = e->kind == ompt_sync_region_barrier_implementation;
  bool implicit =
      e->kind == ompt_sync_region_barrier_implicit || e->kind == ompt_sync_region_barrier_implicit_workshare;
  if (is_join(o, e)) {
    task->open_count = 1;
    top_of(task)->state = HD_WAIT_BARRIER_IMPLICIT;
    if (task->index > 0)
      top_of(task)->tag = JOIN;
  } else if ((implicit || implementation) && task->closed_work != FK_NONE) {
    wait_in_construct(o, thread, task, implementation && !in_gcc_region(o, task));
  } else {
    wait_in_own_node(o, thread, e);
  }
}

static void on_sync_end(struct oracle *o, struct thread *thread, const struct fk_event *e) {
  struct task *task = task_of(o, thread);
  if (is_join(o, e)) { /* a worker's comes at any time and means nothing */
    if (task->index == 0)
      top_of(task)->state = HD_RUNTIME;
    return;
  }
  if (top_of(task)->closing) {
    if (task->region != FK_NONE)
      or_close(&o->regions[task->region], task->constructs, task->index, e->time);
    task->constructs++;
    task->closed_work = FK_NONE;
  }
  pop(task, SYNC);
}

static bool is_lock(uint32_t kind) {
  return kind >= ompt_mutex_lock && kind <= ompt_mutex_test_nest_lock;
}

static bool is_test(uint32_t kind) {
  return kind == ompt_mutex_test_lock || kind == ompt_mutex_test_nest_lock;
}

static void on_acquire(struct oracle *o, struct thread *thread, const struct fk_event *e) {
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
  bool failed = next && next->op < FK_FINALIZE && next->op != FK_MUTEX_ACQUIRED;
  uint32_t node = or_step(o->result, node_of(o, thread), kinds[e->kind].kind, e->code);
  or_visit(o->result, node, thread->id);
  if (is_lock(e->kind) && (is_test(e->kind) || failed))
    return; /* a test never waits; one that fails is not acquired. A thread that waits for ever waits */
  push(task_of(o, thread), node, kinds[e->kind].state, MUTEX);
}

static void on_mutex(struct oracle *o, struct thread *thread, const struct fk_event *e) {
  struct task *task = task_of(o, thread);
  if (e->op == FK_MUTEX_ACQUIRE)
    on_acquire(o, thread, e);
  else if (is_lock(e->kind) == (e->op == FK_MUTEX_ACQUIRED) && !is_test(e->kind))
    pop(task, MUTEX); /* the wait for a lock, or a critical section */
  else if (e->op == FK_MUTEX_ACQUIRED && !is_lock(e->kind))
    top_of(task)->state = HD_BUSY;
}

static void on_create(struct oracle *o, struct thread *thread, const struct fk_event *e) {
  struct task *task = &o->tasks[e->next];
  task->node = node_of(o, thread);
  task->code = e->code;
  task->inside = task_of(o, thread)->inside;
}

static void on_schedule(struct oracle *o, struct thread *thread, const struct fk_event *e) {
  struct task *next = &o->tasks[e->next];
  if (e->kind == ompt_task_complete || e->kind == ompt_task_cancel)
    o->tasks[e->task].open_count = 0;
  thread->task = e->next;
  if (next->started)
    return;
  next->started = true;
  uint32_t node = or_step(o->result, next->node, HD_KIND_TASK, next->code);
  or_visit(o->result, node, thread->id);
  push(next, node, HD_BUSY, BASE);
}

/* Barriers and taskwaits send both events at the same time; of a taskgroup only the wait at its end counts, its body is
 * the surrounding construct's. */
static void on_sync(struct oracle *o, struct thread *thread, const struct fk_event *e) {
  if (e->op == FK_SYNC_REGION)
    return;
  if (e->endpoint == ompt_scope_begin)
    on_sync_begin(o, thread, e);
  else
    on_sync_end(o, thread, e);
}

static void handle(struct oracle *o, struct thread *thread, const struct fk_event *e) {
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
    on_work(o, thread, e);
    break;
  case FK_SYNC_REGION:
  case FK_SYNC_WAIT:
    on_sync(o, thread, e);
    break;
  case FK_MUTEX_ACQUIRE:
  case FK_MUTEX_ACQUIRED:
  case FK_MUTEX_RELEASED:
    on_mutex(o, thread, e);
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
    struct thread *thread = &o->threads[e->thread];
    if (!thread->known) {
      *thread = (struct thread){.known = true, .task = FK_NONE, .last = e->time, .base_state = HD_BUSY};
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
    struct thread *thread = &o->threads[i];
    if (!thread->known || thread->ended)
      continue;
    charge(o, thread, o->end);
    or_set_lifetime(o->result, thread->id, o->end);
  }
  for (uint32_t i = 0; i < o->script->region_count; i++)
    or_end_region(o->result, &o->regions[i], o->end);
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
