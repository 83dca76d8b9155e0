/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* GCC's code takes a lock for an atomic update of what has no instruction of its own. The value is 16 bytes. */
#include "flaws.h"

int main(int argc, char **argv) {
  (void)argc;
  (void)argv;
  long double sum = 0;
#pragma omp parallel
  for (int i = 0; i < 2000000; i++) {
#pragma omp atomic
    sum += 1; // mark: update
  }
  return sum < 1;
}
