/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A region of two threads, from `measured`, in which thread i touches 100 (i + 1) pages; then with the argument "fork"
 * a child touches 5000 pages, and so does its child, outside of any region; then the region again: 200 (i + 1) in all.
 * After a fork the next write to every page faults: there is a region from `after_fork` before the last one.
 */
#include <omp.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pages.h"

static __attribute__((noinline)) void region(int n) {
#pragma omp parallel num_threads(2) // mark: region
  touch(omp_get_thread_num(), 100 * n * (omp_get_thread_num() + 1));
}

static void fork_twice(int generation) {
  const pid_t child = fork();
  if (child) {
    waitpid(child, NULL, 0);
    return;
  }
  touch(2 + generation, 5000);
  if (generation == 0)
    fork_twice(1);
  _exit(0);
}

CALLER(warm_up, region(0))
CALLER(measured, region(1))
CALLER(after_fork, region(1))

int main(int argc, char **argv) {
  open_pages();
  warm_up();
  measured();
  if (argc > 1 && !strcmp(argv[1], "fork"))
    fork_twice(0);
  after_fork();
  measured();
  return 0;
}
