/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A program with an OMPT tool of its own, as measurement systems that are linked into programs have: it counts parallel
 * regions. Compiled with -DSTARTS=0 the tool does not want to start, and another may. */
#include <omp-tools.h>
#include <stdio.h>

#ifndef STARTS
#define STARTS 1
#endif

static int regions;

static void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel, unsigned requested,
                              int flags, const void *address) {
  (void)task, (void)frame, (void)parallel, (void)requested, (void)flags, (void)address;
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
}

__attribute__((visibility("default"))) ompt_start_tool_result_t *ompt_start_tool(unsigned version,
                                                                                 const char *runtime) {
  (void)version, (void)runtime;
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  return STARTS ? &result : NULL;
}

int main(void) {
  int sum = 0;
  for (int i = 0; i < 3; i++) {
#pragma omp parallel num_threads(2) reduction(+ : sum)
    sum++;
  }
  printf("%d %d\n", sum, regions);
  return 0;
}
