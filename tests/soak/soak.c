/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Random shapes of parallelism, for as long as it is told to, with books of its own: how often each construct was
 * entered. Arguments: SEED MODE. For each line "slice N" on standard input it does what the seed and N say, the same
 * each time, then prints "book MARK COUNT" for every book (since the program began), "elapsed MARK NS" and "done N",
 * and waits: then no thread is in any construct. At the input's end it exits.
 *
 * Modes, because libomp itself hangs or fails on some mixtures, and on cancelled loops and regions, without any tool:
 *   nested   one initial thread: regions in regions, loops of all schedules; no tasks
 *   tasks    one initial thread: tasks of all kinds, loops of all schedules; no regions in regions, no change of the
 *            team's size: after one, libomp 19's threads look for tasks in teams that have no such thread
 *   threads  several initial threads, many short ones, leagues of teams: neither tasks nor loops handed out in pieces
 *
 * A mark's first word is the kind that Heddle gives the construct; `// mark:` stands on the construct's line.
 */
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "heddle.h"

#define BOOKS(X)                                                                                                       \
  X(MAIN, "parallel main")                                                                                             \
  X(NESTED, "parallel nested")                                                                                         \
  X(SHORT, "parallel short")                                                                                           \
  X(REDUCED, "parallel reduced")                                                                                       \
  X(STATIC, "loop static")                                                                                             \
  X(DYNAMIC, "loop dynamic")                                                                                           \
  X(GUIDED, "loop guided")                                                                                             \
  X(NOWAIT, "loop nowait")                                                                                             \
  X(ORDERED_LOOP, "loop ordered")                                                                                      \
  X(ORDERED, "ordered")                                                                                                \
  X(SECTIONS, "sections")                                                                                              \
  X(SINGLE, "single")                                                                                                  \
  X(TASKLOOP_SINGLE, "single taskloop")                                                                                \
  X(MASTER, "masked")                                                                                                  \
  X(BARRIER, "barrier_explicit")                                                                                       \
  X(CRITICAL, "critical")                                                                                              \
  X(LOCK, "lock")                                                                                                      \
  X(TRIED, "lock tried")                                                                                               \
  X(TASK, "task")                                                                                                      \
  X(UNTIED, "task untied")                                                                                             \
  X(CHILD, "task child")                                                                                               \
  X(FINAL, "task final")                                                                                               \
  X(TASKWAIT, "taskwait")                                                                                              \
  X(TASKGROUP, "taskgroup")                                                                                            \
  X(TASKLOOP, "taskloop")                                                                                              \
  X(TEAMS, "teams")                                                                                                    \
  X(PHASE, "phase")

enum { ACTIONS = 100 }; /* in a slice */

#define NUMBER(name, mark) name,
#define MARK(name, mark) mark,
enum book { BOOKS(NUMBER) BOOK_COUNT };
static const char *const book_marks[] = {BOOKS(MARK)};
static atomic_ulong books[BOOK_COUNT];
static atomic_ulong main_ns;
static atomic_int level; /* of the busy work's result: keeps compilers from dropping it */
static omp_lock_t lock;
static pthread_mutex_t teams_lock = PTHREAD_MUTEX_INITIALIZER;

static enum mode { NESTED_MODE, TASKS_MODE, THREADS_MODE } mode;

static void enter(enum book book) {
  atomic_fetch_add_explicit(&books[book], 1, memory_order_relaxed);
}

static uint64_t now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* ---- dice: all threads of a team throw the same ---- */

/* Steele, Lea and Flood's SplitMix64. */
static uint64_t mix(uint64_t value) {
  value += 0x9E3779B97F4A7C15u;
  value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9u;
  value = (value ^ value >> 27) * 0x94D049BB133111EBu;
  return value ^ value >> 31;
}

static unsigned draw(uint64_t *dice, unsigned sides) {
  *dice = mix(*dice);
  return (unsigned)(*dice >> 33) % sides;
}

static void work(unsigned rounds) {
  int sum = 0;
  for (unsigned i = 0; i < rounds * 20; i++)
    __asm__ volatile("" : "+r"(sum));
  if (sum)
    atomic_fetch_add(&level, sum);
}

/* ---- what a team does: all its threads come to each of these ---- */

static void loops(unsigned which, int count) {
  switch (which) {
  case 0:
    enter(STATIC);
#pragma omp for schedule(static) // mark: loop static
    for (int i = 0; i < count; i++)
      work(1);
    return;
  case 1:
    enter(DYNAMIC);
#pragma omp for schedule(dynamic) // mark: loop dynamic
    for (int i = 0; i < count; i++)
      work(2);
    return;
  case 2:
    enter(GUIDED);
#pragma omp for schedule(guided, 2) // mark: loop guided
    for (int i = 0; i < count; i++)
      work(2);
    return;
  default:
    enter(NOWAIT);
#pragma omp for schedule(static, 1) nowait // mark: loop nowait
    for (int i = 0; i < count; i++)
      work(1);
  }
}

static void in_order(int count) {
  enter(ORDERED_LOOP);
#pragma omp for ordered schedule(dynamic) // mark: loop ordered
  for (int i = 0; i < count; i++) {
    work(1);
#pragma omp ordered // mark: ordered
    enter(ORDERED);
  }
}

static void by_one(unsigned which) {
  if (which == 0) {
    enter(SECTIONS);
#pragma omp sections // mark: sections
    {
#pragma omp section
      work(3);
#pragma omp section
      work(1);
    }
  } else if (which == 1) {
    enter(SINGLE);
#pragma omp single // mark: single
    work(3);
  } else {
#pragma omp master // mark: masked
    enter(MASTER);
  }
}

static void one_at_a_time(unsigned which, unsigned times) {
  for (unsigned i = 0; i < times; i++) {
    if (which == 0) {
#pragma omp critical(soak) // mark: critical
      enter(CRITICAL);
    } else if (which == 1) {
      omp_set_lock(&lock); // mark: lock
      enter(LOCK);
      omp_unset_lock(&lock);
    } else {
      enter(TRIED);             /* whether it gets it or not */
      if (omp_test_lock(&lock)) // mark: lock tried
        omp_unset_lock(&lock);
    }
  }
}

static void meet(void) {
  enter(BARRIER);
#pragma omp barrier // mark: barrier_explicit
}

/* What follows a construct keeps compilers from leaving its function by a tail call, or making one call of two: then
 * their call sites are unknown, or the same. */
#define STAYS __asm__ volatile("" ::"i"(__LINE__))

static void child(int depth) {
  work(1);
  if (depth == 0)
    return;
#pragma omp task // mark: task child
  {
    enter(CHILD);
    child(depth - 1);
  }
  STAYS;
}

static void make_task(void) {
#pragma omp task // mark: task
  {
    enter(TASK);
    work(2);
  }
  STAYS;
}

static void make_untied_task(void) {
#pragma omp task untied // mark: task untied
  {
    enter(UNTIED);
    work(1);
#pragma omp taskyield
    work(1);
  }
  STAYS;
}

static void make_tasks(unsigned which, unsigned count) {
  for (unsigned i = 0; i < count; i++) {
    if (which == 0) {
      make_task();
    } else if (which == 1) {
      make_untied_task();
    } else {
#pragma omp task final(i % 2) if (i % 3) // mark: task final
      enter(FINAL);
      STAYS;
    }
  }
}

static void divide(unsigned count) {
  enter(TASKLOOP);
#pragma omp taskloop grainsize(2) // mark: taskloop
  for (unsigned i = 0; i < 2 * count; i++)
    work(1);
  STAYS;
}

static void tasks(unsigned which, unsigned count) {
  if (which < 3) {
    make_tasks(which, count);
    enter(TASKWAIT);
#pragma omp taskwait // mark: taskwait
    STAYS;
  } else if (which == 3) {
    enter(TASKGROUP);
#pragma omp taskgroup
    child((int)count); // mark: taskgroup
    STAYS;
  } else {
    enter(TASKLOOP_SINGLE);
#pragma omp single // mark: single taskloop
    divide(count);
    STAYS;
  }
}

static void reduce(unsigned threads) {
  long sum = 0;
  enter(REDUCED);
#pragma omp parallel for reduction(+ : sum) num_threads(threads) // mark: parallel reduced
  for (int i = 0; i < 10; i++)
    sum += i;
  if (sum != 45)
    abort();
}

static void team(uint64_t dice, unsigned depth);

static void nest(uint64_t dice, unsigned depth) {
  enter(NESTED);
#pragma omp parallel num_threads(1 + draw(&dice, 3)) // mark: parallel nested
  team(dice, depth + 1);
}

static void step_alone(uint64_t *dice, unsigned depth, unsigned which, unsigned count) {
  const unsigned what = draw(dice, 6);
  if (what < 3 && mode == TASKS_MODE)
    tasks(which % 5, count);
  else if (what == 2 && mode == NESTED_MODE && depth < 4)
    nest(*dice, depth);
  else if (what == 3)
    in_order((int)count);
  else if (what == 4 && mode == NESTED_MODE && depth < 4)
    reduce(1 + which % 3);
  else
    loops(which % 4, (int)count);
}

static void step(uint64_t *dice, unsigned depth) {
  const unsigned what = draw(dice, 8), which = draw(dice, 60), count = 1 + draw(dice, 8);
  if (what == 0)
    by_one(which % 3);
  else if (what < 3)
    one_at_a_time(which % 3, count);
  else if (what == 3)
    meet();
  else if (what == 4)
    loops(which % 2 * 3, (int)count);
  else if (mode != THREADS_MODE)
    step_alone(dice, depth, which, count);
}

static void team(uint64_t dice, unsigned depth) {
  const unsigned steps = 1 + draw(&dice, depth > 1 ? 3 : 12);
  for (unsigned i = 0; i < steps; i++)
    step(&dice, depth);
}

/* ---- where regions are begun from ---- */

static void __attribute__((noinline)) region(uint64_t dice) {
  const uint64_t begin_ns = now_ns();
  enter(MAIN);
#pragma omp parallel num_threads(mode == TASKS_MODE ? 4 : 1 + draw(&dice, 5)) // mark: parallel main
  team(dice, 1);
  atomic_fetch_add(&main_ns, now_ns() - begin_ns);
}

/* A callpath for each sequence of dice. */
#define CALLER(name)                                                                                                   \
  static void __attribute__((noinline)) name(uint64_t dice, unsigned depth) {                                          \
    descend(dice, depth);                                                                                              \
    __asm__ volatile("");                                                                                              \
  }
static void descend(uint64_t dice, unsigned depth);
CALLER(left)
CALLER(middle)
CALLER(right)

static void __attribute__((noinline)) descend(uint64_t dice, unsigned depth) {
  static void (*const callers[])(uint64_t, unsigned) = {left, middle, right};
  if (depth == 0)
    region(dice);
  else
    callers[draw(&dice, 3)](dice, depth - 1);
  __asm__ volatile("");
}

static void league(uint64_t dice) {
  enter(TEAMS);
  pthread_mutex_lock(&teams_lock);                              /* one at a time is what OpenMP allows */
#pragma omp teams num_teams(1 + draw(&dice, 3)) thread_limit(2) // mark: teams
  work(3);
  pthread_mutex_unlock(&teams_lock);
}

static void *initial_thread(void *argument) {
  uint64_t dice = *(uint64_t *)argument;
  for (unsigned i = 1 + draw(&dice, 3); i > 0; i--)
    region(mix(dice + i));
  return NULL;
}

static void *short_thread(void *argument) {
  (void)argument;
  enter(SHORT);
#pragma omp parallel num_threads(1) // mark: parallel short
  work(1);
  return NULL;
}

static void run_threads(void *(*main_of)(void *), uint64_t dice, unsigned count) {
  pthread_t threads[8];
  uint64_t seeds[8];
  for (unsigned i = 0; i < count; i++) {
    seeds[i] = mix(dice + i);
    if (pthread_create(&threads[i], NULL, main_of, &seeds[i]))
      abort();
  }
  for (unsigned i = 0; i < count; i++)
    pthread_join(threads[i], NULL);
}

static void phase(uint64_t dice) {
  enter(PHASE);
  heddle_phase_begin("soak");
  region(dice);
  heddle_phase_end("soak");
}

static void act(uint64_t dice) {
  const unsigned what = draw(&dice, 16), depth = draw(&dice, 10);
  if (what < 2 && mode == THREADS_MODE)
    run_threads(what == 0 ? initial_thread : short_thread, dice, 1 + depth % 4);
  else if (what == 2 && mode == THREADS_MODE)
    league(dice);
  else if (what == 3)
    phase(dice);
  else if (what < 8)
    descend(dice, depth);
  else
    region(dice);
}

static enum mode read_mode(const char *name) {
  static const char *const names[] = {"nested", "tasks", "threads"};
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(name, names[i]))
      return (enum mode)i;
  fprintf(stderr, "soak: no mode %s\n", name);
  exit(2);
}

static void print_books(void) {
  for (int i = 0; i < BOOK_COUNT; i++)
    printf("book %s %lu\n", book_marks[i], atomic_load(&books[i]));
  printf("elapsed parallel main %lu\n", atomic_load(&main_ns));
}

int main(int argc, char **argv) {
  const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
  unsigned slice;
  mode = read_mode(argc > 2 ? argv[2] : "nested");
  omp_init_lock(&lock);
  omp_set_max_active_levels(8);
  while (scanf(" slice %u", &slice) == 1) {
    uint64_t dice = mix(seed) + slice;
    for (int i = 0; i < ACTIONS; i++)
      act(dice = mix(dice));
    print_books();
    printf("done %u\n", slice);
    fflush(stdout);
  }
  return 0;
}
