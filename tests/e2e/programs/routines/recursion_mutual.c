/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Mutual recursion: even(n) works 1 unit and calls odd(n - 1), odd(n) works 2 units and calls even(n - 1), down to
 * 0, where nothing is done. main calls even(4) twice, then odd(3). In units:
 *   even: calls 2 * 3 + 2 = 8 (of which n = 0: 3), works 2 * 2 + 1 = 5; outermost entries 2 + 1
 *   odd: calls 2 * 2 + 2 = 6, works 2 * 6 = 12; outermost entries 2 + 1
 *   elapsed of even: 2 * (1 + 2 + 1 + 2) + (1 + 2) = 15; of odd: 2 * (2 + 1 + 2) + (2 + 1 + 2) = 15; of all: 17
 * By caller: main-even 2, main-odd 1, even-odd 5, odd-even 6.
 */
#include "recursion.h"

static struct outermost evens = {.name = "even"}, odds = {.name = "odd"};

void odd(unsigned n);

NOINLINE void even(unsigned n) {
  enter(&evens);
  if (n > 0) {
    work_in("own even", 1);
    odd(n - 1);
  }
  leave(&evens);
}

NOINLINE void odd(unsigned n) {
  enter(&odds);
  work_in("own odd", 2);
  even(n - 1);
  leave(&odds);
}

int main(int argc, char **argv) {
  open_books(argc, argv);
  even(4);
  even(4);
  odd(3);
  close_books();
  return 0;
}
