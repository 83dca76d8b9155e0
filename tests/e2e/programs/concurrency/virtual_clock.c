/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Short constructs, each met many times, of known length: in units, for two threads and per instance,
 *   imbalance: thread i spins i + 1 and waits 1 - i at the region's end.     Elapsed 2, busy 3, waiting 1
 *   loops:     thread i spins 2 (no barrier), then i + 1 in a loop with one. Elapsed 4, busy 7, waiting 1
 *   barriers:  four times: thread i spins 1 or 2, in turns, then a barrier.  Elapsed 8, busy 12, waiting 4
 *   alone:     between the regions the first thread spins 1
 * The work of a thread lies between two events, so that whatever events take is no part of it.
 */
#include <omp.h>

#include "spin.h"

static unsigned unit_us;

static void spin(unsigned units) {
  uint64_t begin = now_ns();
  while (now_ns() - begin < UINT64_C(1000) * units * unit_us)
    ;
}

static void imbalance(void) {
#pragma omp parallel // mark: imbalance
  spin((unsigned)omp_get_thread_num() + 1);
}

static void loops(void) {
#pragma omp parallel // mark: loops
  {
#pragma omp for schedule(static, 1) nowait // mark: nowait
    for (int i = 0; i < 2; i++)
      spin(2);
#pragma omp for schedule(static, 1) // mark: loop
    for (int i = 0; i < 2; i++)
      spin((unsigned)i + 1);
  }
}

static void barriers(void) {
#pragma omp parallel // mark: barriers
  for (unsigned i = 0; i < 4; i++) {
    spin(((unsigned)omp_get_thread_num() + i) % 2 + 1);
#pragma omp barrier // mark: barrier
  }
}

int main(int argc, char **argv) {
  unsigned instances = argument(argc, argv, 1, 100);
  unit_us = argument(argc, argv, 2, 500);
#pragma omp parallel // mark: start
  spin(20);          // by then each thread has found a processor of its own

  for (unsigned i = 0; i < instances; i++) {
    imbalance();
    spin(1);
    loops();
    spin(1);
    barriers();
    spin(1);
  }
  return 0;
}
