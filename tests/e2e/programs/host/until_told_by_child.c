/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Forks after a region. The child, which has all the parent's memory, waits for the end of its input and says "done";
 * the parent says "running" and sleeps until it is killed. */
#include <stdio.h>
#include <unistd.h>

int main(void) {
  int count = 0;
#pragma omp parallel num_threads(2) reduction(+ : count)
  count++;
  if (fork() == 0) {
    while (getchar() != EOF) {
    }
    puts("done");
    fflush(stdout);
    _exit(0);
  }
  puts(count == 2 ? "running" : "wrong");
  fflush(stdout);
  for (;;)
    pause();
}
