/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Loops of known chunks, and how long the runtime takes to hand them out, by the program's own books. Arguments:
 * ITERATIONS, 1000 unless said otherwise. loop "called" calls the runtime's entry points itself, and times them:
 * dynamic, chunks of 3: ITERATIONS / 3 chunks, rounded up. Printed: "handed THREAD NS", less what reading the clock
 * takes, and "chunks THREAD COUNT" loop "dynamic" has chunks of 1: ITERATIONS chunks; "down" goes downwards in steps of
 * 2, in chunks of 5 loop "unsigned" has 64-bit bounds without a sign Each thread adds up its iterations; the program
 * prints "sum N" of all loops.
 */
#include <omp.h>

#include "spin.h"

typedef struct {
  int32_t reserved, flags, more, bytes;
  const char *place;
} ident;
extern int32_t __kmpc_global_thread_num(ident *place);
extern void __kmpc_dispatch_init_4(ident *place, int32_t thread, int32_t schedule, int32_t lower, int32_t upper,
                                   int32_t stride, int32_t chunk);
extern int __kmpc_dispatch_next_4(ident *place, int32_t thread, int32_t *last, int32_t *lower, int32_t *upper,
                                  int32_t *stride);
enum { DYNAMIC = 35 };

static uint64_t clock_ns(void) {
  const uint64_t begin = now_ns();
  for (int i = 0; i < 100000; i++)
    now_ns();
  return (now_ns() - begin) / 100000;
}

int main(int argc, char **argv) {
  const int n = (int)argument(argc, argv, 1, 1000);
  const uint64_t own_ns = clock_ns();
  ident place = {0, 2, 0, 0, ";handout.c;main;0;0;;"};
  long sum = 0;
#pragma omp parallel reduction(+ : sum)
  {
    int32_t thread = __kmpc_global_thread_num(&place), last, lower, upper, stride;
    uint64_t handed = 0, chunks = 0, begin;
    int more;
    __kmpc_dispatch_init_4(&place, thread, DYNAMIC, 0, n - 1, 1, 3); // mark: called
    do {
      begin = now_ns();
      more = __kmpc_dispatch_next_4(&place, thread, &last, &lower, &upper, &stride);
      handed += now_ns() - begin - own_ns;
      chunks += (uint64_t)more;
      for (int32_t i = lower; more && i <= upper; i++)
        sum++;
    } while (more);
#pragma omp barrier
#pragma omp for schedule(dynamic) // mark: dynamic
    for (int i = 0; i < n; i++)
      sum++;
#pragma omp for schedule(dynamic, 5) // mark: down
    for (int i = n - 1; i >= 0; i -= 2)
      sum++;
#pragma omp for schedule(guided, 7) // mark: unsigned
    for (uint64_t i = 0; i < (uint64_t)n; i++)
      sum++;
#pragma omp critical
    printf("handed %d %llu\nchunks %d %llu\n", omp_get_thread_num(), (unsigned long long)handed, omp_get_thread_num(),
           (unsigned long long)chunks);
  }
  printf("sum %ld\n", sum);
  return 0;
}
