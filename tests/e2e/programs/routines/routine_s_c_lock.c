/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * S-C without a region between: the program turns concurrent while thread 0 is in `upper`. Thread 1 waits for a
 * lock that thread 0 holds when it enters upper; upper works 2 units, hands the lock over, meets thread 1 and calls
 * lower, which works 3 units while thread 1 works too (until after upper's end). main, which opens the region, was
 * entered sequentially.
 *   upper: S-S 1, elapsed 5, own time sequential 2
 *   lower: S-C 1, elapsed 3, own time concurrent 3
 */
#include <omp.h>

#include "routines.h"

static omp_lock_t lock;

NOINLINE void lower(void) {
  uint64_t begin_ns = now_ns();
  work_in("lower", 3);
  window("lower", begin_ns);
}

NOINLINE void upper(void) {
  uint64_t begin_ns = now_ns();
  const char *before = at("upper");
  work(2);
  omp_unset_lock(&lock);
  meet(2);
  lower();
  at(before);
  window("upper", begin_ns);
}

int main(int argc, char **argv) {
  open_books(argc, argv);
  omp_init_lock(&lock);
  at(NULL);
#pragma omp parallel num_threads(2)
  {
    at("region");
    if (omp_get_thread_num() == 0) {
      omp_set_lock(&lock);
      meet(2);
      until_it_waits();
      upper();
      meet(2);
    } else {
      meet(2);
      will_wait();
      at(NULL);
      omp_set_lock(&lock);
      at("region");
      meet(2);
      meet(2);
    }
    at(NULL);
  }
  at("outside");
  close_books();
  return 0;
}
