/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tasks of known times and delays. One thread of a team of two creates a long task of 4 N ms and, at once, four short
 * ones of N ms, then spins for N ms and waits; the other thread meanwhile runs what it finds. A task that waits spins
 * for N ms, creates a task of 3 N ms, and waits for it. An undeferred task spins for N ms; so does one that depends on
 * the long one. Argument: N, 20 unless said otherwise. Printed, each with a task's kind: "ran KIND NS", "delayed KIND
 * NS": summed, by the program's own books.
 */
#include "spin.h"

#include <omp.h>

enum { LONG, SHORT, OUTER, INNER, UNDEFERRED, DEPENDENT, KINDS };
static const char *const names[KINDS] = {"long", "short", "outer", "inner", "undeferred", "dependent"};
static struct { uint64_t ran_ns, delayed_ns, pad[6]; } books[SPIN_THREADS][KINDS];

static void work(int kind, uint64_t created_ns, unsigned ms) {
  const int thread = omp_get_thread_num();
  const uint64_t begin = now_ns();
  books[thread][kind].delayed_ns += begin - created_ns;
  spin_ms(thread, ms);
  books[thread][kind].ran_ns += now_ns() - begin;
}

static void create(unsigned n) {
  int order = 0;
  const uint64_t first = now_ns();
#pragma omp task firstprivate(first) depend(out : order) // mark: long
  work(LONG, first, 4 * n);
  for (int i = 0; i < 4; i++) {
    const uint64_t created = now_ns();
#pragma omp task firstprivate(created) // mark: short
    work(SHORT, created, n);
  }
  const uint64_t depends = now_ns();
#pragma omp task firstprivate(depends) depend(in : order) // mark: dependent
  work(DEPENDENT, depends, n);
  const uint64_t undeferred = now_ns();
#pragma omp task if (0) // mark: undeferred
  work(UNDEFERRED, undeferred, n);
#pragma omp taskwait
  const uint64_t outer = now_ns();
#pragma omp task firstprivate(outer) // mark: outer
  {
    work(OUTER, outer, n);
    const uint64_t inner = now_ns();
#pragma omp task firstprivate(inner) // mark: inner
    work(INNER, inner, 3 * n);
#pragma omp taskwait
  }
}

int main(int argc, char **argv) {
  const unsigned n = (unsigned)argument(argc, argv, 1, 20);
#pragma omp parallel num_threads(2)
#pragma omp single
  create(n);
  for (int kind = 0; kind < KINDS; kind++) {
    uint64_t ran = 0, delayed = 0;
    for (int i = 0; i < SPIN_THREADS; i++) {
      ran += books[i][kind].ran_ns;
      delayed += books[i][kind].delayed_ns;
    }
    printf("ran %s %llu\ndelayed %s %llu\n", names[kind], (unsigned long long)ran, names[kind],
           (unsigned long long)delayed);
  }
  return 0;
}
