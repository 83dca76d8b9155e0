/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A sequential program without OpenMP, for gprof and Heddle alike. Work is counted in turns of a loop, so that a
 * routine's own time is in its own code. Calls, and turns in units of 8 million:
 *   heavy: 4 calls of 160, through pointers; middle: 8 of 20, likewise
 *   light: 40 of 1, called by heavy (2 each), middle (3 each) and main (8); fib(15): 1,973 calls without a turn
 *   ping(9), which calls pong(8), which calls ping(7) and so on: 5 calls of each, of 1
 * Own time: heavy 640 > middle 160 > light 40 > ping 5 = pong 5
 */
#include <stdio.h>
#define NOINLINE __attribute__((noinline))
static volatile unsigned turns_done;
#define TURNS(units)                                                                                                   \
  for (unsigned turn = 0; turn < (units) * 8000000u; turn++)                                                           \
  turns_done = turn

NOINLINE void light(void) {
  TURNS(1);
}

NOINLINE void middle(void) {
  TURNS(20);
  for (int i = 0; i < 3; i++)
    light();
}

NOINLINE void heavy(void) {
  TURNS(160);
  light(), light();
}

NOINLINE unsigned fib(unsigned n) {
  return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
void pong(unsigned n);

NOINLINE void ping(unsigned n) {
  TURNS(1);
  if (n > 0)
    pong(n - 1);
}

NOINLINE void pong(unsigned n) {
  TURNS(1);
  if (n > 0)
    ping(n - 1);
}

static void (*const table[])(void) = {heavy, middle, middle, heavy, middle, middle,
                                      heavy, middle, middle, heavy, middle, middle};

int main(void) {
  for (int i = 0; i < 12; i++)
    table[i]();
  for (int i = 0; i < 8; i++)
    light();
  ping(9);
  printf("%u\n", fib(15));
  return 0;
}
