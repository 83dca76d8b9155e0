/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file oracle_critical.h
 * The critical path of a script, by brute force: every task has the longest chain of busy time that led to it, with the
 * time in each node, and whoever must wait for others copies the longest of theirs.
 */
#ifndef HEDDLE_TESTS_ORACLE_CRITICAL_H
#define HEDDLE_TESTS_ORACLE_CRITICAL_H

#include "oracle_state.h"

/** Before an event is handled, when the time up to it has been charged. */
void or_critical_take(struct oracle *o, struct or_thread *thread, const struct fk_event *e);

/** The task was run for so long in a node. */
void or_critical_add(struct oracle *o, struct or_task *task, uint32_t node, uint64_t ticks);

/** What a task depends on (oracle_dependences.c). */
struct or_dependences {
  struct or_dependence {
    uint64_t variable;
    ompt_dependence_type_t type;
  } *all;
  uint32_t count;
};
void or_depend(struct or_dependences *task, const struct fk_event *e);

/** Whether the one had to wait for the other, a task of the same creator: one that was created before it; or one that
 *  excludes it and has ended when it begins. */
bool or_waits_for(const struct or_dependences *task, const struct or_dependences *other, bool is_earlier,
                  bool has_ended);

/** The result is to have it; and no longer. */
void or_critical_begin(struct or_result *result);
void or_critical_free(struct or_critical *path);

#endif
