/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Fresh pages touched in constructs of all kinds, called by two routines: by `measured` with n = 1, by `other` with
 * n = 3 (and by `warm_up` with n = 0). Page faults of thread i = 0 .. p - 1, u = n * (i + 1):
 *   loop "touching"           100 u            loops "before" and "after"     0
 *   critical                  5 u              explicit barrier               0, working or waiting
 *   single                    40 n on one of the threads
 *   sections                  10 n, 20 n, 30 n: 60 n on whatever threads
 *   the region's own code     3 u + 2 u        all other rows, the region's wait at its end: 0
 */
#include <omp.h>

#include "pages.h"

static volatile int sink;

static __attribute__((noinline)) void body(int n) {
#pragma omp parallel // mark: region
  {
    const int me = omp_get_thread_num(), u = n * (me + 1);
    touch(me, 3 * u);
#pragma omp for schedule(static) // mark: before
    for (int i = 0; i < 64; i++)
      sink = i;
#pragma omp for schedule(static, 1) // mark: touching
    for (int i = 0; i < omp_get_num_threads(); i++)
      touch(me, 100 * u);
#pragma omp for schedule(static) // mark: after
    for (int i = 0; i < 64; i++)
      sink = i;
#pragma omp critical // mark: critical
    touch(me, 5 * u);
#pragma omp single // mark: single
    touch(me, 40 * n);
#pragma omp sections // mark: sections
    {
      touch(me, 10 * n);
#pragma omp section
      touch(me, 20 * n);
#pragma omp section
      touch(me, 30 * n);
    }
    touch(me, 2 * u);
#pragma omp barrier // mark: barrier
  }
}

CALLER(warm_up, body(0))
CALLER(measured, body(1))
CALLER(other, body(3))

int main(void) {
  open_pages();
  warm_up();
  measured();
  other();
  return 0;
}
