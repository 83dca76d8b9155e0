/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A region that its if clause switches off, three times, one unit each: a team of one. Inside it, a second one,
 * switched off too, of one unit. In units: outer: instances 3, elapsed 6, busy 3; inner: instances 3, elapsed 3, busy
 * 3; teams of 1
 */
#include <omp.h>

#include "spin.h"

int main(int argc, char **argv) {
  unsigned unit_ms = argument(argc, argv, 1, 50);
  unsigned repeat = argument(argc, argv, 2, 3);
  int active = argc > 9;
  for (unsigned i = 0; i < repeat; i++) {
#pragma omp parallel if (active) // mark: outer
    {
      spin_ms(0, unit_ms);
#pragma omp parallel if (active) // mark: inner
      spin_ms(1, unit_ms);
    }
  }
  print_books(2);
  return 0;
}
