/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/tool.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "callpath/callpath.h"
#include "callpath/code/code_kind.h"
#include "callpath/code/modules.h"
#include "callpath/stack/stack_cache.h"
#include "callpath/unwind/libgcc_unwind.h"
#include "ompt/callbacks.h"
#include "ompt/child.h"
#include "ompt/construct/lengths.h"
#include "ompt/counting/thread_counters.h"
#include "ompt/counting/thread_samples.h"
#include "ompt/ending.h"
#include "ompt/entry_points.h"
#include "ompt/mpi_calls.h"
#include "ompt/mpi_job.h"
#include "ompt/process.h"
#include "ompt/shared/clock.h"
#include "ompt/shared/dormancy.h"
#include "ompt/shared/measuring.h"
#include "ompt/shared/processor.h"
#include "ompt/shared/sweeper.h"
#include "ompt/test_runtime.h"
#include "ompt/thread/budget.h"
#include "ompt/thread/event.h"
#include "ompt/thread/order.h"
#include "ompt/thread/steering.h"
#include "ompt/thread/thread_lifecycle.h"
#include "ompt/thread/trace.h"
#include "ompt/thread/trace_blocks.h"
#include "ompt/thread/trace_lulls.h"
#include "ompt/thread/trace_when.h"
#include "store/store.h"
#include "support/inprocess/keep_errno.h"
#include "support/inprocess/memory_budget.h"
#include "support/inprocess/pristine.h"
#include "support/inprocess/seccomp.h"
#include "support/lasting.h"
#include "support/log.h"
#include "support/settings.h"

/* What a forked child takes over. */
static struct {
  ompt_function_lookup_t lookup; /* NULL: no runtime has come yet */
  const char *runtime;
  pthread_once_t once; /* of this process */
  bool watches_forks;
  bool watches_exit;
} origin HD_LASTING = {.once = PTHREAD_ONCE_INIT};

static const char *runtime_name(void) {
  return origin.runtime ? origin.runtime : "";
}

static void before_fork(void) {
  HD_KEEP_ERRNO;
  if (hd_measuring.is_on)
    hd_seccomp_before_fork();
}

static void start_if_new(void);
static void wake(void);

static void begin_as_child(void) {
  HD_KEEP_ERRNO;
  hd_child_forked(hd_measuring.is_on);
  hd_measuring.is_on = false;
  hd_measuring.started = hd_measuring.hears_routines = !hd_child.is_new;
  hd_measuring.start_in_child = start_if_new;
  origin.once = (pthread_once_t)PTHREAD_ONCE_INIT;
  hd_thread_set(hd_child.is_new ? NULL : &hd_thread_not_measured);
}

static uint64_t wanted_bytes(const struct hd_settings *settings) {
  const uint64_t trace = settings->trace ? settings->trace : settings->trace_last;
  const uint64_t sum = settings->memory + trace;
  return sum < trace ? UINT64_MAX : sum; /* without a limit */
}

static bool prepare(const struct hd_settings *settings, const uint64_t *external_clock) {
  char why[1200];
  char place[sizeof hd_store.live_path];
  char program[sizeof hd_store.header->program];
  if (!hd_clock_choose(settings->clock, external_clock))
    hd_log("HEDDLE_CLOCK=%s is neither auto, tsc nor monotonic; using monotonic", settings->clock);
  hd_process_program(program, sizeof program);
  hd_memory_limit(settings->memory);
  hd_store.wanted_bytes = wanted_bytes(settings);
  hd_store.is_collected = settings->start != NULL;
  hd_store.last_place = hd_process_output_directory(settings->output, place, sizeof place);
  if (!hd_store_create(&hd_store, settings->store_dir, program, why, sizeof why)) {
    hd_log("not measuring: %s", why);
    return false;
  }
  hd_memory_show(&hd_store.header->memory_limit_bytes, &hd_store.header->memory_bytes);
  if (!hd_process_describe(&hd_store, settings->start, settings->output, runtime_name()))
    hd_log("not measuring: the profile's name is too long: %s", settings->output);
  else if (!hd_callpath_init(&hd_store, settings->callpath_depth, settings->cycle_limit) ||
           !hd_sweeper_init(hd_store.header->loaded_ticks, settings->test_windows))
    hd_log("not measuring: no room for the profile in %s (memory, disk space or file-size limit)", hd_store.live_path);
  else
    return true;
  unlink(hd_store.live_path);
  return false;
}

/* ---- start ---- */

static bool has_joined;                                     /* the runtime's events are registered for */
static pthread_mutex_t joining = PTHREAD_MUTEX_INITIALIZER; /* and what that depends on does not change */

bool hd_tool_has_hooks(void) {
  const void *hook = dlsym(RTLD_DEFAULT, "__cyg_profile_func_enter");
  Dl_info its, own;
  return hook && dladdr(hook, &its) && dladdr(&hd_measuring, &own) && its.dli_fbase == own.dli_fbase;
}

static void start_parts(const struct hd_settings *settings) {
  const bool on_stack = hd_clock.kind != HD_CLOCK_EXTERNAL; /* a test's addresses are not on its stack */
  struct hd_file_header *header = hd_store.header;
  hd_measuring.has_routines = !on_stack || hd_tool_has_hooks(); /* in a test they come all the same */
  const bool has_trace = settings->trace > 0 || settings->trace_last > 0;
  hd_order_init(settings->critical_path, settings->locks, has_trace && !settings->trace_concurrency);
  if (settings->critical_path)
    hd_sweeper_follow_path();
  if (settings->locks)
    hd_sweeper_follow_locks();
  header->flags |= hd_measuring.has_routines ? HD_FILE_ROUTINES : 0;
  header->flags |= settings->cpu_time ? HD_FILE_CPU_TIME : 0;
  header->flags |= settings->gomp ? HD_FILE_GOMP : 0;
  hd_clock.measures_cpu = settings->cpu_time;
  hd_measuring.unwinds = on_stack && settings->unwind_depth && hd_stack_cache_init(settings->unwind_depth);
  header->unwind_depth = hd_measuring.unwinds ? (uint32_t)settings->unwind_depth : 0;
  if (on_stack && hd_measuring.has_routines)
    hd_unwinder_load(); /* not later, perhaps in a signal handler */
  hd_processor_init(hd_clock.kind != HD_CLOCK_EXTERNAL);
  hd_thread_init(settings->threads_apart);
  if (!hd_trace_when_init(has_trace ? settings->trace_when : NULL))
    hd_log("HEDDLE_TRACE_WHEN=%s is neither phase NAME, region MODULE+FROM-TO,... nor busy<=K for TIME; ignored",
           settings->trace_when);
  hd_trace_init(has_trace && settings->trace_concurrency);
  hd_trace_blocks_init(settings->trace ? settings->trace : settings->trace_last,
                       settings->trace == 0 || hd_trace_lulls_are_wanted());
  hd_event_init(settings->test_delay, hd_test_runtime.advance);
  hd_budget_init(settings->overhead_ppm, hd_callbacks_mute);
  hd_lengths_init(hd_clock_ticks_per_ms(header->clock_first), hd_clock.kind == HD_CLOCK_EXTERNAL);
  hd_steering_init((uint32_t)settings->only);
  hd_counters_init(settings);
  hd_mpi_job_init(settings);
  hd_samples_init(settings, hd_clock.kind == HD_CLOCK_EXTERNAL ? hd_test_runtime.open_samples : hd_sample_ring_open,
                  hd_trace_sample);
  if (hd_measuring.connect_markers)
    hd_measuring.connect_markers();
}

/* A forked child inherits these handlers. Its first must be ours: the runtime's sends events. So when there is a
 * runtime it is added before the runtime's. */
static void watch_forks(void) {
  if (!origin.watches_forks)
    pthread_atfork(before_fork, NULL, begin_as_child);
  origin.watches_forks = true;
}

static void watch_exit(void) {
  if (!origin.watches_exit)
    atexit(hd_ending_before_the_runtime);
  origin.watches_exit = true;
}

static void begin_dormant(void) {
  hd_budget_expect_ends();
  hd_dormancy_begin(hd_store.header, wake);
}

/* False: nothing will be measured; the reason is on stderr. */
static bool start(const uint64_t *external_clock) {
  struct hd_settings settings;
  hd_settings_read(&settings);
  hd_measuring.pid = getpid();
  if (!prepare(&settings, external_clock))
    return false;
  start_parts(&settings);
  watch_forks();
  watch_exit();
  if (settings.dormant)
    begin_dormant();
  else if (hd_child.is_paused)
    hd_clock_pause(hd_store.header);
  hd_store.header->clock_last = hd_clock_read_pair();
  __atomic_store_n(&hd_measuring.is_on, true, __ATOMIC_RELEASE);
  return true;
}

static void find_surroundings(void) {
  const ompt_function_lookup_t lookup = origin.lookup;
  hd_test_runtime_find(lookup);
  if (!lookup)
    return;
  hd_measuring.get_thread_data = (ompt_get_thread_data_t)lookup("ompt_get_thread_data");
  hd_measuring.get_task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
  hd_measuring.get_state = (ompt_get_state_t)lookup("ompt_get_state");
  hd_measuring.needs_libgomp = hd_process_needs_libgomp();
  hd_measuring.has_gcc_regions = hd_measuring.needs_libgomp || hd_test_runtime.has_gcc_regions;
}

static void note_start_ticks(void) {
  if (hd_measuring.is_on && !hd_measuring.start_ticks)
    hd_measuring.start_ticks = hd_clock_now() - hd_store.header->loaded_ticks;
}

/* Some function of the runtime itself. A tool that passes its events on to us (ompt-multiplex.h) has its own
 * ompt_set_callback, but not this one. */
static const void *place_in_runtime(ompt_function_lookup_t lookup, ompt_set_callback_t set_callback) {
  const ompt_interface_fn_t function = lookup("ompt_enumerate_states");
  return function ? (const void *)(uintptr_t)function : (const void *)(uintptr_t)set_callback;
}

/* It began without a runtime. All versions of libomp have the same name for themselves: its file tells which it is. */
static void describe_runtime(const void *place) {
  struct hd_file_header *header = hd_store.header;
  const uint32_t module = hd_modules_find(place, false);
  strncpy(header->runtime, runtime_name(), sizeof header->runtime - 1);
  header->runtime_module = module == HD_NONE ? 0 : module + 1;
}

/* Preloaded with the program, or not at all. */
static struct heddle_entries *find_entries(void) {
  return hd_test_runtime.entries ? hd_test_runtime.entries : dlsym(RTLD_DEFAULT, HEDDLE_ENTRIES);
}

static void listen(ompt_set_callback_t set_callback) {
  hd_store.header->lost_callbacks = hd_callbacks_register(set_callback);
  hd_entry_points_connect(find_entries());
  hd_mpi_calls_connect(hd_test_runtime.mpi_calls); /* real ones are connected already */
}

/* From here on events are heard. Another thread may be at it, or this one, which a signal interrupted. */
static void wake(void) {
  HD_KEEP_ERRNO;
  if (pthread_mutex_trylock(&joining) != 0)
    return;
  if (hd_dormancy_is_asleep()) {
    if (has_joined)
      listen((ompt_set_callback_t)origin.lookup("ompt_set_callback"));
    __atomic_store_n(&hd_measuring.hears_routines, true, __ATOMIC_RELEASE);
    hd_dormancy_end();
  }
  pthread_mutex_unlock(&joining);
}

static void begin_to_listen(ompt_set_callback_t set_callback) {
  pthread_mutex_lock(&joining);
  has_joined = true;
  if (hd_dormancy_is_asleep())
    hd_callbacks_register_dormant(set_callback);
  else
    listen(set_callback);
  pthread_mutex_unlock(&joining);
}

/* The program may have run for a while before the runtime came. */
static void join_runtime(void) {
  const ompt_function_lookup_t lookup = origin.lookup;
  const ompt_set_callback_t set_callback = (ompt_set_callback_t)lookup("ompt_set_callback");
  if (has_joined)
    return;
  const void *const place = place_in_runtime(lookup, set_callback);
  describe_runtime(place);
  hd_process_note_tools(&hd_store);
  if (hd_clock.kind != HD_CLOCK_EXTERNAL) {
    hd_code_find_runtime(place);
    hd_unwinder_load(); /* not later, under somebody's loader lock */
  }
  begin_to_listen(set_callback);
  hd_store.header->clock_last = hd_clock_read_pair();
  note_start_ticks();
}

/* In a forked child the runtime goes on to call the tool that its parent has started, and starts none. */
static void start_once(void) {
  const bool is_child = hd_child.is_new;
  const bool may_start = !is_child || hd_child_forget_parent();
  if (!is_child)
    hd_pristine_keep();        /* where it cannot, children are not measured */
  hd_measuring.started = true; /* what is called meanwhile may be instrumented */
  if (may_start)
    find_surroundings();
  hd_child_tell_parent(may_start && start(hd_test_runtime.clock));
  hd_measuring.hears_routines = !hd_dormancy_is_asleep();
  if (is_child && hd_measuring.is_on && origin.lookup)
    join_runtime();
}

static void start_if_new(void) {
  HD_KEEP_ERRNO;
  pthread_once(&origin.once, start_once);
}

void hd_tool_start_early(void) {
  start_if_new();
  note_start_ticks();
}

bool hd_tool_hears_routines(void) {
  if (!hd_measuring.started)
    hd_tool_start_early();
  else if (hd_dormancy_is_asleep())
    hd_steering_wake_if_asked();
  return hd_measuring_hears_routines();
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *tool_data) {
  (void)device, (void)tool_data;
  HD_KEEP_ERRNO;
  const bool has_callbacks = lookup("ompt_set_callback");
  origin.lookup = lookup;
  if (hd_measuring.started)
    find_surroundings();
  else if (has_callbacks)
    pthread_once(&origin.once, start_once);
  const bool measuring = has_callbacks && hd_measuring_is_on();
  if (measuring)
    join_runtime();
  return measuring; /* 0: the runtime goes on without us */
}

/* ---- end ---- */

/* Or the runtime alone ends: omp_pause_resource_all(omp_pause_hard), omp_pause_stop_tool, dlclose. It never calls this
 * tool again. */
static void finalize(ompt_data_t *tool_data) {
  (void)tool_data;
  const bool is_end = hd_test_runtime.is_exiting ? *hd_test_runtime.is_exiting : hd_measuring.is_exiting;
  if (!is_end)
    hd_ending_stop_early();
  hd_ending_finish();
}

/* exit() inside a parallel region: the runtime never finalizes. */
__attribute__((destructor)) static void finish_at_exit(void) {
  hd_ending_at_exit();
}

ompt_start_tool_result_t *hd_tool_offer(const char *runtime_version) {
  static ompt_start_tool_result_t result = {.initialize = initialize, .finalize = finalize};
  origin.runtime = runtime_version;
  watch_forks();
  return &result;
}
