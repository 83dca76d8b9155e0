/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Each of p threads passes a critical section once and spins one unit inside. They come at the same time, so the n-th
 * waits n - 1 units for it, and then p - n units at the end of the region. In units:
 *   critical: visits p, busy p, waiting p (p - 1) / 2
 *   region: elapsed p, implicit barrier p (p - 1) / 2, busy outside the critical section about 0
 *   mean concurrency 1, potential gain p - 1
 */
#include <omp.h>

#include "spin.h"

int main(int argc, char **argv) {
  unsigned unit_ms = argument(argc, argv, 1, 100);
#pragma omp parallel // mark: start
  {
#pragma omp barrier
  }

  team_begin(0);
#pragma omp parallel // mark: region
  {
    int thread = omp_get_thread_num();
    uint64_t begin = now_ns();
#pragma omp critical // mark: critical
    {
      blocked_since(thread, begin);
      spin_ms(thread, unit_ms);
    }
  }
  team_end(0, 0, omp_get_max_threads());
  print_books(omp_get_max_threads());
  return 0;
}
