/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Work of known length for programs with a planted flaw: a thread is busy until a clock says so, whatever the machine.
 * The first argument of a program chooses the flaw. */
#ifndef HEDDLE_TESTS_FLAWS_H
#define HEDDLE_TESTS_FLAWS_H

#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
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

/* What an argument NAME, NAME:SIZE or NAME@SECONDS asks for: once, larger, or again and again for so long. */
struct flaw {
  const char *name;
  void (*run)(unsigned size);
};

NO_ROUTINE double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline void run_flaw(const struct flaw *flaw, const char *how) {
  const double end = *how == '@' ? seconds_now() + atof(how + 1) : 0;
  do
    flaw->run(*how == ':' ? (unsigned)atoi(how + 1) : 1);
  while (seconds_now() < end);
}

static inline void run_flaws(char **argv, const struct flaw *table, size_t count) {
  for (int i = 1; argv[i]; i++) {
    const size_t length = strcspn(argv[i], ":@");
    for (size_t k = 0; k < count; k++)
      if (strlen(table[k].name) == length && strncmp(table[k].name, argv[i], length) == 0)
        run_flaw(&table[k], argv[i] + length);
  }
}

#endif
