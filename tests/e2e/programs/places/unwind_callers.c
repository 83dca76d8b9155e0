/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The same regions, called by different routines, with 2 threads. Callers and instances:
 *   main > straight                            3
 *   main > left > shared                       2
 *   main > right > shared                      5
 *   main > count                               4: count calls itself, count(3) .. count(0)
 *   main > nest                                2
 *   main > nest > (its region) > straight     4: by both threads
 *   main > sort > compare                      1: qsort of 2 numbers
 *   main > deep > count                       20: count(19) .. count(0)
 */
#include <omp.h>
#include <stdlib.h>

#include "unwind.h"

HOLDER(straight)
HOLDER(shared)
CALLER(left, shared)
CALLER(right, shared)

ROUTINE void count(int n) {
  REGION;
  if (n > 0)
    count(n - 1);
  STAY;
}

CALLER(deep, count)

ROUTINE void nest(void) {
#pragma omp parallel
  straight(1);
  STAY;
}

ROUTINE int compare(const void *a, const void *b) {
  REGION;
  return *(const int *)a - *(const int *)b;
}

ROUTINE void sort(void) {
  int numbers[] = {2, 1};
  qsort(numbers, 2, sizeof *numbers, compare);
  USE(numbers);
}

int main(void) {
  omp_set_max_active_levels(2);
  for (int i = 0; i < 7; i++)
    (i < 2 ? left : right)(i);
  for (int i = 0; i < 3; i++)
    straight(i);
  count(3);
  nest();
  nest();
  sort();
  deep(19);
  return 0;
}
