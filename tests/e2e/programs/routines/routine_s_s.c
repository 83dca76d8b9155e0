/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * S-S, a sequential routine calls a sequential one: main calls outer 3 times, each works 1 unit and calls inner
 * twice, each of 1 unit. Nothing else runs. In units:
 *   outer: visits 3, S-S 3, elapsed 3 * (1 + 2) = 9, own time 3, all of it sequential
 *   inner: visits 6, S-S 6, elapsed 6, own time 6, all of it sequential
 */
#include "routines.h"

NOINLINE void inner(void) {
  uint64_t begin_ns = now_ns();
  work_in("inner", 1);
  window("inner", begin_ns);
}

NOINLINE void outer(void) {
  uint64_t begin_ns = now_ns();
  work_in("outer", 1);
  inner();
  inner();
  window("outer", begin_ns);
}

int main(int argc, char **argv) {
  open_books(argc, argv);
  for (int i = 0; i < 3; i++)
    outer();
  close_books();
  return 0;
}
