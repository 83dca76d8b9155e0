/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A loop in chunks of one, whose iteration i works (i + 1) * 0.1 ms: 64 of them, so each has a bucket of its own. Books:
 * "cost I NS" for each iteration. (The barrier keeps GCC from joining region and loop: threads then do not tell the
 * runtime the loop's bounds.)
 */
#include "spin.h"

enum { ITERATIONS = 64, UNIT_NS = 100000 };

int main(void) {
  static uint64_t cost[ITERATIONS];
#pragma omp parallel
  {
#pragma omp barrier
#pragma omp for schedule(dynamic, 1) // mark: loop
    for (int i = 0; i < ITERATIONS; i++) {
      const uint64_t begin = now_ns();
      uint64_t now;
      do
        now = now_ns();
      while (now - begin < (uint64_t)(i + 1) * UNIT_NS);
      cost[i] = now - begin;
    }
  }
  for (int i = 0; i < ITERATIONS; i++)
    printf("cost %d %llu\n", i, (unsigned long long)cost[i]);
  return 0;
}
