/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Work of known length for the known-answer programs: a thread is busy until a clock says so, whatever the machine, and
 * even when there are more threads than cores. What the clock really said (a thread may be off its core at the moment
 * it should stop) is printed at the end, so that a test compares Heddle's clock with the program's own.
 */
#ifndef HEDDLE_TESTS_SPIN_H
#define HEDDLE_TESTS_SPIN_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SPIN_THREADS = 16 };

/* Nanoseconds spun by each thread; a cache line each. */
static uint64_t spun_ns[SPIN_THREADS][8];

static inline uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Returns the time that really passed. */
static inline uint64_t spin_ms(int thread, unsigned ms) {
  uint64_t begin = now_ns(), passed;
  do
    passed = now_ns() - begin;
  while (passed < ms * UINT64_C(1000000));
  spun_ns[thread][0] += passed;
  return passed;
}

/* One line a thread: "spun THREAD NS". */
static inline void print_spun(int threads) {
  for (int i = 0; i < threads; i++)
    printf("spun %d %llu\n", i, (unsigned long long)spun_ns[i][0]);
}

static inline unsigned argument(int argc, char **argv, int index, unsigned otherwise) {
  return argc > index ? (unsigned)strtoul(argv[index], NULL, 10) : otherwise;
}

#endif
