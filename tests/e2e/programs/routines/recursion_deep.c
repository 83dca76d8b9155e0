/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Deep recursion: down(LEVELS) calls down(LEVELS - 1) and so on, 100,000 levels; `a` and `b` call each other in
 * turn, 50,000 times each, and at the bottom leaf is called once; on the way up each level of down calls leaf once
 * more.
 * Arguments: UNIT_MS HOW MODE LEVELS (even). Mode "team": two threads do it at the same time: twice as many calls.
 *   down: LEVELS + 1 calls; leaf: LEVELS + 1 + 1; a and b: LEVELS / 2 each
 */
#include <omp.h>

#include "recursion.h"

static atomic_uint leaves;

NOINLINE void leaf(void) {
  atomic_fetch_add_explicit(&leaves, 1, memory_order_relaxed);
}

NOINLINE void down(unsigned n) {
  if (n > 0)
    down(n - 1);
  leaf();
}

void b(unsigned n);
NOINLINE void a(unsigned n) {
  b(n - 1);
  atomic_signal_fence(memory_order_seq_cst); /* no tail call */
}

NOINLINE void b(unsigned n) {
  if (n > 0)
    a(n - 1);
  else
    leaf();
  atomic_signal_fence(memory_order_seq_cst);
}

int main(int argc, char **argv) {
  open_books(argc, argv);
  unsigned levels = argument(argc, argv, 4, 100000);
#pragma omp parallel num_threads(mode_is("team") ? 2 : 1)
  {
    down(levels);
    a(levels - 1);
  }
  close_books();
  printf("leaves %u\n", atomic_load(&leaves));
  return 0;
}
