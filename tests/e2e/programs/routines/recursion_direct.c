/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Direct recursion, in number: fib(n) makes 2 * F(n + 1) - 1 calls, the first included (F(1) = F(2) = 1): 21,891
 * for n = 20. Arguments: UNIT_MS HOW MODE N. By mode:
 *   "alone": main calls it, sequentially, twice: all calls are S-S; 2 outermost entries
 *   "team": both threads of a region meet, call it and meet again: all are concurrent; one outermost entry on each
 *     thread
 * Its elapsed time is that of the outermost entries, as the program's own books have it: once for each, and by
 * thread. To take long enough for that, each fib(12) works 0.1 unit: F(n - 11) times, 34 for n = 20.
 */
#include <omp.h>

#include "recursion.h"

static _Thread_local struct outermost fibs;

NOINLINE unsigned fib(unsigned n) {
  enter(&fibs);
  if (n == 12)
    work_in("own fib", 0.1);
  unsigned result = n < 2 ? n : fib(n - 1) + fib(n - 2);
  leave(&fibs);
  return result;
}

int main(int argc, char **argv) {
  open_books(argc, argv);
  unsigned n = argument(argc, argv, 4, 20), sum = 0;
  if (mode_is("alone")) {
    fibs.name = "fib 0";
    sum = fib(n) + fib(n);
  } else {
    at(NULL);
#pragma omp parallel num_threads(2) reduction(+ : sum)
    {
      at("region");
      fibs.name = omp_get_thread_num() ? "fib 1" : "fib 0";
      meet(2);
      sum += fib(n);
      meet(2);
      at(NULL);
    }
    at("outside");
  }
  close_books();
  printf("sum %u\n", sum);
  return 0;
}
