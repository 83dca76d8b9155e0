/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tasks of known times and delays. One thread of a team of two creates a long task of 4 N ms, four short ones of N ms, one
 * of N ms that depends on the long one and an undeferred one of N ms, and waits; the other thread meanwhile runs what it
 * finds. Then a task works for N ms, creates one of 3 N ms, and waits for it. Argument: N, 20 unless said otherwise.
 * Printed, for each kind of task: "ran KIND NS", "delayed KIND NS", summed, by the program's own books.
 */
#include "spin.h"

#include <omp.h>

enum { LONG, SHORT, OUTER, INNER, UNDEFERRED, DEPENDENT, KINDS };
static const char *const names[KINDS] = {"long", "short", "outer", "inner", "undeferred", "dependent"};
static struct {
  unsigned long long ran_ns, delayed_ns;
} books[KINDS];

static void work(int kind, uint64_t created_ns, unsigned ms) {
  const uint64_t begin = now_ns();
  spin_ms(omp_get_thread_num(), ms);
  __atomic_fetch_add(&books[kind].delayed_ns, begin - created_ns, __ATOMIC_RELAXED);
  __atomic_fetch_add(&books[kind].ran_ns, now_ns() - begin, __ATOMIC_RELAXED);
}

static void create(unsigned n) {
  int order = 0;
  uint64_t now = now_ns();
#pragma omp task firstprivate(now) depend(out : order) // mark: long
  work(LONG, now, 4 * n);
  for (int i = 0; i < 4; i++) {
    now = now_ns();
#pragma omp task firstprivate(now) // mark: short
    work(SHORT, now, n);
  }
  now = now_ns();
#pragma omp task firstprivate(now) depend(in : order) // mark: dependent
  work(DEPENDENT, now, n);
  now = now_ns();
#pragma omp task firstprivate(now) if (0) // mark: undeferred
  work(UNDEFERRED, now, n);
#pragma omp taskwait
  now = now_ns();
#pragma omp task firstprivate(now) // mark: outer
  {
    work(OUTER, now, n);
    now = now_ns();
#pragma omp task firstprivate(now) // mark: inner
    work(INNER, now, 3 * n);
#pragma omp taskwait
  }
}

int main(int argc, char **argv) {
  const unsigned n = (unsigned)argument(argc, argv, 1, 20);
#pragma omp parallel num_threads(2)
#pragma omp single
  create(n);
  for (int i = 0; i < KINDS; i++)
    printf("ran %s %llu\ndelayed %s %llu\n", names[i], books[i].ran_ns, names[i], books[i].delayed_ns);
}
