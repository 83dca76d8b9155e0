/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Work of a known amount, for programs whose runs at several thread counts are compared: the same total for any. It is
 * arithmetic or, with a second argument "sleep", sleep: then threads need no processor to be busy at the same time.
 */
#ifndef HEDDLE_TESTS_COMPARE_WORK_H
#define HEDDLE_TESTS_COMPARE_WORK_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { COMPARE_STEPS = 1000 }; /* in a unit: about 1 us */

static int compare_sleeps;

/* Nothing but arithmetic that cannot be done in parallel: it touches no memory, so threads do not slow each other. */
__attribute__((noinline)) static uint64_t work_units(long units) {
  uint64_t x = 1;
  if (compare_sleeps && units > 0)
    nanosleep(&(struct timespec){.tv_sec = units / 1000000, .tv_nsec = units % 1000000 * 1000}, NULL);
  else
    for (long step = units * COMPARE_STEPS; step > 0; step--) {
      x = x * UINT64_C(6364136223846793005) + 1442695040888963407u;
      __asm__ volatile("" : "+r"(x));
    }
  return x;
}

/* So many units altogether, the program's first argument. Inlined, compilers may write the program twice. */
__attribute__((noinline)) static long compare_units(int argc, char **argv, long otherwise) {
  compare_sleeps = argc > 2 && strcmp(argv[2], "sleep") == 0;
  return argc > 1 ? strtol(argv[1], NULL, 10) : otherwise;
}

/* In how many parts they are done where each part takes a turn; sleep is no shorter than some 50 us. */
static inline long compare_parts(long units) {
  return compare_sleeps ? 20 : units / 10;
}

#endif
