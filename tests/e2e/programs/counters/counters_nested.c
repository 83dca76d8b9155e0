/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Nested regions: two threads o = 0, 1 open a region of two threads each. With n = 1, called by `measured`, page
 * faults: outer region, thread o           10 (o + 1) inner region's own code          7 on each of its four threads
 *   its loop, thread t = 0 .. 3      100 (t + 1), where t = 2 o + i for the thread i of o's team
 *   after it, outer region           20 on each of its two threads
 *   all other rows                   0
 */
#include <omp.h>
#include <sched.h>

#include "pages.h"

static int met;

/* Both inner teams are at work at once: else the thread that one has done with may be lent to the other. */
static void meet(void) {
  const int mine = __atomic_add_fetch(&met, 1, __ATOMIC_ACQ_REL);
  while (__atomic_load_n(&met, __ATOMIC_ACQUIRE) < (mine + 3) / 4 * 4)
    sched_yield();
}

static __attribute__((noinline)) void body(int n) {
#pragma omp parallel num_threads(2) // mark: outer
  {
    const int o = omp_get_thread_num();
    touch(2 * o, 10 * n * (o + 1));
#pragma omp parallel num_threads(2) firstprivate(o) // mark: inner
    {
      const int t = 2 * o + omp_get_thread_num();
      meet();
      touch(t, 7 * n);
#pragma omp for schedule(static, 1) // mark: loop
      for (int i = 0; i < 2; i++)
        touch(t, 100 * n * (t + 1));
    }
    touch(2 * o, 20 * n);
  }
}

CALLER(warm_up, for (int i = 0; i < 3; i++) body(0))
CALLER(measured, body(1))

int main(void) {
  omp_set_max_active_levels(2);
  open_pages();
  warm_up();
  measured();
  return 0;
}
