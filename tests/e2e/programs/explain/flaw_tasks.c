/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tasks. "small": 100,000 of nothing. "producer": one thread takes 2 ms to make a task of 0.2 ms. "few": 3 tasks of 60
 * ms. "uneven": the last of 20 takes 100 ms, the others 2 ms.
 */
#include "flaws.h"

int main(int argc, char **argv) {
  (void)argc;
  volatile int done[64] = {0};
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 100000 && is(argv, "small"); i++) {
#pragma omp task // mark: small
      done[omp_get_thread_num() * 16 % 64]++;
    }
    for (int i = 0; i < 100 && is(argv, "producer"); i++) {
      work_us(2000);
#pragma omp task // mark: producer
      work_us(200);
    }
    for (int i = 0; i < 3 && is(argv, "few"); i++) {
#pragma omp task // mark: few
      work_us(60000);
    }
    for (unsigned i = 0; i < 20 && is(argv, "uneven"); i++) {
#pragma omp task // mark: uneven
      work_us(i == 19 ? 100000 : 2000);
    }
  }
  return 0;
}
