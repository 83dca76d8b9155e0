/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tasks of every way to create them; each adds 1. Argument: N, 100 unless said otherwise. One thread of a team creates
 * N deferred ones, N that depend on each other, N undeferred ones (if(0)), and a taskloop of 2 N iterations in tasks of
 * 1; every task of the first kind creates one more. Printed: "sum" and 6 N.
 */
#include "spin.h"

static long sum;

static void add(void) {
#pragma omp atomic
  sum++;
}

int main(int argc, char **argv) {
  const int n = (int)argument(argc, argv, 1, 100);
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < n; i++) {
#pragma omp task // mark: deferred
      {
#pragma omp task // mark: inner
        add();
        add();
      }
#pragma omp task depend(inout : sum) // mark: dependent
      add();
#pragma omp task if (0) // mark: undeferred
      add();
    }
#pragma omp taskwait
#pragma omp taskloop grainsize(1) // mark: taskloop
    for (int i = 0; i < 2 * n; i++)
      add();
  }
  printf("sum %ld\n", sum);
  return sum != 6L * n;
}
