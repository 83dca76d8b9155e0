/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads that queue: 40 iterations of 1 ms, of which all or most is in a section that one thread may run at a time. */
#include "flaws.h"

static void add(double *sum) {
#pragma omp critical // mark: critical
  {
    work_us(4000);
    *sum += 1;
  }
}

int main(int argc, char **argv) {
  (void)argc;
  double sum = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
  if (is(argv, "critical"))
#pragma omp parallel for schedule(static)
    for (int i = 0; i < 40; i++) {
      work_us(500);
      add(&sum);
    }
  if (is(argv, "lock"))
#pragma omp parallel for schedule(static)
    for (int i = 0; i < 40; i++) {
      work_us(500);
      omp_set_lock(&lock); // mark: lock
      work_us(4000);
      omp_unset_lock(&lock);
    }
  if (is(argv, "ordered"))
#pragma omp parallel for schedule(static, 1) ordered
    for (int i = 0; i < 40; i++) {
      work_us(500);
#pragma omp ordered // mark: ordered
      work_us(4000);
    }
  omp_destroy_lock(&lock);
  return 0;
}
