/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Random explicit tasks. */
#include <stdlib.h>

#include "random_parts.h"
#include "script.h"

static struct rp_task take(struct rp_team *team, uint32_t i) {
  struct rp_task task = team->pool[i];
  team->pool[i] = team->pool[--team->pool_count];
  return task;
}

static void put(struct rp_team *team, const struct rp_task *task) {
  if (team->pool_count == RP_MAX_POOL)
    abort();
  team->pool[team->pool_count++] = *task;
}

static void wait_for_group(struct rp_cursor *c, uint32_t group, uint64_t code);

/* An untied task may leave its thread in the middle of a taskgroup's body and end the group elsewhere. */
static void run_part(struct rp_cursor *c, struct rp_task *task) {
  rp.group[c->thread] = task->open_group ? task->open_group : task->group;
  rp_statements(c);
  if (task->open_group) {
    wait_for_group(c, task->open_group, task->open_group_code);
    task->open_group = 0;
    rp.group[c->thread] = task->group;
    rp_statements(c);
  } else if (task->parts > 1 && rp_chance(30)) {
    task->open_group = ++rp.group_count;
    task->open_group_code = rp_code(RP_TASKGROUP, c->depth);
    rp_pass(c);
    sc_taskgroup_begin(task->open_group_code);
    rp.group[c->thread] = task->open_group;
    rp_create_task(c);
  }
  task->depth = c->depth; /* of what it left open */
}

/* Runs a task, or its next part, on a thread that waits. */
static void run(struct rp_cursor *waiting, struct rp_task task) {
  struct rp_cursor c = *waiting;
  uint32_t group = rp.group[c.thread];
  if (!rp_may_run(task.task, &task.ready))
    abort();
  rp_task_runs(task.task);
  if (c.now < task.ready)
    c.now = task.ready;
  c.depth = task.depth;
  rp_pass(&c);
  sc_task_run(task.task);
  run_part(&c, &task);
  rp_pass(&c);
  if (--task.parts > 0) {
    sc_task_leave(ompt_task_switch);
    task.ready = c.now;
    put(c.team, &task);
  } else {
    sc_task_leave(rp_chance(5) ? ompt_task_cancel : ompt_task_complete);
    rp_task_has_ended(task.task, c.now);
  }
  rp.group[c.thread] = group;
  waiting->now = c.now;
}

/* `i`, or the first behind it that may run. Of tasks that wait for one another there always is one. */
static uint32_t choose(const struct rp_team *team, uint32_t i) {
  uint64_t ready = 0;
  for (uint32_t tried = 0; !rp_may_run(team->pool[i].task, &ready); tried++) {
    if (tried == team->pool_count)
      abort();
    i = (i + 1) % team->pool_count;
  }
  return i;
}

uint64_t rp_run_pool(struct rp_team *team) {
  uint64_t last = 0;
  while (team->pool_count > 0) {
    struct rp_task task = take(team, choose(team, rp_random(team->pool_count)));
    run(&team->members[rp_random(team->size)], task);
  }
  for (uint32_t i = 0; i < team->size; i++)
    if (last < team->members[i].now)
      last = team->members[i].now;
  return last;
}

static void run_undeferred(struct rp_cursor *c) {
  struct rp_cursor inside = *c;
  sc_task_run(sc_task_create(rp_code(RP_TASK, c->depth), ompt_task_undeferred));
  inside.depth++;
  rp_statements(&inside);
  rp_pass(&inside);
  sc_task_leave(ompt_task_complete);
  c->now = inside.now;
}

/* In a team of one, or outside any region, no task is deferred. */
static void create_task(struct rp_cursor *c) {
  struct rp_task task = {.creator = sc_current_task(), .group = rp.group[c->thread], .depth = c->depth + 1, .parts = 1};
  rp_pass(c);
  if (c->team->size == 1 || c->team->pool_count > RP_MAX_POOL / 2 || rp_chance(15)) {
    run_undeferred(c);
    return;
  }
  rp_select(c);
  task.creator = sc_current_task();
  task.untied = rp_chance(25);
  task.parts = task.untied ? 1 + rp_random(3) : 1;
  task.task = sc_task_create(rp_code(RP_TASK, c->depth), task.untied ? ompt_task_untied : 0);
  task.ready = c->now;
  rp_depend(task.task, task.creator);
  put(c->team, &task);
}

/* The runtime may call one entry point in another. */
void rp_create_task(struct rp_cursor *c) {
  const bool nested = rp_chance(20);
  rp_enter(c, HEDDLE_ENTRY_TASK_CREATION);
  if (nested)
    rp_enter(c, HEDDLE_ENTRY_TASK_CREATION);
  create_task(c);
  if (nested)
    rp_come_back(c, HEDDLE_ENTRY_TASK_CREATION);
  rp_come_back(c, HEDDLE_ENTRY_TASK_CREATION);
}

void rp_run_one_of(struct rp_cursor *c, uint32_t creator) {
  struct rp_team *team = c->team;
  uint64_t ready = 0;
  for (uint32_t i = 0; i < team->pool_count; i++) {
    if (team->pool[i].creator != creator || !rp_may_run(team->pool[i].task, &ready))
      continue;
    run(c, take(team, i));
    return;
  }
  abort();
}

/* While one of the tasks waited for is left, the thread runs it, or one that it waits for; the others have run
 * elsewhere. */
static void run_matching(struct rp_cursor *c, uint32_t creator, uint32_t group) {
  struct rp_team *team = c->team;
  for (uint32_t i = 0; i < team->pool_count;) {
    const struct rp_task *task = &team->pool[i];
    if (group ? task->group == group : task->creator == creator) {
      rp_run_one_of(c, task->creator);
      i = 0;
    } else {
      i++;
    }
  }
}

void rp_taskwait(struct rp_cursor *c) {
  if (rp.options.dependences && rp_chance(40)) {
    rp_wait_for_dependences(c);
    return;
  }
  uint64_t code = rp_code(RP_TASKWAIT, c->depth);
  struct rp_cursor inside = *c;
  rp_pass(&inside);
  uint32_t creator = sc_current_task();
  sc_barrier_begin(ompt_sync_region_taskwait, code);
  inside.depth++;
  run_matching(&inside, creator, 0);
  rp_pass(&inside);
  sc_barrier_end(ompt_sync_region_taskwait, code);
  c->now = inside.now;
}

static void wait_for_group(struct rp_cursor *c, uint32_t group, uint64_t code) {
  struct rp_cursor inside = *c;
  rp_pass(&inside);
  sc_taskgroup_wait(code);
  inside.depth++;
  run_matching(&inside, FK_NONE, group);
  rp_pass(&inside);
  sc_taskgroup_end(code);
  c->now = inside.now;
}

/* Half of them are a taskloop's: its tasks are created inside a construct inside the group. */
void rp_taskgroup(struct rp_cursor *c) {
  uint64_t code = rp_code(RP_TASKGROUP, c->depth);
  uint64_t loop = rp_chance(50) ? rp_code(RP_WORK, c->depth) : 0;
  uint32_t outer = rp.group[c->thread];
  uint32_t group = ++rp.group_count;
  rp.group[c->thread] = group;
  rp_pass(c);
  sc_taskgroup_begin(code);
  if (loop)
    sc_work_begin(ompt_work_taskloop, loop);
  struct rp_cursor inside = *c;
  inside.depth += loop != 0;
  for (uint32_t i = rp_random(4); i > 0; i--)
    rp_create_task(&inside);
  c->now = inside.now;
  rp_pass(c);
  if (loop)
    sc_work_end(ompt_work_taskloop, loop);
  wait_for_group(c, group, code);
  rp.group[c->thread] = outer;
}
