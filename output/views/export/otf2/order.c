/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/export/otf2/order.h"

#include <stdlib.h>
#include <string.h>

#include "support/command/memory.h"

#define uthash_fatal(why) hd_no_memory()
#include <uthash.h>

/* What OTF2 knows a task by. `generation` 0: the implicit task of that thread. */
struct task_name {
  OTF2_CommRef team;
  uint32_t creator, generation;
};

/* From its creation to its end. */
struct task {
  uint64_t number; /* the trace's */
  struct task_name name;
  UT_hash_handle hh;
};

/* Of a lock that a thread has. Few are had at a time. */
struct holding {
  uint32_t lock, acquisition;
};

struct thread {
  uint32_t created; /* tasks */
  struct holding *held;
  uint32_t held_count, held_limit;
  OTF2_TimeStamp time; /* of what is kept */
  bool keeps_lock, keeps_end, keeps_switch;
  struct holding lock;
  struct task_name end, next;
};

struct hd_otf2_order {
  struct hd_otf2 *otf2;
  struct thread *threads;
  struct task *tasks;
  uint32_t *acquisitions; /* by lock */
  uint64_t acquisition_limit;
};

struct hd_otf2_order *hd_otf2_order_new(struct hd_otf2 *otf2) {
  struct hd_otf2_order *order = hd_new(1, sizeof *order);
  *order = (struct hd_otf2_order){.otf2 = otf2,
                                  .threads = hd_new((size_t)otf2->model->thread_count + 1, sizeof *order->threads)};
  return order;
}

static void forget(struct hd_otf2_order *order, struct task *task) {
  HASH_DEL(order->tasks, task);
  free(task);
}

static void forget_all(struct hd_otf2_order *order) {
  while (order->tasks)
    forget(order, order->tasks);
}

void hd_otf2_order_free(struct hd_otf2_order *order) {
  forget_all(order);
  for (uint32_t i = 0; i < order->otf2->model->thread_count; i++)
    free(order->threads[i].held);
  free(order->threads);
  free(order->acquisitions);
  free(order);
}

/* ---- tasks ---- */

static struct task *find(const struct hd_otf2_order *order, uint64_t number) {
  struct task *task = NULL;
  HASH_FIND(hh, order->tasks, &number, sizeof number, task);
  return task;
}

/* A thread outside all regions is a team of its own. */
static OTF2_CommRef team_of(const struct hd_otf2_order *order, const struct hd_otf2_place *place) {
  if (place->team != HD_NONE)
    return place->team;
  order->otf2->is_alone[place->thread] = true;
  return hd_otf2_comm_alone(order->otf2, place->thread);
}

static uint32_t rank_of(const struct hd_otf2_order *order, const struct hd_otf2_place *place) {
  if (place->team == HD_NONE)
    return 0;
  const struct hd_trace_team team = hd_trace_teams_at(order->otf2->teams, place->team);
  uint32_t rank = 0;
  while (rank + 1 < team.count && team.threads[rank] != place->thread)
    rank++;
  return rank;
}

static struct task_name implicit_task(const struct hd_otf2_order *order, const struct hd_otf2_place *place) {
  return (struct task_name){team_of(order, place), rank_of(order, place), 0};
}

static void create(struct hd_otf2_order *order, const struct hd_otf2_place *place, uint64_t number,
                   OTF2_TimeStamp time) {
  struct task_name name = implicit_task(order, place);
  struct task *task = find(order, number); /* a damaged trace may have it twice */
  name.generation = ++order->threads[place->thread].created;
  if (!task) {
    task = hd_new(1, sizeof *task);
    task->number = number;
    HASH_ADD(hh, order->tasks, number, sizeof number, task);
  }
  task->name = name;
  hd_otf2_check(order->otf2,
                OTF2_EvtWriter_ThreadTaskCreate(place->writer, NULL, time, name.team, name.creator, name.generation));
}

/* A task that the trace has not seen created is not known from an implicit one. */
static void keep_switch(struct hd_otf2_order *order, const struct hd_otf2_place *place, uint64_t ended, uint64_t next) {
  struct thread *thread = &order->threads[place->thread];
  struct task *end = find(order, ended);
  const struct task *to = find(order, next);
  thread->keeps_end = end;
  thread->keeps_switch = true;
  thread->next = to ? to->name : implicit_task(order, place);
  if (!end)
    return;
  thread->end = end->name;
  forget(order, end);
}

/* ---- locks ---- */

static uint32_t *acquisitions_of(struct hd_otf2_order *order, uint64_t lock) {
  if (lock >= order->acquisition_limit) {
    const uint64_t limit = 2 * lock + 8;
    order->acquisitions = hd_grow(order->acquisitions, limit, sizeof *order->acquisitions);
    memset(order->acquisitions + order->acquisition_limit, 0,
           (limit - order->acquisition_limit) * sizeof *order->acquisitions);
    order->acquisition_limit = limit;
  }
  return &order->acquisitions[lock];
}

static void keep_lock(struct hd_otf2_order *order, const struct hd_otf2_place *place, uint64_t lock) {
  struct thread *thread = &order->threads[place->thread];
  if (thread->held_count == thread->held_limit) {
    thread->held_limit = 2 * thread->held_limit + 4;
    thread->held = hd_grow(thread->held, thread->held_limit, sizeof *thread->held);
  }
  thread->lock = (struct holding){(uint32_t)lock, ++*acquisitions_of(order, lock)};
  thread->held[thread->held_count++] = thread->lock;
  thread->keeps_lock = true;
}

/* Whose acquisition the trace has not seen has no number. */
static void release(struct hd_otf2_order *order, const struct hd_otf2_place *place, uint64_t lock,
                    OTF2_TimeStamp time) {
  struct thread *thread = &order->threads[place->thread];
  for (uint32_t i = thread->held_count; i-- > 0;) {
    const struct holding holding = thread->held[i];
    if (holding.lock != lock)
      continue;
    memmove(&thread->held[i], &thread->held[i + 1], (--thread->held_count - i) * sizeof *thread->held);
    hd_otf2_check(order->otf2, OTF2_EvtWriter_ThreadReleaseLock(place->writer, NULL, time, OTF2_PARADIGM_OPENMP,
                                                                holding.lock, holding.acquisition));
    return;
  }
}

/* ---- all ---- */

void hd_otf2_order_take(struct hd_otf2_order *order, const struct hd_otf2_place *place,
                        const struct hd_trace_entry *entry, OTF2_TimeStamp time) {
  order->threads[place->thread].time = time;
  if (entry->operand == HD_ORDER_CREATE && !(entry->b & HD_ORDER_ONLY_WAITS))
    create(order, place, entry->a, time);
  else if (entry->operand == HD_ORDER_SWITCH)
    keep_switch(order, place, entry->a, entry->b);
  else if (entry->operand == HD_ORDER_ACQUIRED)
    keep_lock(order, place, entry->a);
  else if (entry->operand == HD_ORDER_RELEASED)
    release(order, place, entry->a, time);
}

void hd_otf2_order_leave(struct hd_otf2_order *order, const struct hd_otf2_place *place, OTF2_TimeStamp time) {
  const struct task_name to = implicit_task(order, place);
  hd_otf2_check(order->otf2,
                OTF2_EvtWriter_ThreadTaskSwitch(place->writer, NULL, time, to.team, to.creator, to.generation));
}

/* A switch that is kept led nowhere. */
void hd_otf2_order_end(struct hd_otf2_order *order, uint32_t thread, bool is_bound) {
  order->threads[thread].held_count = 0;
  order->threads[thread].keeps_switch = false;
  if (is_bound)
    forget_all(order);
}

bool hd_otf2_order_keeps(const struct hd_otf2_order *order, uint32_t number, OTF2_TimeStamp *time) {
  const struct thread *thread = &order->threads[number];
  *time = thread->time;
  return thread->keeps_lock || thread->keeps_switch;
}

void hd_otf2_order_write(struct hd_otf2_order *order, const struct hd_otf2_place *place) {
  struct thread *thread = &order->threads[place->thread];
  const struct task_name end = thread->end, next = thread->next;
  if (thread->keeps_lock)
    hd_otf2_check(order->otf2, OTF2_EvtWriter_ThreadAcquireLock(place->writer, NULL, thread->time, OTF2_PARADIGM_OPENMP,
                                                                thread->lock.lock, thread->lock.acquisition));
  if (thread->keeps_end)
    hd_otf2_check(order->otf2, OTF2_EvtWriter_ThreadTaskComplete(place->writer, NULL, thread->time, end.team,
                                                                 end.creator, end.generation));
  if (thread->keeps_switch)
    hd_otf2_check(order->otf2, OTF2_EvtWriter_ThreadTaskSwitch(place->writer, NULL, thread->time, next.team,
                                                               next.creator, next.generation));
  thread->keeps_lock = thread->keeps_end = thread->keeps_switch = false;
}
