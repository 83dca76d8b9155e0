/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * BEFORE regions, then heddle_resume(), then AFTER regions of another line: a dormant measurement has only these. With
 * an argument the thread that does it is in a region: it and the others go on there, and have AFTER loops each.
 */
#include <omp.h>
#include <stdio.h>

#include "heddle.h"

enum { BEFORE = 20, AFTER = 30 };

static void work(int rounds) {
  for (volatile int i = 0; i < rounds; i++)
    ;
}

static void regions(void) {
  for (int i = 0; i < BEFORE; i++) {
#pragma omp parallel num_threads(2)
    work(20000);
  }
  heddle_resume();
  for (int i = 0; i < AFTER; i++) {
#pragma omp parallel num_threads(2) // mark: after
    work(20000);
  }
}

static void loops(void) {
#pragma omp parallel num_threads(2)
  {
    work(100000);
#pragma omp single
    heddle_resume();
    for (int i = 0; i < AFTER; i++) {
#pragma omp for // mark: loop
      for (int j = 0; j < 2; j++)
        work(20000);
    }
  }
}

int main(int argc, char **argv) {
  (void)argv;
  if (argc > 1)
    loops();
  else
    regions();
  puts("done");
}
