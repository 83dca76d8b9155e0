/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Copies of 2 MiB are combined 400 times after next to no work. */
#include "flaws.h"

enum { LENGTH = 250000 };
static double sums[LENGTH];

int main(void) {
  for (int i = 0; i < 400; i++) {
#pragma omp parallel for schedule(static) reduction(+ : sums) // mark: reduction
    for (int j = 0; j < 2; j++)
      sums[j] += 1;
  }
  return sums[0] < 0;
}
