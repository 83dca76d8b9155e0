/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which tasks wait for which, as OpenMP's specification says it: pair by pair. */
#include "oracle_critical.h"

void or_depend(struct or_dependences *task, const struct fk_event *e) {
  task->all = or_grown_by_one(task->all, task->count, sizeof *task->all);
  task->all[task->count++] = (struct or_dependence){.variable = e->wait_id, .type = (ompt_dependence_type_t)e->kind};
}

static bool is_on_all(const struct or_dependence *dependence) {
  return dependence->type == ompt_dependence_type_out_all_memory ||
         dependence->type == ompt_dependence_type_inout_all_memory;
}

/* Any number read; exclude one another without an order; write without an order. */
static bool is_same_set(const struct or_dependence *a, const struct or_dependence *b) {
  return a->type == b->type && (a->type == ompt_dependence_type_in || a->type == ompt_dependence_type_mutexinoutset ||
                                a->type == ompt_dependence_type_inoutset);
}

bool or_waits_for(const struct or_dependences *task, const struct or_dependences *other, bool is_earlier,
                  bool has_ended) {
  for (uint32_t i = 0; i < task->count; i++)
    for (uint32_t j = 0; j < other->count; j++) {
      const struct or_dependence *a = &task->all[i], *b = &other->all[j];
      if (a->variable != b->variable && !is_on_all(a) && !is_on_all(b))
        continue;
      if (is_same_set(a, b) ? a->type == ompt_dependence_type_mutexinoutset && has_ended : is_earlier)
        return true;
    }
  return false;
}
