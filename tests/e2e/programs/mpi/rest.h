/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The clock of programs that keep books, in nanoseconds, and work that leaves the processor alone. */
#ifndef HEDDLE_TESTS_REST_H
#define HEDDLE_TESTS_REST_H

#include <time.h>

static inline long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static inline void rest(int ms) {
  nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L}, NULL);
}

#endif
