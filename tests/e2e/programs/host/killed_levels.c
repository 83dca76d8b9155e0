/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Thread 0 of two works 2 units in a critical section, for which thread 1 waits; then thread 1 is in one of that name
 * and thread 0 outside, until thread 0 kills the program after 3 more units. Nothing is ever left. In units:
 *   region: elapsed 5; elapsed at 1 2, at 2 3; thread-time at 2 3; wall share 1.5
 *   first critical: thread-time at 1 2; wall share 2; second: thread-time at 2 3; wall share 1.5
 *   overlap of the region and the second critical 3
 */
#include <omp.h>
#include <signal.h>

#include "books.h"

static atomic_int entered;
static uint64_t begin, second_begin;

static void first(void) {
#pragma omp critical(turn) // mark: first
  {
    entered = 1;
    work_at("first", 2);
  }
  at("region");
  work(3);
  add_span("second", second_begin, now_ns()); /* the other thread will not come to it */
  window("region", begin);
  close_books();
  raise(SIGKILL);
}

static void second(void) {
  at("region");
  while (!entered)
    ;
  at(NULL);
#pragma omp critical(turn) // mark: second
  {
    at("second");
    second_begin = now_ns();
    work(5);
  }
}

int main(int argc, char **argv) {
  open_books(argc, argv);
  at(NULL);
  begin = now_ns();
#pragma omp parallel num_threads(2) // mark: region
  {
    if (omp_get_thread_num() == 0)
      first();
    else
      second();
  }
  return 0;
}
