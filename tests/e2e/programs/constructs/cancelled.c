/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Thread 0 of p works 2.5 units and cancels the region; the others work one unit after the other and see it after the
 * third; without cancellation they would go on to ten. In units, with OMP_CANCELLATION=true:
 *   elapsed 3; elapsed at p 2.5, at p - 1 0.5; busy 3 p - 0.5
 */
#include <omp.h>

#include "books.h"

int main(int argc, char **argv) {
  open_books(argc, argv);
  at(NULL);
  uint64_t begin = now_ns();
#pragma omp parallel // mark: region
  {
    if (omp_get_thread_num() == 0) {
      work_at("region", 2.5);
#pragma omp cancel parallel
    }
    for (int i = 0; i < 10; i++) {
      work_at("region", 1);
#pragma omp cancellation point parallel
    }
  }
  window("region", begin);
  at("outside");
  close_books();
  return 0;
}
