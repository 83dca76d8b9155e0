/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>

#include "cli/doctor/probe/entries.h"
#include "cli/doctor/probe/probe_internal.h"

/* ---- the runtime's entry points ---- */

/* NOLINTNEXTLINE(bugprone-macro-parentheses): types and declarators */
#define DECLARE(result, name, parameters) result(*name) parameters;
static struct {
  HD_KMP_ENTRIES(DECLARE)
} kmp;

#define DESCRIBE(result, name, parameters) {#name, (void **)&kmp.name},
static const struct {
  const char *name;
  void **pointer;
} entries[] = {HD_KMP_ENTRIES(DESCRIBE)};

/* False: `why` names the first that the library lacks. */
static bool find_entries(void *libomp, char *why, size_t why_bytes) {
  for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
    *entries[i].pointer = dlsym(libomp, entries[i].name);
    if (!*entries[i].pointer) {
      snprintf(why, why_bytes, "it lacks %s: not a libomp, or older than version 9", entries[i].name);
      return false;
    }
  }
  return true;
}

/* ---- the constructs' bodies; each thread of the team runs them ---- */

#define SOURCE ";heddle;probe;1;1;;"
#define AT(more) (&(const struct hd_kmp_ident){.flags = HD_KMP_C | (more), .source = SOURCE})

static void step(enum hd_probe_step now) {
  hd_probe_step = (uint8_t)now;
}

static void barrier(int32_t thread, int flags) {
  kmp.__kmpc_barrier(AT(flags), thread);
}

static void do_barrier(int32_t thread) {
  barrier(thread, HD_KMP_BARRIER_EXPLICIT);
}

static void share(int32_t thread, int flags, int32_t schedule) {
  int32_t last = 0, lower = 0, upper = HD_PROBE_ITERATIONS - 1, stride = 1;
  kmp.__kmpc_for_static_init_4(AT(flags), thread, schedule, &last, &lower, &upper, &stride, 1, 1);
  step(HD_PROBE_SECOND);
  kmp.__kmpc_for_static_fini(AT(flags), thread);
  step(HD_PROBE_THIRD);
}

static void do_static(int32_t thread) {
  share(thread, HD_KMP_LOOP, HD_KMP_STATIC);
  barrier(thread, HD_KMP_BARRIER_LOOP);
}

static void do_sections(int32_t thread) {
  share(thread, HD_KMP_SECTIONS, HD_KMP_STATIC);
  barrier(thread, HD_KMP_BARRIER_SECTIONS);
}

static void do_distribute(int32_t thread) {
  share(thread, HD_KMP_DISTRIBUTE, HD_KMP_DISTRIBUTE_STATIC);
}

static void dispatch(int32_t thread, int32_t schedule) {
  int32_t last, lower, upper, stride;
  kmp.__kmpc_dispatch_init_4(AT(HD_KMP_LOOP), thread, schedule, 0, HD_PROBE_ITERATIONS - 1, 1, 1);
  step(HD_PROBE_SECOND);
  while (kmp.__kmpc_dispatch_next_4(AT(HD_KMP_LOOP), thread, &last, &lower, &upper, &stride)) {
  }
  step(HD_PROBE_THIRD);
  barrier(thread, HD_KMP_BARRIER_LOOP);
}

static void do_dynamic(int32_t thread) {
  dispatch(thread, HD_KMP_DYNAMIC);
}

static void do_guided(int32_t thread) {
  dispatch(thread, HD_KMP_GUIDED);
}

static void do_single(int32_t thread) {
  const bool chosen = kmp.__kmpc_single(AT(0), thread);
  step(HD_PROBE_SECOND);
  if (chosen)
    kmp.__kmpc_end_single(AT(0), thread);
  step(HD_PROBE_THIRD);
  barrier(thread, HD_KMP_BARRIER_SINGLE);
}

static void do_master(int32_t thread) {
  const bool chosen = kmp.__kmpc_master(AT(0), thread);
  step(HD_PROBE_SECOND);
  if (chosen)
    kmp.__kmpc_end_master(AT(0), thread);
}

static void do_critical(int32_t thread) {
  static hd_kmp_name name;
  kmp.__kmpc_critical(AT(0), thread, &name);
  step(HD_PROBE_SECOND);
  kmp.__kmpc_end_critical(AT(0), thread, &name);
}

static void *lock;

static void do_lock(int32_t thread) {
  (void)thread;
  kmp.omp_set_lock(&lock);
  step(HD_PROBE_SECOND);
  kmp.omp_unset_lock(&lock);
}

static void do_ordered(int32_t thread) {
  int32_t last, lower, upper, stride;
  kmp.__kmpc_dispatch_init_4(AT(HD_KMP_LOOP), thread, HD_KMP_ORDERED_DYNAMIC, 0, HD_PROBE_ITERATIONS - 1, 1, 1);
  while (kmp.__kmpc_dispatch_next_4(AT(HD_KMP_LOOP), thread, &last, &lower, &upper, &stride)) {
    step(HD_PROBE_FIRST);
    kmp.__kmpc_ordered(AT(0), thread);
    step(HD_PROBE_SECOND);
    kmp.__kmpc_end_ordered(AT(0), thread);
    step(HD_PROBE_THIRD);
    kmp.__kmpc_dispatch_fini_4(AT(HD_KMP_LOOP), thread);
  }
  barrier(thread, HD_KMP_BARRIER_LOOP);
}

/* Each iteration waits for the one before it. */
static void do_doacross(int32_t thread) {
  const struct hd_kmp_bounds bounds = {.lower = 0, .upper = HD_PROBE_ITERATIONS - 1, .stride = 1};
  int32_t last = 0, lower = 0, upper = HD_PROBE_ITERATIONS - 1, stride = 1;
  kmp.__kmpc_doacross_init(AT(0), thread, 1, &bounds);
  kmp.__kmpc_for_static_init_4(AT(HD_KMP_LOOP), thread, HD_KMP_STATIC, &last, &lower, &upper, &stride, 1, 1);
  for (int64_t i = lower; i <= upper && i < HD_PROBE_ITERATIONS; i++) {
    const int64_t before = i - 1;
    step(HD_PROBE_SECOND);
    if (i > 0)
      kmp.__kmpc_doacross_wait(AT(0), thread, &before);
    step(HD_PROBE_THIRD);
    kmp.__kmpc_doacross_post(AT(0), thread, &i);
  }
  kmp.__kmpc_for_static_fini(AT(HD_KMP_LOOP), thread);
  kmp.__kmpc_doacross_fini(AT(0), thread);
  barrier(thread, HD_KMP_BARRIER_LOOP);
}

static void do_atomic(int32_t thread) {
  (void)thread;
  kmp.__kmpc_atomic_start();
  step(HD_PROBE_SECOND);
  kmp.__kmpc_atomic_end();
}

static void add(void *to, void *from) {
  (void)to, (void)from;
}

static void do_reduction(int32_t thread) {
  static hd_kmp_name name;
  int value = 1;
  void *list[] = {&value};
  const int32_t way = kmp.__kmpc_reduce(AT(0), thread, 1, sizeof list, list, add, &name);
  step(HD_PROBE_SECOND);
  if (way == 1)
    kmp.__kmpc_end_reduce(AT(0), thread, &name);
}

static int32_t do_nothing(int32_t thread, void *task) {
  (void)thread, (void)task;
  return 0;
}

static struct hd_kmp_task *new_task(int32_t thread) {
  return kmp.__kmpc_omp_task_alloc(AT(0), thread, HD_KMP_TIED, sizeof(struct hd_kmp_task), 0, do_nothing);
}

static void do_task(int32_t thread) {
  struct hd_kmp_task *task = new_task(thread);
  step(HD_PROBE_SECOND);
  kmp.__kmpc_omp_task(AT(0), thread, task);
}

static void do_taskwait(int32_t thread) {
  kmp.__kmpc_omp_task(AT(0), thread, new_task(thread));
  step(HD_PROBE_SECOND);
  kmp.__kmpc_omp_taskwait(AT(0), thread);
}

static void do_taskgroup(int32_t thread) {
  kmp.__kmpc_taskgroup(AT(0), thread);
  kmp.__kmpc_omp_task(AT(0), thread, new_task(thread));
  step(HD_PROBE_SECOND);
  kmp.__kmpc_end_taskgroup(AT(0), thread);
}

static void do_taskloop(int32_t thread) {
  if (!hd_probe_is_primary)
    return;
  struct hd_kmp_task *task = new_task(thread);
  task->lower = 0;
  task->upper = HD_PROBE_ITERATIONS - 1;
  task->stride = 1;
  kmp.__kmpc_taskloop(AT(0), thread, task, 1, &task->lower, &task->upper, 1, 0, 0, 0, NULL);
}

/* ---- one after another ---- */

#define BODY(name, words, body) [HD_PROBE_##name] = (body),
static void (*const bodies[HD_PROBE_PLACES])(int32_t thread) = {HD_PROBE_CONSTRUCTS(BODY)};

static void run_body(int32_t *thread, int32_t *bound, ...) {
  (void)bound;
  const uint32_t place = hd_probe->place;
  step(HD_PROBE_FIRST);
  __atomic_fetch_add(&hd_probe->team, place == HD_PROBE_REGION, __ATOMIC_RELAXED);
  if (bodies[place])
    bodies[place](*thread);
  step(HD_PROBE_AFTER);
}

static void go_to(enum hd_probe_place place) {
  step(HD_PROBE_BEFORE);
  __atomic_store_n(&hd_probe->place, place, __ATOMIC_RELEASE);
}

/* What a worker has to say of a region's end may come now, or only at the next region. */
static void wait_for_workers(void) {
  const struct timespec pause = {.tv_nsec = 50000000};
  nanosleep(&pause, NULL);
}

static void run_regions(int32_t thread) {
  for (int place = HD_PROBE_REGION; place < HD_PROBE_TEAMS; place++) {
    go_to((enum hd_probe_place)place);
    kmp.__kmpc_push_num_threads(AT(0), thread, HD_PROBE_TEAM);
    kmp.__kmpc_fork_call(AT(0), 0, run_body);
    if (place == HD_PROBE_REGION)
      wait_for_workers();
  }
}

bool hd_probe_play(void *libomp, char *why, size_t why_bytes) {
  enum { START = 1 }; /* omp_control_tool_start */
  if (!find_entries(libomp, why, why_bytes))
    return false;
  hd_probe_is_primary = true;
  const int32_t thread = kmp.__kmpc_global_thread_num(AT(0));
  kmp.omp_init_lock(&lock);
  run_regions(thread);
  go_to(HD_PROBE_TEAMS);
  kmp.__kmpc_push_num_teams(AT(0), thread, HD_PROBE_TEAM, 1);
  kmp.__kmpc_fork_teams(AT(0), 0, run_body);
  go_to(HD_PROBE_CONTROL);
  kmp.omp_control_tool(START, 0, NULL);
  go_to(HD_PROBE_END);
  hd_probe->done = 1;
  return true;
}
