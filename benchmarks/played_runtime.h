/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file played_runtime.h
 * What a benchmark needs to stand in the runtime's place: it takes a tool's callbacks, and calls them with CALL. For
 * one source file of a program.
 */
#ifndef HEDDLE_BENCHMARKS_PLAYED_RUNTIME_H
#define HEDDLE_BENCHMARKS_PLAYED_RUNTIME_H

#include <omp-tools.h>
#include <string.h>

enum { CALLBACKS = 64 };

static ompt_callback_t callbacks[CALLBACKS]; /* by ompt_callbacks_t; NULL: not asked for */

/** The program's: the calling thread's word. */
static ompt_data_t *get_thread_data(void);

static ompt_set_result_t set_callback(ompt_callbacks_t event, ompt_callback_t callback) {
  if ((unsigned)event >= CALLBACKS)
    return ompt_set_error;
  callbacks[event] = callback;
  return ompt_set_always;
}

static ompt_interface_fn_t look_up(const char *name) {
  if (!strcmp(name, "ompt_set_callback"))
    return (ompt_interface_fn_t)set_callback;
  return strcmp(name, "ompt_get_thread_data") ? NULL : (ompt_interface_fn_t)get_thread_data;
}

#define CALL(event, ...)                                                                                               \
  do {                                                                                                                 \
    if (callbacks[event])                                                                                              \
      ((event##_t)callbacks[event])(__VA_ARGS__);                                                                      \
  } while (0)

#define ompt_callback_sync_region_wait_t ompt_callback_sync_region_t
#define ompt_callback_mutex_acquired_t ompt_callback_mutex_t
#define ompt_callback_mutex_released_t ompt_callback_mutex_t

#endif
