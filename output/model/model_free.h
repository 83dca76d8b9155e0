/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file model_free.h
 * The end of a model.
 */
#ifndef HEDDLE_OUTPUT_MODEL_MODEL_FREE_H
#define HEDDLE_OUTPUT_MODEL_MODEL_FREE_H

#include "output/model/model.h"

/** NULL is allowed. */
void hd_model_free(struct hd_model *model);

#endif
