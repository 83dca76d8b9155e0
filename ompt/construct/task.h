/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file task.h
 * Explicit tasks: whose time they are (the profile of the place that created them) and when they run (task_schedule).
 *
 * task_data->value remembers what is known of a task (task_value.h), and where on the stack of frames it is: so no
 * event costs more the more tasks lie there, and no memory is allocated for a task.
 */
#ifndef HEDDLE_OMPT_CONSTRUCT_TASK_H
#define HEDDLE_OMPT_CONSTRUCT_TASK_H

#include "ompt/thread/thread.h"

/** `task` is created at `address` by what `thread` is doing, which stays busy. Returns the task's profile. */
uint32_t hd_task_create(struct hd_thread *thread, uint64_t now, ompt_data_t *task, const void *address);

/** Whether a task with this status does not go on. */
bool hd_task_has_ended(ompt_task_status_t status);

/** While tasks are off (budget.h): notes that a task begins or ends unobserved, if that is all. False: hd_task_schedule
 *  has something to do. A task that began unobserved stays so, even if it was created while tasks were observed: taken
 *  up in the middle it would lie on top of what it has open. What it leaves open ends with it. */
bool hd_task_leaves_out(struct hd_thread *thread, ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next);

/** The thread leaves `prior` (for good or not, see `status`) and goes on with `next`. */
void hd_task_schedule(struct hd_thread *thread, uint64_t now, ompt_data_t *prior, ompt_task_status_t status,
                      ompt_data_t *next);

/** The thread closes the tasks above `task`, which it runs again; nothing if that is not below them. */
void hd_task_return_to(struct hd_thread *thread, uint64_t now, const ompt_data_t *task);

/**
 * An event tells that the thread runs `task`. While the earlier part of an untied task has not quite ended on another
 * thread, libomp reports the end of the present part there, not here.
 */
static inline void hd_task_notice(struct hd_thread *thread, uint64_t now, const ompt_data_t *task) {
  if (__builtin_expect(thread->base->task != task && thread->base->kind == HD_KIND_TASK, false))
    hd_task_return_to(thread, now, task);
}

#endif
