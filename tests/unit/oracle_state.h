/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file oracle_state.h
 * The oracle's own picture of the running program: every task with its open constructs, every thread with its task.
 */
#ifndef HEDDLE_TESTS_ORACLE_STATE_H
#define HEDDLE_TESTS_ORACLE_STATE_H

#include "oracle_result.h"

#define OR_MAX_OPEN 64

/* Why a construct is on a task's list: what its end will look for. */
enum or_tag { OR_BASE, OR_FORK, OR_WORK, OR_SYNC, OR_MUTEX, OR_JOIN };

struct or_open {
  uint32_t node;
  enum hd_state state;
  enum or_tag tag;
  bool closing; /* OR_SYNC: the worksharing construct's own barrier */
};

struct or_task {
  struct or_open open[OR_MAX_OPEN];
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

struct or_thread {
  bool known;
  bool ended;
  uint32_t id; /* in the profile: threads are numbered as they are heard of */
  uint32_t task;
  uint32_t outer[OR_MAX_OPEN]; /* implicit tasks to return to, of enclosing regions */
  uint32_t outer_count;
  bool leaving;             /* a worker has been told of its region's end, perhaps before the primary's join */
  enum hd_state base_state; /* outside all tasks */
  uint64_t last;
};

struct oracle {
  const struct fk_script *script;
  struct or_result *result;
  struct or_task *tasks;
  struct or_region *regions;
  struct or_thread threads[FK_MAX_THREADS];
  uint64_t end;
};

struct or_task *or_task_of(struct oracle *o, const struct or_thread *thread);
struct or_open *or_top_of(struct or_task *task);
void or_push(struct or_task *task, uint32_t node, enum hd_state state, enum or_tag tag);
/** Leaves the innermost open construct with `tag` and everything inside it. */
void or_pop(struct or_task *task, enum or_tag tag);
uint32_t or_node_of(struct oracle *o, const struct or_thread *thread);
/** Whether a barrier is the one at its region's end: libomp 14 and 16 tell it by the address alone. */
bool or_is_join(const struct oracle *o, const struct fk_event *e);

void or_on_work(struct oracle *o, struct or_thread *thread, const struct fk_event *e);
void or_on_sync(struct oracle *o, struct or_thread *thread, const struct fk_event *e);
void or_on_mutex(struct oracle *o, struct or_thread *thread, const struct fk_event *e);

#endif
