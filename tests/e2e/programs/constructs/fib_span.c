/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * fib(N) by tasks, each of which works for WORK_NS: it creates one for N - 1 and one for N - 2 and waits for both. By
 * the program's own clock each knows how long the longest chain is that leads to its end, and how long it worked: "span
 * 0 NS"   of the whole "worked 0 NS" likewise
 */
#include "spin.h"

enum { WORK_NS = 1000000 };

struct fib {
  uint64_t end_ns;  /* of the longest chain */
  uint64_t work_ns; /* of this one and all below it */
};

static uint64_t later(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

/* `before_ns`: the longest chain that leads here. */
static struct fib fib(int n, uint64_t before_ns) {
  const uint64_t begin = now_ns();
  while (now_ns() - begin < WORK_NS)
    ;
  uint64_t own = now_ns() - begin;
  if (n < 2)
    return (struct fib){before_ns + own, own};
  struct fib one, two;
  const uint64_t first = before_ns + own;
#pragma omp task shared(one)
  one = fib(n - 1, first);
  own = now_ns() - begin;
  const uint64_t second = before_ns + own;
#pragma omp task shared(two)
  two = fib(n - 2, second);
  own = now_ns() - begin;
#pragma omp taskwait
  return (struct fib){later(before_ns + own, later(one.end_ns, two.end_ns)), own + one.work_ns + two.work_ns};
}

int main(int argc, char **argv) {
  const int n = (int)argument(argc, argv, 1, 9);
  struct fib whole = {0};
#pragma omp parallel // mark: region
#pragma omp single
  whole = fib(n, 0);
  printf("span 0 %llu\nworked 0 %llu\n", (unsigned long long)whole.end_ns, (unsigned long long)whole.work_ns);
  return 0;
}
