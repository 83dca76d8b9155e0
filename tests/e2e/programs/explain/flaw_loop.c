/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loops whose iterations differ: iteration i of 40 takes 0.2 i ms; or one takes 150 ms. Others take 1 ms. "few": three
 * iterations of 50 ms for two threads. */
#include "flaws.h"

int main(int argc, char **argv) {
  (void)argc;
  if (is(argv, "triangle"))
#pragma omp parallel for schedule(static) // mark: triangle
    for (unsigned i = 0; i < 40; i++)
      work_us(200 * i);
  if (is(argv, "decreasing")) {
#pragma omp parallel
    {
#pragma omp for schedule(static) // mark: decreasing
      for (unsigned i = 0; i < 40; i++)
        work_us(200 * (40 - i));
    }
  }
  if (is(argv, "chunk"))
#pragma omp parallel for schedule(dynamic, 30) // mark: chunk
    for (unsigned i = 0; i < 40; i++)
      work_us(4000);
  if (is(argv, "huge"))
#pragma omp parallel for schedule(dynamic) // mark: huge
    for (unsigned i = 0; i < 40; i++)
      work_us(i == 39 ? 150000 : 1000);
  if (is(argv, "few")) {
#pragma omp parallel
    {
#pragma omp for schedule(static) // mark: few
      for (unsigned i = 0; i < 3; i++)
        work_us(50000);
    }
  }
  if (is(argv, "nowait")) {
#pragma omp parallel
    {
#pragma omp for schedule(static) nowait // mark: nowait
      for (unsigned i = 0; i < 40; i++)
        work_us(200 * i);
    }
  }
  if (is(argv, "number")) {
#pragma omp parallel // mark: number
    work_us(omp_get_thread_num() == 0 ? 150000 : 20000);
  }
  return 0;
}
