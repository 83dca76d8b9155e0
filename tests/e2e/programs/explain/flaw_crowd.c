/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Two threads for each of two processors and more, that meet at barriers: 400 steps of 160,000 additions, divided among
 * them. "nested": in nested teams. */
#include "flaws.h"

static void steps(int threads) {
  volatile double sum = 0;
  for (int i = 0; i < 400; i++) {
    for (int j = 0; j < 160000 / threads; j++)
      sum += 1;
#pragma omp barrier
  }
}

static __attribute__((noinline)) void nested(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2) // mark: nested
#pragma omp parallel num_threads(4)
  steps(8);
}

static __attribute__((noinline)) void flat(void) {
#pragma omp parallel // mark: crowd
  steps(omp_get_num_threads());
}

int main(int argc, char **argv) {
  (void)argc;
  if (is(argv, "nested"))
    nested();
  else
    flat();
  return 0;
}
