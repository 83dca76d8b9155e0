/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Work of known length for programs with a planted flaw: a thread is busy until a clock says so, whatever the machine.
 * The first argument of a program chooses the flaw. */
#ifndef HEDDLE_TESTS_FLAWS_H
#define HEDDLE_TESTS_FLAWS_H

#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#ifndef WORK_CLOCK
#define WORK_CLOCK CLOCK_MONOTONIC
#endif

/* No routines of the program's, where those are instrumented: calls of the clock would be a flood. */
#define NO_ROUTINE __attribute__((no_instrument_function)) static inline

NO_ROUTINE uint64_t clock_ns(void) {
  struct timespec now;
  clock_gettime(WORK_CLOCK, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

NO_ROUTINE void work_us(unsigned us) {
  const uint64_t begin = clock_ns();
  while (clock_ns() - begin < us * UINT64_C(1000))
    ;
}

static inline int is(char **argv, const char *flaw) {
  return argv[1] && strcmp(argv[1], flaw) == 0;
}

#endif
