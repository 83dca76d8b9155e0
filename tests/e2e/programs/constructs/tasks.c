/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * One thread makes 12 tasks of one unit each; with an argument "taskwait" it waits for them in a taskwait, where it
 * runs tasks too. The other threads run tasks inside the barrier at the region's end. In units: task: visits 12, busy
 * 12, on whatever thread; p threads that share them evenly have 12 / p each, elapsed 12 / p nobody waits longer than
 * for the last task: a task that runs inside a barrier or a taskwait is work
 */
#include <omp.h>

#include "spin.h"

int main(int argc, char **argv) {
  unsigned unit_ms = argument(argc, argv, 1, 25);
  int wait = argc > 2;
#pragma omp parallel // mark: start
  {
#pragma omp barrier
  }

  team_begin(0);
#pragma omp parallel // mark: region
  {
    arrive(omp_get_thread_num());
#pragma omp master
    {
      for (int i = 0; i < 12; i++) {
#pragma omp task // mark: task
        spin_ms(omp_get_thread_num(), unit_ms);
      }
      if (wait) {
#pragma omp taskwait // mark: taskwait
      }
    }
  }
  team_end(0, 0, omp_get_max_threads());
  print_books(omp_get_max_threads());
  return 0;
}
