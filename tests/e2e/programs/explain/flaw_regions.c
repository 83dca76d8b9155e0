/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* 200 regions of 0.3 ms, before each of which the workers sleep. */
#include "flaws.h"

int main(void) {
  for (int i = 0; i < 200; i++) {
#pragma omp parallel // mark: wake
    work_us(300);
  }
  return 0;
}
