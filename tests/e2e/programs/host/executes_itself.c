/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A program that runs a region of 2 threads, prints "threads 2" and executes itself: argv[1] times, all as one process.
 * The last one leaves by _exit(6).
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
  int threads = 0;
  char left[16];
  const int times = argc > 1 ? atoi(argv[1]) : 0;
#pragma omp parallel num_threads(2) reduction(+ : threads) // mark: region
  threads++;
  printf("threads %d\n", threads);
  fflush(stdout);
  if (times == 0)
    _exit(6);
  snprintf(left, sizeof left, "%d", times - 1);
  execl("/proc/self/exe", argv[0], left, (char *)NULL);
  return 99;
}
