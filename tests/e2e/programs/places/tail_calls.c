/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Constructs that are entered by tail calls (with optimisation). Arguments: COUNT.
 *   alpha, beta     COUNT regions each, below one call through a pointer
 *   either, other   COUNT regions, half of them each: which one of `choose` it was, is not known
 *   child, wait     COUNT tasks, and COUNT taskwaits as the last thing that the tasks do which made them
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef __clang__ /* makes one jump of two that have as many arguments */
#define TAKEN taken
#else
#define TAKEN 4
#endif
#define APART __attribute__((noinline)) static

static int sum, turn;
APART void add(int what) {
  __atomic_fetch_add(&sum, what, __ATOMIC_RELAXED);
}
APART void alpha(int taken) {
  (void)taken;
#pragma omp parallel // mark: alpha
  add(1);
}
APART void beta(int taken) {
  (void)taken;
#pragma omp parallel // mark: beta
  add(2);
}
APART void choose(int taken) {
  (void)taken;
  if (turn++ & 1) {
#pragma omp parallel firstprivate(taken) // mark: either
    add(TAKEN);
  } else {
#pragma omp parallel // mark: other
    add(6);
  }
}
APART void run(int count, void (*const volatile *test)(int)) {
  for (void (*one)(int) = *test; count > 0; count--)
    one(4);
}
APART void spawn(void) {
#pragma omp task // mark: child
  add(5);
#pragma omp taskwait // mark: wait
}
int main(int argc, char **argv) {
  static void (*const volatile tests[])(int) = {alpha, beta, choose};
  for (int t = 0; t < 3; t++)
    run(atoi(argv[1]), &tests[t]);
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < atoi(argv[argc - 1]); i++)
#pragma omp task
    spawn();
  puts("done");
}
