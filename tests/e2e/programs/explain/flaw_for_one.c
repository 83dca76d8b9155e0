/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parts of a region that one thread runs while the team waits: 200 ms, beside 20 ms of all. */
#include "flaws.h"

int main(int argc, char **argv) {
  (void)argc;
#pragma omp parallel
  {
    work_us(10000);
    if (is(argv, "single"))
#pragma omp single // mark: single
      work_us(200000);
    if (is(argv, "masked"))
#pragma omp master // mark: masked
      work_us(200000);
    if (is(argv, "nowait"))
#pragma omp single nowait // mark: nowait
      work_us(200000);
#pragma omp barrier
    if (is(argv, "sections")) {
#pragma omp sections // mark: sections
      {
        work_us(200000);
#pragma omp section
        work_us(20000);
      }
    }
    work_us(10000);
  }
  return 0;
}
