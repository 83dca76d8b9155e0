/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Regions of p, p / 2, 1, 1 and p threads, one after the other: the third by its if clause, the fourth by num_threads.
 * Every thread works one unit in each, and the main thread one unit before and one after. In units:
 *   region of q threads: elapsed 1; elapsed at q 1; thread-time at q q; wall share 1
 *   program: at 1 4, at p / 2 1, at p 2, and what goes before main and after it
 */
#include <omp.h>

#include "books.h"

static void stay(const char *where) {
  at(where);
  work(1);
  at(NULL);
}

int main(int argc, char **argv) {
  open_books(argc, argv);
  int threads = omp_get_max_threads();
  work(1);
  at(NULL);
  uint64_t begin = now_ns();
#pragma omp parallel // mark: all
  stay("all");
  window("all", begin);
  begin = now_ns();
#pragma omp parallel num_threads(threads / 2) // mark: half
  stay("half");
  window("half", begin);
  begin = now_ns();
#pragma omp parallel if (threads < 0) // mark: off
  stay("off");
  window("off", begin);
  begin = now_ns();
#pragma omp parallel num_threads(1) // mark: alone
  stay("alone");
  window("alone", begin);
  begin = now_ns();
#pragma omp parallel // mark: again
  stay("again");
  window("again", begin);
  at("outside");
  work(1);
  close_books();
  return 0;
}
