/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file paraver_functions.h
 * Numbers for the functions that samples of a trace have found. Between the files of this folder only.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_EXPORT_PARAVER_FUNCTIONS_H
#define HEDDLE_OUTPUT_VIEWS_EXPORT_PARAVER_FUNCTIONS_H

#include <stdint.h>

#include "output/trace/entry.h"

struct hd_paraver_functions {
  char **names; /* sorted; all differ */
  uint32_t count;
  uint32_t *of_sample; /* index into `names`, by index into the model's samples */
};

/** By the names of the model's samples. hd_paraver_functions_free() frees what it holds. */
struct hd_paraver_functions hd_paraver_functions_new(const struct hd_model *model);
void hd_paraver_functions_free(struct hd_paraver_functions *functions);

/** Of an entry that is a sample: 1 and its index into `names`; 0: not known. */
uint32_t hd_paraver_function_of(const struct hd_paraver_functions *functions, const struct hd_model *model,
                                const struct hd_trace_entry *entry);

#endif
