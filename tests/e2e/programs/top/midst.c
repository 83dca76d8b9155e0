/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Says "s", then is in one parallel region until its input ends: loops, tasks, critical sections, barriers, and regions
 * in it. After that REGIONS regions of their own, with a loop each. Says "equal" if what the threads counted is what
 * the rounds make of it: of each round ITERATIONS, TASKS tasks, 1 for each thread in a critical section.
 */
#include <omp.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

enum { ITERATIONS = 40, TASKS = 8, REGIONS = 50 };

static long in_loops, in_tasks, in_critical, rounds;

static int has_ended(void) {
  struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
  char byte;
  return poll(&input, 1, 0) > 0 && read(STDIN_FILENO, &byte, 1) == 0;
}

static void work(void) {
  for (volatile int i = 0; i < 2000; i++)
    ;
}

static void round_of(void) {
#pragma omp for schedule(dynamic) reduction(+ : in_loops)
  for (int i = 0; i < ITERATIONS; i++) {
    work();
    in_loops++;
  }
#pragma omp single
  for (int i = 0; i < TASKS; i++) {
#pragma omp task
    {
      work();
#pragma omp atomic
      in_tasks++;
    }
  }
#pragma omp critical
  in_critical++;
#pragma omp parallel num_threads(1 + omp_get_thread_num() % 2)
  {
    work();
#pragma omp barrier
  }
}

int main(void) {
  int goes_on = 1;
  puts("s");
  fflush(stdout);
#pragma omp parallel
  while (goes_on) {
    round_of();
#pragma omp barrier
#pragma omp master
    {
      rounds++;
      goes_on = !has_ended();
    }
#pragma omp barrier
  }
  for (int i = 0; i < REGIONS; i++) {
#pragma omp parallel for // mark: last
    for (int j = 0; j < ITERATIONS; j++)
      work();
  }
  const long threads = omp_get_max_threads();
  const int equal = in_loops == rounds * ITERATIONS && in_tasks == rounds * TASKS && in_critical == rounds * threads;
  puts(equal ? "equal" : "different");
  return !equal;
}
