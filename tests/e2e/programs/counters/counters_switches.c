/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Context switches: thread i of p sleeps M (i + 1) times in a loop, 2 ms each. A sleep gives the processor up once, and
 * by chance somebody takes it away in between; so in the loop, busy, there are M (i + 1) switches or more. The kernel's
 * own books (RUSAGE_THREAD) say exactly how many: "switched THREAD VOLUNTARY OTHERS", of which VOLUNTARY = M (i + 1).
 */
#define _GNU_SOURCE
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

enum { THREADS_MOST = 16 };

static struct switches {
  long voluntary, others, pad[6];
} switches[THREADS_MOST];

static struct rusage usage(void) {
  struct rusage used;
  getrusage(RUSAGE_THREAD, &used);
  return used;
}

static void sleep_often(int times, struct switches *books) {
  const struct timespec nap = {.tv_nsec = 2000000};
  const struct rusage before = usage();
  for (int i = 0; i < times; i++)
    nanosleep(&nap, NULL);
  const struct rusage after = usage();
  books->voluntary = after.ru_nvcsw - before.ru_nvcsw;
  books->others = after.ru_nivcsw - before.ru_nivcsw;
}

int main(int argc, char **argv) {
  const int times = argc > 1 ? atoi(argv[1]) : 10;
#pragma omp parallel // mark: start
  {
#pragma omp barrier
  }
#pragma omp parallel // mark: region
  {
    const int me = omp_get_thread_num();
#pragma omp for schedule(static, 1) // mark: loop
    for (int i = 0; i < omp_get_num_threads(); i++)
      sleep_often(times * (me + 1), &switches[me]);
  }
  for (int i = 0; i < omp_get_max_threads(); i++)
    printf("switched %d %ld %ld\n", i, switches[i].voluntary, switches[i].others);
  return 0;
}
