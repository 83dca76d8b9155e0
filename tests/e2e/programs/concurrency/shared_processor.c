/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Each thread spins for 400 ms of wall time, in a region of which thread 0's work is all but a few microseconds of what
 * it does. With the argument "sleep" thread 1 sleeps instead: it wants no processor. With "exit" thread 0 ends the
 * program from the region, while the others still spin. With "kill" it ends it by a signal.
 * Books: "had THREAD NS" processor time in the loop, "wanted THREAD NS" wall time in it.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { THREADS = 4, MS = 400 };

static long long read_ns(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static long long had[THREADS], wanted[THREADS];

static void spin(int thread, int ms) {
  const long long begin = read_ns(CLOCK_MONOTONIC), own = read_ns(CLOCK_THREAD_CPUTIME_ID);
  while (read_ns(CLOCK_MONOTONIC) - begin < ms * 1000000LL)
    ;
  had[thread] = read_ns(CLOCK_THREAD_CPUTIME_ID) - own;
  wanted[thread] = read_ns(CLOCK_MONOTONIC) - begin;
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "";
#pragma omp parallel for schedule(static, 1) // mark: region
  for (int i = 0; i < THREADS; i++) {
    if (!strcmp(how, "sleep") && i == 1)
      nanosleep(&(struct timespec){.tv_nsec = MS * 1000000L}, NULL);
    else
      spin(i, i > 0 && (!strcmp(how, "exit") || !strcmp(how, "kill")) ? 100000 : MS);
    if (i == 0 && !strcmp(how, "exit"))
      exit(0);
    if (i == 0 && !strcmp(how, "kill"))
      raise(SIGKILL);
  }
  for (int i = 0; i < THREADS; i++)
    printf("had %d %lld\nwanted %d %lld\n", i, had[i], i, wanted[i]);
}
