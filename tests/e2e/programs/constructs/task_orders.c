/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A function that creates four tasks, in each of which it is called again, DEPTH deep, and one that it calls in between
 * does likewise with two: the tasks can follow one another in any order.
 *   visits: each of `part`'s four 1 + 4 + ... + 4^(DEPTH - 1); each of `join`'s two, below all of these, as often as
 *   part is called, which is 1 + 4 + ... + 4^DEPTH
 */
#include "spin.h"

static void join(int depth) {
  if (depth > 1)
    return;
#pragma omp task // mark: upper
  join(depth + 1);
#pragma omp task // mark: lower
  join(depth + 1);
#pragma omp taskwait
  __asm__ volatile("");
}

static void part(int depth) {
  if (depth > 0) {
#pragma omp task // mark: first
    part(depth - 1);
#pragma omp task // mark: second
    part(depth - 1);
#pragma omp task // mark: third
    part(depth - 1);
#pragma omp task // mark: fourth
    part(depth - 1);
#pragma omp taskwait
  }
  join(1);
}

int main(int argc, char **argv) {
  const int depth = (int)argument(argc, argv, 1, 4);
#pragma omp parallel // mark: region
#pragma omp single
  part(depth);
  return 0;
}
