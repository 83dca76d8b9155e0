/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What a call of an instrumented routine costs: compiled with -finstrument-functions, calls fib(N) of the naive kind,
 * several times, and prints the median in nanoseconds per call. Alone it shows what calling the C library's empty
 * hooks costs; with libheddle.so preloaded, what Heddle costs:
 *
 *     build/benchmarks/calls 32; LD_PRELOAD=build/ompt/libheddle.so build/benchmarks/calls 32
 *
 * calls_sleds is the same, compiled by clang with -fxray-instrument: alone, and with libheddle.so preloaded, it shows
 * what a sled costs that nobody patched; with HEDDLE_ROUTINES=fib, what Heddle costs. calls_plain has neither:
 *
 *     build/benchmarks/calls_sleds 32; HEDDLE_ROUTINES=fib LD_PRELOAD=build/ompt/libheddle.so build/benchmarks/calls_sleds 32
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { REPEATS = 9 };

#ifdef __clang__
#define NOT_INSTRUMENTED __attribute__((no_instrument_function, xray_never_instrument))
#else
#define NOT_INSTRUMENTED __attribute__((no_instrument_function))
#endif

NOT_INSTRUMENTED static uint64_t now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Of as many calls: its own and those below. */
static uint64_t fib(unsigned n) {
  return n < 2 ? 1 : 1 + fib(n - 1) + fib(n - 2);
}

NOT_INSTRUMENTED static int compare(const void *a, const void *b) {
  const double left = *(const double *)a;
  const double right = *(const double *)b;
  return left < right ? -1 : left > right;
}

NOT_INSTRUMENTED int main(int argc, char **argv) {
  const unsigned n = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 20;
  double ns_per_call[REPEATS];
  uint64_t calls = 0;
  for (int i = 0; i < REPEATS; i++) {
    const uint64_t begin_ns = now_ns();
    calls = fib(n);
    ns_per_call[i] = (double)(now_ns() - begin_ns) / (double)calls;
  }
  qsort(ns_per_call, REPEATS, sizeof *ns_per_call, compare);
  printf("%llu calls, %d times: %.1f ns per call (%.1f to %.1f)\n", (unsigned long long)calls, REPEATS,
         ns_per_call[REPEATS / 2], ns_per_call[0], ns_per_call[REPEATS - 1]);
  return 0;
}
