/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * As many events as a program can send: COUNT empty tasks, made by one thread ("tasks") or by all ("tasks of all");
 * COUNT empty regions ("regions"); a critical section that p threads enter COUNT times in all ("critical").
 *   visits: task COUNT; regions COUNT; critical COUNT
 * Prints the seconds it took.
 */
#include <omp.h>

#include "spin.h"
#include <string.h>

static volatile long sum;

static void tasks(long count) {
  for (long i = 0; i < count; i++) {
#pragma omp task // mark: task
    __asm__ volatile("");
  }
}

static void regions(long count) {
  for (long i = 0; i < count; i++) {
#pragma omp parallel // mark: empty
    __asm__ volatile("");
  }
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "tasks";
  long count = argument(argc, argv, 2, 100000), threads = omp_get_max_threads();
  uint64_t begin = now_ns();
  if (!strcmp(what, "regions"))
    regions(count);
  else {
#pragma omp parallel // mark: region
    if (!strcmp(what, "critical")) {
      for (long i = omp_get_thread_num(); i < count; i += threads) {
#pragma omp critical // mark: critical
        sum++;
      }
    } else if (!strcmp(what, "tasks of all")) {
      tasks(count / threads);
    } else if (omp_get_thread_num() == 0) {
      tasks(count);
    }
  }
  printf("took %.3f\n", (double)(now_ns() - begin) / 1e9);
  return 0;
}
