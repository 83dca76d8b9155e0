/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What counting the kernel's events costs: a construct's edges with 0, 1, 2 and 4 events, counted at regions, loops and
 * everywhere, played on libheddle.so by one thread in the place of the runtime; and a reading alone.
 *
 *   region    an empty parallel region of one thread
 *   loop      an empty loop with its barrier, in a region
 *   critical  an empty critical section, in a region
 *
 * Each variant is a process of its own, since Heddle reads its settings once; they take turns, a millisecond each, so
 * that what else the machine does hits all alike.
 *
 * usage: counters LIBHEDDLE [repetitions]  (default 101; medians in ns are printed, with the quartiles of the last)
 */
#include <dlfcn.h>
#include <omp-tools.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "played_runtime.h"

#define EVENTS_1 "perf::PAGE-FAULTS"
#define EVENTS_2 EVENTS_1 ",perf::TASK-CLOCK"
#define EVENTS_4 EVENTS_2 ",perf::CONTEXT-SWITCHES,perf::CPU-MIGRATIONS"

enum { PATTERNS = 3, TURNS = 1000 };

static const struct variant {
  const char *name, *events, *at;
} variants[] = {
    {"not counted", NULL, NULL},        {"1 event, region", EVENTS_1, "region"},  {"1 event, loop", EVENTS_1, "loop"},
    {"1 event, all", EVENTS_1, "all"},  {"2 events, region", EVENTS_2, "region"}, {"2 events, loop", EVENTS_2, "loop"},
    {"2 events, all", EVENTS_2, "all"}, {"4 events, region", EVENTS_4, "region"}, {"4 events, loop", EVENTS_4, "loop"},
    {"4 events, all", EVENTS_4, "all"}};
enum { VARIANTS = sizeof variants / sizeof *variants };

static ompt_data_t thread_data, initial_region, initial_task, region, task;
static const void *const code[] = {&callbacks[1], &callbacks[2], &callbacks[3]}; /* made-up return addresses */

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- the runtime ---- */

static ompt_data_t *get_thread_data(void) {
  return &thread_data;
}

static void begin_region(void) {
  region.value = task.value = 0;
  CALL(ompt_callback_parallel_begin, &initial_task, NULL, &region, 1,
       (int)(ompt_parallel_invoker_runtime | ompt_parallel_team), code[0]);
  CALL(ompt_callback_implicit_task, ompt_scope_begin, &region, &task, 1, 0, ompt_task_implicit);
}

static void end_region(void) {
  CALL(ompt_callback_implicit_task, ompt_scope_end, NULL, &task, 1, 0, ompt_task_implicit);
  CALL(ompt_callback_parallel_end, &region, &initial_task, (int)(ompt_parallel_invoker_runtime | ompt_parallel_team),
       code[0]);
}

static void play_region(void) {
  begin_region();
  end_region();
}

static void play_loop(void) {
  CALL(ompt_callback_work, ompt_work_loop, ompt_scope_begin, &region, &task, 1, code[1]);
  CALL(ompt_callback_work, ompt_work_loop, ompt_scope_end, &region, &task, 1, code[1]);
  for (int end = 0; end < 2; end++)
    CALL(ompt_callback_sync_region_wait, ompt_sync_region_barrier_implicit, end ? ompt_scope_end : ompt_scope_begin,
         &region, &task, code[1]);
}

static void play_critical(void) {
  CALL(ompt_callback_mutex_acquire, ompt_mutex_critical, 0, 0, 1, code[2]);
  CALL(ompt_callback_mutex_acquired, ompt_mutex_critical, 1, code[2]);
  CALL(ompt_callback_mutex_released, ompt_mutex_critical, 1, code[2]);
}

static bool start_tool(const char *library) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  ompt_start_tool_result_t *(*start)(unsigned, const char *) = NULL;
  if (handle)
    *(void **)&start = dlsym(handle, "ompt_start_tool");
  ompt_start_tool_result_t *tool = start ? start(201611, "benchmark") : NULL;
  if (!tool || !tool->initialize(look_up, 0, &tool->tool_data)) {
    fprintf(stderr, "counters: %s: %s\n", library, handle ? "it declined" : dlerror());
    return false;
  }
  CALL(ompt_callback_thread_begin, ompt_thread_initial, &thread_data);
  CALL(ompt_callback_implicit_task, ompt_scope_begin, &initial_region, &initial_task, 1, 1, ompt_task_initial);
  return true;
}

/* ---- the processes ---- */

static char folder[] = "/tmp/heddle-counters.XXXXXX"; /* for the profiles, which nobody wants */

static const char *profile_of(int v) {
  static char path[64];
  snprintf(path, sizeof path, "%s/%d.heddle", folder, v);
  return path;
}

static double time_turn(int pattern) {
  static void (*const play[PATTERNS])(void) = {play_region, play_loop, play_critical};
  if (pattern > 0)
    begin_region();
  const uint64_t begin_ns = now_ns();
  for (int i = 0; i < TURNS; i++)
    play[pattern]();
  const uint64_t end_ns = now_ns();
  if (pattern > 0)
    end_region();
  return (double)(end_ns - begin_ns) / (double)TURNS;
}

/* Answers each pattern's number with what it cost, until there are no more. */
static void be_variant(const struct variant *variant, const char *library, int from, int to) {
  char pattern;
  setenv("HEDDLE_OUTPUT", profile_of((int)(variant - variants)), 1);
  setenv("HEDDLE_UNWIND", "off", 1); /* what a stack costs: benchmarks/unwind */
  unsetenv("HEDDLE_COUNTERS");
  if (variant->events) {
    setenv("HEDDLE_COUNTERS", variant->events, 1);
    setenv("HEDDLE_COUNTERS_AT", variant->at, 1);
  }
  if (!start_tool(library))
    _exit(1);
  while (read(from, &pattern, 1) == 1) {
    const double cost_ns = time_turn(pattern);
    if (write(to, &cost_ns, sizeof cost_ns) != sizeof cost_ns)
      break;
  }
  exit(0);
}

static struct process {
  int ask, answer;
} processes[VARIANTS];

static bool start_variant(int v, const char *library) {
  int ask[2], answer[2];
  if (pipe(ask) || pipe(answer))
    return false;
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < v; i++) { /* else they would not see the end */
      close(processes[i].ask);
      close(processes[i].answer);
    }
    close(ask[1]);
    close(answer[0]);
    be_variant(&variants[v], library, ask[0], answer[1]);
  }
  close(ask[0]);
  close(answer[1]);
  processes[v] = (struct process){ask[1], answer[0]};
  return child > 0;
}

static bool ask_variant(int v, int pattern, double *cost_ns) {
  const char which = (char)pattern;
  return write(processes[v].ask, &which, 1) == 1 &&
         read(processes[v].answer, cost_ns, sizeof *cost_ns) == sizeof *cost_ns;
}

static int by_value(const void *a, const void *b) {
  const double left = *(const double *)a, right = *(const double *)b;
  return left < right ? -1 : left > right;
}

static void print(double *costs, int repetitions) {
  for (int v = 0; v < VARIANTS; v++) {
    printf("%-18s", variants[v].name);
    double *own = NULL;
    for (int p = 0; p < PATTERNS; p++) {
      own = &costs[(v * PATTERNS + p) * repetitions];
      qsort(own, (size_t)repetitions, sizeof *own, by_value);
      printf(" %9.0f", own[repetitions / 2]);
    }
    printf("   (%.0f to %.0f)\n", own[repetitions / 4], own[3 * repetitions / 4]);
  }
}

int main(int argc, char **argv) {
  const int repetitions = argc > 2 ? atoi(argv[2]) : 101;
  if (argc < 2 || repetitions < 1) {
    fputs("usage: counters LIBHEDDLE [repetitions]\n", stderr);
    return 2;
  }
  signal(SIGPIPE, SIG_IGN); /* a variant that could not start */
  bool works = mkdtemp(folder) != NULL;
  for (int v = 0; v < VARIANTS && works; v++)
    works = start_variant(v, argv[1]);
  double *costs = calloc((size_t)(VARIANTS * PATTERNS * repetitions), sizeof *costs);
  works = works && costs != NULL;
  for (int r = -1; r < repetitions; r++) /* the first time does not count */
    for (int p = 0; p < PATTERNS; p++)
      for (int v = 0; v < VARIANTS && works; v++)
        works = ask_variant(v, p, &costs[(v * PATTERNS + p) * repetitions + (r < 0 ? 0 : r)]);
  for (int v = 0; v < VARIANTS; v++)
    close(processes[v].ask);
  for (int status; wait(&status) > 0;)
    works = works && status == 0;
  for (int v = 0; v < VARIANTS; v++)
    unlink(profile_of(v));
  rmdir(folder);
  if (works) {
    puts("ns                    region      loop  critical   (quartiles of critical)");
    print(costs, repetitions);
  }
  free(costs);
  return works ? 0 : 1;
}
