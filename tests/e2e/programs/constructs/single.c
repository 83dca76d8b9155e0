/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A single construct of 2 units; the other p - 1 threads wait at its closing barrier. In units:
 *   single: busy 2, waiting 2 (p - 1), imbalance p (one thread has all the work), potential gain 2 (p - 1) / p
 *   region: elapsed 2, nothing left to wait for at its end
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
    arrive(omp_get_thread_num());
#pragma omp single // mark: construct
    spin_ms(omp_get_thread_num(), 2 * unit_ms);
  }
  team_end(0, 0, omp_get_max_threads());
  print_books(omp_get_max_threads());
  return 0;
}
