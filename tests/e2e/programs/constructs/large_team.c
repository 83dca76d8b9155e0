/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A team of argv[1] threads, all new: 3 instances of one region with one loop, so 3 visits of either on every thread.
 */
#include <stdio.h>
#include <stdlib.h>

static __attribute__((noinline)) long work(int threads) { /* one copy, whatever the optimiser does to its caller */
  long total = 0;
#pragma omp parallel num_threads(threads) // mark: region
  {
#pragma omp for reduction(+ : total) // mark: loop
    for (int i = 0; i < threads * 4; i++)
      total += i;
  }
  return total;
}

int main(int argc, char **argv) {
  int threads = argc > 1 ? atoi(argv[1]) : 1;
  long total = 0;
  for (int repeat = 0; repeat < 3; repeat++)
    total += work(threads);
  printf("%ld\n", total);
  return 0;
}
