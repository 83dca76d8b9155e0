/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Nested constructs, counted. With p threads and REPEAT = r:
 *   region "first" is entered r times, region "second" 2 r times; both call work()
 *   per instance and thread work() passes     3 static loops, 2 dynamic loops, 2 guided loops, 1 sections construct,
 *                                             1 single, 5 criticals, 1 explicit barrier
 *   so visits below "first" are r * p * that, below "second" 2 r * p * that: two callpaths of the same sites
 */
#include "spin.h"

static volatile long sink[SPIN_THREADS * 64];
static long total;

static void work(void) {
  for (int repeat = 0; repeat < 3; repeat++) {
#pragma omp for schedule(static) // mark: static
    for (int i = 0; i < 64; i++)
      sink[i]++;
  }
  for (int repeat = 0; repeat < 2; repeat++) {
#pragma omp for schedule(dynamic) // mark: dynamic
    for (int i = 0; i < 64; i++)
      sink[i]++;
#pragma omp for schedule(guided) nowait // mark: guided
    for (int i = 0; i < 64; i++)
      sink[64 + i]++;
  }
#pragma omp sections // mark: sections
  {
#pragma omp section
    sink[0]++;
#pragma omp section
    sink[1]++;
  }
#pragma omp single // mark: single
  sink[2]++;
  for (int repeat = 0; repeat < 5; repeat++) {
#pragma omp critical // mark: critical
    total++;
  }
#pragma omp barrier // mark: barrier
}

int main(int argc, char **argv) {
  unsigned repeat = argument(argc, argv, 1, 10);
  for (unsigned i = 0; i < repeat; i++) {
#pragma omp parallel // mark: first
    work();
    for (int twice = 0; twice < 2; twice++) {
#pragma omp parallel // mark: second
      work();
    }
  }
  printf("total %ld\n", total);
  return 0;
}
