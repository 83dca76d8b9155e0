/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file heddle-tasks.h
 * How long the tasks of a construct took, and how long they waited to begin. Part of heddle-format.h.
 *
 * The *time of a task* is the busy time of its threads in it, from its begin to its end: without its waits (taskwait,
 * barriers, locks ...), without the runtime's own work where entry points are observed, without other tasks that its
 * thread ran meanwhile, and without the time between the parts of an untied task (of what earlier parts took, one part
 * in 2^27 may be lost). Regions in it count with the time of its own thread. Heddle's own work in it counts, too. It is
 * kept if all of the task was observed, by the thread that ends it: not if its thread began waits, locks or other tasks
 * meanwhile that were not (budget.h), if it never ended, or if the end of a part of an untied task came after another
 * thread had begun the next.
 *
 * The *delay of a task* goes from its creation, as the runtime reports it, to its begin, whatever it waits for: a
 * thread that is free, what it depends on. It is kept by the thread that begins the task. An undeferred task begins at
 * once, or when what it depends on is ready. Precise to some 32 to 64 ns; more than ten hours are taken to be less.
 *
 * Neither is kept of tasks that begin in a pause.
 */
#ifndef HEDDLE_TASKS_H
#define HEDDLE_TASKS_H

#include "heddle-lengths.h"

/** One thread's, for one callpath of a task. */
struct hd_tasks_record {
  uint32_t profile;
  uint32_t thread;
  struct hd_lengths run;
  struct hd_lengths delay;
};

#endif
