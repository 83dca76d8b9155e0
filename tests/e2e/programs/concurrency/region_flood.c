/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Regions of 2 us that cost more than five times the budget: `region_flood WHAT SECONDS`.
 *   plain     one thread opens them at two places, three of four at the first
 *   nested    every thread of each opens a region of one thread
 *   teams     each is a league, whose teams open one each
 *   initials  two pthreads open their own
 *   tasks     each creates two tasks and has a section, a loop and a barrier
 * Prints how many outermost ones there were: "regions N M" at the first and at the second place. Work is measured in
 * turns of an empty loop.
 */
#include <omp.h>
#include <pthread.h>
#include <string.h>

#include "spin.h"

enum { ROUND = 100, TURNS_PER_US = 3000 };

static void work(int tenths_us) {
  for (int i = 0; i < tenths_us * TURNS_PER_US / 10; i++)
    __asm__ volatile("");
}

/* So that the compiler neither makes one call of two nor a jump of a last one. */
static void stay_apart(void) {
  __asm__ volatile("");
}

__attribute__((noinline)) static void first(void) {
#pragma omp parallel // mark: first
  work(omp_get_thread_num() == 0 ? 20 : 10);
  stay_apart();
}

__attribute__((noinline)) static void second(void) {
#pragma omp parallel // mark: second
  work(30);
  stay_apart();
}

static void plain(int round) {
  if (round % 4 == 3)
    second();
  else
    first();
  stay_apart();
}

static void nested(int round) {
  (void)round;
#pragma omp parallel // mark: outer
  {
#pragma omp parallel num_threads(1) // mark: inner
    work(15);
  }
}

static void teams(int round) {
  (void)round;
#pragma omp teams num_teams(2) // mark: league
  {
#pragma omp parallel num_threads(1)
    work(15);
  }
}

static void tasks(int round) {
  (void)round;
#pragma omp parallel // mark: tasks
  {
#pragma omp single
    for (int i = 0; i < 2; i++)
#pragma omp task // mark: task
      work(5);
#pragma omp critical
    work(2);
#pragma omp for
    for (int i = 0; i < 4; i++)
      work(3);
#pragma omp barrier
  }
}

static const struct {
  const char *name;
  void (*once)(int round);
} floods[] = {{"plain", plain}, {"nested", nested}, {"teams", teams}, {"initials", plain}, {"tasks", tasks}};

static void (*once)(int round);
static double end_s;

static void *flood(void *count) {
  int *rounds = count;
  while (omp_get_wtime() < end_s)
    for (int i = 0; i < ROUND; i++)
      once((*rounds)++);
  return NULL;
}

int main(int argc, char **argv) {
  int rounds[2] = {0, 0};
  pthread_t other;
  for (size_t i = 0; argc > 2 && i < sizeof floods / sizeof *floods; i++)
    if (!strcmp(floods[i].name, argv[1]))
      once = floods[i].once;
  end_s = omp_get_wtime() + atof(argv[2]);
  const int has_other = !strcmp(argv[1], "initials") && !pthread_create(&other, NULL, flood, &rounds[1]);
  flood(&rounds[0]);
  if (has_other)
    pthread_join(other, NULL);
  const int all = rounds[0] + rounds[1], second = once == plain ? rounds[0] / 4 + rounds[1] / 4 : 0;
  printf("regions %d %d\n", all - second, second);
  return 0;
}
