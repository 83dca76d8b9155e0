/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The main thread and a POSIX thread each open REPEAT regions of two threads, at the same time; thread i spins (i + 1)
 * units. The regions are in two functions. In units, for each of the two, times REPEAT:
 *   elapsed 2, busy 3, implicit barrier 1, imbalance 4 / 3, potential gain 1/2
 * The profile has the two threads that open regions and two workers.
 */
#include <omp.h>
#include <pthread.h>

#include "spin.h"

static unsigned unit_ms, repeat;

static void *from_pthread(void *unused) {
  for (unsigned i = 0; i < repeat; i++) {
    team_begin(1);
#pragma omp parallel num_threads(2) // mark: pthread
    spin_ms(2 + omp_get_thread_num(), (unsigned)(omp_get_thread_num() + 1) * unit_ms);
    team_end(1, 2, 2);
  }
  return unused;
}

static void from_main(void) {
  for (unsigned i = 0; i < repeat; i++) {
    team_begin(0);
#pragma omp parallel num_threads(2) // mark: main
    spin_ms(omp_get_thread_num(), (unsigned)(omp_get_thread_num() + 1) * unit_ms);
    team_end(0, 0, 2);
  }
}

int main(int argc, char **argv) {
  unit_ms = argument(argc, argv, 1, 100);
  repeat = argument(argc, argv, 2, 3);
  pthread_t other;
#pragma omp parallel num_threads(2) // mark: start
  {
#pragma omp barrier
  }

  if (pthread_create(&other, NULL, from_pthread, NULL))
    return 1;
  from_main();
  pthread_join(other, NULL);
  print_books(4);
  return 0;
}
