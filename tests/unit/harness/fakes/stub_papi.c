/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file stub_papi.c
 * libpapi's functions, as far as Heddle calls them, with counts that are known: HEDDLE_PAPI names this library.
 *
 * Events of component 0, "perf_event":
 *   STUB_CLOCK, STUB_CLOCK_2, _3, _5  1, 2, 3, 5 for each ns since PAPI_start; presets: PAPI_TOT_CYC 1, PAPI_TOT_INS 2,
 *                                     PAPI_L3_TCM, PAPI_BR_INS 1
 *   STUB_READS     the set's readings, times STUB_PAPI_READ_COST
 *   STUB_SIGN      as STUB_CLOCK, but it begins 500 below 2^63
 *   STUB_WRAP      likewise, but 500 below 2^64
 *   STUB_BACK      as STUB_CLOCK, but downwards from 2^40
 *   STUB_SETS      event sets that exist now
 *   STUB_THREADS   threads that are registered now
 *   STUB_NEEDS_2   as STUB_CLOCK; takes two counters
 *   STUB_EPERM     cannot be added: PAPI_EPERM
 *   STUB_ABSENT    has a name, but PAPI_query_event does not know it; PAPI_TLB_DM: a preset that is not to be had
 *   STUB_LONG_A_0123456789012..., STUB_LONG_B_...  112 letters; as STUB_CLOCK
 *   STUB_MASKED    with masks :ODD (3) and :EVEN (4), and the modifier :u=0
 * Component 1, "other": other:::CLOCK, other:::CLOCK_7. Component 2, "broken", is disabled: "there is no such device".
 *
 * Environment, read by PAPI_library_init:
 *   STUB_PAPI_CLOCK=0xADDRESS   of a uint64_t, the time in ns; else CLOCK_MONOTONIC
 *   STUB_PAPI_SET_MOST=N        a set of component 0 has N counters: one more is PAPI_ECNFLCT
 *   STUB_PAPI_OTHER_MOST=N      likewise for component 1
 *   STUB_PAPI_READ_COST=N       of STUB_READS
 *   STUB_PAPI_FAIL=CALL:N       the N-th call, of all threads, of `create`, `add`, `start`, `read`, `stop` or
 * `register` fails; CALL:N+ all from then on STUB_PAPI_FAIL_THREAD=N     the N-th thread cannot be registered
 *   STUB_PAPI_ONE_SET=1         PAPI's rule: one running set for each thread and component. Without it any number
 *   STUB_PAPI_VERSION=N         what PAPI_library_init answers
 *   STUB_PAPI_DISABLED=TEXT     component 0 is disabled: why
 */
#pragma GCC visibility push(default)
#include <papi.h>
#pragma GCC visibility pop

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { COMPONENTS = 3, SETS_MOST = 8192, EVENTS_MOST = 64 };

enum what { TIME, READS, SETS, THREADS, DENIED, ABSENT };

#define FILLING "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"

static const struct event {
  const char *name;
  const char *description;
  const char *unit;
  int component;
  enum what what;
  int64_t factor;
  uint64_t first;
  unsigned needs;
  bool is_preset, is_mask, is_base;
} events[] = {
    {.name = "PAPI_TOT_CYC", .description = "Total cycles", .factor = 1, .is_preset = true},
    {.name = "PAPI_TOT_INS", .description = "Instructions completed", .factor = 2, .is_preset = true},
    {.name = "PAPI_L3_TCM", .description = "Level 3 cache misses", .factor = 1, .is_preset = true},
    {.name = "PAPI_BR_INS", .description = "Branch instructions", .factor = 1, .is_preset = true},
    {.name = "PAPI_TLB_DM", .description = "Data TLB misses", .what = ABSENT, .is_preset = true},
    {.name = "STUB_CLOCK", .description = "time\nin a second line", .unit = "ns", .factor = 1},
    {.name = "STUB_CLOCK_2", .factor = 2},
    {.name = "STUB_CLOCK_3", .factor = 3},
    {.name = "STUB_CLOCK_5", .factor = 5},
    {.name = "STUB_READS", .what = READS},
    {.name = "STUB_SIGN", .factor = 1, .first = ((uint64_t)1 << 63) - 500},
    {.name = "STUB_WRAP", .factor = 1, .first = (uint64_t)-500},
    {.name = "STUB_BACK", .factor = -1, .first = (uint64_t)1 << 40},
    {.name = "STUB_SETS", .what = SETS},
    {.name = "STUB_THREADS", .what = THREADS},
    {.name = "STUB_NEEDS_2", .factor = 1, .needs = 2},
    {.name = "STUB_EPERM", .what = DENIED},
    {.name = "STUB_ABSENT", .what = ABSENT},
    {.name = "STUB_MASKED", .factor = 1, .is_base = true},
    {.name = "STUB_MASKED:ODD", .factor = 3, .is_mask = true},
    {.name = "STUB_MASKED:EVEN", .factor = 4, .is_mask = true},
    {.name = "STUB_MASKED:u=0", .factor = 1, .is_mask = true},
    {.name = "STUB_LONG_A_" FILLING, .factor = 1},
    {.name = "STUB_LONG_B_" FILLING, .factor = 1},
    {.name = "other:::CLOCK", .factor = 1, .component = 1},
    {.name = "other:::CLOCK_7", .factor = 7, .component = 1},
};
enum { EVENT_COUNT = sizeof events / sizeof *events };

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
static PAPI_component_info_t components[COMPONENTS];
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
    snprintf(components[i].name, sizeof components[i].name, "%s", names[i]);
    components[i].num_cntrs = (int)script.most[i];
  }
  components[2].disabled = PAPI_ECMP;
  snprintf(components[2].disabled_reason, sizeof components[2].disabled_reason, "there is no such device");
  components[0].disabled = disabled ? PAPI_ECMP : PAPI_OK;
  snprintf(components[0].disabled_reason, sizeof components[0].disabled_reason, "%s", disabled ? disabled : "");
}

int PAPI_library_init(int version) {
  read_script();
  describe_components();
  return getenv("STUB_PAPI_VERSION") ? (int)number("STUB_PAPI_VERSION") : version;
}

int PAPI_is_initialized(void) {
  return components[0].name[0] ? PAPI_LOW_LEVEL_INITED : PAPI_NOT_INITED;
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
  return component >= 0 && component < COMPONENTS ? &components[component] : NULL;
}

/* ---- events ---- */

static int code_of(int i) {
  return (int)((unsigned)i | (events[i].is_preset ? (unsigned)PAPI_PRESET_MASK : (unsigned)PAPI_NATIVE_MASK));
}

static const struct event *event_of(int code) {
  const unsigned i = (unsigned)code & (unsigned)PAPI_PRESET_AND_MASK & (unsigned)PAPI_NATIVE_AND_MASK;
  return i < EVENT_COUNT && code_of((int)i) == code ? &events[i] : NULL;
}

static bool is_enabled(const struct event *event) {
  return event && !components[event->component].disabled;
}

int PAPI_event_name_to_code(const char *name, int *code) {
  for (int i = 0; i < EVENT_COUNT; i++)
    if (!strcmp(name, events[i].name) && (events[i].is_preset || is_enabled(&events[i]))) {
      *code = code_of(i);
      return PAPI_OK;
    }
  return PAPI_ENOEVNT;
}

int PAPI_event_code_to_name(int code, char *name) {
  const struct event *event = event_of(code);
  if (!event)
    return PAPI_ENOEVNT;
  strcpy(name, event->name);
  return PAPI_OK;
}

int PAPI_query_event(int code) {
  const struct event *event = event_of(code);
  return is_enabled(event) && event->what != ABSENT ? PAPI_OK : PAPI_ENOEVNT;
}

int PAPI_get_event_info(int code, PAPI_event_info_t *info) {
  const struct event *event = event_of(code);
  if (!event)
    return PAPI_ENOEVNT;
  memset(info, 0, sizeof *info);
  info->event_code = (unsigned)code;
  info->count = event->is_preset && is_enabled(event) && event->what != ABSENT;
  info->component_index = event->component;
  snprintf(info->symbol, sizeof info->symbol, "%s", event->name);
  snprintf(info->units, sizeof info->units, "%s", event->unit ? event->unit : "");
  snprintf(event->is_preset ? info->short_descr : info->long_descr, PAPI_MIN_STR_LEN, "%s",
           event->description ? event->description : event->name);
  return PAPI_OK;
}

int PAPI_get_event_component(int code) {
  const struct event *event = event_of(code);
  return event ? event->component : PAPI_ENOEVNT;
}

static int find_from(int i, int component, bool preset, bool mask, int *code) {
  for (; i < EVENT_COUNT; i++) {
    if (mask && !events[i].is_mask)
      return PAPI_ENOEVNT;
    if (events[i].is_preset != preset || events[i].is_mask != mask || events[i].component != component)
      continue;
    *code = code_of(i);
    return PAPI_OK;
  }
  return PAPI_ENOEVNT;
}

int PAPI_enum_event(int *code, int modifier) {
  const int next = (int)((unsigned)*code & ~(unsigned)PAPI_PRESET_MASK) + 1;
  return find_from(modifier == PAPI_ENUM_FIRST ? 0 : next, 0, true, false, code);
}

int PAPI_enum_cmp_event(int *code, int modifier, int component) {
  const int at = *code & ~PAPI_NATIVE_MASK;
  if (modifier == PAPI_NTV_ENUM_UMASKS && !events[at].is_base && !events[at].is_mask)
    return PAPI_ENOEVNT;
  return find_from(modifier == PAPI_ENUM_FIRST ? 0 : at + 1, component, false, modifier == PAPI_NTV_ENUM_UMASKS, code);
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
  return components[component].disabled ? PAPI_ECMP_DISABLED : PAPI_OK;
}

static bool has(const struct set *set, int code) {
  for (unsigned i = 0; i < set->count; i++)
    if (set->events[i] == code)
      return true;
  return false;
}

int PAPI_add_event(int handle, int code) {
  struct set *set = set_of(handle);
  const struct event *event = event_of(code);
  if (!set || set->running || !is_enabled(event) || event->component != set->component || fails(ADD))
    return PAPI_EINVAL;
  if (event->what == DENIED)
    return PAPI_EPERM;
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
    set->last[i] = (long long)count_of(set, event_of(set->events[i]), ns);
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
  components[0].name[0] = '\0';
}
