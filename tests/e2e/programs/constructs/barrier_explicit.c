/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Thread i of p spins i + 1 units before an explicit barrier and p - i units after it. In units:
 *   thread i waits p - i - 1 at the explicit barrier and i at the region's end
 *   busy of each thread p + 1 (imbalance 1), elapsed 2 p, mean concurrency (p + 1) / 2, potential gain p - 1
 */
#include <omp.h>

#include "spin.h"

int main(int argc, char **argv) {
  unsigned unit_ms = argument(argc, argv, 1, 50);
#pragma omp parallel // mark: start
  {
#pragma omp barrier
  }

  team_begin(0);
#pragma omp parallel // mark: region
  {
    int thread = omp_get_thread_num(), threads = omp_get_num_threads();
    spin_ms(thread, (unsigned)(thread + 1) * unit_ms);
    uint64_t begin = now_ns();
#pragma omp barrier // mark: barrier
    blocked_since(thread, begin);
    spin_ms(thread, (unsigned)(threads - thread) * unit_ms);
  }
  team_end(0, 0, omp_get_max_threads());
  print_books(omp_get_max_threads());
  return 0;
}
