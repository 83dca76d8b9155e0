/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Programs without a flaw, of about 200 ms each. */
#include "flaws.h"

static void tasks_of(int depth) {
  if (depth == 0) {
    work_us(1500);
    return;
  }
#pragma omp task
  tasks_of(depth - 1);
#pragma omp task
  tasks_of(depth - 1);
#pragma omp taskwait
}

int main(int argc, char **argv) {
  (void)argc;
  if (is(argv, "even"))
#pragma omp parallel for schedule(static)
    for (int i = 0; i < 400; i++)
      work_us(1000);
  if (is(argv, "steps")) {
#pragma omp parallel
    for (int step = 0; step < 20; step++) {
#pragma omp for
      for (int i = 0; i < 20; i++)
        work_us(1000);
    }
  }
  if (is(argv, "tasks")) {
#pragma omp parallel
#pragma omp single
    tasks_of(8);
  }
  if (is(argv, "regions"))
    for (int step = 0; step < 20; step++) {
#pragma omp parallel for
      for (int i = 0; i < 20; i++)
        work_us(1000);
    }
  return 0;
}
