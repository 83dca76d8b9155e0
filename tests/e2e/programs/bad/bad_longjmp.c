/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Jumps over instrumented routines, which then never tell of their exit. main calls middle TIMES times, always from the
 * same place; middle calls down(LEVELS), and down(0) jumps back into main, past LEVELS + 1 calls of down and one of
 * middle. With a third argument it jumps to middle instead, which returns as usual. After each, main calls `after`.
 *   middle, after: TIMES calls, called by main; down: TIMES * (LEVELS + 1), called by middle and down; status 7
 */
#include <setjmp.h>

#include "routines.h"

static jmp_buf to_main, to_middle;
static int to_where;
static volatile unsigned long done;

/* Its frame lies where those were that were jumped over, and leaves their return addresses as they are. */
NOINLINE void after(void) {
  volatile char room[4096];
  room[done++ % 8] = 1;
}

NOINLINE void down(unsigned n) {
  if (n == 0)
    longjmp(to_where ? to_middle : to_main, 1);
  down(n - 1);
  done++;
}

NOINLINE void middle(unsigned levels) {
  if (!to_where || setjmp(to_middle) == 0)
    down(levels);
  atomic_signal_fence(memory_order_seq_cst);
}

int main(int argc, char **argv) {
  unsigned times = argument(argc, argv, 1, 1), levels = argument(argc, argv, 2, 0);
  to_where = argc > 3;
  for (volatile unsigned i = 0; i < times; i++) {
    if (setjmp(to_main) == 0)
      middle(levels);
    after();
  }
  printf("done %lu\n", done);
  return 7;
}
