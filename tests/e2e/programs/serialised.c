/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A region that is switched off by its if clause, three times, one unit each: a team of one. Inside it, a second region
 * that is serialised because only one level may be active, of one unit too. In units:
 *   outer: instances 3, elapsed 6, busy 3; inner: instances 3, elapsed 3, busy 3; teams of 1, mean concurrency of inner
 * 1
 */
#include <omp.h>

#include "spin.h"

int main(int argc, char **argv) {
  unsigned unit_ms = argument(argc, argv, 1, 50);
  int active = argc > 9;
  for (int i = 0; i < 3; i++) {
#pragma omp parallel if (active) // mark: outer
    {
      spin_ms(omp_get_thread_num(), unit_ms);
#pragma omp parallel if (active) // mark: inner
      spin_ms(omp_get_thread_num(), unit_ms);
    }
  }
  print_spun(1);
  return 0;
}
