/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * An instrumented signal handler, every 100 microseconds, also while Heddle is at work: main calls `step` CALLS /
 * 1000 times, which calls `job` 1000 times; with a second argument, both threads of a region do so. The handler
 * calls `helper`.
 *   job: CALLS for each thread
 *   handler, helper: as often as "handled N" says at the end, but for what came while Heddle was at work on the
 *     thread
 */
#include <errno.h>
#include <signal.h>
#include <sys/time.h>

#include "routines.h"

static atomic_ulong handled;
static _Thread_local volatile unsigned long done;

NOINLINE void helper(void) {
  atomic_fetch_add(&handled, 1);
}

NOINLINE void handler(int signal) {
  (void)signal;
  helper();
}

NOINLINE void job(void) {
  for (int i = 0; i < 1000; i++)
    done++;
}

NOINLINE void step(unsigned calls) {
  for (unsigned i = 0; i < calls; i++)
    job();
}

int main(int argc, char **argv) {
  unsigned calls = argument(argc, argv, 1, 3000000);
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
  sigaction(SIGALRM, &action, NULL);
  struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &often, NULL);
  if (argc > 2) {
#pragma omp parallel num_threads(2)
    for (unsigned i = 0; i < calls; i += 1000)
      step(1000);
  } else {
    for (unsigned i = 0; i < calls; i += 1000)
      step(1000);
  }
  setitimer(ITIMER_REAL, &never, NULL);
  printf("handled %lu\n", (unsigned long)handled);
  return 7;
}
