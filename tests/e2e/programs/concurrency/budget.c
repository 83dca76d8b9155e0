/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * More events than a profile is worth, for SECONDS:
 *   fib       recursive Fibonacci numbers, a task for each call: with if and final clauses, as the Barcelona OpenMP
 * Tasks Suite has it critical  one region in which all threads enter a critical section regions   regions of about 2 ms
 * each, in which they do locks, loops, barriers, calls (compile with -finstrument-functions) calm      a critical
 * section and a loop every millisecond both      `critical` for a quarter of the time, then `calm` Prints "did N" (of
 * what it is called for, all threads), "regions N" and "took SECONDS".
 */
#include <omp.h>

#include "spin.h"
#include <string.h>

enum { CUT_OFF = 12, BATCH = 1000 };

static double end_s;
static volatile long sum;

__attribute__((no_instrument_function)) static int goes_on(void) {
  return omp_get_wtime() < end_s;
}

__attribute__((no_instrument_function)) static long fib(int n, int depth) {
  long a, b;
  if (n < 2)
    return n;
#pragma omp task shared(a) if (depth < CUT_OFF) final(depth >= CUT_OFF) // mark: first
  a = fib(n - 1, depth + 1);
#pragma omp task shared(b) if (depth < CUT_OFF) final(depth >= CUT_OFF) // mark: second
  b = fib(n - 2, depth + 1);
#pragma omp taskwait // mark: wait
  return a + b;
}

static long run_fib(void) {
  long done = 0;
  while (goes_on()) {
#pragma omp parallel // mark: fib
#pragma omp single
    done += fib(23, 0) > 0 ? 2 * 46367 : 0; /* tasks: calls but the first */
  }
  return done;
}

__attribute__((noinline)) static void call(void) {
  __asm__ volatile("");
}

__attribute__((no_instrument_function)) static void one(const char *what, omp_lock_t *lock) {
  if (!strcmp(what, "critical") || !strcmp(what, "regions")) {
#pragma omp critical // mark: critical
    sum++;
  } else if (!strcmp(what, "locks")) {
    omp_set_lock(lock);
    sum++;
    omp_unset_lock(lock);
  } else if (!strcmp(what, "loops")) {
#pragma omp for // mark: loop
    for (int i = 0; i < 4; i++)
      __asm__ volatile("");
  } else if (!strcmp(what, "barriers")) {
#pragma omp barrier // mark: barrier
  } else {
    call();
  }
}

/* Threads that meet must stop together. */
static long flood(const char *what, double until_s) {
  long done = 0;
  int goes = 1;
#pragma omp parallel reduction(+ : done) // mark: region
  {
    omp_lock_t own;
    omp_init_lock(&own);
    while (goes) {
      for (int i = 0; i < BATCH; i++)
        one(what, &own);
      done += BATCH;
#pragma omp barrier
#pragma omp single
      goes = omp_get_wtime() < until_s;
    }
  }
  return done;
}

static long calm(void) {
  long done = 0;
#pragma omp parallel reduction(+ : done) // mark: calm
  while (goes_on()) {
    spin_ms(omp_get_thread_num(), 1);
#pragma omp critical // mark: calm critical
    sum++;
    done++;
  }
  return done;
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "fib";
  const double seconds = argc > 2 ? atof(argv[2]) : 2, begin_s = omp_get_wtime();
  long done = 0, regions = 0;
  end_s = begin_s + seconds;
  if (!strcmp(what, "fib"))
    done = run_fib();
  else if (!strcmp(what, "calm"))
    done = calm();
  else if (!strcmp(what, "regions"))
    for (; goes_on(); regions++)
      done += flood(what, 0);
  else if (!strcmp(what, "both"))
    done = flood("critical", begin_s + seconds / 4) + calm();
  else
    done = flood(what, end_s);
  printf("did %ld\nregions %ld\ntook %.3f\n", done, regions, omp_get_wtime() - begin_s);
  return 0;
}
