/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Threads without OpenMP: main starts THREADS threads ROUNDS times; each calls `outer`, which meets the others,
 * calls `inner` 10 times, and meets them again. Every second one ends by pthread_exit inside outer.
 *   body, outer: THREADS * ROUNDS calls; inner: 10 times that, all concurrent: main, in pthread_join, is in its own
 *     code
 */
#include "routines.h"

static unsigned threads;
static atomic_ulong calls;

NOINLINE void inner(void) {
  atomic_fetch_add(&calls, 1);
}

NOINLINE void outer(uintptr_t number) {
  meet(threads);
  for (int i = 0; i < 10; i++)
    inner();
  meet(threads);
  if (number % 2)
    pthread_exit(NULL);
}

NOINLINE void *body(void *number) {
  outer((uintptr_t)number);
  return NULL;
}

int main(int argc, char **argv) {
  threads = argument(argc, argv, 1, 4);
  unsigned rounds = argument(argc, argv, 2, 10);
  pthread_t ids[64];
  for (unsigned round = 0; round < rounds; round++) {
    for (uintptr_t i = 0; i < threads; i++)
      pthread_create(&ids[i], NULL, body, (void *)i);
    for (unsigned i = 0; i < threads; i++)
      pthread_join(ids[i], NULL);
  }
  printf("calls %lu\n", (unsigned long)calls);
  return 7;
}
