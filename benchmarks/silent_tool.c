/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An OMPT tool that asks for no event: what a runtime costs that has a tool at all (instructions --dormant). */
#include <omp-tools.h>

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *tool) {
  (void)lookup, (void)device, (void)tool;
  return 1;
}

static void finalize(ompt_data_t *tool) {
  (void)tool;
}

__attribute__((visibility("default"))) ompt_start_tool_result_t *ompt_start_tool(unsigned version,
                                                                                 const char *runtime) {
  static ompt_start_tool_result_t result = {.initialize = initialize, .finalize = finalize};
  (void)version, (void)runtime;
  return &result;
}
