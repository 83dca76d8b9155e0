/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* OMPT tools to compare Heddle with, for the events that Heddle asks for by default (same_events.c checks that).
 * Without FLOOR_TIMED, the null tool: callbacks with empty bodies. What it costs is the runtime's part.
 * With FLOOR_TIMED, the tsc tool: each callback reads the time-stamp counter once and adds it to a thread-local number.
 * No tool that measures time at every event can cost less. */
#include <omp-tools.h>
#include <stdint.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

static inline uint64_t ticks(void) {
#if defined(__x86_64__)
  return __rdtsc();
#elif defined(__aarch64__)
  uint64_t now;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(now));
  return now;
#else
#error "no time-stamp counter is known for this processor"
#endif
}

#ifdef FLOOR_TIMED
static __thread uint64_t sum __attribute__((tls_model("initial-exec")));
#define EVENT() ((void)(sum += ticks()))
#else
#define EVENT() ((void)ticks)
#endif

static void on_thread_begin(ompt_thread_t kind, ompt_data_t *thread) {
  (void)kind, (void)thread;
  EVENT();
}

static void on_thread_end(ompt_data_t *thread) {
  (void)thread;
  EVENT();
}

static void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel, unsigned requested,
                              int flags, const void *address) {
  (void)task, (void)frame, (void)parallel, (void)requested, (void)flags, (void)address;
  EVENT();
}

static void on_parallel_end(ompt_data_t *parallel, ompt_data_t *task, int flags, const void *address) {
  (void)parallel, (void)task, (void)flags, (void)address;
  EVENT();
}

static void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, unsigned size,
                             unsigned number, int flags) {
  (void)endpoint, (void)parallel, (void)task, (void)size, (void)number, (void)flags;
  EVENT();
}

static void on_work(ompt_work_t type, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                    uint64_t count, const void *address) {
  (void)type, (void)endpoint, (void)parallel, (void)task, (void)count, (void)address;
  EVENT();
}

static void on_sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                                ompt_data_t *task, const void *address) {
  (void)kind, (void)endpoint, (void)parallel, (void)task, (void)address;
  EVENT();
}

static void on_mutex_acquire(ompt_mutex_t kind, unsigned hint, unsigned implementation, ompt_wait_id_t id,
                             const void *address) {
  (void)kind, (void)hint, (void)implementation, (void)id, (void)address;
  EVENT();
}

static void on_mutex(ompt_mutex_t kind, ompt_wait_id_t id, const void *address) {
  (void)kind, (void)id, (void)address;
  EVENT();
}

static void on_task_create(ompt_data_t *creator, const ompt_frame_t *frame, ompt_data_t *task, int flags,
                           int has_dependences, const void *address) {
  (void)creator, (void)frame, (void)task, (void)flags, (void)has_dependences, (void)address;
  EVENT();
}

static void on_task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next) {
  (void)prior, (void)status, (void)next;
  EVENT();
}

static int on_control_tool(uint64_t command, uint64_t modifier, void *argument, const void *address) {
  (void)command, (void)modifier, (void)argument, (void)address;
  EVENT();
  return 1; /* ignored */
}

static void on_masked(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, const void *address) {
  (void)endpoint, (void)parallel, (void)task, (void)address;
  EVENT();
}

static void on_dependences(ompt_data_t *task, const ompt_dependence_t *dependences, int count) {
  (void)task, (void)dependences, (void)count;
  EVENT();
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *tool) {
  (void)device, (void)tool;
  ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
  if (!set)
    return 0;
  set(ompt_callback_thread_begin, (ompt_callback_t)on_thread_begin);
  set(ompt_callback_thread_end, (ompt_callback_t)on_thread_end);
  set(ompt_callback_parallel_begin, (ompt_callback_t)on_parallel_begin);
  set(ompt_callback_parallel_end, (ompt_callback_t)on_parallel_end);
  set(ompt_callback_implicit_task, (ompt_callback_t)on_implicit_task);
  set(ompt_callback_work, (ompt_callback_t)on_work);
  set(ompt_callback_sync_region_wait, (ompt_callback_t)on_sync_region_wait);
  set(ompt_callback_mutex_acquire, (ompt_callback_t)on_mutex_acquire);
  set(ompt_callback_mutex_acquired, (ompt_callback_t)on_mutex);
  set(ompt_callback_mutex_released, (ompt_callback_t)on_mutex);
  set(ompt_callback_task_create, (ompt_callback_t)on_task_create);
  set(ompt_callback_task_schedule, (ompt_callback_t)on_task_schedule);
  set(ompt_callback_control_tool, (ompt_callback_t)on_control_tool);
  set(ompt_callback_masked, (ompt_callback_t)on_masked);
  set(ompt_callback_dependences, (ompt_callback_t)on_dependences);
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
