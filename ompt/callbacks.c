/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * From OMPT's callbacks to the state machine: each decodes its arguments, reads the clock once and says what happened.
 * What libomp really sends, and when, is told in docs/design.md, "Facts about the runtime".
 */
#include "ompt/barrier.h"
#include "ompt/budget.h"
#include "ompt/event.h"
#include "ompt/region.h"
#include "ompt/task.h"
#include "ompt/thread.h"
#include "ompt/tool.h"
#include "ompt/worksharing.h"

static void count_unknown(void) {
  __atomic_fetch_add(&hd_store.header->unknown_events, 1, __ATOMIC_RELAXED);
}

/* Enters a construct at `address` below the innermost profile. */
static inline void enter(struct hd_thread *thread, uint64_t now, enum hd_kind kind, const void *address,
                         enum hd_state state) {
  const struct hd_edge *step = hd_thread_step(thread, kind, address);
  thread->ring.what = hd_thread_count(thread, HD_WHAT_ENTER, step->to, step->counter);
  hd_thread_push(thread, now, step->to, kind, state);
}

/* The class is off, and what ends was not observed. */
static inline bool is_unobserved_end(enum hd_event_class event_class, enum hd_kind kind, const void *id) {
  if (!hd_budget_is_off(event_class))
    return false;
  const struct hd_thread *thread = hd_thread_known_soon();
  return thread && (thread->top == thread->base || !hd_thread_find_open(thread, kind, id));
}

/* ---- threads ---- */

static void on_thread_begin(ompt_thread_t kind, ompt_data_t *data) {
  (void)data;
  hd_thread_begin(kind == ompt_thread_initial  ? HD_THREAD_INITIAL
                  : kind == ompt_thread_worker ? HD_THREAD_WORKER
                                               : HD_THREAD_OTHER);
}

static void on_thread_end(ompt_data_t *data) {
  (void)data;
  HD_EVENT struct hd_event event = hd_event_begin(HD_EVENT_THREAD);
  struct hd_thread *thread = event.thread;
  const uint64_t now = event.now;
  if (thread)
    hd_thread_end(thread, now);
}

/* ---- parallel regions ---- */

static void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel, unsigned requested,
                              int flags, const void *address) {
  (void)task, (void)frame;
  HD_EVENT struct hd_event event = hd_event_begin(HD_EVENT_PARALLEL_BEGIN);
  struct hd_thread *thread = event.thread;
  const uint64_t now = event.now;
  parallel->ptr = NULL;
  if (!thread)
    return;
  hd_budget_outside(thread);
  enum hd_kind kind = flags & ompt_parallel_league ? HD_KIND_TEAMS : HD_KIND_PARALLEL;
  parallel->ptr = hd_region_begin(thread, now, kind, requested, address, flags & ompt_parallel_invoker_program);
}

static void on_parallel_end(ompt_data_t *parallel, ompt_data_t *task, int flags, const void *address) {
  (void)task, (void)flags, (void)address;
  HD_EVENT struct hd_event event = hd_event_begin(HD_EVENT_PARALLEL_END);
  struct hd_thread *thread = event.thread;
  const uint64_t now = event.now;
  if (!thread)
    return;
  hd_region_end(thread, now, parallel ? parallel->ptr : NULL);
  hd_budget_outside(thread);
}

static void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                             unsigned team_size, unsigned thread_number, int flags) {
  HD_EVENT struct hd_event event =
      hd_event_begin(endpoint == ompt_scope_end ? HD_EVENT_IMPLICIT_END : HD_EVENT_IMPLICIT_BEGIN);
  struct hd_thread *thread = event.thread;
  const uint64_t now = event.now;
  if (!thread)
    return;
  struct hd_region *region = parallel ? parallel->ptr : NULL;
  if (endpoint == ompt_scope_end)
    hd_region_leave(thread, now);
  else if ((flags & ompt_task_initial) && !region)
    thread->frames->task = task; /* the task outside any region: the thread's own frame stands for it */
  else
    hd_region_enter(thread, now, region, task, team_size, thread_number);
}

/* ---- worksharing ---- */

static enum hd_kind kind_of_work(ompt_work_t type) {
  static const enum hd_kind kinds[] = {
      [ompt_work_loop] = HD_KIND_LOOP,
      [ompt_work_sections] = HD_KIND_SECTIONS,
      [ompt_work_single_executor] = HD_KIND_SINGLE,
      [ompt_work_single_other] = HD_KIND_SINGLE,
      [ompt_work_workshare] = HD_KIND_WORKSHARE,
      [ompt_work_distribute] = HD_KIND_DISTRIBUTE,
      [ompt_work_taskloop] = HD_KIND_TASKLOOP,
      [ompt_work_scope] = HD_KIND_SCOPE,
      [ompt_work_loop_static] = HD_KIND_LOOP_STATIC,
      [ompt_work_loop_dynamic] = HD_KIND_LOOP_DYNAMIC,
      [ompt_work_loop_guided] = HD_KIND_LOOP_GUIDED,
      [ompt_work_loop_other] = HD_KIND_LOOP,
  };
  unsigned index = (unsigned)type;
  if (index < sizeof kinds / sizeof *kinds && kinds[index])
    return kinds[index];
  count_unknown();
  return HD_KIND_OTHER;
}

/* What a construct's frame is known by: its begin and end may name a loop's schedule differently. */
static enum hd_kind frame_kind(enum hd_kind kind) {
  return kind >= HD_KIND_LOOP && kind <= HD_KIND_LOOP_GUIDED ? HD_KIND_LOOP : kind;
}

/* A region's begin tells; outside any region what the program is linked to must do. */
static bool is_gcc_code(const struct hd_thread *thread) {
  const struct hd_region *region = thread->base->base.region;
  return region ? region->from_gcc : hd_tool.needs_libgomp;
}

static void begin_work(struct hd_thread *thread, uint64_t now, ompt_work_t type, ompt_data_t *task,
                       const void *address) {
  enum hd_kind kind = kind_of_work(type);
  const struct hd_edge *step = hd_thread_step(thread, kind, address);
  struct hd_row_record *row = step->to;
  thread->ring.what = hd_thread_count(thread, HD_WHAT_ENTER, row, step->counter);
  /* GCC-built code never says where the executor's block ends: its time stays with the region. */
  bool gcc_single = kind == HD_KIND_SINGLE && is_gcc_code(thread);
  bool endless = gcc_single && type == ompt_work_single_executor;
  if (endless)
    hd_thread_set_state(thread, now, thread->top->state);
  else
    hd_thread_push(thread, now, row, frame_kind(kind), HD_BUSY);
  if (kind == HD_KIND_TASKLOOP)
    thread->top->task = task;
  else
    hd_worksharing_begin(thread, now, row, !gcc_single);
  if (endless)
    hd_worksharing_end(thread, now);
}

/* The barrier that closes it must not be taken for an earlier construct's. */
static bool refuse_work(ompt_work_t type) {
  if (!hd_budget_refuses(HD_CLASS_WORK))
    return false;
  struct hd_thread *thread = hd_thread_known_soon();
  if (thread && type != ompt_work_taskloop)
    thread->base->base.work.ended = false;
  return true;
}

static bool is_unobserved_work(ompt_work_t type, const ompt_data_t *task) {
  return hd_budget_is_off(HD_CLASS_WORK) && is_unobserved_end(HD_CLASS_WORK, frame_kind(kind_of_work(type)), task);
}

static void on_work(ompt_work_t type, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                    uint64_t count, const void *address) {
  (void)parallel, (void)count;
  if (endpoint == ompt_scope_end ? is_unobserved_work(type, task) : refuse_work(type))
    return;
  HD_EVENT struct hd_event event =
      hd_event_begin(endpoint == ompt_scope_begin ? HD_EVENT_WORK_BEGIN : HD_EVENT_WORK_END);
  struct hd_thread *thread = event.thread;
  const uint64_t now = event.now;
  if (!thread)
    return;
  if (endpoint != ompt_scope_end)
    begin_work(thread, now, type, task, address);
  if (endpoint == ompt_scope_begin)
    return;
  enum hd_kind kind = kind_of_work(type);
  if (hd_thread_leave(thread, now, frame_kind(kind), task) && kind != HD_KIND_TASKLOOP)
    hd_worksharing_end(thread, now);
}

/* ---- barriers and task waits ---- */

/* The barrier that closes a worksharing construct follows its end directly and is the construct's own time. */
static void begin_worksharing_barrier(struct hd_thread *thread, uint64_t now, const void *address) {
  const struct hd_worksharing *work = &thread->base->base.work;
  if (work->ended) {
    hd_thread_push(thread, now, work->row, HD_KIND_BARRIER_IMPLICIT, HD_WAIT_BARRIER_IMPLICIT);
    hd_worksharing_barrier_begin(thread, now);
  } else {
    enter(thread, now, HD_KIND_BARRIER_IMPLICIT, address, HD_WAIT_BARRIER_IMPLICIT);
  }
  hd_barrier_begin(thread);
}

/* Sent for everything in GCC-built code, else by reductions. */
static void begin_implementation_barrier(struct hd_thread *thread, uint64_t now, const void *address) {
  const struct hd_worksharing *work = &thread->base->base.work;
  if (is_gcc_code(thread) && work->ended) {
    begin_worksharing_barrier(thread, now, address);
    return;
  }
  if (is_gcc_code(thread))
    enter(thread, now, HD_KIND_BARRIER, address, HD_WAIT_OTHER);
  else if (work->ended)
    hd_thread_push(thread, now, work->row, HD_KIND_REDUCTION, HD_WAIT_REDUCTION);
  else
    enter(thread, now, HD_KIND_REDUCTION, address, HD_WAIT_REDUCTION);
  hd_barrier_begin(thread);
}

/* Before libomp 17 the region's last barrier and a worksharing one bear the same kind. A worker's last has no address,
 * the primary's has the region's. */
static bool ends_region(const struct hd_thread *thread, const void *address) {
  const struct hd_region *region = thread->base->base.region;
  return !address || (region && address == region->address && thread->base->base.thread_number == 0);
}

static void begin_wait(struct hd_thread *thread, uint64_t now, ompt_sync_region_t kind, ompt_data_t *task,
                       const void *address) {
  switch ((unsigned)kind) {
  case ompt_sync_region_barrier:
  case ompt_sync_region_barrier_implicit:
    if (ends_region(thread, address))
      hd_region_arrive(thread, now);
    else
      begin_worksharing_barrier(thread, now, address);
    break;
  case ompt_sync_region_barrier_implicit_parallel:
  case ompt_sync_region_barrier_teams:
    hd_region_arrive(thread, now);
    break;
  case ompt_sync_region_barrier_implicit_workshare:
    begin_worksharing_barrier(thread, now, address);
    break;
  case ompt_sync_region_barrier_explicit:
    thread->base->base.work.ended = false; /* no later barrier follows that construct directly */
    enter(thread, now, HD_KIND_BARRIER_EXPLICIT, address, HD_WAIT_BARRIER_EXPLICIT);
    hd_barrier_begin(thread);
    break;
  case ompt_sync_region_barrier_implementation:
    begin_implementation_barrier(thread, now, address);
    break;
  case ompt_sync_region_taskwait:
    enter(thread, now, HD_KIND_TASKWAIT, address, HD_WAIT_TASKWAIT);
    thread->top->task = task;
    break;
  case ompt_sync_region_taskgroup:
    enter(thread, now, HD_KIND_TASKGROUP, address, HD_WAIT_TASKGROUP);
    thread->top->task = task;
    break;
  case ompt_sync_region_reduction:
    enter(thread, now, HD_KIND_REDUCTION, address, HD_WAIT_REDUCTION);
    break;
  default:
    count_unknown();
    enter(thread, now, HD_KIND_OTHER, address, HD_WAIT_OTHER);
  }
}

/* The end of a worksharing barrier, or of what was taken for the region's last one and was not. */
static void end_implicit_barrier(struct hd_thread *thread, uint64_t now) {
  bool of_construct = thread->base->base.work.ended;
  hd_barrier_end(thread);
  if (thread->top == thread->base && thread->base->state == HD_WAIT_BARRIER_IMPLICIT) {
    thread->pending &= ~(uint32_t)HD_PENDING_JOIN;
    thread->record->joining = 0;
    hd_thread_set_state(thread, now, HD_BUSY);
  } else if (hd_thread_leave(thread, now, HD_KIND_BARRIER_IMPLICIT, NULL) && of_construct) {
    hd_worksharing_barrier_end(thread, now);
  }
}

static bool is_in(const struct hd_thread *thread, enum hd_kind kind) {
  return thread->top->kind == kind;
}

static void end_implementation_barrier(struct hd_thread *thread, uint64_t now) {
  if (is_in(thread, HD_KIND_BARRIER_IMPLICIT)) {
    end_implicit_barrier(thread, now);
    return;
  }
  hd_barrier_end(thread);
  hd_thread_leave(thread, now, is_in(thread, HD_KIND_BARRIER) ? HD_KIND_BARRIER : HD_KIND_REDUCTION, NULL);
}

/* On a worker this may come seconds late and says nothing: region.h. */
static void end_last_barrier(struct hd_thread *thread, uint64_t now) {
  const struct hd_region *region = thread->base->base.region;
  if (thread->base->kind == HD_KIND_PARALLEL && (!region || region->instance->primary == thread->record->id))
    hd_region_join(thread, now);
}

static void end_wait(struct hd_thread *thread, uint64_t now, ompt_sync_region_t kind, const ompt_data_t *parallel,
                     const ompt_data_t *task) {
  switch ((unsigned)kind) {
  case ompt_sync_region_barrier:
  case ompt_sync_region_barrier_implicit:
    if (parallel)
      end_implicit_barrier(thread, now);
    else
      end_last_barrier(thread, now);
    break;
  case ompt_sync_region_barrier_implicit_parallel:
  case ompt_sync_region_barrier_teams:
    end_last_barrier(thread, now);
    break;
  case ompt_sync_region_barrier_implicit_workshare:
    end_implicit_barrier(thread, now);
    break;
  case ompt_sync_region_barrier_explicit:
    hd_barrier_end(thread);
    hd_thread_leave(thread, now, HD_KIND_BARRIER_EXPLICIT, NULL);
    break;
  case ompt_sync_region_barrier_implementation:
    end_implementation_barrier(thread, now);
    break;
  case ompt_sync_region_taskwait:
    hd_thread_leave(thread, now, HD_KIND_TASKWAIT, task);
    break;
  case ompt_sync_region_taskgroup:
    hd_thread_leave(thread, now, HD_KIND_TASKGROUP, task);
    break;
  case ompt_sync_region_reduction:
    hd_thread_leave(thread, now, HD_KIND_REDUCTION, NULL);
    break;
  default:
    hd_thread_leave(thread, now, HD_KIND_OTHER, NULL);
  }
}

/* A region's last barrier is never left out; of the others a team must know how many there have been. */
static bool refuse_wait(ompt_sync_region_t kind, const void *address) {
  if (!hd_budget_refuses(HD_CLASS_SYNC))
    return false;
  struct hd_thread *thread = hd_thread_known_soon();
  if (!thread)
    return false;
  switch ((unsigned)kind) {
  case ompt_sync_region_barrier_implicit_parallel:
  case ompt_sync_region_barrier_teams:
    return false;
  case ompt_sync_region_barrier:
  case ompt_sync_region_barrier_implicit:
    if (ends_region(thread, address))
      return false;
    break;
  case ompt_sync_region_taskwait:
  case ompt_sync_region_taskgroup:
  case ompt_sync_region_reduction:
    return true;
  default:
    break;
  }
  hd_barrier_skip(thread);
  return true;
}

static bool is_wait(enum hd_kind kind) {
  return (kind >= HD_KIND_TASKWAIT && kind <= HD_KIND_REDUCTION) || kind == HD_KIND_OTHER;
}

/* The class is off, and the thread waits in nothing, not even at its region's end. */
static bool is_unobserved_wait(void) {
  if (!hd_budget_is_off(HD_CLASS_SYNC))
    return false;
  const struct hd_thread *thread = hd_thread_known_soon();
  if (!thread || thread->base->state != HD_BUSY)
    return false;
  for (const struct hd_frame *frame = thread->top; frame > thread->base; frame--)
    if (is_wait(frame->kind))
      return false;
  return true;
}

static struct hd_thread *change_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
                                     const ompt_data_t *parallel, ompt_data_t *task, const void *address) {
  HD_EVENT struct hd_event event =
      hd_event_begin(endpoint == ompt_scope_begin ? HD_EVENT_WAIT_BEGIN : HD_EVENT_WAIT_END);
  struct hd_thread *thread = event.thread;
  const uint64_t now = event.now;
  if (!thread)
    return NULL;
  if (endpoint == ompt_scope_begin)
    begin_wait(thread, now, kind, task, address);
  else if (endpoint == ompt_scope_end)
    end_wait(thread, now, kind, parallel, task);
  return thread;
}

static void on_sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                                ompt_data_t *task, const void *address) {
  if (endpoint == ompt_scope_begin ? refuse_wait(kind, address) : is_unobserved_wait())
    return;
  struct hd_thread *thread = change_wait(kind, endpoint, parallel, task, address);
  if (endpoint == ompt_scope_begin) /* an end may come before the primary has told of the join */
    hd_barrier_enter(thread);
}

/* ---- masked ---- */

/* Sent only to a thread that runs the block. The end's address is of no use: it is called as the last thing of a body.
 */
static void on_masked(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, const void *address) {
  (void)parallel, (void)task;
  if (endpoint == ompt_scope_begin ? hd_budget_refuses(HD_CLASS_WORK)
                                   : is_unobserved_end(HD_CLASS_WORK, HD_KIND_MASKED, NULL))
    return;
  HD_EVENT struct hd_event event =
      hd_event_begin(endpoint == ompt_scope_begin ? HD_EVENT_MASKED_BEGIN : HD_EVENT_MASKED_END);
  struct hd_thread *thread = event.thread;
  const uint64_t now = event.now;
  if (!thread)
    return;
  if (endpoint == ompt_scope_begin)
    enter(thread, now, HD_KIND_MASKED, address, HD_BUSY);
  else if (endpoint == ompt_scope_end)
    hd_thread_leave(thread, now, HD_KIND_MASKED, NULL);
}

/* ---- mutual exclusion ---- */

static enum hd_kind kind_of_mutex(ompt_mutex_t kind) {
  switch ((unsigned)kind) {
  case ompt_mutex_lock:
  case ompt_mutex_test_lock:
  case ompt_mutex_nest_lock:
  case ompt_mutex_test_nest_lock:
    return HD_KIND_LOCK;
  case ompt_mutex_critical:
    return HD_KIND_CRITICAL;
  case ompt_mutex_atomic:
    return HD_KIND_ATOMIC;
  case ompt_mutex_ordered:
    return HD_KIND_ORDERED;
  default:
    return HD_KIND_OTHER;
  }
}

static enum hd_state wait_for_mutex(enum hd_kind kind) {
  switch (kind) {
  case HD_KIND_LOCK:
    return HD_WAIT_LOCK;
  case HD_KIND_CRITICAL:
    return HD_WAIT_CRITICAL;
  case HD_KIND_ATOMIC:
    return HD_WAIT_ATOMIC;
  case HD_KIND_ORDERED:
    return HD_WAIT_ORDERED;
  default:
    return HD_WAIT_OTHER;
  }
}

/* A test of a lock that failed has ended by now. */
static bool refuse_mutex(void) {
  if (!hd_budget_refuses(HD_CLASS_MUTEX))
    return false;
  const struct hd_thread *thread = hd_thread_known_soon();
  return !thread || !(thread->pending & HD_PENDING_LOCK);
}

static void on_mutex_acquire(ompt_mutex_t mutex, unsigned hint, unsigned implementation, ompt_wait_id_t id,
                             const void *address) {
  (void)hint, (void)implementation;
  if (refuse_mutex())
    return;
  HD_EVENT struct hd_event event = hd_event_begin(HD_EVENT_MUTEX_ACQUIRE);
  struct hd_thread *thread = event.thread;
  const uint64_t now = event.now;
  if (!thread)
    return;
  enum hd_kind kind = kind_of_mutex(mutex);
  if (hd_budget_is_off(HD_CLASS_MUTEX)) {
    hd_thread_set_state(thread, now, thread->top->state);
  } else if (kind == HD_KIND_OTHER) {
    count_unknown();
  } else if (mutex == ompt_mutex_test_lock || mutex == ompt_mutex_test_nest_lock) {
    const struct hd_edge *step = hd_thread_step(thread, kind, address);
    thread->ring.what = hd_thread_count(thread, HD_WHAT_ENTER, step->to, step->counter);
    hd_thread_set_state(thread, now, thread->top->state); /* a test never waits */
  } else {
    enter(thread, now, kind, address, wait_for_mutex(kind));
    thread->top->task = (ompt_data_t *)(uintptr_t)id;
    if (kind != HD_KIND_LOCK)
      return;
    thread->pending |= HD_PENDING_LOCK;
    hd_ring_set_tentative(&thread->ring, true);
  }
}

/* A lock's holder goes on in what surrounds it: locks need not nest, nor be released by who took them. */
static void end_lock_wait(struct hd_thread *thread, uint64_t now) {
  if (!(thread->pending & HD_PENDING_LOCK))
    return;
  thread->pending &= ~(uint32_t)HD_PENDING_LOCK;
  hd_ring_set_tentative(&thread->ring, false);
  hd_thread_pop(thread, now);
}

static void enter_mutex(struct hd_thread *thread, uint64_t now, enum hd_kind kind, const void *id) {
  if (thread->pending)
    hd_thread_settle(thread);
  if (thread->top->kind == kind && (!hd_budget_has_switched() || thread->top->task == id))
    hd_thread_set_state(thread, now, HD_BUSY);
}

static void on_mutex_acquired(ompt_mutex_t mutex, ompt_wait_id_t id, const void *address) {
  (void)address;
  enum hd_kind kind = kind_of_mutex(mutex);
  if (is_unobserved_end(HD_CLASS_MUTEX, kind, (const void *)(uintptr_t)id))
    return;
  HD_EVENT struct hd_event event = hd_event_begin_unsettled(HD_EVENT_MUTEX_ACQUIRED);
  struct hd_thread *thread = event.thread; /* a lock's wait must not be settled */
  if (!thread)
    return;
  if (kind == HD_KIND_LOCK)
    end_lock_wait(thread, event.now);
  else
    enter_mutex(thread, event.now, kind, (const void *)(uintptr_t)id);
}

static void on_mutex_released(ompt_mutex_t mutex, ompt_wait_id_t id, const void *address) {
  (void)address;
  enum hd_kind kind = kind_of_mutex(mutex);
  const void *lock = (const void *)(uintptr_t)id;
  if (kind == HD_KIND_LOCK || kind == HD_KIND_OTHER || is_unobserved_end(HD_CLASS_MUTEX, kind, lock))
    return;
  HD_EVENT struct hd_event event = hd_event_begin(HD_EVENT_MUTEX_RELEASED);
  struct hd_thread *thread = event.thread;
  const uint64_t now = event.now;
  if (thread)
    hd_thread_leave(thread, now, kind, lock);
}

/* ---- explicit tasks ---- */

/* "taskwait depend", and the wait of an undeferred task for its dependences (libomp 16 and later): a task that is never
 * run begins the wait, its "complete" ends it. */
static void begin_dependence_wait(ompt_data_t *task, const void *address) {
  if (hd_budget_refuses(HD_CLASS_TASK) || hd_budget_refuses(HD_CLASS_SYNC))
    return;
  HD_EVENT struct hd_event event = hd_event_begin(HD_EVENT_WAIT_BEGIN);
  struct hd_thread *thread = event.thread;
  const uint64_t now = event.now;
  if (!thread)
    return;
  enter(thread, now, HD_KIND_TASKWAIT, address, HD_WAIT_TASKWAIT);
  thread->top->task = task;
}

static void end_dependence_wait(const ompt_data_t *task) {
  HD_EVENT struct hd_event event = hd_event_begin(HD_EVENT_WAIT_END);
  struct hd_thread *thread = event.thread;
  const uint64_t now = event.now;
  if (thread && thread->top->kind == HD_KIND_TASKWAIT)
    hd_thread_leave(thread, now, HD_KIND_TASKWAIT, task);
}

static void on_task_create(ompt_data_t *creator, const ompt_frame_t *frame, ompt_data_t *task, int flags,
                           int has_dependences, const void *address) {
  (void)creator, (void)frame, (void)has_dependences;
  if (flags & ompt_task_taskwait) {
    begin_dependence_wait(task, address);
    return;
  }
  if (hd_budget_refuses(HD_CLASS_TASK))
    return;
  HD_EVENT struct hd_event event = hd_event_begin_untimed(HD_EVENT_TASK_CREATE);
  struct hd_thread *thread = event.thread;
  if (!thread || (flags & (ompt_task_initial | ompt_task_implicit)))
    return;
  if (thread->pending)
    hd_thread_settle(thread);
  hd_task_create(thread, task, address);
}

static struct hd_thread *change_task(const ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next) {
  HD_EVENT struct hd_event event = hd_event_begin(HD_EVENT_TASK_SCHEDULE);
  if (event.thread)
    hd_task_schedule(event.thread, event.now, prior, status, next);
  return event.thread;
}

/* Tasks are off, and one begins in a wait: the rest of that counts as busy, which it rather is. But not at a region's
 * end, where nobody hears when it is over. */
static void take_for_busy(void) {
  HD_EVENT struct hd_event event = hd_event_begin(HD_EVENT_TASK_SCHEDULE);
  if (event.thread)
    hd_thread_set_state(event.thread, event.now, HD_BUSY);
}

static bool is_unobserved_task(const ompt_data_t *prior, ompt_task_status_t status, const ompt_data_t *next) {
  if (!hd_budget_is_off(HD_CLASS_TASK))
    return false;
  const struct hd_thread *thread = hd_thread_known_soon();
  if (!thread || hd_task_is_observed(thread, prior, status, next))
    return false;
  const struct hd_frame *top = thread->top;
  if (next && next != thread->base->task && top > thread->base && is_wait(top->kind) && top->state != HD_BUSY)
    take_for_busy();
  return true;
}

static void on_task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next) {
  if (status == ompt_task_early_fulfill || status == ompt_task_late_fulfill)
    return; /* nobody starts or stops working */
  if (status == ompt_taskwait_complete)
    end_dependence_wait(prior);
  else if (!is_unobserved_task(prior, status, next))
    hd_barrier_enter(change_task(prior, status, next));
}

/* ---- what the program asks of the tool ---- */

/* OpenMP 5.2, section 18.14, omp_control_tool_t and omp_control_tool_result_t: in omp.h, which the tool does without.
 */
enum { CONTROL_START = 1, CONTROL_PAUSE = 2, CONTROL_FLUSH = 3, CONTROL_END = 4, SUCCESS = 0, IGNORED = 1 };

static int on_control_tool(uint64_t command, uint64_t modifier, void *argument, const void *address) {
  (void)modifier, (void)argument, (void)address;
  switch (command) {
  case CONTROL_START:
    return hd_tool_resume() ? SUCCESS : IGNORED;
  case CONTROL_PAUSE:
    return hd_tool_pause() ? SUCCESS : IGNORED;
  case CONTROL_FLUSH:
    return hd_tool_flush() ? SUCCESS : IGNORED;
  case CONTROL_END:
    return hd_tool_end() ? SUCCESS : IGNORED;
  default:
    return IGNORED;
  }
}

/* ---- registration ---- */

static ompt_set_callback_t set_callback;

/* sync_region_wait rather than sync_region: the same for barriers and taskwait, but for a taskgroup only the wait at
 * its end, not its body. Never flush: a program that spins on it sends millions. */
static const struct {
  ompt_callbacks_t event;
  uint32_t classes; /* it can be muted when these are off (budget.h) */
  ompt_callback_t function;
} table[] = {
    {ompt_callback_thread_begin, 0, (ompt_callback_t)on_thread_begin},
    {ompt_callback_thread_end, 0, (ompt_callback_t)on_thread_end},
    {ompt_callback_parallel_begin, 0, (ompt_callback_t)on_parallel_begin},
    {ompt_callback_parallel_end, 0, (ompt_callback_t)on_parallel_end},
    {ompt_callback_implicit_task, 0, (ompt_callback_t)on_implicit_task},
    {ompt_callback_work, 1u << HD_CLASS_WORK, (ompt_callback_t)on_work},
    {ompt_callback_sync_region_wait, 0, (ompt_callback_t)on_sync_region_wait},
    {ompt_callback_mutex_acquire, 1u << HD_CLASS_MUTEX, (ompt_callback_t)on_mutex_acquire},
    {ompt_callback_mutex_acquired, 1u << HD_CLASS_MUTEX, (ompt_callback_t)on_mutex_acquired},
    {ompt_callback_mutex_released, 1u << HD_CLASS_MUTEX, (ompt_callback_t)on_mutex_released},
    {ompt_callback_task_create, 0, (ompt_callback_t)on_task_create},
    {ompt_callback_task_schedule, 0, (ompt_callback_t)on_task_schedule},
    {ompt_callback_control_tool, 0, (ompt_callback_t)on_control_tool},
    {ompt_callback_masked, 1u << HD_CLASS_WORK, (ompt_callback_t)on_masked}, /* up to OpenMP 5.0: _master */
};

uint64_t hd_callbacks_register(ompt_set_callback_t runtime_set_callback) {
  uint64_t lost = 0;
  set_callback = runtime_set_callback;
  for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
    if (set_callback(table[i].event, table[i].function) != ompt_set_always)
      lost |= (uint64_t)1 << i;
  return lost;
}

void hd_callbacks_mute(uint32_t classes, bool mute) {
  for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
    if (table[i].classes & classes)
      set_callback(table[i].event, mute ? NULL : table[i].function);
}
