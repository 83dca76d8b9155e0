/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Thread i of p spins (i + 1) units, REPEAT times; the region's own barrier makes the others wait. In units times
 * REPEAT: elapsed p, busy of thread i: i + 1, implicit barrier of thread i: p - i - 1 busy of all p (p + 1) / 2, mean
 * concurrency (p + 1) / 2, imbalance 2 p / (p + 1), potential gain (p - 1) / 2 A first region starts the threads.
 */
#include <omp.h>

#include "spin.h"

int main(int argc, char **argv) {
  unsigned unit_ms = argument(argc, argv, 1, 50), repeat = argument(argc, argv, 2, 4);
  int threads = omp_get_max_threads();
#pragma omp parallel // mark: start
  {
#pragma omp barrier
  }

  for (unsigned i = 0; i < repeat; i++) {
    team_begin(0);
#pragma omp parallel // mark: region
    spin_ms(omp_get_thread_num(), ((unsigned)omp_get_thread_num() + 1) * unit_ms);
    team_end(0, 0, threads);
  }
  print_books(threads);
  return 0;
}
