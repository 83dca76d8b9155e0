/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * One construct of each kind on a line of its own, in functions of known names: what matters is what they are called.
 * Each function is entered twice (a count the compiler does not know), so every name and line below is expected, and no
 * other.
 */
#include <omp.h>
#include <stdio.h>

static volatile int sink[64];

static void in_static_function(void) {
#pragma omp parallel // mark: parallel
  {
#pragma omp for schedule(dynamic, 4) // mark: loop
    for (int i = 0; i < 64; i++)
      sink[i]++;
#pragma omp critical // mark: critical
    sink[0]++;
#pragma omp single // mark: single
    sink[1]++;
#pragma omp barrier // mark: barrier
  }
}

void with_tasks(void) {
#pragma omp parallel // mark: task region
#pragma omp master   // mark: master
  {
#pragma omp task // mark: task
    sink[2]++;
#pragma omp taskwait // mark: taskwait
  }
}

int main(int argc, char **argv) {
  (void)argv;
  omp_lock_t lock;
  omp_init_lock(&lock);
  for (int i = 0; i < 1 + argc; i++) {
    in_static_function();
    with_tasks();
#pragma omp parallel // mark: lock region
    {
      omp_set_lock(&lock); // mark: lock
      sink[3]++;
      omp_unset_lock(&lock);
    }
  }
  printf("done %d\n", sink[0] > 0);
  return 0;
}
