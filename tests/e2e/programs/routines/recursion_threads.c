/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A recursive routine is entered on one thread and goes on on others: top(n), on the first thread, opens a region
 * of two threads that meet and call down(3); down(n) works 1 unit and calls down(n - 1), and down(0) calls top(0),
 * which works 2 units and opens nothing. So top calls itself by way of down, on its own thread and on another,
 * where it is outermost.
 *   top: calls 1 + 2 = 3: S-S 1, C-C 2; outermost 1 on each thread; works 4
 *   down: calls 2 * 4 = 8: S-C 2 (called by top), C-C 6; outermost 1 on each thread; works 2 * 3, elapsed 2 * (3 +
 *     2)
 */
#include <omp.h>

#include "recursion.h"

static _Thread_local struct outermost tops = {.name = "top"}, downs = {.name = "down"};

void top(unsigned n);

NOINLINE void down(unsigned n) {
  enter(&downs);
  if (n == 0) {
    top(0);
  } else {
    work_in("own down", 1);
    down(n - 1);
  }
  leave(&downs);
}

NOINLINE void top(unsigned n) {
  enter(&tops);
  if (n == 0) {
    work_in("own top", 2);
  } else {
    const char *before = at(NULL);
#pragma omp parallel num_threads(2)
    {
      at("region");
      meet(2);
      down(n);
      meet(2);
      at(NULL);
    }
    at(before);
  }
  leave(&tops);
}

int main(int argc, char **argv) {
  open_books(argc, argv);
  top(3);
  close_books();
  return 0;
}
