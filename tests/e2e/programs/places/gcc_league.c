/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * For GCC. COUNT leagues of one or two teams; each team runs two regions, of one thread. libomp sends the events of
 * these regions with the data of the serialised one around them.
 */
#include <stdio.h>
#include <stdlib.h>

static int sum;

int main(int argc, char **argv) {
  const int count = argc > 1 ? atoi(argv[1]) : 3;
  for (int i = 0; i < count; i++) {
#pragma omp teams num_teams(2) // mark: league
    {
#pragma omp parallel // mark: first
      __atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED);
#pragma omp parallel // mark: second
      __atomic_fetch_add(&sum, 2, __ATOMIC_RELAXED);
    }
  }
  puts(sum % 3 == 0 ? "done" : "wrong");
}
