/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * An auto loop of one place, short and long, in teams of 1 and 2: libomp tells schedules that differ. 40 visits by the
 * thread of the small teams, 40 by each of the large ones: 120.
 */
#include <stdio.h>

static int sum;

int main(void) {
  for (int i = 0; i < 80; i++) {
#pragma omp parallel num_threads(i % 2 + 1)
    {
#pragma omp for schedule(auto) // mark: loop
      for (int k = 0; k < 2 + (i / 2 % 2) * 1000; k++)
        __atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED);
    }
  }
  puts("done");
}
