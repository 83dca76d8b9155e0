/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A league of two teams of one thread, 8 iterations divided among them, 10 times. clang up to 16 calls the end of the
 * threads' loops the end of a distribute. Prints the sum of all iterations' numbers.
 */
#include <stdio.h>

int main(void) {
  int sum = 0;
  for (int round = 0; round < 10; round++) {
#pragma omp teams num_teams(2) thread_limit(1) reduction(+ : sum) // mark: league
#pragma omp distribute parallel for reduction(+ : sum)            // mark: loop
    for (int i = 0; i < 8; i++)
      sum += i;
  }
  printf("sum %d\n", sum);
  return 0;
}
