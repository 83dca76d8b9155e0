/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Loops of 200 iterations that take 100 ms in all, of known cost by iteration, and with a schedule that OMP_SCHEDULE
 * chooses
 * ("fixed": schedule(static) without a chunk size). Arguments: the shape, and "fixed" or "runtime".
 *   even        all the same              grows, falls   i, or 199 - i, times the same
 *   huge        iteration 120 takes half of it       random   each something else, up to nine times as much
 * The loop is carried out four times. Iterations sleep: for Heddle that is work like any other, and threads need no
 * processors for it. So it says that it has one for each, without which nothing would be predicted.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <sys/prctl.h>

#include "flaws.h"

enum { ITERATIONS = 200, TIMES = 4 };
static unsigned cost_us[ITERATIONS];

/* In place of the C library's, for all who ask. */
int sched_getaffinity(pid_t pid, size_t bytes, cpu_set_t *set) {
  const char *threads = getenv("OMP_NUM_THREADS");
  (void)pid;
  CPU_ZERO_S(bytes, set);
  for (int i = 0; threads && i < atoi(threads); i++)
    CPU_SET_S(i, bytes, set);
  return 0;
}

static void rest_us(unsigned us) {
  struct timespec time = {0, (long)us * 1000};
  nanosleep(&time, NULL);
}

static unsigned shaped(char **argv, unsigned i) {
  if (is(argv, "grows"))
    return i * 100000 / (ITERATIONS * (ITERATIONS - 1) / 2);
  if (is(argv, "falls"))
    return (ITERATIONS - 1 - i) * 100000 / (ITERATIONS * (ITERATIONS - 1) / 2);
  if (is(argv, "random"))
    return (1 + i * 7919u % 10007u * 31u % 9u) * 100000 / (ITERATIONS * 5);
  if (is(argv, "huge"))
    return i == 120 ? 50000 : 50000 / ITERATIONS;
  return 100000 / ITERATIONS;
}

int main(int argc, char **argv) {
  for (unsigned i = 0; i < ITERATIONS; i++)
    cost_us[i] = shaped(argv, i);
#pragma omp parallel
  {
    prctl(PR_SET_TIMERSLACK, 1); // else sleeps last 50 us more
    for (int time = 0; time < TIMES; time++) {
      if (argc > 2 && strcmp(argv[2], "fixed") == 0) {
#pragma omp for schedule(static) // mark: fixed
        for (unsigned i = 0; i < ITERATIONS; i++)
          rest_us(cost_us[i]);
      } else {
#pragma omp for schedule(runtime) // mark: runtime
        for (unsigned i = 0; i < ITERATIONS; i++)
          rest_us(cost_us[i]);
      }
    }
  }
  return 0;
}
