/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file tool.h
 * The tool's life: from ompt_start_tool to finalize, or the library's destructor when finalize never comes.
 */
#ifndef HEDDLE_OMPT_TOOL_H
#define HEDDLE_OMPT_TOOL_H

#include <omp-tools.h>
#include <stdbool.h>

struct hd_tool {
  ompt_get_thread_data_t get_thread_data;
  const char *runtime; /* what ompt_start_tool was told */
  int pid;             /* of the process that is measured; a forked child is not */
  bool measuring;
  bool needs_libgomp; /* built by GCC, and run on libomp through its GOMP entry points */
};
extern struct hd_tool hd_tool;

/** False before initialize, after finalize and in a forked child. One system call: cold paths only. */
bool hd_tool_is_measuring(void);

/** Registers all callbacks (callbacks.c). Returns a bit for each event that the runtime will not always deliver. */
uint64_t hd_callbacks_register(ompt_set_callback_t set_callback);

#endif
