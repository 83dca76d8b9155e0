/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file known_tasks.h
 * What is known of task constructs. Of who creates tasks where: a number for each pair of a thread and a callpath,
 * which a task remembers until it begins (task_value.h) and which is the same every time, so that whoever runs the task
 * reads nothing that its creator writes. Of a thread's own: its row and its times (heddle-tasks.h).
 *
 * Only the thread itself calls these functions, but for hd_known_task_at. Nothing allocates after a construct's first
 * tasks.
 */
#ifndef HEDDLE_OMPT_CONSTRUCT_KNOWN_TASKS_H
#define HEDDLE_OMPT_CONSTRUCT_KNOWN_TASKS_H

#include "ompt/thread/thread.h"

enum { HD_KNOWN_TASK_BITS = 14 };

/** Who creates tasks, and of which callpath. */
struct hd_known_task {
  uint32_t profile; /* 0: the number stands for nothing */
  uint32_t creator; /* the thread's number */
};

struct hd_known_task hd_known_task_at(uint32_t number);

/** A task construct as one thread knows it. */
struct hd_task_construct {
  uint32_t profile;
  uint32_t number; /* of tasks that the thread creates there; 0: it has created none, or there are no more numbers */
  struct hd_row_record *row;     /* of the thread */
  struct hd_tasks_record *times; /* likewise; NULL: there are none yet */
};

/** The slow halves of what follows. */
struct hd_task_construct *hd_task_construct_find_slow(struct hd_thread *thread, uint32_t profile);
uint32_t hd_task_construct_take_number(struct hd_thread *thread, struct hd_task_construct *construct);
struct hd_tasks_record *hd_task_construct_make_times(struct hd_thread *thread, struct hd_task_construct *construct);

/** The construct of a callpath. NULL: there is no memory for it. */
static inline struct hd_task_construct *hd_task_construct_find(struct hd_thread *thread, uint32_t profile) {
  struct hd_task_construct *recent = thread->tasks.recent[profile % HD_RECENT_TASKS];
  return __builtin_expect(recent && recent->profile == profile, true) ? recent
                                                                      : hd_task_construct_find_slow(thread, profile);
}

/** What a task that the thread creates there is to remember; 0: nothing. */
static inline uint32_t hd_task_construct_number(struct hd_thread *thread, struct hd_task_construct *construct) {
  return __builtin_expect(construct->number != 0, true) ? construct->number
                                                        : hd_task_construct_take_number(thread, construct);
}

/** The thread's times of the construct. NULL: there is no room for them. */
static inline struct hd_tasks_record *hd_task_construct_times(struct hd_thread *thread,
                                                              struct hd_task_construct *construct) {
  return __builtin_expect(construct->times != NULL, true) ? construct->times
                                                          : hd_task_construct_make_times(thread, construct);
}

#endif
