/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Forks inside an instrumented routine: main calls `before` 3 times and `forker`; there the child calls `in_child`
 * 5 times and returns through forker like the parent, which waits for it and calls in_parent 7 times. With an
 * argument `before` runs on both threads of a region, too. The child's status is 5, the parent's 7.
 */
#include <sys/wait.h>

#include "routines.h"

static volatile int calls;

NOINLINE void before(void) {
  calls++;
}

NOINLINE void in_child(void) {
  calls++;
}

NOINLINE void in_parent(void) {
  calls++;
}

NOINLINE int forker(void) {
  fflush(stdout);
  pid_t pid = fork();
  if (pid == 0) {
    for (int i = 0; i < 5; i++)
      in_child();
    return 5;
  }
  int status = 0;
  waitpid(pid, &status, 0);
  for (int i = 0; i < 7; i++)
    in_parent();
  return WIFEXITED(status) && WEXITSTATUS(status) == 5 ? 7 : 1;
}

int main(int argc, char **argv) {
  (void)argv;
  for (int i = 0; i < 3; i++)
    before();
  if (argc > 1) {
#pragma omp parallel num_threads(2)
    before(); // and twice in a region, before the fork
  }
  int status = forker();
  printf("calls %d\n", calls);
  return status;
}
