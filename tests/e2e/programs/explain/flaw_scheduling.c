/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* 2,000,000 iterations of next to nothing, handed out one by one. */
#include "flaws.h"

int main(void) {
  volatile double sums[64] = {0};
#pragma omp parallel for schedule(dynamic, 1) // mark: scheduling
  for (int i = 0; i < 2000000; i++)
    sums[omp_get_thread_num() % 2 * 32] = i;
  return 0;
}
