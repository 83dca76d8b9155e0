/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Coroutines: two stacks on one thread, each inside instrumented routines when the other goes on. Each calls `turn`
 * ROUNDS times, which calls `swap`, where the other one goes on. Entries and exits are not nested any more: no
 * crash, all entries counted.
 *   first, second: 1 call each; turn, swap: 2 * ROUNDS each, status 7
 */
#include <ucontext.h>

#include "routines.h"

static ucontext_t contexts[3];
static char stacks[2][256 * 1024];
static unsigned rounds;
static volatile unsigned long done;

NOINLINE void swap(int me) {
  swapcontext(&contexts[me], &contexts[1 - me]);
  done++;
}

NOINLINE void turn(int me) {
  swap(me);
  done++;
}

NOINLINE void first(void) {
  for (unsigned i = 0; i < rounds; i++)
    turn(0);
}

NOINLINE void second(void) {
  for (unsigned i = 0; i < rounds; i++)
    turn(1);
  setcontext(&contexts[0]); /* the first one has a turn to finish */
}

int main(int argc, char **argv) {
  rounds = argument(argc, argv, 1, 1000);
  void (*const bodies[])(void) = {first, second};
  for (int i = 0; i < 2; i++) {
    getcontext(&contexts[i]);
    contexts[i].uc_stack.ss_sp = stacks[i];
    contexts[i].uc_stack.ss_size = sizeof stacks[i];
    contexts[i].uc_link = &contexts[2];
    makecontext(&contexts[i], bodies[i], 0);
  }
  swapcontext(&contexts[2], &contexts[0]);
  printf("done %lu\n", done);
  return 7;
}
