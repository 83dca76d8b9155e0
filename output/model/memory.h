/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file memory.h
 * A model's memory, most of which lives as long as the model.
 */
#ifndef HEDDLE_OUTPUT_MODEL_MEMORY_H
#define HEDDLE_OUTPUT_MODEL_MEMORY_H

#include "output/model/model.h"

/** All zero. */
void *hd_model_allocate(struct hd_model *model, size_t bytes);

/** A copy; 0 stands behind it, which ends a text. `items` may be NULL if there are no `bytes`. */
void *hd_model_copy(struct hd_model *model, const void *items, size_t bytes);

/** Appends a copy of `bytes` of a text to one of the model's lists. */
void hd_model_add_string(struct hd_model *model, struct hd_strings *list, const char *text, size_t bytes);

/** Adds a note in printf's words. */
void hd_model_add_note(struct hd_model *model, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** The last note takes the place of the one that said the same before: `*number`, from 1; 0: none did, and this one is
 *  that number. */
void hd_model_settle_note(struct hd_model *model, size_t *number);

/** Frees the model and all that belongs to it. NULL is allowed. */
void hd_model_free(struct hd_model *model);

#endif
