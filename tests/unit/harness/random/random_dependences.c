/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Random dependences between tasks of one creator: which of them may run, and from when on. */
#include <stdlib.h>

#include "random_parts.h"
#include "script.h"

enum { VARIABLES = 3, MOST = 3 };

struct depending {
  uint32_t task, creator;
  uint32_t count;
  struct {
    uint32_t variable;
    ompt_dependence_type_t type;
  } on[MOST];
  bool begun, ended;
  uint64_t end;
};

static struct depending *all; /* in the order of their creation */
static uint32_t all_count, all_limit;

void rp_forget_dependences(void) {
  all_count = 0;
}

/* ---- what excludes what ---- */

static bool is_all_memory(ompt_dependence_type_t type) {
  return type == ompt_dependence_type_out_all_memory || type == ompt_dependence_type_inout_all_memory;
}

enum relation { NONE, EXCLUDES, ORDERS };

static enum relation relation_of(const struct depending *a, const struct depending *b) {
  enum relation relation = NONE;
  for (uint32_t i = 0; i < a->count; i++)
    for (uint32_t j = 0; j < b->count; j++) {
      const ompt_dependence_type_t type = a->on[i].type, other = b->on[j].type;
      if (a->on[i].variable != b->on[j].variable && !is_all_memory(type) && !is_all_memory(other))
        continue;
      if (type != other || type == ompt_dependence_type_out || type == ompt_dependence_type_inout ||
          is_all_memory(type))
        return ORDERS;
      if (type == ompt_dependence_type_mutexinoutset)
        relation = EXCLUDES;
    }
  return relation;
}

static struct depending *find(uint32_t task) {
  for (uint32_t i = 0; i < all_count; i++)
    if (all[i].task == task)
      return &all[i];
  return NULL;
}

/* Whether `task`, if it has not begun, must wait for `other`; in `end` from when on it need not. */
static bool waits_for(const struct depending *task, const struct depending *other, uint64_t *end) {
  const enum relation relation = other->creator == task->creator ? relation_of(other, task) : NONE;
  const bool concerns = (relation == ORDERS && other < task) || (relation == EXCLUDES && other->begun);
  if (other == task || !concerns)
    return false;
  if (other->ended && *end < other->end)
    *end = other->end;
  return !other->ended;
}

bool rp_may_run(uint32_t task, uint64_t *ready) {
  const struct depending *found = find(task);
  bool may = true;
  for (uint32_t i = 0; found && !found->begun && i < all_count; i++)
    may &= !waits_for(found, &all[i], ready);
  return may;
}

void rp_task_runs(uint32_t task) {
  struct depending *found = find(task);
  if (found)
    found->begun = true;
}

void rp_task_has_ended(uint32_t task, uint64_t now) {
  struct depending *found = find(task);
  if (!found)
    return;
  found->ended = true;
  found->end = now;
}

/* ---- creation ---- */

static struct depending *make(uint32_t task, uint32_t creator) {
  if (all_count == all_limit) {
    all_limit = all_limit ? 2 * all_limit : 64;
    all = realloc(all, all_limit * sizeof *all);
    if (!all)
      abort();
  }
  all[all_count] = (struct depending){.task = task, .creator = creator};
  return &all[all_count++];
}

static ompt_dependence_type_t choose_type(void) {
  static const ompt_dependence_type_t types[] = {ompt_dependence_type_in,           ompt_dependence_type_in,
                                                 ompt_dependence_type_out,          ompt_dependence_type_inout,
                                                 ompt_dependence_type_inoutset,     ompt_dependence_type_inoutset,
                                                 ompt_dependence_type_inout,        ompt_dependence_type_mutexinoutset,
                                                 ompt_dependence_type_mutexinoutset};
  if (rp_chance(5))
    return ompt_dependence_type_out_all_memory;
  return types[rp_random(sizeof types / sizeof *types)];
}

static void tell(const struct depending *task, uint32_t i) {
  struct fk_event event = sc_event(FK_DEPENDENCES);
  event.task = task->task;
  event.kind = task->on[i].type;
  event.wait_id = is_all_memory(task->on[i].type) ? UINT64_MAX : 0x5000 + 8 * task->on[i].variable;
  sc_emit(event);
}

/* Each variable at most once: a runtime makes one of several of the same. */
void rp_depend(uint32_t task, uint32_t creator) {
  if (!rp.options.dependences || rp_chance(15))
    return;
  struct depending *depending = make(task, creator);
  for (uint32_t variable = 0; variable < VARIABLES; variable++) {
    if (rp_chance(50))
      continue;
    depending->on[depending->count].variable = variable;
    depending->on[depending->count].type = choose_type();
    tell(depending, depending->count++);
  }
}

/* `taskwait depend`: over when all are that a task with these dependences would wait for. */
void rp_wait_for_dependences(struct rp_cursor *c) {
  const uint64_t code = rp_code(RP_TASKWAIT, c->depth);
  struct rp_cursor inside = *c;
  rp_pass(&inside);
  const uint32_t creator = sc_current_task();
  const uint32_t wait = sc_task_create(code, ompt_task_taskwait);
  struct depending depending = {.task = wait, .creator = creator, .count = 1};
  depending.on[0].variable = rp_random(VARIABLES);
  depending.on[0].type = rp_chance(50) ? ompt_dependence_type_in : ompt_dependence_type_inout;
  tell(&depending, 0);
  inside.depth++;
  uint64_t ready = 0;
  for (uint32_t i = 0; i < all_count;) {
    const bool concerns = all[i].creator == creator && relation_of(&all[i], &depending) == ORDERS;
    if (concerns && !all[i].ended)
      rp_run_one_of(&inside, creator);
    if (concerns && all[i].ended && ready < all[i].end)
      ready = all[i].end;
    i += !concerns || all[i].ended;
  }
  if (inside.now < ready)
    inside.now = ready;
  rp_pass(&inside);
  struct fk_event over = sc_event(FK_TASK_SCHEDULE);
  over.kind = ompt_taskwait_complete;
  over.task = wait;
  sc_emit(over);
  c->now = inside.now;
}
