/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Runs a region, writes to both streams and ends as its argument says: "return N", "exit N" inside a region, "_exit N",
 * "abort", or "signal N". Tests compare how it ends with and without Heddle.
 */
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
  int sum = 0, value = argc > 2 ? atoi(argv[2]) : 0;
  const char *how = argc > 1 ? argv[1] : "return";
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 1000; i++)
    sum += i;
  printf("sum %d\n", sum);
  fprintf(stderr, "ends by %s\n", how);
  fflush(stdout);
  if (!strcmp(how, "exit")) {
#pragma omp parallel
    if (omp_get_thread_num() == 0)
      exit(value);
  }
  if (!strcmp(how, "_exit"))
    _exit(value);
  if (!strcmp(how, "abort"))
    abort();
  if (!strcmp(how, "signal"))
    raise(value);
  return value;
}
