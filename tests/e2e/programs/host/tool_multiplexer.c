/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Another OMPT tool: it counts parallel regions, and passes all events on to the tool that COUNTER_TOOL_LIBRARIES
 * names, by LLVM's ompt-multiplex.h. */
#include <omp-tools.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#define OMPT_MULTIPLEX_TOOL_NAME "COUNTER"
#include <ompt-multiplex.h>

static int regions;

static void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel, unsigned requested,
                              int flags, const void *address) {
  (void)task, (void)frame, (void)requested, (void)flags, (void)address;
  parallel->value = 42; /* its own data, not the other tool's */
  __atomic_fetch_add(&regions, 1, __ATOMIC_RELAXED);
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
  (void)device, (void)data;
  ompt_set_callback_t set_callback = (ompt_set_callback_t)lookup("ompt_set_callback");
  set_callback(ompt_callback_parallel_begin, (ompt_callback_t)on_parallel_begin);
  return 1;
}

static void finalize(ompt_data_t *data) {
  (void)data;
  fprintf(stderr, "counter: %d regions\n", regions);
}

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime) {
  (void)version, (void)runtime;
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  return &result;
}
