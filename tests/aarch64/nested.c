/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A region that is all of a region's body: clang enters it by a tail call, so below libomp's functions there are only
 * more of libomp's, and one of these describes its frame as its own caller's. With p threads: outer 3, inner 3 p.
 */
#include <stdio.h>

int main(void) {
  int sum = 0;
  for (int i = 0; i < 3; i++) {
#pragma omp parallel // mark: outer
#pragma omp parallel // mark: inner
#pragma omp atomic
    sum++;
  }
  printf("%d\n", sum);
  return 0;
}
