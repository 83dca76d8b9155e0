/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * C++ exceptions pass through instrumented routines: GCC tells of their exits, clang does not. main calls `thrower`
 * TIMES times, each throws from down(0) through LEVELS + 1 calls of down; every second is caught in thrower, the
 * others in main, which calls `after` every time. Then both threads of a region do the same inside it.
 *   thrower, after: 3 * TIMES calls; down: 3 * TIMES * (LEVELS + 1); "caught 3 * TIMES"; status 7
 */
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#define NOINLINE __attribute__((noinline))
#define HELPER static inline __attribute__((no_instrument_function))

static std::atomic<unsigned> caught, afters;

NOINLINE void down(unsigned n) {
  if (n == 0)
    throw 1;
  down(n - 1);
  asm volatile("");
}

NOINLINE void thrower(unsigned levels, bool keep) {
  try {
    down(levels);
  } catch (int) {
    if (!keep)
      throw;
    caught.fetch_add(1);
  }
}

NOINLINE void after() {
  afters.fetch_add(1);
}

HELPER void all(unsigned times, unsigned levels) {
  for (unsigned i = 0; i < times; i++) {
    try {
      thrower(levels, i % 2);
    } catch (int) {
      caught.fetch_add(1);
    }
    after();
  }
}

int main(int argc, char **argv) {
  unsigned times = argc > 1 ? (unsigned)atoi(argv[1]) : 10, levels = argc > 2 ? (unsigned)atoi(argv[2]) : 3;
  all(times, levels);
#pragma omp parallel num_threads(2)
  all(times, levels);
  printf("caught %u, after %u\n", caught.load(), afters.load());
  return 7;
}
