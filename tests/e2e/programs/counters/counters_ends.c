/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A region of two threads in which thread i touches 100 (i + 1) pages; then what the first argument says:
 *   exec          the program becomes "/bin/echo became another"
 *   exit, _exit   in a region of its own, where thread i has touched 10 (i + 1) pages before, in a loop
 *   kill          dies of SIGKILL in such a region, 50 ms after that loop
 */
#define _GNU_SOURCE
#include <omp.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "pages.h"

static __attribute__((noinline)) void region(int n) {
#pragma omp parallel num_threads(2) // mark: region
  touch(omp_get_thread_num(), 100 * n * (omp_get_thread_num() + 1));
}

static void end(const char *how) {
#pragma omp parallel num_threads(2) // mark: last
  {
#pragma omp for schedule(static, 1) // mark: loop
    for (int i = 0; i < 2; i++)
      touch(omp_get_thread_num(), 10 * (omp_get_thread_num() + 1));
#pragma omp barrier
    usleep(50000);
#pragma omp master
    strcmp(how, "exit") ? strcmp(how, "_exit") ? (void)raise(SIGKILL) : _exit(4) : exit(3);
    for (;;)
      usleep(1000);
  }
}

CALLER(warm_up, region(0))
CALLER(measured, region(1))

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "kill";
  open_pages();
  warm_up();
  measured();
  if (!strcmp(how, "exec"))
    execl("/bin/echo", "echo", "became", "another", (char *)NULL);
  else
    end(how);
  return 1;
}
