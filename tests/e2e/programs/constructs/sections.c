/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Two sections of 1 and 3 units. In units, when two of p threads take one each:
 *   sections: busy 4, waiting 3 p - 4, imbalance 3 p / 4, potential gain 3 - 4 / p;  p = 1: busy 4, no waiting
 *   region: elapsed 3 (p = 1: 4), nothing left to wait for at its end
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
#pragma omp sections // mark: construct
    {
#pragma omp section
      spin_ms(omp_get_thread_num(), unit_ms);
#pragma omp section
      spin_ms(omp_get_thread_num(), 3 * unit_ms);
    }
  }
  team_end(0, 0, omp_get_max_threads());
  print_books(omp_get_max_threads());
  return 0;
}
