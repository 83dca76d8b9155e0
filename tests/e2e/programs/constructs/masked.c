/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Work of one thread of a team while the others wait, `rounds` times: the last thread spins two units in a masked, then
 * thread 0 one unit in a master; a barrier after each. Afterwards a master outside of any region, of one unit. In
 * units: masked: visits 1 per round, busy 2; master: visits 1 per round, busy 1; each on one thread only barriers:
 * waiting 3 (p - 1) per round region: elapsed 3 per round, busy outside of both about 0, mean concurrency 1, potential
 * gain 3 (p - 1) / p per round In the books "threads" 0, 1 and 2 are master, masked and outside, and the team's threads
 * begin at 3.
 */
#include <omp.h>

#include "spin.h"

enum { MASTER, MASKED, OUTSIDE, TEAM };

static void __attribute__((noinline)) orphaned(unsigned unit_ms) {
#pragma omp master // mark: outside
  spin_ms(OUTSIDE, unit_ms);
}

static void __attribute__((noinline)) team_barrier(int thread) {
  uint64_t begin = now_ns();
#pragma omp barrier // mark: barrier
  blocked_since(TEAM + thread, begin);
}

int main(int argc, char **argv) {
  unsigned unit_ms = argument(argc, argv, 1, 20);
  unsigned rounds = argument(argc, argv, 2, 5);
#pragma omp parallel // mark: start
  {
#pragma omp barrier
  }

  team_begin(0);
#pragma omp parallel // mark: region
  {
    int thread = omp_get_thread_num();
    for (unsigned round = 0; round < rounds; round++) {
#pragma omp masked filter(omp_get_num_threads() - 1) // mark: masked
      spin_ms(MASKED, 2 * unit_ms);
      team_barrier(thread);
#pragma omp master // mark: master
      spin_ms(MASTER, unit_ms);
      team_barrier(thread);
    }
    arrive(TEAM + thread);
  }
  team_end(0, TEAM, omp_get_max_threads());
  orphaned(unit_ms);
  print_books(TEAM + omp_get_max_threads());
  return 0;
}
