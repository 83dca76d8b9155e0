/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * For samples: what a program executes. hot_functions UNITS [FORK]
 * In a serial part and in a loop of two threads, three parts of the work are `three`'s and one is `one`'s; a third
 * function, inlined into both, does all of it. In each part a thread does so many units of some milliseconds, without
 * an event in between. FORK ("fork"): a child does all that, and its parent only waits for it.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile uint64_t sink;

static inline __attribute__((always_inline)) void work(uint64_t steps) {
  uint64_t x = 1;
  for (uint64_t i = 0; i < steps; i++)
    x = x * UINT64_C(6364136223846793005) + i; // mark: work
  sink = x;
}

__attribute__((noinline)) void three(uint64_t units) {
  work(units * 3000000); // mark: three
}

__attribute__((noinline)) void one(uint64_t units) {
  work(units * 1000000); // mark: one
}

static void both_parts(uint64_t units) {
  for (uint64_t i = 0; i < units; i++) {
    three(1);
    one(1);
  }
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(static) // mark: loop
    for (int thread = 0; thread < 2; thread++)
      for (uint64_t i = 0; i < units; i++) {
        three(1);
        one(1);
      }
  }
}

int main(int argc, char **argv) {
  const uint64_t units = argc > 1 ? strtoull(argv[1], NULL, 10) : 50;
#pragma omp parallel num_threads(2) // the runtime comes
  sink = 1;
  pid_t child = argc > 2 && !strcmp(argv[2], "fork") ? fork() : 0;
  if (child > 0)
    return waitpid(child, NULL, 0) != child;
  both_parts(units);
  return 0;
}
