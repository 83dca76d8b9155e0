/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Barriers, taskwait, taskgroup, reductions and doacross loops. */
#include "callpath/callpath.h"
#include "ompt/callbacks.h"
#include "ompt/construct/task.h"
#include "ompt/construct/worksharing.h"
#include "ompt/thread/barrier.h"
#include "ompt/thread/order.h"
#include "ompt/thread/unresolved.h"

/* A barrier with a profile of its own. */
static void enter_barrier(struct hd_thread *thread, uint64_t now, enum hd_kind kind, const void *address) {
  const struct hd_way step = hd_thread_step(thread, kind, address);
  const enum hd_what what = hd_barrier_begin(thread);
  thread->ring.what = hd_thread_count(thread, what, step.to, step.counter);
  if (what == HD_WHAT_ARRIVE)
    hd_barrier_arrive(thread, thread->ring.what, 0);
  hd_thread_push(thread, now, step.to, kind, hd_barrier_state(kind));
}

/* One that belongs to the worksharing construct before it. */
static void push_barrier(struct hd_thread *thread, uint64_t now, enum hd_kind kind) {
  const struct hd_worksharing *work = &thread->base->base.work;
  const bool closes = kind == HD_KIND_BARRIER_IMPLICIT && work->timed;
  if (hd_barrier_begin(thread) == HD_WHAT_ARRIVE)
    hd_barrier_arrive(thread, HD_WHAT(HD_WHAT_ARRIVE, work->row->profile) | HD_WHAT_UNCOUNTED,
                      closes ? HD_LOG_CLOSES_WORK : 0);
  hd_thread_push(thread, now, work->row, kind, hd_barrier_state(kind));
}

/* The barrier that closes a worksharing construct follows its end directly and is the construct's own time. */
static void begin_worksharing_barrier(struct hd_thread *thread, uint64_t now, const void *address) {
  const struct hd_worksharing *work = &thread->base->base.work;
  if (work->ended) {
    push_barrier(thread, now, HD_KIND_BARRIER_IMPLICIT);
    hd_worksharing_barrier_begin(thread, now);
  } else {
    enter_barrier(thread, now, HD_KIND_BARRIER_IMPLICIT, address);
  }
}

/* Sent for everything in GCC-built code, else by reductions. */
static void begin_implementation_barrier(struct hd_thread *thread, uint64_t now, const void *address) {
  const struct hd_worksharing *work = &thread->base->base.work;
  if (hd_callbacks_is_gcc_code(thread) && work->ended) {
    begin_worksharing_barrier(thread, now, address);
    return;
  }
  if (hd_callbacks_is_gcc_code(thread))
    enter_barrier(thread, now, HD_KIND_BARRIER, address);
  else if (work->ended)
    push_barrier(thread, now, HD_KIND_REDUCTION);
  else
    enter_barrier(thread, now, HD_KIND_REDUCTION, address);
}

/* Before libomp 17 the region's last barrier and a worksharing one bear the same kind. A worker's last has no address,
 * the primary's has the region's. */
static bool ends_region(const struct hd_thread *thread, const void *address) {
  const struct hd_region *led = thread->base->base.led;
  return !address || (led && address == led->known->address);
}

static void begin_wait(struct hd_thread *thread, uint64_t now, ompt_sync_region_t kind, ompt_data_t *task,
                       const void *address) {
  switch ((unsigned)kind) {
  case ompt_sync_region_barrier:
  case ompt_sync_region_barrier_implicit:
    if (ends_region(thread, address))
      hd_region_arrive(thread, now, 0);
    else
      begin_worksharing_barrier(thread, now, address);
    break;
  case ompt_sync_region_barrier_implicit_parallel:
  case ompt_sync_region_barrier_teams:
    hd_region_arrive(thread, now, 0);
    break;
  case ompt_sync_region_barrier_implicit_workshare:
    begin_worksharing_barrier(thread, now, address);
    break;
  case ompt_sync_region_barrier_explicit:
    thread->base->base.work.ended = false; /* no later barrier follows that construct directly */
    enter_barrier(thread, now, HD_KIND_BARRIER_EXPLICIT, address);
    break;
  case ompt_sync_region_barrier_implementation:
    begin_implementation_barrier(thread, now, address);
    break;
  case ompt_sync_region_taskwait:
    hd_callbacks_enter(thread, now, HD_KIND_TASKWAIT, address, HD_WAIT_TASKWAIT);
    thread->top->task = task;
    break;
  case ompt_sync_region_taskgroup:
    hd_callbacks_enter(thread, now, HD_KIND_TASKGROUP, address, HD_WAIT_TASKGROUP);
    thread->top->task = task;
    break;
  case ompt_sync_region_reduction:
    hd_callbacks_enter(thread, now, HD_KIND_REDUCTION, address, HD_WAIT_REDUCTION);
    break;
  default:
    hd_callbacks_count_unknown();
    hd_callbacks_enter(thread, now, HD_KIND_OTHER, address, HD_WAIT_OTHER);
  }
}

/* Unless its begin was not seen: then there is nothing to tell of. */
static void end_barrier(struct hd_thread *thread, enum hd_kind kind) {
  const struct hd_frame *waiting = hd_thread_innermost(thread, kind);
  if (waiting)
    hd_barrier_end(thread, waiting);
}

/* The end of a worksharing barrier, or of what was taken for the region's last one and was not. */
static void end_implicit_barrier(struct hd_thread *thread, uint64_t now) {
  const bool of_construct = thread->base->base.work.ended;
  if (thread->top == thread->base && thread->base->state == HD_WAIT_BARRIER_IMPLICIT) {
    hd_barrier_end(thread, thread->base);
    thread->base->base.place.has_finished = false;
    hd_thread_set_state(thread, now, HD_BUSY);
    return;
  }
  end_barrier(thread, HD_KIND_BARRIER_IMPLICIT);
  if (hd_thread_innermost(thread, HD_KIND_BARRIER_IMPLICIT))
    hd_worksharing_leave(thread);
  if (hd_thread_leave(thread, now, HD_KIND_BARRIER_IMPLICIT, NULL) && of_construct)
    hd_worksharing_barrier_end(thread, now);
}

/* A task that is not observed may have left something open in there. */
static void end_implementation_barrier(struct hd_thread *thread, uint64_t now) {
  if (hd_thread_innermost(thread, HD_KIND_BARRIER_IMPLICIT)) {
    end_implicit_barrier(thread, now);
    return;
  }
  const enum hd_kind kind = hd_thread_innermost(thread, HD_KIND_BARRIER) ? HD_KIND_BARRIER : HD_KIND_REDUCTION;
  end_barrier(thread, kind);
  hd_thread_leave(thread, now, kind, NULL);
}

/* On a worker this may come seconds late and says nothing: region.h. */
static void end_last_barrier(struct hd_thread *thread, uint64_t now) {
  const struct hd_frame_base *task = &thread->base->base;
  if (thread->base->kind == HD_KIND_PARALLEL && (!task->region || task->led))
    hd_region_join(thread, now);
}

static bool is_last_of_worker(ompt_sync_region_t kind, const ompt_data_t *parallel) {
  const bool may_be = (unsigned)kind == ompt_sync_region_barrier || (unsigned)kind == ompt_sync_region_barrier_implicit;
  const bool is_last = (unsigned)kind == ompt_sync_region_barrier_implicit_parallel ||
                       (unsigned)kind == ompt_sync_region_barrier_teams || (may_be && !parallel);
  return is_last && hd_callbacks_has_finished();
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
    end_barrier(thread, HD_KIND_BARRIER_EXPLICIT);
    hd_thread_leave(thread, now, HD_KIND_BARRIER_EXPLICIT, NULL);
    break;
  case ompt_sync_region_barrier_implementation:
    end_implementation_barrier(thread, now);
    break;
  case ompt_sync_region_taskwait:
    hd_order_tell(thread, now, HD_ORDER_TASKWAIT, 0, 0);
    hd_thread_leave(thread, now, HD_KIND_TASKWAIT, task);
    break;
  case ompt_sync_region_taskgroup:
    hd_order_tell(thread, now, HD_ORDER_GROUP_END, 0, 0);
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
  default:
    break;
  }
  hd_unresolved_begin_wait(thread);
  if (kind == ompt_sync_region_taskwait || kind == ompt_sync_region_taskgroup || kind == ompt_sync_region_reduction)
    return true;
  const struct hd_worksharing *work = &thread->base->base.work;
  if (work->ended && kind != ompt_sync_region_barrier_explicit) /* it is the construct's, whose waits lack it */
    hd_budget_mark(work->row, HD_CLASS_SYNC);
  hd_barrier_skip(thread, kind != ompt_sync_region_barrier_implementation || hd_callbacks_is_gcc_code(thread));
  return true;
}

/* The current task waits, in whatever it has entered since. */
static bool waits(const struct hd_thread *thread) {
  for (enum hd_kind kind = HD_KIND_TASKWAIT; kind <= HD_KIND_REDUCTION; kind++)
    if (hd_thread_innermost(thread, kind))
      return true;
  return hd_thread_innermost(thread, HD_KIND_OTHER);
}

/* The class is off, and this ends nothing that is open: the thread waits in nothing, not even at its region's end; or
 * for the tasks of another one, where it runs one that is not observed, and that waits, too. */
static bool is_unobserved_wait(ompt_sync_region_t kind, const ompt_data_t *task) {
  if (!hd_budget_is_off(HD_CLASS_SYNC))
    return false;
  const struct hd_thread *thread = hd_thread_known_soon();
  if (!thread)
    return false;
  switch ((unsigned)kind) {
  case ompt_sync_region_taskwait:
    return !hd_thread_find_open(thread, HD_KIND_TASKWAIT, task);
  case ompt_sync_region_taskgroup:
    return !hd_thread_find_open(thread, HD_KIND_TASKGROUP, task);
  default:
    return thread->base->state == HD_BUSY && !waits(thread);
  }
}

static void change_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, const ompt_data_t *parallel,
                        ompt_data_t *task, const void *address) {
  HD_EVENT struct hd_event event =
      hd_event_begin(endpoint == ompt_scope_begin ? HD_EVENT_WAIT_BEGIN : HD_EVENT_WAIT_END);
  struct hd_thread *thread = event.thread;
  if (!thread)
    return;
  hd_task_notice(thread, event.now, task);
  if (endpoint == ompt_scope_begin)
    begin_wait(thread, event.now, kind, task, address);
  else if (endpoint == ompt_scope_end)
    end_wait(thread, event.now, kind, parallel, task);
}

void hd_callbacks_on_sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                                      ompt_data_t *task, const void *address) {
  if (hd_thread_ignores())
    return;
  if (endpoint == ompt_scope_end && !is_last_of_worker(kind, parallel) && hd_budget_has_switched())
    hd_unresolved_end_wait();
  if (endpoint == ompt_scope_begin ? refuse_wait(kind, address)
                                   : is_last_of_worker(kind, parallel) || is_unobserved_wait(kind, task))
    return;
  change_wait(kind, endpoint, parallel, task, address);
}

/* A taskgroup's tasks are those that are created from its begin on: for the critical path alone. */
void hd_callbacks_on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                                 ompt_data_t *task, const void *address) {
  (void)parallel, (void)address;
  if (kind != ompt_sync_region_taskgroup || endpoint != ompt_scope_begin || hd_thread_ignores())
    return;
  HD_EVENT struct hd_event event = hd_event_begin(HD_EVENT_WAIT_BEGIN);
  if (!event.thread)
    return;
  hd_task_notice(event.thread, event.now, task);
  hd_order_tell(event.thread, event.now, HD_ORDER_GROUP, 0, 0);
}

static enum hd_order order_of(ompt_dependence_type_t type) {
  switch (type) {
  case ompt_dependence_type_in:
    return HD_ORDER_READS;
  case ompt_dependence_type_mutexinoutset:
    return HD_ORDER_EXCLUDES;
  case ompt_dependence_type_inoutset:
    return HD_ORDER_JOINS;
  case ompt_dependence_type_out_all_memory:
  case ompt_dependence_type_inout_all_memory:
    return HD_ORDER_WRITES_ALL;
  default:
    return HD_ORDER_WRITES;
  }
}

static void tell_dependences(const ompt_data_t *task, const ompt_dependence_t *dependences, int count) {
  HD_EVENT struct hd_event event = hd_event_begin(HD_EVENT_TASK_CREATE);
  for (int i = 0; event.thread && i < count; i++)
    hd_order_tell(event.thread, event.now, order_of(dependences[i].dependence_type), (uint64_t)(uintptr_t)task,
                  (uint64_t)(uintptr_t)dependences[i].variable.ptr);
}

/* After each wait of a doacross loop's iteration for another one. A program may also have millions of tasks with
 * dependences, for which it comes, too: of no interest here. */
void hd_callbacks_on_dependences(ompt_data_t *task, const ompt_dependence_t *dependences, int count) {
  const bool is_of_loop = count > 0 && (dependences->dependence_type == ompt_dependence_type_sink ||
                                        dependences->dependence_type == ompt_dependence_type_source);
  if (hd_thread_ignores())
    return;
  if (hd_order_is_kept() && !is_of_loop)
    tell_dependences(task, dependences, count);
  if (count < 1 || dependences->dependence_type != ompt_dependence_type_sink)
    return;
  const struct hd_thread *thread = hd_thread_known_soon();
  if (thread && !(hd_alarms_now() & (HD_ALARM_STANDS | HD_ALARM_CLOSED)))
    hd_callpath_mark_sinks(thread->row->profile);
}
