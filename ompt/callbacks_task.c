/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Explicit tasks. */
#include "ompt/callbacks.h"
#include "ompt/construct/task.h"
#include "ompt/thread/order.h"
#include "ompt/thread/unresolved.h"

static uint64_t name_of(const ompt_data_t *task) {
  return (uint64_t)(uintptr_t)task;
}

/* "taskwait depend", and the wait of an undeferred task for its dependences (libomp 16 and later): a task that is never
 * run begins the wait, its "complete" ends it. */
static void begin_dependence_wait(ompt_data_t *task, const void *address) {
  if (hd_budget_refuses(HD_CLASS_TASK) || hd_budget_refuses(HD_CLASS_SYNC)) {
    hd_unresolved_begin_wait(hd_thread_known_soon());
    return;
  }
  HD_EVENT struct hd_event event = hd_event_begin(HD_EVENT_WAIT_BEGIN);
  struct hd_thread *thread = event.thread;
  if (!thread)
    return;
  hd_order_tell(thread, event.now, HD_ORDER_CREATE, name_of(task), HD_ORDER_ONLY_WAITS);
  hd_callbacks_enter(thread, event.now, HD_KIND_TASKWAIT, address, HD_WAIT_TASKWAIT);
  thread->top->task = task;
}

static void end_dependence_wait(const ompt_data_t *task) {
  if (hd_budget_has_switched())
    hd_unresolved_end_wait();
  HD_EVENT struct hd_event event = hd_event_begin(HD_EVENT_WAIT_END);
  struct hd_thread *thread = event.thread;
  if (!thread)
    return;
  hd_order_tell(thread, event.now, HD_ORDER_DEPENDS_END, name_of(task), 0);
  if (hd_thread_find_open(thread, HD_KIND_TASKWAIT, task))
    hd_thread_leave(thread, event.now, HD_KIND_TASKWAIT, task);
}

void hd_callbacks_on_task_create(ompt_data_t *creator, const ompt_frame_t *frame, ompt_data_t *task, int flags,
                                 int has_dependences, const void *address) {
  (void)creator, (void)frame, (void)has_dependences;
  if (hd_thread_ignores())
    return;
  if (flags & ompt_task_taskwait) {
    begin_dependence_wait(task, address);
    return;
  }
  if (hd_budget_refuses(HD_CLASS_TASK))
    return;
  HD_EVENT struct hd_event event =
      hd_order_is_kept() ? hd_event_begin(HD_EVENT_TASK_CREATE) : hd_event_begin_untimed(HD_EVENT_TASK_CREATE);
  struct hd_thread *thread = event.thread;
  if (!thread || (flags & (ompt_task_initial | ompt_task_implicit)))
    return;
  if (thread->pending)
    hd_thread_settle(thread);
  hd_task_create(thread, task, address);
  if (hd_order_is_kept())
    hd_order_log(thread, event.now, HD_ORDER_CREATE, name_of(task),
                 hd_task_profile(task) | (flags & ompt_task_undeferred ? HD_ORDER_UNDEFERRED : 0));
}

static void change_task(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next) {
  HD_EVENT struct hd_event event = hd_event_begin(HD_EVENT_TASK_SCHEDULE);
  if (!event.thread)
    return;
  hd_order_tell(event.thread, event.now, HD_ORDER_SWITCH, hd_task_has_ended(status) ? name_of(prior) : 0,
                name_of(next));
  hd_task_schedule(event.thread, event.now, prior, status, next);
}

static bool is_unobserved_task(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next) {
  if (!hd_budget_is_off(HD_CLASS_TASK))
    return false;
  struct hd_thread *thread = hd_thread_known_soon();
  return thread && hd_task_leaves_out(thread, prior, status, next);
}

void hd_callbacks_on_task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next) {
  if (status == ompt_task_early_fulfill || status == ompt_task_late_fulfill)
    return; /* nobody starts or stops working */
  if (hd_thread_ignores())
    return;
  if (status == ompt_taskwait_complete)
    end_dependence_wait(prior);
  else if (!is_unobserved_task(prior, status, next))
    change_task(prior, status, next);
}
