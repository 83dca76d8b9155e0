/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A loop of p iterations, one for each thread; the ordered part of each is one unit. All threads come at the same time,
 * so thread i waits i units for its turn and p - i - 1 units at the loop's barrier. In units:
 *   ordered: visits p, busy p, waiting p (p - 1) / 2
 *   loop: waiting at the barrier p (p - 1) / 2; region: elapsed p, mean concurrency 1, potential gain p - 1
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
#pragma omp for ordered schedule(static, 1) // mark: loop
    for (int i = 0; i < threads; i++) {
      uint64_t begin = now_ns();
#pragma omp ordered // mark: ordered
      {
        blocked_since(i, begin);
        spin_ms(i, unit_ms);
      }
    }
  }
  team_end(0, 0, threads);
  print_books(threads);
  return 0;
}
