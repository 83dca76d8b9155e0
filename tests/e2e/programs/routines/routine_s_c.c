/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * S-C, a sequential routine calls concurrent ones: main calls step twice, which opens a region of two threads. They
 * meet, so that each is busy when the other enters stage; stage takes 2 + i units on thread i, then they meet
 * again. In units:
 *   step: visits 2, S-S 2
 *   stage: visits 4, S-C 4, two on each thread; elapsed 4 and 6, own time 4 and 6, all of it concurrent: a thread
 *     that has left stage is still busy in the region until they meet
 */
#include <omp.h>

#include "routines.h"

NOINLINE void stage(int thread) {
  uint64_t begin_ns = now_ns();
  work_in(thread ? "stage 1" : "stage 0", 2 + thread);
  window(thread ? "stage 1" : "stage 0", begin_ns);
}

NOINLINE void step(void) {
  uint64_t begin_ns = now_ns();
  at(NULL);
#pragma omp parallel num_threads(2)
  {
    at("region");
    meet(2);
    stage(omp_get_thread_num());
    meet(2);
    at(NULL);
  }
  at("outside");
  window("step", begin_ns);
}

int main(int argc, char **argv) {
  open_books(argc, argv);
  step();
  step();
  close_books();
  return 0;
}
