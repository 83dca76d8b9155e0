/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A single construct of 2 units, then two sections of 1 and 3 units (p = 2 or more: two threads take one each). In
 * units: single: busy 2, waiting of the p - 1 others 2 each; one thread works, so its imbalance is p, its gain 2 (p -
 * 1) / p sections, p >= 2: busy 4, waiting 3 p - 4, gain 3 - 4 / p;  p = 1: busy 4, no waiting region: elapsed 5 (p >=
 * 2) or 6 (p = 1)
 */
#include <omp.h>

#include "spin.h"

int main(int argc, char **argv) {
  unsigned unit_ms = argument(argc, argv, 1, 50);
#pragma omp parallel // mark: start
  {
#pragma omp barrier
  }

#pragma omp parallel // mark: region
  {
#pragma omp single // mark: single
    spin_ms(omp_get_thread_num(), 2 * unit_ms);

#pragma omp sections // mark: sections
    {
#pragma omp section
      spin_ms(omp_get_thread_num(), unit_ms);
#pragma omp section
      spin_ms(omp_get_thread_num(), 3 * unit_ms);
    }
  }
  print_spun(omp_get_max_threads());
  return 0;
}
