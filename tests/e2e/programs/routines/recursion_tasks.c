/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Recursion through tasks: fib(n) makes a task for each of its two calls and waits for them, so that a call is entered
 * by whatever thread runs the task. 2 * F(n + 1) - 1 calls (8,361 for n = 18), as many tasks as calls but one.
 * Arguments: UNIT_MS HOW MODE N; mode "untied": the tasks are untied.
 */
#include <omp.h>

#include "recursion.h"

NOINLINE unsigned fib(unsigned n) {
  if (n < 2)
    return n;
  unsigned a, b;
  if (mode_is("untied")) {
#pragma omp task untied shared(a)
    a = fib(n - 1);
#pragma omp task untied shared(b)
    b = fib(n - 2);
#pragma omp taskwait
  } else {
#pragma omp task shared(a)
    a = fib(n - 1);
#pragma omp task shared(b)
    b = fib(n - 2);
#pragma omp taskwait
  }
  return a + b;
}

int main(int argc, char **argv) {
  open_books(argc, argv);
  unsigned n = argument(argc, argv, 4, 18), result = 0;
#pragma omp parallel
#pragma omp single
  result = fib(n);
  close_books();
  printf("sum %u\n", result);
  return 0;
}
