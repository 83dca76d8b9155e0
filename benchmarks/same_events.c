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

static uint64_t asked;
static ompt_data_t thread_data;

static ompt_set_result_t set_callback(ompt_callbacks_t event, ompt_callback_t callback) {
  if (callback && (unsigned)event < 64)
    asked |= (uint64_t)1 << event;
  return ompt_set_always;
}

static ompt_data_t *get_thread_data(void) {
  return &thread_data;
}

static ompt_interface_fn_t look_up(const char *name) {
  if (!strcmp(name, "ompt_set_callback"))
    return (ompt_interface_fn_t)set_callback;
  return strcmp(name, "ompt_get_thread_data") ? NULL : (ompt_interface_fn_t)get_thread_data;
}

static uint64_t events_of(const char *library) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  ompt_start_tool_result_t *(*start)(unsigned, const char *) = NULL;
  if (handle)
    *(void **)&start = dlsym(handle, "ompt_start_tool");
  asked = 0;
  ompt_start_tool_result_t *tool = start ? start(201611, "benchmark") : NULL;
  if (!tool || !tool->initialize(look_up, 0, &tool->tool_data)) {
    fprintf(stderr, "same_events: %s: %s\n", library, handle ? "it declined" : dlerror());
    exit(1);
  }
  printf("%s:", library);
  for (int event = 0; event < 64; event++)
    if (asked >> event & 1)
      printf(" %d", event);
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
