/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Two threads work one unit each, open a region of p each, and work one unit after it. Inner thread j works j + 1
 * units; the outer threads are inner threads 0, and wait at the end of the inner regions. In units:
 *   outer: elapsed p + 2; elapsed at 2 3, at 4, 6 .. 2 p 1 each; thread-time at 2 4, nowhere else; wall share 2
 *   inner, two instances: elapsed 2 p; elapsed at each of 2, 4 .. 2 p 2; thread-time at level k k; wall share p
 */
#include <omp.h>

#include "books.h"

static void inner_region(void) {
  uint64_t begin = now_ns();
#pragma omp parallel // mark: inner
  {
    at("inner");
    work(omp_get_thread_num() + 1);
    at(NULL);
  }
  window("inner", begin);
}

/* So that no thread of the inner teams must be started while time is booked. */
static void start_threads(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp parallel
    {
#pragma omp barrier
    }
  }
}

int main(int argc, char **argv) {
  start_threads();
  open_books(argc, argv);
  at(NULL);
  uint64_t begin = now_ns();
#pragma omp parallel num_threads(2) // mark: outer
  {
    at("outer");
    work(1);
    at(NULL);
    inner_region();
    at("outer");
    work(1);
    at(NULL);
  }
  window("outer", begin);
  at("outside");
  close_books();
  return 0;
}
