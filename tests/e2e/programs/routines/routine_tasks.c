/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * An explicit task is a caller of its own, whoever runs it. Two tasks meet, one on each thread, so that both are
 * concurrent; each calls upper, which calls lower for 2 units, and meets the other again:
 *   tasks: visits 2, concurrent 1 or 2 (the first may begin before the other thread is busy)
 *   upper: called by the task after they have met: S-C or C-C by the task's state, concurrent 2 in all
 *   lower: C-C 2, elapsed 2 * 2, own time 2 * 2, concurrent
 * Then main calls lower itself, alone: S-S 1, 2 units.
 */
#include <omp.h>

#include "routines.h"

NOINLINE void lower(void) {
  uint64_t begin_ns = now_ns();
  work_in("lower", 2);
  window("lower", begin_ns);
}

NOINLINE void upper(void) {
  lower();
}

static __attribute__((no_instrument_function)) void in_task(void) {
  at("task");
  meet(2);
  upper();
  meet(2);
  at(NULL);
}

int main(int argc, char **argv) {
  open_books(argc, argv);
  at(NULL);
#pragma omp parallel num_threads(2)
#pragma omp master
  {
    at("region");
#pragma omp task
    in_task();
#pragma omp task
    in_task();
    at(NULL);
  }
  at("outside");
  lower();
  close_books();
  return 0;
}
