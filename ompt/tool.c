/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/tool.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "callpath/call_site.h"
#include "callpath/callpath.h"
#include "callpath/libgcc_unwind.h"
#include "callpath/stack_cache.h"
#include "ompt/child.h"
#include "ompt/construct/routine.h"
#include "ompt/markers.h"
#include "ompt/process.h"
#include "ompt/thread/budget.h"
#include "ompt/thread/clock.h"
#include "ompt/thread/event.h"
#include "ompt/thread/processor.h"
#include "ompt/thread/sweeper.h"
#include "ompt/thread/thread.h"
#include "ompt/thread/thread_counters.h"
#include "store/profile_file.h"
#include "store/store.h"
#include "support/inprocess/memory_budget.h"
#include "support/inprocess/pristine.h"
#include "support/inprocess/seccomp.h"
#include "support/log.h"
#include "support/settings.h"

struct hd_tool hd_tool;
struct hd_store hd_store;

/* What a forked child takes over. */
static struct {
  ompt_function_lookup_t lookup; /* NULL: no runtime has come yet */
  const char *runtime;
  pthread_once_t once; /* of this process */
  bool watches_forks;
  bool watches_exit;
} origin HD_LASTING = {.once = PTHREAD_ONCE_INIT};

bool hd_tool_is_measuring(void) {
  return __atomic_load_n(&hd_tool.measuring, __ATOMIC_ACQUIRE) && hd_tool.pid == getpid();
}

static void before_fork(void) {
  int saved = errno;
  if (hd_tool.measuring)
    hd_sandbox_before_fork();
  errno = saved;
}

static void begin_as_child(void) {
  int saved = errno;
  hd_child_forked(hd_tool.measuring);
  hd_tool.measuring = false;
  hd_tool.started = !hd_child_is_new();
  origin.once = (pthread_once_t)PTHREAD_ONCE_INIT;
  if (hd_child_is_new())
    hd_thread_forget_parent();
  else
    hd_thread_forget();
  errno = saved;
}

/* What every runtime but the tests' does not know: how to let a test's time pass. */
typedef void advance_function(uint64_t ticks);
static advance_function *test_advance;

/* An unknown entry point to every runtime but the tests', which answers with the address of its clock. */
static const uint64_t *find_external_clock(ompt_function_lookup_t lookup) {
  ompt_interface_fn_t entry = lookup("heddle_external_clock");
  const uint64_t *clock;
  _Static_assert(sizeof clock == sizeof entry, "POSIX: data and function pointers convert");
  __builtin_memcpy(&clock, &entry, sizeof clock);
  return clock;
}

typedef void (*switch_function)(uint32_t event_class, bool off);

/* Likewise: where a test wants to be told how to switch classes of events. */
static switch_function *find_external_switch(ompt_function_lookup_t lookup) {
  ompt_interface_fn_t entry = lookup("heddle_external_switch");
  switch_function *slot;
  __builtin_memcpy(&slot, &entry, sizeof slot);
  return slot;
}

/* Likewise: a test's runtime says whether it ends with its program. */
static const bool *test_exiting;

static const bool *find_external_exiting(ompt_function_lookup_t lookup) {
  ompt_interface_fn_t entry = lookup("heddle_external_exiting");
  const bool *exiting;
  __builtin_memcpy(&exiting, &entry, sizeof exiting);
  return exiting;
}

static bool prepare(const struct hd_settings *settings, const uint64_t *external_clock) {
  char why[1200];
  char place[sizeof hd_store.live_path];
  char program[sizeof hd_store.header->program];
  if (!hd_clock_choose(settings->clock, external_clock))
    hd_log("HEDDLE_CLOCK=%s is neither auto, tsc nor monotonic; taking monotonic", settings->clock);
  hd_process_program(program, sizeof program);
  hd_memory_limit(settings->memory);
  hd_store.wanted_bytes = settings->memory;
  hd_store.is_collected = settings->start != NULL;
  hd_store.last_place = hd_process_output_directory(settings->output, place, sizeof place);
  if (!hd_store_create(&hd_store, settings->store_dir, program, why, sizeof why)) {
    hd_log("not measuring: %s", why);
    return false;
  }
  hd_memory_show(&hd_store.header->memory_limit_bytes, &hd_store.header->memory_bytes);
  if (!hd_process_describe(&hd_store, settings->start, settings->output, hd_tool.runtime))
    hd_log("not measuring: the profile's name is too long: %s", settings->output);
  else if (!hd_callpath_init(&hd_store, settings->callpath_depth, settings->cycle_limit) ||
           !hd_concurrency_init(hd_store.header->loaded_ticks))
    hd_log("not measuring: no room for the profile in %s (memory, disk space or file-size limit)", hd_store.live_path);
  else
    return true;
  unlink(hd_store.live_path);
  return false;
}

/* Threads may still run and send events: nothing comes of them. The reader closes every open interval at end_ticks. */
static struct hd_thread_record *stop(void) {
  struct hd_thread *self = hd_thread_known();
  if (self)
    hd_store.header->unmatched_phases += hd_thread_open_phases(self);
  hd_budget_close();
  hd_counters_close(self);
  hd_clock_close_events();
  hd_concurrency_close();
  hd_counters_close_others(self);
  hd_tool.measuring = false;
  return self ? self->record : NULL;
}

static void note_end(void) {
  struct hd_file_header *header = hd_store.header;
  header->end_ticks = hd_clock_close(header);
  header->clock_last = hd_clock_read_pair();
}

static void save(void) {
  __atomic_fetch_or(&hd_store.header->flags, HD_FILE_COMPLETE, __ATOMIC_RELEASE);
  hd_store_finish(&hd_store);
}

static void finish(void) {
  if (!hd_tool_is_measuring())
    return;
  int saved = errno;
  struct hd_thread_record *self = stop();
  note_end();
  hd_processor_close(self);
  save();
  errno = saved;
}

static void finish_before_the_runtime(void);
static bool stop_pauses; /* the clock stands because of stop_early, not of the program */

/* The program goes on, and what it does then is not measured: for this profile the clock stands still from here on. */
static void stop_early(void) {
  struct hd_file_header *header = hd_store.header;
  int saved = errno;
  header->stop_paused_ticks = header->paused_ticks;
  stop_pauses = !hd_clock_is_paused();
  header->pauses -= stop_pauses; /* this is none of the program's own */
  hd_clock_pause(header);
  __atomic_fetch_or(&header->flags, HD_FILE_STOPPED, __ATOMIC_RELEASE);
  hd_processor_close(stop());
  header->clock_last = hd_clock_read_pair();
  hd_tool.is_stopped = true;
  atexit(finish_before_the_runtime);
  errno = saved;
}

/* The runtime ended at the program's end after all: no handler of ours had come before. That of the start comes too
 * late where a library's constructor is the first to use OpenMP: handlers run in the reverse of the order in which they
 * were added, and the C library adds the one that calls the libraries' destructors after their constructors. That of
 * stop_early comes before this destructor, unless exit() was already calling destructors then. */
static void note_end_at_stop(void) {
  struct hd_file_header *header = hd_store.header;
  __atomic_fetch_and(&header->flags, ~(uint32_t)HD_FILE_STOPPED, __ATOMIC_RELEASE);
  header->paused_at_ticks = 0;
  header->end_ticks = hd_clock_now();
}

static void save_what_was_stopped(void) {
  int saved = errno;
  if (hd_tool.is_stopped && hd_tool.pid == getpid()) {
    if (stop_pauses && !hd_tool.is_exiting)
      note_end_at_stop();
    else
      note_end();
    save();
  }
  hd_tool.is_stopped = false;
  errno = saved;
}

static void do_nothing(void *data) {
  (void)data;
}

/* Not only those that are busy just now: another thread with regions of its own may begin one at any moment. */
static bool others_may_use_the_runtime(void) {
  const struct hd_thread *self = hd_thread_known();
  return !self || !hd_thread_while_alone(self, do_nothing, NULL) || hd_concurrency_others_are_busy(self->ring.record);
}

/* exit() while other threads work: libomp frees what they use before it finalizes the tool, and the longer we take
 * there the likelier one of them crashes. This handler comes before. If nobody works, the program's end is what libomp
 * says. A forked child that has used no OpenMP uses none any more, whatever the runtime clears up. */
static void finish_before_the_runtime(void) {
  hd_tool.started = true;
  hd_tool.is_exiting = true;
  if (hd_tool_is_measuring() && others_may_use_the_runtime())
    finish();
}

/* ---- start ---- */

/* Hooks come only if the C library's own, which do nothing, have been replaced by ours: this library was preloaded. In
 * a test it was not, and they come all the same. */
static bool has_routines(void) {
  return hd_clock.kind == HD_CLOCK_EXTERNAL ||
         dlsym(RTLD_DEFAULT, "__cyg_profile_func_enter") == hd_routine_hook_address();
}

static void start_parts(const struct hd_settings *settings) {
  const bool on_stack = hd_clock.kind != HD_CLOCK_EXTERNAL; /* a test's addresses are not on its stack */
  struct hd_file_header *header = hd_store.header;
  hd_tool.has_routines = has_routines();
  header->flags |= hd_tool.has_routines ? HD_FILE_ROUTINES : 0;
  header->flags |= settings->cpu_time ? HD_FILE_CPU_TIME : 0;
  header->flags |= settings->gomp ? HD_FILE_GOMP : 0;
  hd_clock.measures_cpu = settings->cpu_time;
  hd_tool.unwinds = on_stack && settings->unwind_depth && hd_unwind_init(settings->unwind_depth);
  header->unwind_depth = hd_tool.unwinds ? (uint32_t)settings->unwind_depth : 0;
  if (on_stack && hd_tool.has_routines)
    hd_unwinder_load(); /* not later, perhaps in a signal handler */
  hd_processor_init(hd_clock.kind != HD_CLOCK_EXTERNAL);
  hd_thread_init(settings->threads_apart);
  hd_event_init(settings->test_delay, test_advance);
  hd_budget_init(settings->overhead_ppm);
  hd_counters_init(settings);
  hd_markers_connect();
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
    atexit(finish_before_the_runtime);
  origin.watches_exit = true;
}

/* False: nothing will be measured; the reason is on stderr. */
static bool start(const uint64_t *external_clock) {
  struct hd_settings settings;
  hd_settings_read(&settings);
  hd_tool.pid = getpid();
  if (!prepare(&settings, external_clock))
    return false;
  start_parts(&settings);
  watch_forks();
  watch_exit();
  if (hd_child_is_paused())
    hd_clock_pause(hd_store.header);
  hd_store.header->clock_last = hd_clock_read_pair();
  __atomic_store_n(&hd_tool.measuring, true, __ATOMIC_RELEASE);
  return true;
}

static const uint64_t *test_clock;

/* Without a runtime it is the program that has a test's clock. */
static void find_surroundings(void) {
  const ompt_function_lookup_t lookup = origin.lookup;
  hd_tool.runtime = origin.runtime ? origin.runtime : "";
  if (!lookup) {
    test_clock = dlsym(RTLD_DEFAULT, "heddle_external_clock");
    void *advance = dlsym(RTLD_DEFAULT, "heddle_external_advance");
    memcpy(&test_advance, &advance, sizeof test_advance);
    return;
  }
  hd_tool.get_thread_data = (ompt_get_thread_data_t)lookup("ompt_get_thread_data");
  hd_tool.needs_libgomp = hd_process_needs_libgomp();
  hd_tool.has_gcc_regions = hd_tool.needs_libgomp || lookup("heddle_external_gomp");
  test_clock = find_external_clock(lookup);
  test_advance = (advance_function *)lookup("heddle_external_advance");
  test_exiting = find_external_exiting(lookup);
  hd_budget_offer_switch(find_external_switch(lookup));
}

static void note_start_ticks(void) {
  if (hd_tool.measuring && !hd_tool.start_ticks)
    hd_tool.start_ticks = hd_clock_now() - hd_store.header->loaded_ticks;
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
  const uint32_t module = hd_callpath_module(place);
  strncpy(header->runtime, hd_tool.runtime, sizeof header->runtime - 1);
  header->runtime_module = module == HD_NONE ? 0 : module + 1;
}

/* The program may have run for a while before the runtime came. */
static void join_runtime(void) {
  const ompt_function_lookup_t lookup = origin.lookup;
  const ompt_set_callback_t set_callback = (ompt_set_callback_t)lookup("ompt_set_callback");
  if (hd_tool.has_joined)
    return;
  const void *const place = place_in_runtime(lookup, set_callback);
  hd_tool.has_joined = true;
  describe_runtime(place);
  hd_process_note_tools(&hd_store);
  if (hd_clock.kind != HD_CLOCK_EXTERNAL)
    hd_call_site_init(place);
  hd_store.header->lost_callbacks = hd_callbacks_register(set_callback);
  hd_store.header->clock_last = hd_clock_read_pair();
  note_start_ticks();
}

/* In a forked child the runtime goes on to call the tool that its parent has started, and starts none. */
static void start_once(void) {
  const bool is_child = hd_child_is_new();
  const bool may_start = !is_child || hd_child_forget_parent();
  if (!is_child)
    hd_pristine_keep();   /* where it cannot, children are not measured */
  hd_tool.started = true; /* what is called meanwhile may be instrumented */
  if (may_start)
    find_surroundings();
  hd_child_tell_parent(may_start && start(test_clock));
  if (is_child && hd_tool.measuring && origin.lookup)
    join_runtime();
}

void hd_tool_start_early(void) {
  int saved = errno;
  pthread_once(&origin.once, start_once);
  note_start_ticks();
  errno = saved;
}

void hd_tool_start_in_child(void) {
  int saved = errno;
  pthread_once(&origin.once, start_once);
  errno = saved;
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *tool_data) {
  (void)device, (void)tool_data;
  int saved = errno;
  const bool has_callbacks = lookup("ompt_set_callback");
  origin.lookup = lookup;
  if (hd_tool.started)
    find_surroundings();
  else if (has_callbacks)
    pthread_once(&origin.once, start_once);
  const bool measuring = has_callbacks && hd_tool_is_measuring();
  if (measuring)
    join_runtime();
  errno = saved;
  return measuring; /* 0: the runtime goes on without us */
}

/* ---- on request ---- */

static bool keep_errno(bool done, int saved) {
  errno = saved;
  return done;
}

static bool change_clock(void (*change)(struct hd_file_header *)) {
  int saved = errno;
  if (!hd_tool_is_measuring())
    return keep_errno(false, saved);
  struct hd_thread *self = hd_thread_known();
  if (self && self->counters)
    hd_counters_before_pause(self);
  change(hd_store.header);
  if (self && self->counters)
    hd_counters_after_pause(self);
  return keep_errno(true, saved);
}

bool hd_tool_pause(void) {
  return change_clock(hd_clock_pause);
}

bool hd_tool_resume(void) {
  return change_clock(hd_clock_resume);
}

bool hd_tool_flush(void) {
  int saved = errno;
  if (!hd_tool_is_measuring())
    return keep_errno(false, saved);
  hd_concurrency_flush();
  hd_store.header->clock_last = hd_clock_read_pair();
  return keep_errno(true, saved);
}

bool hd_tool_end(void) {
  if (!hd_tool_is_measuring())
    return false;
  finish();
  return true;
}

/* ---- end ---- */

/* Or the runtime alone ends: omp_pause_resource_all(omp_pause_hard), omp_pause_stop_tool, dlclose. It never calls this
 * tool again. */
static void finalize(ompt_data_t *tool_data) {
  (void)tool_data;
  const bool is_end = test_exiting ? *test_exiting : hd_tool.is_exiting;
  if (hd_tool_is_measuring() && !is_end)
    stop_early();
  else
    finish();
}

/* exit() inside a parallel region: the runtime never finalizes. */
__attribute__((destructor)) static void finish_at_exit(void) {
  finish();
  save_what_was_stopped();
}

__attribute__((visibility("default"))) ompt_start_tool_result_t *ompt_start_tool(unsigned omp_version,
                                                                                 const char *runtime_version) {
  static ompt_start_tool_result_t result = {.initialize = initialize, .finalize = finalize};
  (void)omp_version;
  origin.runtime = runtime_version;
  watch_forks();
  return &result;
}
