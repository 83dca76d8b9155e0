/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The primary makes one task of two units, another thread takes it; meanwhile the primary spins one unit and then waits
 * for the task: one unit, in a taskwait or, in the second region, at the end of a taskgroup. p = 2. In units, for each:
 *   task: visits 1, busy 2; taskwait or taskgroup: waiting 1
 * The other thread goes to the region's end only when the task is there: libomp 16 may leave one that sleeps there
 * asleep.
 */
#include <omp.h>

#include "spin.h"

static volatile int made, started;
static uint64_t begin;

static void wait_until_made(void) {
  while (!made)
    ;
}

static void task_of_two(int book, unsigned unit_ms) {
  started = 1;
  spin_ms(book, 2 * unit_ms);
}

static void work_of_one(unsigned unit_ms) {
  made = 1;
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
  if (omp_get_thread_num() == 0) {
#pragma omp task // mark: task
    task_of_two(0, unit_ms);
    work_of_one(unit_ms);
#pragma omp taskwait // mark: taskwait
    blocked_since(0, begin);
  } else {
    wait_until_made();
  }

  made = 0;
#pragma omp parallel // mark: second
  if (omp_get_thread_num() == 0) {
#pragma omp taskgroup
    {
#pragma omp task // mark: second task
      task_of_two(1, unit_ms);
      work_of_one(unit_ms);
    } // mark: taskgroup
    blocked_since(1, begin);
  } else {
    wait_until_made();
  }
  print_books(2);
  return 0;
}
