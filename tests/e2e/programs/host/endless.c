/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Enters a short region for ever, after saying "running" once: a program to be killed. Thread i of p spins (i + 1) ms.
 */
#include <omp.h>

#include "spin.h"

int main(void) {
  for (unsigned long i = 0;; i++) {
#pragma omp parallel // mark: region
    spin_ms(omp_get_thread_num(), (unsigned)omp_get_thread_num() + 1);
    if (i == 9) {
      puts("running");
      fflush(stdout);
    }
  }
}
