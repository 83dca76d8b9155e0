/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Hooks called by hand, unbalanced; a function is any address. By mode, CALLS times:
 *   exits:    exits without entries                  enters: entries without exits, all from this one routine
 *   crossed:  enter a, enter b, exit a, exit b       null:   NULL as the function, and addresses that nobody has
 *   twice:    enter a, exit a, exit a                foreign: enter a here, exit a on another thread
 */
#include "routines.h"

void __cyg_profile_func_enter(void *function, void *call_site);
void __cyg_profile_func_exit(void *function, void *call_site);
#define ENTER(f) __cyg_profile_func_enter((void *)(f), here)
#define EXIT(f) __cyg_profile_func_exit((void *)(f), here)

NOINLINE void a(void) {}
NOINLINE void b(void) {}

static char *here;

static __attribute__((no_instrument_function)) void *leave(void *unused) {
  EXIT(a);
  return unused;
}

static __attribute__((no_instrument_function)) void call(unsigned i) {
  if (mode_is("exits")) {
    EXIT(a);
  } else if (mode_is("enters")) {
    ENTER(i % 2 ? (uintptr_t)a : (uintptr_t)b);
  } else if (mode_is("crossed")) {
    ENTER(a), ENTER(b), EXIT(a), EXIT(b);
  } else if (mode_is("null")) {
    uintptr_t addresses[] = {0, 1, 0x1000, UINTPTR_MAX, (uintptr_t)1 << 63};
    ENTER(addresses[i % 5]), EXIT(addresses[i % 5]);
  } else if (mode_is("twice")) {
    ENTER(a), EXIT(a), EXIT(a);
  } else {
    pthread_t thread;
    ENTER(a);
    pthread_create(&thread, NULL, leave, NULL);
    pthread_join(thread, NULL);
  }
}

int main(int argc, char **argv) {
  mode = argc > 1 ? argv[1] : "exits";
  unsigned calls = argument(argc, argv, 2, 1000);
  here = (char *)(uintptr_t)main;
  for (unsigned i = 0; i < calls; i++)
    call(i);
  a();
  printf("called %u\n", calls);
  return 7;
}
