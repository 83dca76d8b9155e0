/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Routines that were compiled into their caller tell of their entries and exits all the same, from one stack frame:
 * outer calls middle, which calls inner, TURNS times; then outer calls inner TURNS times itself, which jumps back into
 * outer. Status 7. Calls:
 *   main-outer 2, outer-middle TURNS, middle-inner TURNS, outer-inner TURNS
 */
#include <setjmp.h>

#include "routines.h"

#define INLINED static inline __attribute__((always_inline))

static jmp_buf to_outer;
static volatile unsigned long done;

INLINED void inner(int jump) {
  done++;
  if (jump)
    longjmp(to_outer, 1);
}

INLINED void middle(void) {
  done++;
  inner(0);
}

NOINLINE void outer(unsigned turns, int jump) {
  for (volatile unsigned i = 0; i < turns; i++) {
    if (!jump)
      middle();
    else if (setjmp(to_outer) == 0)
      inner(1);
  }
}

int main(int argc, char **argv) {
  unsigned turns = argument(argc, argv, 1, 10);
  outer(turns, 0);
  outer(turns, 1);
  printf("done %lu\n", done);
  return 7;
}
