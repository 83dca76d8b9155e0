/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * N threads, at most `width` at a time, each with one parallel region of two threads and a loop of 10 iterations in it.
 * So the region is entered N times, the loop by 2 N threads, and the N threads live in rounds, one after the other.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 512 };

static long sums[MOST];

static void *work(void *argument) {
  long *sum = argument;
  long here = 0;
#pragma omp parallel num_threads(2) reduction(+ : here) // mark: region
  {
#pragma omp for // mark: loop
    for (int i = 0; i < 10; i++)
      here += i;
  }
  *sum += here;
  return NULL;
}

int main(int argc, char **argv) {
  const int count = argc > 1 ? atoi(argv[1]) : 1000;
  const int width = argc > 2 ? atoi(argv[2]) : 1;
  pthread_t threads[MOST];
  long sum = 0;
  for (int begun = 0; begun < count;) {
    int here = 0;
    for (; here < width && begun < count; here++, begun++)
      if (pthread_create(&threads[here], NULL, work, &sums[here]))
        return 1;
    for (int i = 0; i < here; i++)
      pthread_join(threads[i], NULL);
  }
  for (int i = 0; i < MOST; i++)
    sum += sums[i];
  printf("%ld\n", sum); /* 45 N */
  return 0;
}
