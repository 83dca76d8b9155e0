/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* "tiny": 20,000 regions of nothing. "rare": 60 regions of 0.3 ms, each after 1 ms, before which workers sleep. */
#include "flaws.h"

int main(int argc, char **argv) {
  volatile int sum[2][64] = {0};
  (void)argc;
  for (int i = 0; i < 20000 && is(argv, "tiny"); i++) {
#pragma omp parallel // mark: tiny
    sum[omp_get_thread_num() % 2][0] = i;
  }
  for (int i = 0; i < 200 && is(argv, "wake"); i++) {
#pragma omp parallel // mark: wake
    work_us(300);
  }
  return 0;
}
