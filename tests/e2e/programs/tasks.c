/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * One thread makes 12 tasks of one unit each and waits for them in a taskwait; the other threads run tasks inside the
 * barrier at the end of the region. Then the same without taskwait: all run them inside the barrier. In units, for
 * each: task: visits 12, busy 12, on whatever thread; the p threads share them evenly (p divides 12), elapsed 12 / p
 *   nobody waits: a task that runs inside a barrier or taskwait is work
 */
#include <omp.h>

#include "spin.h"

int main(int argc, char **argv) {
  unsigned unit_ms = argument(argc, argv, 1, 20);
#pragma omp parallel // mark: start
  {
#pragma omp barrier
  }

#pragma omp parallel // mark: region
  {
#pragma omp master
      {for (int i = 0; i < 12; i++){
#pragma omp task // mark: task
          spin_ms(omp_get_thread_num(), unit_ms);
}
#pragma omp taskwait // mark: taskwait
}
}

#pragma omp parallel // mark: second
{
#pragma omp master
  for (int i = 0; i < 12; i++) {
#pragma omp task // mark: second task
    spin_ms(omp_get_thread_num(), unit_ms);
  }
}
print_spun(omp_get_max_threads());
return 0;
}
