/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Barriers, 20 times. "explicit": the threads take turns with 10 ms of work while the other has 1 ms, so all in all
 * their work is even. "lasting": it is always thread 0 that has 10 ms. "closing": one loop is long for the first
 * thread, the next for the last.
 */
#include "flaws.h"

int main(int argc, char **argv) {
  (void)argc;
  if (is(argv, "explicit")) {
#pragma omp parallel
    for (int i = 0; i < 20; i++) {
      work_us(omp_get_thread_num() % 2 == i % 2 ? 10000 : 1000);
#pragma omp barrier // mark: explicit
    }
  }
  if (is(argv, "lasting")) {
#pragma omp parallel // mark: lasting
    for (int i = 0; i < 20; i++) {
      work_us(omp_get_thread_num() == 0 ? 10000 : 1000);
#pragma omp barrier
    }
  }
  if (is(argv, "closing")) {
#pragma omp parallel
    for (int i = 0; i < 20; i++) {
#pragma omp for schedule(static) // mark: closing
      for (int j = 0; j < 8; j++)
        work_us(j < 4 ? 2500 : 250);
#pragma omp for schedule(static) // mark: second
      for (int j = 0; j < 8; j++)
        work_us(j < 4 ? 250 : 2500);
    }
  }
  return 0;
}
