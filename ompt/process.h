/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file process.h
 * What the profile says of the process it was taken from: program, arguments, environment, host, rank, start.
 * Once, at start.
 */
#ifndef HEDDLE_OMPT_PROCESS_H
#define HEDDLE_OMPT_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

#include "store/store.h"

/** The executable's base name, or "program" when it is unknown. */
void hd_process_program(char *name, size_t bytes);

/** The directory where the profile will be, whose name is made of the template `output`. NULL: it is unknown, or too
 * long. */
const char *hd_process_output_directory(const char *output, char *place, size_t bytes);

/** Whether the program or one of its libraries was linked against GCC's OpenMP runtime. */
bool hd_process_needs_libgomp(void);

/** Fills the header and the text records. `start` is HEDDLE_START ("pid:ns") or NULL; `runtime` the runtime's name,
 * `output` the template of the profile's, which goes to store->output_path. False: that name is too long. */
bool hd_process_describe(struct hd_store *store, const char *start, const char *output, const char *runtime);

/** Once the runtime has taken Heddle: notes the tools that OMP_TOOL_LIBRARIES names after it, which are not loaded. */
void hd_process_note_tools(struct hd_store *store);

#endif
