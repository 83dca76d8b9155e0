/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * One flaw in each region. The work of each, N units (but for `sharing` and `tiny`), is the same for any number of
 * threads up to 2:
 *   outside      all of it in no region                                      serial
 *   single       all of it in a single, the others wait at its end           serial
 *   imbalance    thread 0's half of the loop is three times the other's      imbalance
 *   critical     nine tenths of it in a critical section                     locks
 *   sharing      all threads write to one cache line, each to its own part   work inflation
 *   tiny         N / 16 regions with next to no work                          runtime
 *   fine         two halves                                                  nothing
 */
#include <omp.h>

#include "compare_work.h"

static struct {
  _Alignas(64) volatile uint64_t of[8];
} shared_line;

__attribute__((noinline)) static void sharing(long units) {
#pragma omp parallel for schedule(static) // mark: sharing
  for (int part = 0; part < 2; part++) {
    volatile uint64_t *mine = &shared_line.of[omp_get_thread_num()];
    for (long step = units * COMPARE_STEPS; step > 0; step--)
      ++*mine;
  }
}

__attribute__((noinline)) static void tiny(long units) {
  for (long i = 0; i < units / 16; i++) {
#pragma omp parallel for schedule(static) // mark: tiny
    for (int part = 0; part < 2; part++)
      work_units(0);
  }
}

int main(int argc, char **argv) {
  const long units = compare_units(argc, argv, 100000), parts = compare_parts(units);
  work_units(units);

#pragma omp parallel // mark: single
#pragma omp single
  work_units(units);

#pragma omp parallel for schedule(static) // mark: imbalance
  for (int part = 0; part < 8; part++)
    work_units(part < 4 ? units * 3 / 16 : units / 16);

#pragma omp parallel for schedule(static) // mark: critical
  for (long part = 0; part < parts; part++) {
    work_units(units / parts / 10);
#pragma omp critical
    work_units(units / parts * 9 / 10);
  }
  sharing(units);
  tiny(units);

#pragma omp parallel for schedule(static) // mark: fine
  for (int part = 0; part < 2; part++)
    work_units(units / 2);
  return 0;
}
