/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * C-S, a concurrent routine calls a sequential one: thread 1 is busy when thread 0 enters upper, which works 2 units
 * and meets it; then thread 1 waits for a lock that thread 0 holds, and upper calls lower, which works 3 units, alone.
 *   upper: S-C 1 (its caller is main), elapsed 5 and the time until thread 1 waits, own time concurrent 2 and more
 *   lower: C-S 1, elapsed 3, own time sequential 3
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
  meet(2);
  until_it_waits();
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
      upper();
      omp_unset_lock(&lock);
    } else {
      meet(2);
      meet(2);
      will_wait();
      at(NULL);
      omp_set_lock(&lock);
      at("region");
    }
    at(NULL);
  }
  at("outside");
  close_books();
  return 0;
}
