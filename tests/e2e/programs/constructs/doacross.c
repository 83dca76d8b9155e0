/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A doacross loop: each iteration waits for the one before it, so one thread works at a time while the others wait, and
 * the runtime does not report that. Then a loop without waits in a region of its own, and tasks with dependences, which
 * the runtime reports by the same callback.
 * Prints "sum 5050 5050 10".
 */
#include <stdio.h>

enum { COUNT = 100, TASKS = 10 };

static long doacross(void) {
  long sums[COUNT + 1] = {0};
#pragma omp parallel // mark: doacross region
  {
#pragma omp for ordered(1) schedule(dynamic, 1) // mark: doacross loop
    for (int i = 1; i <= COUNT; i++) {
#pragma omp ordered depend(sink : i - 1)
      sums[i] = sums[i - 1] + i;
#pragma omp ordered depend(source)
    }
  }
  return sums[COUNT];
}

static long plain(void) {
  long sum = 0;
#pragma omp parallel // mark: plain region
  {
#pragma omp for reduction(+ : sum) // mark: plain loop
    for (int i = 1; i <= COUNT; i++)
      sum += i;
  }
  return sum;
}

static int tasks(void) {
  int count = 0;
#pragma omp parallel // mark: task region
#pragma omp single
  for (int i = 0; i < TASKS; i++) {
#pragma omp task depend(inout : count)
    count++;
  }
  return count;
}

int main(void) {
  const long first = doacross(), second = plain();
  printf("sum %ld %ld %d\n", first, second, tasks());
  return 0;
}
