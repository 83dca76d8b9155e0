/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The primary makes one task of two units, another thread takes it; meanwhile the primary spins one unit and then waits
 * for the task: it waits one unit in the taskwait (or, in the second region, in a taskgroup). p = 2. In units, for
 * each: task: visits 1, busy 2; taskwait or taskgroup: waiting 1
 */
#include <omp.h>

#include "spin.h"

static volatile int started;

static void task_of_two(unsigned unit_ms) {
  started = 1;
  spin_ms(omp_get_thread_num(), 2 * unit_ms);
}

static void work_of_one(unsigned unit_ms) {
  while (!started)
    ;
  started = 0;
  spin_ms(omp_get_thread_num(), unit_ms);
}

int main(int argc, char **argv) {
  unsigned unit_ms = argument(argc, argv, 1, 100);
#pragma omp parallel // mark: first
#pragma omp master
  {
#pragma omp task // mark: task
    task_of_two(unit_ms);
    work_of_one(unit_ms);
#pragma omp taskwait // mark: taskwait
  }

#pragma omp parallel // mark: second
#pragma omp master
  {
#pragma omp taskgroup // mark: taskgroup
    {
#pragma omp task // mark: second task
      task_of_two(unit_ms);
      work_of_one(unit_ms);
    }
  }
  print_spun(omp_get_max_threads());
  return 0;
}
