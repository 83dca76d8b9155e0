/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Do two OMPT tools ask for the same events? Prints each one's, by number; fails if they differ.
 *
 * usage: same_events TOOL TOOL
 */
#include <dlfcn.h>
#include <omp-tools.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "played_runtime.h"

static ompt_data_t thread_data;

static ompt_data_t *get_thread_data(void) {
  return &thread_data;
}

static uint64_t events_of(const char *library) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  ompt_start_tool_result_t *(*start)(unsigned, const char *) = NULL;
  if (handle)
    *(void **)&start = dlsym(handle, "ompt_start_tool");
  uint64_t asked = 0;
  memset(callbacks, 0, sizeof callbacks);
  ompt_start_tool_result_t *tool = start ? start(201611, "benchmark") : NULL;
  if (!tool || !tool->initialize(look_up, 0, &tool->tool_data)) {
    fprintf(stderr, "same_events: %s: %s\n", library, handle ? "it declined" : dlerror());
    exit(1);
  }
  printf("%s:", library);
  for (int event = 0; event < CALLBACKS; event++)
    if (callbacks[event]) {
      asked |= (uint64_t)1 << event;
      printf(" %d", event);
    }
  puts("");
  return asked;
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fputs("usage: same_events TOOL TOOL\n", stderr);
    return 2;
  }
  return events_of(argv[1]) == events_of(argv[2]) ? 0 : 1;
}
