/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file samples.h
 * What threads were executing: how much processor time, in samples, at which address, in which callpath and state.
 */
#ifndef HEDDLE_OUTPUT_MODEL_SAMPLES_H
#define HEDDLE_OUTPUT_MODEL_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

#include "output/model/model.h"
#include "output/model/node_text.h"

/** By node, state, module and offset, as in a model. */
int hd_samples_compare(const struct hd_model_sample *a, const struct hd_model_sample *b);

/** Sorts by node, state, module and offset, and joins what has the same of these. Returns how many remain. */
uint32_t hd_samples_join(struct hd_model_sample *samples, uint32_t count);

/** The model's sample with this node, state, module and offset; NULL: there is none. */
const struct hd_model_sample *hd_samples_find(const struct hd_model *model, const struct hd_model_sample *key);

/** "work heat.c:17 (inlined into solve)"; where no function is known, `otherwise` stands in its place. The line is that
 * of `line`. Without characters that a terminal obeys. */
void hd_sample_text(char text[HD_PLACE_BYTES], const struct hd_model_sample *sample, const struct hd_model_sample *line,
                    const char *otherwise);

#endif
