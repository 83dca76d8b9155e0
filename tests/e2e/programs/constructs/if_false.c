/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Regions of one thread, because of if(0), in which a single spins for 1 unit: clang begins them as GCC begins all
 * regions, with the flag invoker_program. In units: single 10 busy, no wait; region 10 elapsed.
 */
#include "spin.h"

int main(int argc, char **argv) {
  unsigned unit_ms = argument(argc, argv, 1, 10);
  team_begin(0);
  for (int round = 0; round < 10; round++) {
#pragma omp parallel if (round > 10) // mark: region
#pragma omp single                   // mark: single
    spin_ms(0, unit_ms);
  }
  team_end(0, 0, 1);
  print_books(1);
  return 0;
}
