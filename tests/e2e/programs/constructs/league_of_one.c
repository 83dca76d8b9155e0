/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * For one thread. As many times as its argument says: a region, a league of one team, and a region in that; all with a
 * loop of 4 iterations. libomp hands the league's initial task the data of some other region. Prints the sum of all
 * iterations' numbers: 12 for each time.
 */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 10;
  int sum = 0;
  for (int round = 0; round < rounds; round++) {
#pragma omp parallel for reduction(+ : sum) // mark: region
    for (int i = 0; i < 4; i++)
      sum += i;
#pragma omp teams distribute parallel for if (round > rounds) reduction(+ : sum) // mark: league
    for (int i = 0; i < 4; i++)
      sum += i;
  }
  printf("sum %d\n", sum);
  return 0;
}
