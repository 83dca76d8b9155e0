/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * With p threads: four instances of a region, in each a critical section per thread; in the fifth nobody comes further
 * than a barrier that thread 0 never reaches: it kills the program. So region 5, critical 4 p.
 */
#include <omp.h>
#include <signal.h>

static volatile int sink;

int main(void) {
  for (int i = 0; i < 5; i++) {
#pragma omp parallel // mark: region
    {
      if (i == 4 && omp_get_thread_num() == 0)
        raise(SIGKILL);
      else if (i == 4) {
#pragma omp barrier
      }
#pragma omp critical // mark: critical
      sink++;
    }
  }
  return 0;
}
