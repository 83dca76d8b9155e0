/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The program ends inside three instrumented routines: a calls b, b calls c, c ends it. By mode: exit (an instrumented
 * function that atexit knows still runs), quick (_exit), abort, kill, region (exit on thread 1 of a region), thread
 * (exit on another thread). a, b and c: 1 call each, elapsed about 0.1 s: c sleeps so long.
 */
#include <signal.h>

#include "routines.h"

NOINLINE void at_the_end(void) {
  printf("at the end\n");
}

NOINLINE void c(void) {
  usleep(100000);
  printf("bye\n");
  fflush(stdout);
  if (mode_is("quick"))
    _exit(9);
  if (mode_is("abort"))
    abort();
  if (mode_is("kill"))
    raise(SIGKILL);
  exit(9);
}

NOINLINE void b(void) {
  c();
  atomic_signal_fence(memory_order_seq_cst);
}

NOINLINE void *a(void *unused) {
  b();
  atomic_signal_fence(memory_order_seq_cst);
  return unused;
}

int omp_get_thread_num(void);

int main(int argc, char **argv) {
  mode = argc > 1 ? argv[1] : "exit";
  atexit(at_the_end);
  if (mode_is("region")) {
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1)
      a(NULL);
  } else if (mode_is("thread")) {
    pthread_t thread;
    pthread_create(&thread, NULL, a, NULL);
    pthread_join(thread, NULL);
  }
  a(NULL);
  return 0;
}
