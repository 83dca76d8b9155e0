/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Two regions by turns, in batches: a batch for each line of input, and one before. Each thread enters SECTIONS critical
 * sections in each region, so a batch has ROUNDS * threads * SECTIONS in either. From a line "l" on the left one comes a
 * second time in each round, from `late`. It says "s" after each batch, and ends with its input.
 */
#include <stdio.h>

enum { ROUNDS = 5, SECTIONS = 4 };

static long count;
static volatile int sections = SECTIONS; /* no compiler makes a site of each */

__attribute__((noinline)) static void left(void) {
#pragma omp parallel
  for (int i = 0; i < sections; i++) {
#pragma omp critical
    count++;
  }
  count++;
}

__attribute__((noinline)) static void right(void) {
#pragma omp parallel
  for (int i = 0; i < sections; i++) {
#pragma omp critical
    count++;
  }
  count++;
}

__attribute__((noinline)) static void late(void) {
  left();
  count++;
}

__attribute__((noinline)) static void round_of(int is_late) {
  left();
  right();
  if (is_late)
    late();
  count++;
}

int main(void) {
  char line[8] = "";
  int is_late = 0;
  do {
    is_late |= line[0] == 'l';
    for (int i = 0; i < ROUNDS; i++)
      round_of(is_late);
    puts("s");
    fflush(stdout);
  } while (fgets(line, sizeof line, stdin));
  return count == 0;
}
