/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A region of two threads that says its name and a sum. */
#ifndef HEDDLE_TESTS_LIFE_H
#define HEDDLE_TESTS_LIFE_H

#include <stdio.h>

static inline void region(const char *word) {
  int sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(2)
  for (int i = 0; i < 1000; i++)
    sum += i;
  printf("%s %d\n", word, sum);
  fflush(stdout);
}

#endif
