/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Runs a region, says "running", waits for the end of its input, runs a region and says "done". */
#include <stdio.h>

static void run_region(const char *word) {
  int count = 0;
#pragma omp parallel num_threads(2) reduction(+ : count)
  count++;
  puts(count == 2 ? word : "wrong");
  fflush(stdout);
}

int main(void) {
  run_region("running");
  while (getchar() != EOF) {
  }
  run_region("done");
  return 0;
}
