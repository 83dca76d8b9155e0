/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file paths.h
 * Parts of the critical path in a model (struct hd_model_path).
 */
#ifndef HEDDLE_OUTPUT_MODEL_PATHS_H
#define HEDDLE_OUTPUT_MODEL_PATHS_H

#include "output/model/model.h"

/** Sorts them by node and adds up those of the same one. Returns how many are left. */
uint32_t hd_paths_join(struct hd_model_path *paths, uint32_t count);

/** Likewise of steps, sorted by both nodes. */
uint32_t hd_steps_join(struct hd_model_step *steps, uint32_t count);

/** The model gets another one's critical path, of the same run and callpaths. */
void hd_paths_copy(struct hd_model *model, const struct hd_model *from);

/** A node's; NULL: it has no part in it, and no span. */
const struct hd_model_path *hd_paths_find(const struct hd_model *model, uint32_t node);

/** The program's span: the length of its critical path. */
uint64_t hd_paths_span(const struct hd_model *model);

#endif
