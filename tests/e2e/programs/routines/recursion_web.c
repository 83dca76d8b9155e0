/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Five routines call one another at random through pointers, up to 12 deep: more callpaths than anybody would keep. The
 * program counts each routine's calls and prints them: "calls NAME N". Arguments: SEED CALLS.
 */
#include "routines.h"

typedef void routine(unsigned depth);
static routine r0, r1, r2, r3, r4;
static routine *const all[] = {r0, r1, r2, r3, r4};
static unsigned counts[5], left;
static uint64_t seed;

HELPER unsigned roll(unsigned sides) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(seed >> 33) % sides;
}

/* Each makes 0 to 3 calls; no call of a routine is turned into a jump: the counter comes after it. */
#define ROUTINE(i)                                                                                                     \
  NOINLINE static void r##i(unsigned depth) {                                                                          \
    for (unsigned calls = roll(4); calls > 0 && depth < 12 && left > 0; calls--) {                                     \
      left--;                                                                                                          \
      all[roll(5)](depth + 1);                                                                                         \
    }                                                                                                                  \
    counts[i]++;                                                                                                       \
  }
ROUTINE(0)
ROUTINE(1)
ROUTINE(2)
ROUTINE(3)
ROUTINE(4)

int main(int argc, char **argv) {
  seed = argument(argc, argv, 1, 1);
  left = argument(argc, argv, 2, 100000);
#pragma omp parallel
  {
#pragma omp barrier
  }
  while (left > 0)
    all[roll(5)](0);
  for (int i = 0; i < 5; i++)
    printf("calls r%d %u\n", i, counts[i]);
  return 0;
}
