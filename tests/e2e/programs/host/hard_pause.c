/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* 3 regions, 20 ms; then the runtime is paused hard, and 300 regions and 200 ms follow. Prints the latter in ns. */
#include <omp.h>
#include <unistd.h>

#include "spin.h"

/* The thread number that a compiler keeps from before the pause is wrong after it. */
__attribute__((noinline)) static int regions(int count) {
  int sum = 0;
  for (int i = 0; i < count; i++) {
#pragma omp parallel num_threads(2) reduction(+ : sum)
    sum++;
  }
  return sum;
}

int main(int argc, char **argv) {
  (void)argv;
  int sum = regions(3);
  usleep(20000);
  const int paused = omp_pause_resource_all(omp_pause_hard);
  const uint64_t begin = now_ns();
  sum += regions(300);
  usleep(200000);
  printf("paused %d, %d, then %llu\n", paused, sum, (unsigned long long)(now_ns() - begin));
  fflush(stdout);
  if (argc > 1)
    _exit(4);
  return 4;
}
