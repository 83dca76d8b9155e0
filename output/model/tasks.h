/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file tasks.h
 * How long tasks took, and how long they waited to begin.
 */
#ifndef HEDDLE_OUTPUT_MODEL_TASKS_H
#define HEDDLE_OUTPUT_MODEL_TASKS_H

#include <stdint.h>

#include "output/model/model.h"

/** Sorts by node, and adds up what is of the same one. Returns how many remain. */
uint32_t hd_tasks_join(struct hd_model_task *tasks, uint32_t count);

/** to += from: of one node, or of several that are shown as one. `to->node` stays. */
void hd_task_add(struct hd_model_task *to, const struct hd_model_task *from);

/** NULL: no task of that node was observed whole. */
const struct hd_model_task *hd_tasks_find(const struct hd_model *model, uint32_t node);

#endif
