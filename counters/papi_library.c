/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "counters/papi_library.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters/perf_permission.h"
#include "counters/private_library.h"

struct hd_papi_functions hd_papi;

#define PLACE(name) {"PAPI_" #name, offsetof(struct hd_papi_functions, name)},
static const struct {
  const char *name;
  size_t offset;
} functions[] = {HD_PAPI_FUNCTIONS(PLACE)};

static struct {
  pthread_mutex_t lock;
  bool tried;
  bool works;
  pthread_t opener;
  char path[300]; /* what was copied */
  char why[400];
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

__attribute__((format(printf, 1, 2))) static bool refuse(const char *format, ...) {
  va_list arguments;
  const int length = snprintf(state.why, sizeof state.why, "PAPI cannot be used: ");
  va_start(arguments, format);
  vsnprintf(state.why + length, sizeof state.why - (size_t)length, format, arguments);
  va_end(arguments);
  return false;
}

static bool find_functions(void *library, const char *name) {
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    void *symbol = dlsym(library, functions[i].name);
    if (!symbol)
      return refuse("%s: it has no %s", name, functions[i].name);
    memcpy((char *)&hd_papi + functions[i].offset, &symbol, sizeof symbol);
  }
  return true;
}

static bool initialize(const char *name) {
  const int version = hd_papi.library_init(PAPI_VER_CURRENT);
  if (version > 0 && version != PAPI_VER_CURRENT)
    return refuse("%s: it is PAPI %d.%d, and Heddle was built for PAPI %d.%d", name, PAPI_VERSION_MAJOR(version),
                  PAPI_VERSION_MINOR(version), PAPI_VERSION_MAJOR(PAPI_VERSION), PAPI_VERSION_MINOR(PAPI_VERSION));
  if (version <= 0)
    return refuse("%s: PAPI_library_init: %s", name, hd_papi.strerror(version));
  if (hd_papi.thread_init(pthread_self) != PAPI_OK)
    return refuse("%s: PAPI_thread_init failed", name);
  return true;
}

static bool open_library(void) {
  char default_name[32];
  char reason[300] = "";
  snprintf(default_name, sizeof default_name, "libpapi.so.%d.%d", PAPI_VERSION_MAJOR(PAPI_VERSION),
           PAPI_VERSION_MINOR(PAPI_VERSION));
  const char *asked = secure_getenv("HEDDLE_PAPI");
  const char *name = asked && *asked ? asked : default_name;
  const struct hd_private_library copy = hd_private_library_load(name, reason, sizeof reason);
  if (!copy.library && name == default_name)
    return refuse("%s (Debian: libpapi%d.%d; HEDDLE_PAPI names a file elsewhere)", reason,
                  PAPI_VERSION_MAJOR(PAPI_VERSION), PAPI_VERSION_MINOR(PAPI_VERSION));
  if (!copy.library)
    return refuse("%s", reason);
  memcpy(state.path, copy.path, sizeof state.path);
  return find_functions(copy.library, name) && initialize(name);
}

bool hd_papi_open(char *why, size_t why_bytes) {
  pthread_mutex_lock(&state.lock);
  if (!state.tried) {
    state.opener = pthread_self();
    state.works = open_library();
    state.tried = true;
  }
  if (!state.works)
    snprintf(why, why_bytes, "%s", state.why);
  pthread_mutex_unlock(&state.lock);
  return state.works;
}

bool hd_papi_is_opener(pthread_t thread) {
  return pthread_equal(thread, state.opener);
}

/* libpapi knows how many counters a processor of this model has, also where a virtual machine keeps them back. */
static enum hd_source_state describe_counters(char *text, size_t bytes) {
  const PAPI_component_info_t *processor = hd_papi.get_component_info(0);
  if (hd_permission_lacks_hardware())
    snprintf(text, bytes, "this machine exposes no hardware counters");
  else if (!processor || processor->disabled)
    snprintf(text, bytes, "no counters of the processor");
  else {
    snprintf(text, bytes, "%d counters of the processor, read with %s", processor->num_cntrs,
             processor->fast_counter_read ? "an instruction (rdpmc)" : "a system call");
    return HD_SOURCE_WHOLE;
  }
  return HD_SOURCE_LACKING;
}

enum hd_source_state hd_papi_describe(char *text, size_t bytes) {
  char counters[80];
  if (!hd_papi_open(text, bytes))
    return HD_SOURCE_UNUSABLE;
  const enum hd_source_state answer = describe_counters(counters, sizeof counters);
  const int version = hd_papi.get_opt(PAPI_LIB_VERSION, NULL);
  snprintf(text, bytes, "PAPI %d.%d.%d (%s); %s", PAPI_VERSION_MAJOR(version), PAPI_VERSION_MINOR(version),
           PAPI_VERSION_REVISION(version), state.path, counters);
  return answer;
}
