/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Explicit tasks. */
#include "callpath/callpath.h"
#include "ompt/callbacks.h"
#include "ompt/construct/task.h"
#include "ompt/thread/order.h"
#include "ompt/thread/unresolved.h"

static uint64_t name_of(const ompt_data_t *task) {
  return (uint64_t)(uintptr_t)task;
}

/* "taskwait depend", and the wait of an undeferred task for its dependences (libomp 16 and later): a task that is never
 * run begins the wait, its "complete" ends it. */
HD_APART void begin_dependence_wait(ompt_data_t *task, const void *address) {
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

HD_APART void end_dependence_wait(const ompt_data_t *task) {
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

HD_APART void create(ompt_data_t *task, int flags, int has_dependences, const void *address) {
  HD_EVENT struct hd_event event = hd_event_begin(HD_EVENT_TASK_CREATE);
  struct hd_thread *thread = event.thread;
  if (!thread || (flags & (ompt_task_initial | ompt_task_implicit)))
    return;
  const uint32_t profile = hd_task_create(thread, event.now, task, address);
  if (has_dependences)
    hd_callpath_mark_depends(profile);
  if (hd_order_is_kept())
    hd_order_log(thread, event.now, HD_ORDER_CREATE, name_of(task),
                 profile | (flags & ompt_task_undeferred ? HD_ORDER_UNDEFERRED : 0));
}

HD_APART void create_unless_refused(ompt_data_t *task, int flags, int has_dependences, const void *address) {
  if (!hd_budget_refuses(HD_CLASS_TASK))
    create(task, flags, has_dependences, address);
}

void hd_callbacks_on_task_create(ompt_data_t *creator, const ompt_frame_t *frame, ompt_data_t *task, int flags,
                                 int has_dependences, const void *address) {
  (void)creator, (void)frame;
  if (hd_thread_ignores())
    return;
  if (flags & ompt_task_taskwait)
    begin_dependence_wait(task, address);
  else if (!hd_budget_is_any_off())
    create(task, flags, has_dependences, address);
  else if (!hd_refuse_at_once(hd_thread_current, HD_CLASS_TASK))
    create_unless_refused(task, flags, has_dependences, address);
}

HD_APART void change_task(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next) {
  HD_EVENT struct hd_event event = hd_event_begin(HD_EVENT_TASK_SCHEDULE);
  if (!event.thread)
    return;
  hd_order_tell(event.thread, event.now, HD_ORDER_SWITCH, hd_task_has_ended(status) ? name_of(prior) : 0,
                name_of(next));
  hd_task_schedule(event.thread, event.now, prior, status, next);
}

static inline bool is_unobserved_task(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next) {
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
