/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file stub_papi.c
 * libpapi's functions, as far as Heddle calls them, with counts that are known: HEDDLE_PAPI names this library.
 * Here are the library, its threads and its event sets; its events are in stub_papi_events.c.
 *
 * Environment, read by PAPI_library_init:
 *   STUB_PAPI_CLOCK=0xADDRESS   of a uint64_t, the time in ns; else CLOCK_MONOTONIC
 *   STUB_PAPI_SET_MOST=N        a set of component 0 has N counters: one more is PAPI_ECNFLCT
 *   STUB_PAPI_OTHER_MOST=N      likewise for component 1
 *   STUB_PAPI_READ_COST=N       of STUB_READS
 *   STUB_PAPI_FAIL=CALL:N       the N-th call, of all threads, of `create`, `add`, `start`, `read`, `stop` or
 *                               `register` fails; CALL:N+: all from then on
 *   STUB_PAPI_FAIL_THREAD=N     the N-th thread cannot be registered
 *   STUB_PAPI_ONE_SET=1         PAPI's rule: one running set for each thread and component. Without it any number
 *   STUB_PAPI_VERSION=N         what PAPI_library_init answers
 *   STUB_PAPI_DISABLED=TEXT     component 0 is disabled: why
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "stub_papi_events.h"

enum { SETS_MOST = 8192, EVENTS_MOST = 64 };

static const char *const calls[] = {"create", "add", "start", "read", "stop", "register"};
enum call { CREATE, ADD, START, READ, STOP, REGISTER, CALLS };

static struct {
  const uint64_t *clock;
  unsigned most[COMPONENTS];
  uint64_t read_cost;
  enum call failing;
  uint64_t fails_first, fails_last; /* calls of that kind; 0: none */
  uint64_t failing_thread;
  bool one_set;
} script;

struct set {
  int component;
  unsigned count, needs;
  int events[EVENTS_MOST];
  bool running;
  uint64_t began_ns;
  uint64_t reads;
  long long last[EVENTS_MOST];
};

/* Known outside, as PAPI's own tables are: a second instance might use those of the first. */
extern struct set *stub_papi_sets[SETS_MOST];
__attribute__((visibility("default"))) struct set *stub_papi_sets[SETS_MOST];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t call_counts[CALLS];
static uint64_t set_count, thread_count, threads_seen;
static __thread uint64_t thread_number; /* 0: not seen yet */
static __thread bool is_registered;
static __thread int running[COMPONENTS];

/* ---- the script ---- */

static uint64_t number(const char *name) {
  const char *text = getenv(name);
  return text ? strtoull(text, NULL, 0) : 0;
}

static void read_failure(void) {
  const char *text = getenv("STUB_PAPI_FAIL");
  for (int i = 0; text && i < CALLS; i++) {
    const size_t length = strlen(calls[i]);
    if (strncmp(text, calls[i], length) || text[length] != ':')
      continue;
    char *end;
    script.failing = (enum call)i;
    script.fails_first = strtoull(text + length + 1, &end, 10);
    script.fails_last = *end == '+' ? UINT64_MAX : script.fails_first;
  }
}

static void read_script(void) {
  const uint64_t clock = number("STUB_PAPI_CLOCK");
  script.clock = (const uint64_t *)(uintptr_t)clock;
  script.most[0] = (unsigned)number("STUB_PAPI_SET_MOST");
  script.most[1] = (unsigned)number("STUB_PAPI_OTHER_MOST");
  script.read_cost = number("STUB_PAPI_READ_COST");
  script.failing_thread = number("STUB_PAPI_FAIL_THREAD");
  script.one_set = number("STUB_PAPI_ONE_SET");
  for (int i = 0; i < COMPONENTS; i++)
    script.most[i] = script.most[i] ? script.most[i] : EVENTS_MOST;
  read_failure();
}

static bool fails(enum call call) {
  const uint64_t n = __atomic_add_fetch(&call_counts[call], 1, __ATOMIC_RELAXED);
  return script.failing == call && script.fails_first && n >= script.fails_first && n <= script.fails_last;
}

static uint64_t now_ns(void) {
  struct timespec now;
  if (script.clock)
    return __atomic_load_n(script.clock, __ATOMIC_RELAXED);
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- library and threads ---- */

static void describe_components(void) {
  static const char *const names[] = {"perf_event", "other", "broken"};
  const char *disabled = getenv("STUB_PAPI_DISABLED");
  for (int i = 0; i < COMPONENTS; i++) {
    snprintf(stub_components[i].name, sizeof stub_components[i].name, "%s", names[i]);
    stub_components[i].num_cntrs = (int)script.most[i];
  }
  stub_components[2].disabled = PAPI_ECMP;
  snprintf(stub_components[2].disabled_reason, sizeof stub_components[2].disabled_reason, "there is no such device");
  stub_components[0].disabled = disabled ? PAPI_ECMP : PAPI_OK;
  snprintf(stub_components[0].disabled_reason, sizeof stub_components[0].disabled_reason, "%s",
           disabled ? disabled : "");
}

int PAPI_library_init(int version) {
  read_script();
  describe_components();
  return getenv("STUB_PAPI_VERSION") ? (int)number("STUB_PAPI_VERSION") : version;
}

int PAPI_is_initialized(void) {
  return stub_components[0].name[0] ? PAPI_LOW_LEVEL_INITED : PAPI_NOT_INITED;
}

int PAPI_get_opt(int option, PAPI_option_t *value) {
  (void)value;
  return option == PAPI_LIB_VERSION ? (int)PAPI_VERSION : PAPI_EINVAL;
}

int PAPI_thread_init(unsigned long (*id)(void)) {
  return id ? PAPI_OK : PAPI_EINVAL;
}

int PAPI_register_thread(void) {
  if (!thread_number)
    thread_number = __atomic_add_fetch(&threads_seen, 1, __ATOMIC_RELAXED);
  if (fails(REGISTER) || thread_number == script.failing_thread)
    return PAPI_ENOMEM;
  if (!is_registered)
    __atomic_add_fetch(&thread_count, 1, __ATOMIC_RELAXED);
  is_registered = true;
  return PAPI_OK;
}

int PAPI_unregister_thread(void) {
  if (is_registered)
    __atomic_sub_fetch(&thread_count, 1, __ATOMIC_RELAXED);
  is_registered = false;
  return PAPI_OK;
}

char *PAPI_strerror(int error) {
  static char text[] = "Stubbed error";
  static char *const texts[] = {[-PAPI_EINVAL] = "Invalid argument",
                                [-PAPI_ENOMEM] = "Insufficient memory",
                                [-PAPI_ESYS] = "A System/C library call failed",
                                [-PAPI_ENOEVNT] = "Event does not exist",
                                [-PAPI_ECNFLCT] = "Event exists, but cannot be counted due to counter resource limits"};
  const int i = -error;
  return i > 0 && i < (int)(sizeof texts / sizeof *texts) && texts[i] ? texts[i] : text;
}

int PAPI_num_components(void) {
  return COMPONENTS;
}

const PAPI_component_info_t *PAPI_get_component_info(int component) {
  return component >= 0 && component < COMPONENTS ? &stub_components[component] : NULL;
}

/* ---- event sets ---- */

static struct set *set_of(int handle) {
  return handle >= 0 && handle < SETS_MOST ? __atomic_load_n(&stub_papi_sets[handle], __ATOMIC_ACQUIRE) : NULL;
}

int PAPI_create_eventset(int *handle) {
  struct set *set = calloc(1, sizeof *set);
  int result = PAPI_ENOMEM;
  if (!set || *handle != PAPI_NULL || fails(CREATE)) {
    free(set);
    return result;
  }
  pthread_mutex_lock(&lock);
  for (int i = 0; i < SETS_MOST && result != PAPI_OK; i++)
    if (!stub_papi_sets[i]) {
      stub_papi_sets[i] = set;
      *handle = i;
      set_count++;
      result = PAPI_OK;
    }
  pthread_mutex_unlock(&lock);
  return result;
}

int PAPI_assign_eventset_component(int handle, int component) {
  struct set *set = set_of(handle);
  if (!set || component < 0 || component >= COMPONENTS)
    return PAPI_EINVAL;
  set->component = component;
  return stub_components[component].disabled ? PAPI_ECMP_DISABLED : PAPI_OK;
}

static bool has(const struct set *set, int code) {
  for (unsigned i = 0; i < set->count; i++)
    if (set->events[i] == code)
      return true;
  return false;
}

int PAPI_add_event(int handle, int code) {
  struct set *set = set_of(handle);
  const struct event *event = stub_event(code);
  if (!set || set->running || !stub_event_is_enabled(event) || event->component != set->component || fails(ADD))
    return PAPI_EINVAL;
  if (event->what == DENIED)
    return PAPI_EPERM;
  if (event->what == REFUSED)
    return PAPI_ESYS;
  if (event->what == ABSENT)
    return PAPI_ENOEVNT;
  const unsigned needs = event->needs ? event->needs : 1;
  if (has(set, code) || set->needs + needs > script.most[set->component] || set->count == EVENTS_MOST)
    return PAPI_ECNFLCT;
  set->needs += needs;
  set->events[set->count++] = code;
  return PAPI_OK;
}

int PAPI_start(int handle) {
  struct set *set = set_of(handle);
  if (!set || !set->count)
    return PAPI_EINVAL;
  if (set->running || (script.one_set && running[set->component]))
    return PAPI_EISRUN;
  if (fails(START))
    return PAPI_ESYS;
  running[set->component]++;
  set->running = true;
  set->began_ns = now_ns();
  set->reads = 0;
  return PAPI_OK;
}

static uint64_t count_of(const struct set *set, const struct event *event, uint64_t ns) {
  switch (event->what) {
  case READS:
    return set->reads * script.read_cost;
  case SETS:
    return __atomic_load_n(&set_count, __ATOMIC_RELAXED);
  case THREADS:
    return __atomic_load_n(&thread_count, __ATOMIC_RELAXED);
  default:
    return event->first + (uint64_t)event->factor * (ns - set->began_ns);
  }
}

static void take(struct set *set) {
  const uint64_t ns = now_ns();
  set->reads++;
  for (unsigned i = 0; set->running && i < set->count; i++)
    set->last[i] = (long long)count_of(set, stub_event(set->events[i]), ns);
}

int PAPI_read(int handle, long long *values) {
  struct set *set = set_of(handle);
  if (!set)
    return PAPI_ENOEVST;
  if (fails(READ))
    return PAPI_ESYS;
  take(set);
  memcpy(values, set->last, set->count * sizeof *values);
  return PAPI_OK;
}

int PAPI_stop(int handle, long long *values) {
  struct set *set = set_of(handle);
  if (!set || !set->running)
    return PAPI_ENOTRUN;
  const bool failing = fails(STOP);
  take(set);
  set->running = false;
  running[set->component]--;
  if (!failing && values)
    memcpy(values, set->last, set->count * sizeof *values);
  return failing ? PAPI_ESYS : PAPI_OK;
}

int PAPI_cleanup_eventset(int handle) {
  struct set *set = set_of(handle);
  if (!set)
    return PAPI_ENOEVST;
  if (set->running)
    return PAPI_EISRUN;
  set->count = set->needs = 0;
  return PAPI_OK;
}

int PAPI_destroy_eventset(int *handle) {
  struct set *set = set_of(*handle);
  if (!set || set->count)
    return PAPI_EINVAL;
  pthread_mutex_lock(&lock);
  stub_papi_sets[*handle] = NULL;
  set_count--;
  pthread_mutex_unlock(&lock);
  free(set);
  *handle = PAPI_NULL;
  return PAPI_OK;
}

void PAPI_shutdown(void) {
  stub_components[0].name[0] = '\0';
}
