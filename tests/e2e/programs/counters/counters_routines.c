/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Instrumented routines, called by `measured` with n = 1. Page faults:
 *   upper   2 calls, 10 each, and calls lower 3 times: 6 calls of lower, 5 each: upper 20, lower below it 30
 *   falls   recursive, falls(4): 4 + 3 + 2 + 1 = 10
 *   in a region of two threads i calls lower 20 (i + 1) times: 100 and 200; the region's own code 8 (i + 1)
 *   a thread's critical section calls lower once: 5
 *   measured itself 33
 * Counted at loops only, all that lower does on thread i is the region's: 100 (i + 1) + 8 (i + 1) + 5.
 */
#include <omp.h>

#define inline inline __attribute__((no_instrument_function))
#include "pages.h"
#undef inline

#define NOINLINE __attribute__((noinline))

NOINLINE void lower(int n) {
  touch(omp_get_thread_num(), 5 * n);
}

NOINLINE void upper(int n) {
  touch(0, 10 * n);
  for (int i = 0; i < 3; i++)
    lower(n);
}

NOINLINE void falls(int n, int level) {
  touch(0, level * n);
  if (level > 1)
    falls(n, level - 1);
  __asm__ volatile("");
}

static NOINLINE __attribute__((no_instrument_function)) void body(int n) {
  upper(n);
  upper(n);
  falls(n, 4);
#pragma omp parallel num_threads(2) // mark: region
  {
    const int u = omp_get_thread_num() + 1;
    touch(u - 1, 8 * n * u);
    for (int i = 0; i < 20 * u; i++)
      lower(n);
#pragma omp critical // mark: critical
    lower(n);
  }
}

CALLER(warm_up, body(0))
CALLER(measured, body(1); touch(0, 33))

int main(void) {
  open_pages();
  warm_up();
  measured();
  return 0;
}
