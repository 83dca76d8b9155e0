/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Each of p threads takes a lock once and spins one unit with it: as critical_hold.c, the n-th waits n - 1 units, and
 * then p - n at the end of the region. With an argument "nest" it is a nestable lock, taken twice over (only the first
 * time can wait). Before, the primary fails to take a lock that it holds: a failed test does not wait. In units:
 *   lock: visits p, waiting p (p - 1) / 2; region: elapsed p, busy p, implicit barrier p (p - 1) / 2
 */
#include <omp.h>

#include "spin.h"

static omp_lock_t lock;
static omp_nest_lock_t nest_lock;

static void take(int nest) {
  if (nest) {
    omp_set_nest_lock(&nest_lock); // mark: nest
    omp_set_nest_lock(&nest_lock); // mark: again
  } else {
    omp_set_lock(&lock); // mark: lock
  }
}

int main(int argc, char **argv) {
  unsigned unit_ms = argument(argc, argv, 1, 100);
  int nest = argc > 2;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest_lock);
#pragma omp parallel // mark: start
  {
#pragma omp barrier
  }

  omp_set_lock(&lock); // mark: outside
  int taken = omp_test_lock(&lock);
  omp_unset_lock(&lock);
  team_begin(0);
#pragma omp parallel // mark: region
  {
    int thread = omp_get_thread_num();
    uint64_t begin = now_ns();
    take(nest);
    blocked_since(thread, begin);
    spin_ms(thread, unit_ms);
    nest ? omp_unset_nest_lock(&nest_lock), omp_unset_nest_lock(&nest_lock) : omp_unset_lock(&lock);
  }
  team_end(0, 0, omp_get_max_threads());
  print_books(omp_get_max_threads());
  return taken;
}
