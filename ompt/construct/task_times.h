/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file task_times.h
 * How long tasks take, and how long they wait to begin (heddle-tasks.h). What is known of that while a task is not on a
 * stack travels in its value (task_value.h), else it is in its base frame.
 *
 * Only the thread itself calls these functions, in an event.
 */
#ifndef HEDDLE_OMPT_CONSTRUCT_TASK_TIMES_H
#define HEDDLE_OMPT_CONSTRUCT_TASK_TIMES_H

#include "ompt/construct/known_tasks.h"

/** `task`, or a later part of it, has begun at `now`; its base frame is the innermost, and the thread works on it.
 *  `construct`: NULL if its times are not kept. */
void hd_task_times_begin(struct hd_thread *thread, uint64_t now, ompt_data_t *task,
                         struct hd_task_construct *construct);

/** The part on the innermost base frame, which is `task`'s, has ended: leaves that frame. `has_ended`: the task has,
 *  too. */
void hd_task_times_end(struct hd_thread *thread, uint64_t now, ompt_data_t *task, bool has_ended);

#endif
