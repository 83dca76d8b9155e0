/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file memory.h
 * Memory that lives as long as a model.
 */
#ifndef HEDDLE_OUTPUT_MODEL_MEMORY_H
#define HEDDLE_OUTPUT_MODEL_MEMORY_H

#include "output/model/model.h"

/** NULL: none left. Zeroed. */
void *hd_model_allocate(struct hd_model *model, size_t bytes);

/** Appends a copy of `text` to a list; false: no memory. */
bool hd_model_add_string(struct hd_model *model, struct hd_strings *list, const char *text, size_t bytes);

/** Adds a note in printf's words. model->out_of_memory: there was no memory for one. */
void hd_model_add_note(struct hd_model *model, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** For hd_model_free(). */
void hd_model_free_memory(struct hd_model *model);

#endif
