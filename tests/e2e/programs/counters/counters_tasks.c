/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * One thread makes 24 tasks and all run them in the barrier at the region's end, or, with the argument "taskwait", in a
 * taskwait and that barrier. A task touches 10 pages and sleeps, so that others run some. Page faults with n = 1,
 * called by `measured`:
 *   task      240 on all threads together, a multiple of 10 on each
 *   region    15, of the thread that makes the tasks
 *   waiting   0: a task that runs inside a barrier is work
 * In `warm_up` there are 100 tasks, so that the runtime has all the memory for tasks that it will need.
 */
#include <omp.h>
#include <string.h>
#include <unistd.h>

#include "pages.h"

static int wait;

static void task(int n) {
  touch(omp_get_thread_num(), 10 * n);
  usleep(500);
}

static __attribute__((noinline)) void body(int n) {
#pragma omp parallel // mark: region
#pragma omp master
  {
    touch(0, 15 * n);
    for (int i = 0; i < (n ? 24 : 100); i++) {
#pragma omp task // mark: task
      task(n);
    }
    if (wait) {
#pragma omp taskwait // mark: taskwait
    }
  }
}

CALLER(warm_up, for (int i = 0; i < 4; i++) body(0))
CALLER(measured, body(1))

int main(int argc, char **argv) {
  wait = argc > 1 && !strcmp(argv[1], "taskwait");
  open_pages();
  warm_up();
  measured();
  return 0;
}
