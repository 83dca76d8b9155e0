/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * C-C in nested regions: main opens a region of two threads that meet and call outer (S-C: main was sequential);
 * each opens a region of two, whose four threads all meet and call inner (C-C: outer was concurrent), which calls
 * leaf (C-C). inner works 1 unit, leaf 2, then all four meet. In units:
 *   outer: visits 2, S-C 2, on two threads
 *   inner: visits 4, C-C 4, one on each of four threads, elapsed 4 * 3, own time 4 * 1, concurrent
 *   leaf: visits 4, C-C 4, elapsed 4 * 2, own time 4 * 2, concurrent
 */
#include <omp.h>

#include "routines.h"

static atomic_uint outer_meetings;

NOINLINE void leaf(void) {
  uint64_t begin_ns = now_ns();
  work_in("leaf", 2);
  window("leaf", begin_ns);
}

NOINLINE void inner(void) {
  uint64_t begin_ns = now_ns();
  work_in("inner", 1);
  leaf();
  window("inner", begin_ns);
}

NOINLINE void outer(void) {
  meet_at(&outer_meetings, 2); /* the other has entered it, too */
  at(NULL);
#pragma omp parallel num_threads(2)
  {
    at("inner region");
    meet(4);
    inner();
    meet(4);
    at(NULL);
  }
}

int main(int argc, char **argv) {
  open_books(argc, argv);
  omp_set_max_active_levels(2);
  at(NULL);
#pragma omp parallel num_threads(2)
  {
    at("region");
    meet_at(&outer_meetings, 2);
    outer();
    at(NULL);
  }
  at("outside");
  close_books();
  return 0;
}
