/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <dlfcn.h>
#include <omp-tools.h>
#include <string.h>

#include "cli/doctor/probe/probe_internal.h"
#include "heddle-events.h"

struct hd_probe *hd_probe;
_Thread_local uint8_t hd_probe_step;
_Thread_local bool hd_probe_is_primary;

/* The place of the region that this thread was last put into; a worker's late events belong to it. */
static _Thread_local uint8_t home;

/* The code that calls the runtime is this program. */
static enum hd_probe_address classify(const void *address) {
  Dl_info own;
  Dl_info found;
  if (!address)
    return HD_PROBE_NO_ADDRESS;
  if (dladdr((const void *)&hd_probe, &own) && dladdr(address, &found) && own.dli_fbase == found.dli_fbase)
    return HD_PROBE_OWN_ADDRESS;
  return HD_PROBE_OTHER_ADDRESS;
}

static void record(ompt_callbacks_t event, int kind, int endpoint, const void *address) {
  const uint32_t index = __atomic_fetch_add(&hd_probe->count, 1, __ATOMIC_RELAXED);
  const uint8_t place = (uint8_t)__atomic_load_n(&hd_probe->place, __ATOMIC_ACQUIRE);
  if (index >= HD_PROBE_RECORDS)
    return;
  if (!home || hd_probe_is_primary)
    home = place;
  hd_probe->records[index] = (struct hd_probe_record){.event = (uint8_t)event,
                                                      .kind = (uint8_t)kind,
                                                      .endpoint = (uint8_t)endpoint,
                                                      .place = place,
                                                      .home = home,
                                                      .step = hd_probe_step,
                                                      .worker = !hd_probe_is_primary,
                                                      .address = (uint8_t)classify(address)};
}

/* ---- the callbacks: omp-tools.h's signatures, of which little is recorded ---- */

/* NOLINTBEGIN(misc-unused-parameters): as said above */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* The event, its kind, endpoint and address; 0 or NULL: it has none. */
#define ON(event, kind, endpoint, address, ...)                                                                        \
  static void on_##event(__VA_ARGS__) {                                                                                \
    record(ompt_callback_##event, (int)(kind), (int)(endpoint), (address));                                            \
  }

static int region_kind(int flags) {
  return flags & ompt_parallel_league ? HD_PROBE_LEAGUE : HD_PROBE_TEAM_OF_THREADS;
}

ON(thread_begin, kind, 0, NULL, ompt_thread_t kind, ompt_data_t *data)
ON(thread_end, 0, 0, NULL, ompt_data_t *data)
ON(parallel_begin, region_kind(flags), 0, address, ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel,
   unsigned requested, int flags, const void *address)
ON(parallel_end, region_kind(flags), 0, address, ompt_data_t *parallel, ompt_data_t *task, int flags,
   const void *address)
ON(work, kind, endpoint, address, ompt_work_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
   ompt_data_t *task, uint64_t count, const void *address)
ON(sync_region_wait, kind, endpoint, address, ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
   ompt_data_t *parallel, ompt_data_t *task, const void *address)
ON(mutex_acquire, kind, 0, address, ompt_mutex_t kind, unsigned hint, unsigned implementation, ompt_wait_id_t id,
   const void *address)
ON(mutex_acquired, kind, 0, address, ompt_mutex_t kind, ompt_wait_id_t id, const void *address)
ON(mutex_released, kind, 0, address, ompt_mutex_t kind, ompt_wait_id_t id, const void *address)
ON(task_schedule, status, 0, NULL, ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next)
ON(masked, 0, endpoint, address, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
   const void *address)
ON(dependences, count > 0 ? list->dependence_type : 0, 0, NULL, ompt_data_t *task, const ompt_dependence_t *list,
   int count)

static void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, unsigned size,
                             unsigned number, int flags) {
  if (endpoint == ompt_scope_begin)
    home = 0; /* the present one */
  record(ompt_callback_implicit_task, flags & ompt_task_initial ? HD_PROBE_INITIAL : HD_PROBE_IMPLICIT, (int)endpoint,
         NULL);
}

static void on_task_create(ompt_data_t *creator, const ompt_frame_t *frame, ompt_data_t *task, int flags,
                           int has_dependences, const void *address) {
  if (!(flags & ompt_task_initial))
    record(ompt_callback_task_create, 0, 0, address);
}

static int on_control_tool(uint64_t command, uint64_t modifier, void *argument, const void *address) {
  record(ompt_callback_control_tool, 0, 0, address);
  return 0;
}

#pragma GCC diagnostic pop
/* NOLINTEND(misc-unused-parameters) */

/* ---- the tool ---- */

/* What libheddle.so registers. */
static const struct {
  ompt_callbacks_t event;
  ompt_callback_t function;
} table[HD_CALLBACK_COUNT] = {
#define ROW(name, ompt_name, ...) {ompt_callback_##ompt_name, (ompt_callback_t)on_##ompt_name},
    HD_CALLBACK_TABLE(ROW)};

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *tool_data) {
  (void)device, (void)tool_data;
  const ompt_set_callback_t set_callback = (ompt_set_callback_t)lookup("ompt_set_callback");
  if (!set_callback)
    return 0;
  for (size_t i = 0; i < HD_CALLBACK_COUNT; i++)
    hd_probe->registered[table[i].event] = (uint8_t)(set_callback(table[i].event, table[i].function) + 1);
  hd_probe->started = 1;
  return 1;
}

static void finalize(ompt_data_t *tool_data) {
  (void)tool_data;
}

/* The runtime looks here first, then at OMP_TOOL_LIBRARIES. Outside the probe's child there is no tool. */
__attribute__((visibility("default"))) ompt_start_tool_result_t *ompt_start_tool(unsigned omp_version,
                                                                                 const char *runtime_version) {
  static ompt_start_tool_result_t result = {.initialize = initialize, .finalize = finalize};
  (void)omp_version;
  if (!hd_probe)
    return NULL;
  hd_probe->asked = 1;
  strncpy(hd_probe->runtime, runtime_version ? runtime_version : "", sizeof hd_probe->runtime - 1);
  return hd_probe->yields ? NULL : &result;
}
