/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How long tasks take and wait to begin (heddle-tasks.h), the simple way: every task adds up its own busy time,
 * whatever thread it runs on, and knows whether all of it was observed. */
#include <stdlib.h>

#include "oracle_state.h"

static void add_length(struct hd_lengths *to, uint64_t ticks) {
  uint32_t bucket = 0;
  while (bucket < HD_LENGTH_BUCKETS - 1 && ticks >> (bucket + 1) != 0)
    bucket++;
  to->ticks += ticks;
  to->counts[bucket]++;
  if (to->longest_ticks < ticks)
    to->longest_ticks = ticks;
}

/* The innermost explicit task on the thread's stack that is seen: what is unseen, and the implicit tasks of regions in
 * it, work for it. NULL: there is none. */
static struct or_task *explicit_task(struct oracle *o, const struct or_thread *thread) {
  uint32_t task = thread->task;
  for (uint32_t i = thread->outer_count; task != FK_NONE; i--) {
    if (o->tasks[task].is_explicit && !o->tasks[task].unseen)
      return &o->tasks[task];
    if (i == 0)
      return NULL;
    task = thread->outer[i - 1];
  }
  return NULL;
}

void or_times_add(struct oracle *o, const struct or_thread *thread, uint64_t ticks) {
  struct or_task *task = explicit_task(o, thread);
  if (task)
    task->own_ticks += ticks;
}

void or_times_spoil(struct oracle *o, const struct or_thread *thread) {
  for (uint32_t i = 0; i < thread->outer_count; i++)
    if (thread->outer[i] != FK_NONE)
      o->tasks[thread->outer[i]].spoilt = true;
  if (thread->task != FK_NONE)
    o->tasks[thread->task].spoilt = true;
}

/* Of the time of its creation, 40 binary digits travel with it. In units of a tick, as here, that is little: another
 * processor's clock may be ahead by a thousandth of what they hold, so that much looks like no delay at all. */
static uint64_t delay_of(const struct or_task *task, uint64_t now) {
  const uint64_t most = UINT64_C(1) << 40, delay = (now - task->created) % most;
  return delay < most - most / 1024 ? delay : 0;
}

void or_times_begin(struct oracle *o, struct or_task *task, uint32_t node, uint64_t now, bool is_first) {
  task->spoilt |= o->paused;
  if (is_first && !o->paused)
    add_length(&o->result->nodes[node].times.delay, delay_of(task, now));
}

/* Of what a task's parts took, 27 binary digits travel with it. */
void or_times_leave(struct or_task *task) {
  uint32_t dropped = 0;
  while (task->own_ticks >> dropped >= 1u << 27)
    dropped++;
  task->own_ticks = task->own_ticks >> dropped << dropped;
}

void or_times_end(struct oracle *o, const struct or_task *task) {
  if (task->is_explicit && task->started && !task->unseen && !task->spoilt)
    add_length(&o->result->nodes[task->open[0].node].times.run, task->own_ticks);
}
