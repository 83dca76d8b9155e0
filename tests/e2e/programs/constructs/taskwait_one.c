/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The primary makes one task of two units, another thread takes it; meanwhile the primary spins one unit and then waits
 * for the task: one unit, in a taskwait or, in the second region, at the end of a taskgroup. p = 2. In units, for each:
 *   task: visits 1, busy 2; taskwait or taskgroup: waiting 1
 */
#include <omp.h>

#include "spin.h"

static volatile int started;
static uint64_t begin;

static void task_of_two(int book, unsigned unit_ms) {
  started = 1;
  spin_ms(book, 2 * unit_ms);
}

static void work_of_one(unsigned unit_ms) {
  while (!started)
    ;
  started = 0;
  spin_ms(2, unit_ms);
  begin = now_ns();
}

int main(int argc, char **argv) {
  unsigned unit_ms = argument(argc, argv, 1, 100);
#pragma omp parallel num_threads(2) // mark: start
  {
#pragma omp barrier
  }

#pragma omp parallel // mark: first
#pragma omp master
  {
#pragma omp task // mark: task
    task_of_two(0, unit_ms);
    work_of_one(unit_ms);
#pragma omp taskwait // mark: taskwait
    blocked_since(0, begin);
  }

#pragma omp parallel // mark: second
#pragma omp master
  {
#pragma omp taskgroup
    {
#pragma omp task // mark: second task
      task_of_two(1, unit_ms);
      work_of_one(unit_ms);
    } // mark: taskgroup
    blocked_since(1, begin);
  }
  print_books(2);
  return 0;
}
