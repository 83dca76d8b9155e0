/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What an event costs when tasks, regions, routines, critical sections or phases are nested 1 to 10,000 deep around it:
 * it must be the same. Plays the runtime's events, and the hooks of instrumented routines, for three threads, all by
 * one, which takes the place of each in turn.
 *
 * usage: depth [--check] [REPETITIONS]
 *
 * Prints two tables: nanoseconds per event, its part of the sweeps included (medians); and, on x86-64, instructions per
 * event, and where a sweep looks for something on a thread's stack, of a sweep. They are counted by the processor's
 * single steps, so they depend on nothing else that the machine does. --check: it fails if at depth 10,000 they are
 * half more than at depth 1, in a sweep twice as many. They should be the same, and mostly are; but an event that
 * measures itself takes some more when it took long, and a sweep has the time to go through that stepping takes. A walk
 * over all that is nested takes a hundred times as many.
 */
#include <omp-tools.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "heddle.h"
#include "ompt/shared/sweeper.h"
#include "ompt/thread/current.h"
#include "ompt/thread/thread.h"

#include "played_runtime.h"
#include "single_steps.h"

enum { DEEPEST = 10000, DEPTHS = 5, THREADS = 3, BATCH = 500, STEPPED = 3 };

static const uint32_t depths[DEPTHS] = {1, 10, 100, 1000, DEEPEST};
static const char code[256]; /* made-up addresses */

/* ---- the runtime ---- */

static struct hd_thread *threads[THREADS];
static ompt_data_t thread_data, initial_region, initial_task;
static ompt_data_t outer_region, outer_tasks[2];             /* the region in which all happens, threads 0 and 1 */
static ompt_data_t regions[DEEPEST + 1], tasks[DEEPEST + 1]; /* by level; the last is what is met there */
static ompt_data_t *current;                                 /* task of thread 0 */
static ompt_data_t late;                                     /* thread 2: its task of the region before */
static bool joins;                                           /* that end is still to come */

static ompt_data_t *get_thread_data(void) {
  return &thread_data;
}

/* From here on the events are this thread's. */
static void become(uint32_t number) {
  hd_thread_current = threads[number];
}

static void begin_region(ompt_data_t *region, uint32_t size) {
  region->value = 0;
  CALL(ompt_callback_parallel_begin, current, NULL, region, size,
       (int)(ompt_parallel_invoker_runtime | ompt_parallel_team), &code[1]);
}

static void begin_implicit(ompt_data_t *region, ompt_data_t *task, uint32_t size, uint32_t number) {
  task->value = 0;
  CALL(ompt_callback_implicit_task, ompt_scope_begin, region, task, size, number, ompt_task_implicit);
}

static void end_region(ompt_data_t *region, ompt_data_t *task, uint32_t size) {
  CALL(ompt_callback_implicit_task, ompt_scope_end, NULL, task, size, 0, ompt_task_implicit);
  CALL(ompt_callback_parallel_end, region, current, (int)(ompt_parallel_invoker_runtime | ompt_parallel_team),
       &code[1]);
}

static void wait_for(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *task, const void *address) {
  CALL(ompt_callback_sync_region_wait, kind, endpoint, &outer_region, task, address);
}

static void create(ompt_data_t *task) {
  task->value = 0;
  CALL(ompt_callback_task_create, current, NULL, task, ompt_task_explicit, 0, &code[2]);
}

static void schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next) {
  CALL(ompt_callback_task_schedule, prior, status, next);
}

static bool start(void) {
  ompt_start_tool_result_t *ompt_start_tool(unsigned, const char *);
  ompt_start_tool_result_t *tool = ompt_start_tool(201611, "depth");
  if (!tool || !tool->initialize(look_up, 0, &tool->tool_data))
    return false;
  for (uint32_t i = 0; i < THREADS; i++) {
    hd_thread_current = NULL;
    CALL(ompt_callback_thread_begin, i ? ompt_thread_worker : ompt_thread_initial, &thread_data);
    if (i == 0)
      CALL(ompt_callback_implicit_task, ompt_scope_begin, &initial_region, &initial_task, 1, 1, ompt_task_initial);
    threads[i] = hd_thread_current;
  }
  become(0);
  current = &initial_task;
  begin_region(&outer_region, 2);
  for (uint32_t i = 2; i-- > 0;) {
    become(i);
    begin_implicit(&outer_region, &outer_tasks[i], 2, i);
  }
  current = &outer_tasks[0];
  return true;
}

/* ---- one deeper ---- */

static void nest_task(uint32_t level) {
  create(&tasks[level]);
  wait_for(ompt_sync_region_taskwait, ompt_scope_begin, current, &code[3]);
  schedule(current, ompt_task_switch, &tasks[level]);
  current = &tasks[level];
}

/* Of real ones the workers are not heard of: what counts here is the primary's stack. */
static void nest_team(uint32_t level, uint32_t size) {
  begin_region(&regions[level], size);
  begin_implicit(&regions[level], &tasks[level], size, 0);
  current = &tasks[level];
}

static void nest_serialised(uint32_t level) {
  nest_team(level, 1);
}

static void nest_real(uint32_t level) {
  nest_team(level, 2);
}

void __cyg_profile_func_enter(void *function, void *call_site);
void __cyg_profile_func_exit(void *function, void *call_site);

static void nest_routine(uint32_t level) {
  (void)level;
  __cyg_profile_func_enter((void *)(uintptr_t)&code[4], (void *)(uintptr_t)&code[5]);
}

static void enter_critical(uint32_t level) {
  CALL(ompt_callback_mutex_acquire, ompt_mutex_critical, 0, 0, level + 1, &code[6]);
  CALL(ompt_callback_mutex_acquired, ompt_mutex_critical, level + 1, &code[6]);
}

static void nest_phase(uint32_t level) {
  (void)level;
  heddle_phase_begin("phase");
}

/* ---- what is met there ---- */

static void meet_task(void) {
  create(&tasks[DEEPEST]);
  schedule(current, ompt_task_switch, &tasks[DEEPEST]);
  schedule(&tasks[DEEPEST], ompt_task_complete, current);
}

/* Parts of it run here, on another thread, and here again. */
static void meet_untied(void) {
  ompt_data_t *untied = &tasks[DEEPEST];
  create(untied);
  schedule(current, ompt_task_switch, untied);
  schedule(untied, ompt_task_switch, current);
  become(1);
  schedule(&outer_tasks[1], ompt_task_switch, untied);
  schedule(untied, ompt_task_switch, &outer_tasks[1]);
  become(0);
  schedule(current, ompt_task_switch, untied);
  schedule(untied, ompt_task_complete, current);
}

/* An untied task whose end is not sent: the next event names the one below. */
static void meet_endless(void) {
  wait_for(ompt_sync_region_taskwait, ompt_scope_begin, current, &code[3]);
  create(&tasks[DEEPEST]);
  schedule(current, ompt_task_switch, &tasks[DEEPEST]);
  wait_for(ompt_sync_region_taskwait, ompt_scope_end, current, &code[3]);
}

static void meet_serialised(void) {
  begin_region(&regions[DEEPEST], 1);
  begin_implicit(&regions[DEEPEST], &tasks[DEEPEST], 1, 0);
  end_region(&regions[DEEPEST], &tasks[DEEPEST], 1);
}

static void meet_worker(void) {
  static ompt_data_t task;
  become(2);
  if (joins) {
    CALL(ompt_callback_sync_region_wait, ompt_sync_region_barrier_implicit_parallel, ompt_scope_end, NULL, &late, NULL);
    CALL(ompt_callback_implicit_task, ompt_scope_end, NULL, &late, 0, 1, ompt_task_implicit);
  }
  begin_implicit(&regions[DEEPEST], &task, 2, 1);
  wait_for(ompt_sync_region_barrier_implicit_parallel, ompt_scope_begin, &task, NULL);
  late = task;
  joins = true;
  become(0);
}

static void meet_real(void) {
  begin_region(&regions[DEEPEST], 2);
  begin_implicit(&regions[DEEPEST], &tasks[DEEPEST], 2, 0);
  meet_worker();
  wait_for(ompt_sync_region_barrier_implicit_parallel, ompt_scope_begin, &tasks[DEEPEST], &code[1]);
  wait_for(ompt_sync_region_barrier_implicit_parallel, ompt_scope_end, &tasks[DEEPEST], &code[1]);
  end_region(&regions[DEEPEST], &tasks[DEEPEST], 2);
}

static void meet_routine(void) {
  __cyg_profile_func_enter((void *)(uintptr_t)&code[4], (void *)(uintptr_t)&code[5]);
  __cyg_profile_func_exit((void *)(uintptr_t)&code[4], (void *)(uintptr_t)&code[5]);
}

static void meet_critical(void) {
  enter_critical(DEEPEST);
  CALL(ompt_callback_mutex_released, ompt_mutex_critical, DEEPEST + 1, &code[6]);
}

static void meet_phase(void) {
  heddle_phase_begin("phase");
  heddle_phase_end("phase");
}

static void meet_taskwait(void) {
  wait_for(ompt_sync_region_taskwait, ompt_scope_begin, current, &code[3]);
  wait_for(ompt_sync_region_taskwait, ompt_scope_end, current, &code[3]);
}

/* Classes that the budget has switched off: ends come without begins. */
static void switch_off(void) {
  hd_budget.touched = hd_budget.off = hd_budget.everywhere = 1u << HD_CLASS_MUTEX | 1u << HD_CLASS_SYNC | 1u << HD_CLASS_CALL;
}

static const struct subject {
  const char *what;
  void (*nest)(uint32_t level);
  void (*meet)(void);
  unsigned events; /* that it sends */
  bool is_refused;
  bool in_sweeps; /* what a sweep does for it is counted, too: it looks for something on a thread's stack */
} subjects[] = {
    {"task, in tasks", nest_task, meet_task, 3, false, false},
    {"untied task on two threads, in tasks", nest_task, meet_untied, 7, false, false},
    {"untied task without an end, in tasks", nest_task, meet_endless, 4, false, false},
    {"serialised region, in tasks", nest_task, meet_serialised, 4, false, false},
    {"serialised region, in serialised ones", nest_serialised, meet_serialised, 4, false, false},
    {"region of two, in regions of two", nest_real, meet_real, 10, false, true},
    {"task, in serialised regions", nest_serialised, meet_task, 3, false, false},
    {"routine, in routines", nest_routine, meet_routine, 2, false, false},
    {"region of two, in routines", nest_routine, meet_real, 10, false, true},
    {"task, in routines", nest_routine, meet_task, 3, false, false},
    {"critical, in routines", nest_routine, meet_critical, 3, false, false},
    {"taskwait, in routines", nest_routine, meet_taskwait, 2, false, false},
    {"critical, in criticals", enter_critical, meet_critical, 3, false, false},
    {"routine, in criticals", enter_critical, meet_routine, 2, false, false},
    {"phase, in phases", nest_phase, meet_phase, 2, false, false},
    {"phase, in routines", nest_routine, meet_phase, 2, false, false},
    {"serialised region, in phases", nest_phase, meet_serialised, 4, false, false},
    {"refused critical, in routines", nest_routine, meet_critical, 3, true, false},
    {"refused critical, in criticals", enter_critical, meet_critical, 3, true, false},
    {"refused taskwait, in routines", nest_routine, meet_taskwait, 2, true, false},
    {"refused routine, in criticals", enter_critical, meet_routine, 2, true, false},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

/* ---- counting ---- */

static double now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int by_value(const void *a, const void *b) {
  const double left = *(const double *)a, right = *(const double *)b;
  return left < right ? -1 : left > right;
}

struct cost {
  double ns;
  double instructions; /* of the event; 0: not counted */
  double sweep_instructions;
};

static double time_events(const struct subject *subject, unsigned repetitions) {
  double *samples = calloc(repetitions, sizeof *samples);
  if (!samples)
    return 0;
  for (unsigned i = 0; i < repetitions; i++) {
    const double begin = now_ns();
    for (int j = 0; j < BATCH; j++)
      subject->meet();
    samples[i] = (now_ns() - begin) / (BATCH * subject->events);
  }
  qsort(samples, repetitions, sizeof *samples, by_value);
  const double median = samples[repetitions / 2];
  free(samples);
  return median;
}

/* Now and then an event looks at its own cost: the least is what one costs without. */
static void step_through_events(const struct subject *subject, struct cost *cost) {
  uint64_t least = UINT64_MAX;
  hd_sweeper_flush();
  for (int i = 0; i < STEPPED; i++) {
    const uint64_t instructions = count_instructions(subject->meet);
    least = instructions < least ? instructions : least;
  }
  cost->instructions = (double)least / subject->events;
  if (subject->in_sweeps)
    cost->sweep_instructions = (double)count_instructions(hd_sweeper_flush) / (STEPPED * subject->events);
}

static struct cost *shared; /* with the child */

/* In a child of its own: the library starts once. */
static int measure(const struct subject *subject, uint32_t depth, unsigned repetitions) {
  if (!start()) {
    fputs("depth: the library declined\n", stderr);
    return 1;
  }
  for (uint32_t level = 0; level < depth; level++)
    subject->nest(level);
  if (subject->is_refused)
    switch_off();
  for (int i = 0; i < BATCH; i++)
    subject->meet(); /* what comes once */
  *shared = (struct cost){.ns = time_events(subject, repetitions)};
  if (CAN_STEP && (depth == depths[0] || depth == DEEPEST)) /* a step may take 50 us, in some virtual machines */
    step_through_events(subject, shared);
  return 0;
}

static bool measure_apart(const struct subject *subject, uint32_t depth, unsigned repetitions, struct cost *cost) {
  int status = 1;
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0) {
    const int failed = measure(subject, depth, repetitions);
    unlink(hd_store.live_path); /* nobody reads the profile */
    _exit(failed);
  }
  const bool done = child > 0 && waitpid(child, &status, 0) == child && status == 0;
  *cost = *shared;
  if (!done)
    fprintf(stderr, "depth: %s: ended with status %#x at depth %u\n", subject->what, (unsigned)status, depth);
  return done;
}

/* ---- output ---- */

static struct cost costs[SUBJECTS][DEPTHS];

static void print_ns(void) {
  printf("Nanoseconds per event:\n\n| depth |");
  for (int i = 0; i < DEPTHS; i++)
    printf(" %u |", depths[i]);
  puts("\n| --- | --- | --- | --- | --- | --- |");
  for (int i = 0; i < SUBJECTS; i++) {
    printf("| %s |", subjects[i].what);
    for (int j = 0; j < DEPTHS; j++)
      printf(" %.1f |", costs[i][j].ns);
    puts("");
  }
}

static void print_count(double instructions, double in_sweeps) {
  printf(" %.0f", instructions);
  if (in_sweeps > 0)
    printf(" + %.0f", in_sweeps);
  printf(" |");
}

static void print_instructions(void) {
  printf("\nInstructions per event (+ in a sweep of so few):\n\n| depth | %u | %d |\n| --- | --- | --- |\n", depths[0],
         DEEPEST);
  for (int i = 0; i < SUBJECTS; i++) {
    printf("| %s |", subjects[i].what);
    print_count(costs[i][0].instructions, costs[i][0].sweep_instructions);
    print_count(costs[i][DEPTHS - 1].instructions, costs[i][DEPTHS - 1].sweep_instructions);
    puts("");
  }
}

/* -> whether none costs more where it lies deeper */
static bool check(void) {
  bool right = true;
  for (int i = 0; i < SUBJECTS; i++) {
    const struct cost *at_one = &costs[i][0], *deepest = &costs[i][DEPTHS - 1];
    if (deepest->instructions > 1.5 * at_one->instructions ||
        deepest->sweep_instructions > 2 * at_one->sweep_instructions) {
      fprintf(stderr, "depth: %s: an event costs more at depth %d than at depth 1\n", subjects[i].what, DEEPEST);
      right = false;
    }
  }
  return right;
}

static bool measure_all(unsigned repetitions) {
  for (int i = 0; i < SUBJECTS; i++)
    for (int j = 0; j < DEPTHS; j++)
      if (!measure_apart(&subjects[i], depths[j], repetitions, &costs[i][j]))
        return false;
  return true;
}

int main(int argc, char **argv) {
  const bool checks = argc > 1 && !strcmp(argv[1], "--check");
  const int repetitions = argc > 1 + checks ? atoi(argv[1 + checks]) : checks ? 1 : 101;
  if (repetitions < 1) {
    fputs("usage: depth [--check] [REPETITIONS]\n", stderr);
    return 2;
  }
  setenv("HEDDLE_UNWIND", "off", 1); /* what a stack costs: benchmarks/unwind */
  setenv("HEDDLE_OVERHEAD", "off", 1);
  setenv("HEDDLE_SAMPLES", "off", 1); /* they come while events are stepped through */
  setenv("HEDDLE_MEMORY", "off", 1);  /* else it gives out at some thousand regions */
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED || (CAN_STEP && signal(SIGTRAP, on_step) == SIG_ERR) || !measure_all((unsigned)repetitions))
    return 1;
  print_ns();
  if (CAN_STEP)
    print_instructions();
  return checks && !check() ? 1 : 0;
}
