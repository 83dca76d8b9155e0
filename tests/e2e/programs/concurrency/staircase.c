/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Thread i of p works i + 1 units: k threads are busy for one unit, for each k from p to 1. In units:
 *   elapsed p; elapsed at k 1; thread-time at k k; busy p (p + 1) / 2; wall share p
 * Modes: "region", they wait at the region's end; "loop", at the end of a static loop; "reduction", at the end of a
 * region with a reduction; "barrier", at an explicit barrier, after which thread i works p - i units: all twice.
 */
#include <omp.h>

#include "books.h"

static void stair(const char *where, int step) {
  at(where);
  work(step + 1);
  at(NULL);
}

int main(int argc, char **argv) {
  open_books(argc, argv);
  int threads = omp_get_max_threads(), sum = 0;
  at(NULL);
  uint64_t begin = now_ns();
  if (mode_is("loop")) {
#pragma omp parallel                // mark: loop region
#pragma omp for schedule(static, 1) // mark: loop
    for (int i = 0; i < threads; i++)
      stair("loop", i);
    window("loop region", begin);
  } else if (mode_is("reduction")) {
#pragma omp parallel reduction(+ : sum) // mark: reduction
    {
      stair("reduction", omp_get_thread_num());
      sum++;
    }
    window("reduction", begin);
  } else if (mode_is("barrier")) {
#pragma omp parallel // mark: twice
    {
      stair("twice", omp_get_thread_num());
#pragma omp barrier // mark: barrier
      stair("twice", threads - 1 - omp_get_thread_num());
    }
    window("twice", begin);
  } else {
#pragma omp parallel // mark: region
    stair("region", omp_get_thread_num());
    window("region", begin);
  }
  at("outside");
  close_books();
  return mode_is("reduction") && sum != threads;
}
