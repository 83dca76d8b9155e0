/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What runs outside of parallel regions, or in too small a team: 300 ms beside 60 ms in regions of two threads. */
#include "flaws.h"

static void parallel_part(unsigned us) {
#pragma omp parallel
  work_us(us);
}

static void prepare(void) { // mark: prepare
  work_us(300000);
}

static void write_results(void) { // mark: write_results
  work_us(20000);
}

int main(int argc, char **argv) { // mark: main
  (void)argc;
  if (is(argv, "before"))
    prepare();
  parallel_part(20000);
  if (is(argv, "after"))
    prepare();
  for (int i = 0; i < 20 && is(argv, "between"); i++) {
    work_us(15000);
    parallel_part(2000);
  }
  write_results();
  if (is(argv, "small"))
#pragma omp parallel num_threads(1) // mark: small
    work_us(300000);
  parallel_part(20000);
  return 0;
}
