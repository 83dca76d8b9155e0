/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * As spin_threads.c, but in a loop of p iterations, one for each thread: iteration i spins (i + 1) units. The loop's
 * own barrier makes the others wait, so the waiting belongs to the loop's row and none is left at the region's end. in
 * units: elapsed p, busy of thread i: i + 1, waiting of thread i: p - i - 1 imbalance of the loop 2 p / (p + 1),
 * potential gain (p - 1) / 2
 */
#include <omp.h>

#include "spin.h"

int main(int argc, char **argv) {
  unsigned unit_ms = argument(argc, argv, 1, 100);
  int threads = omp_get_max_threads();
#pragma omp parallel // mark: start
  {
#pragma omp barrier
  }

  team_begin(0);
#pragma omp parallel // mark: region
  {
#pragma omp for schedule(static, 1) // mark: construct
    for (int i = 0; i < threads; i++)
      spin_ms(i, ((unsigned)i + 1) * unit_ms);
  }
  team_end(0, 0, threads);
  print_books(threads);
  return 0;
}
