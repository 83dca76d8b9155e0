/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Each of p threads takes a lock once and spins one unit with it: as critical_hold.c, the n-th waits n - 1 units, and
 * then p - n at the end of the region. Then each takes a nestable lock twice over (one wait, no second one), again for
 * one unit. Before, the primary fails to take a lock it holds: a test that fails does not wait and is not held. In
 * units: lock: visits p, waiting p (p - 1) / 2; the same for the nestable one with its first visit; region: elapsed p
 */
#include <omp.h>

#include "spin.h"

int main(int argc, char **argv) {
  unsigned unit_ms = argument(argc, argv, 1, 100);
  omp_lock_t lock;
  omp_nest_lock_t nest_lock;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest_lock);
  omp_set_lock(&lock); // mark: outside
  int taken = omp_test_lock(&lock);
  omp_unset_lock(&lock);
#pragma omp parallel // mark: start
  {
#pragma omp barrier
  }

#pragma omp parallel // mark: region
  {
    omp_set_lock(&lock); // mark: lock
    spin_ms(omp_get_thread_num(), unit_ms);
    omp_unset_lock(&lock);
  }

#pragma omp parallel // mark: nest region
  {
    omp_set_nest_lock(&nest_lock); // mark: nest lock
    omp_set_nest_lock(&nest_lock);
    spin_ms(omp_get_thread_num(), unit_ms);
    omp_unset_nest_lock(&nest_lock);
    omp_unset_nest_lock(&nest_lock);
  }
  printf("taken %d\n", taken);
  print_spun(omp_get_max_threads());
  return taken;
}
