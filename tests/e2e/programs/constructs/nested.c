/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A region of two threads, each of which opens a region of two: inner thread i spins (i + 1) units. In units:
 *   inner: instances 2, busy 6, implicit barrier 2, elapsed 4 (2 for each of the two instances), team 2, imbalance 4 /
 *     3, potential gain 1 (1/2 for each)
 *   outer: 1 instance, elapsed 2, no busy time of its own
 * Both inner instances hang below the outer region. Four threads have worked in the end. The program also prints
 *   "running 0 NS"   time from the first begin of an inner region to the last end
 */
#include <omp.h>

#include "spin.h"

static uint64_t time_with_inner_regions(void) {
  const struct spin_team *first = &spin_teams[0], *second = &spin_teams[1];
  if (second->begin_ns < first->begin_ns) {
    first = &spin_teams[1];
    second = &spin_teams[0];
  }
  uint64_t first_end = first->begin_ns + first->elapsed_ns, second_end = second->begin_ns + second->elapsed_ns;
  return (second_end > first_end ? second_end : first_end) - first->begin_ns;
}

int main(int argc, char **argv) {
  unsigned unit_ms = argument(argc, argv, 1, 100);
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2) // mark: start
  {
#pragma omp barrier
  }

#pragma omp parallel num_threads(2) // mark: outer
  {
    int outer = omp_get_thread_num();
    team_begin(outer);
#pragma omp parallel num_threads(2) // mark: inner
    spin_ms(2 * outer + omp_get_thread_num(), (unsigned)(omp_get_thread_num() + 1) * unit_ms);
    team_end(outer, 2 * outer, 2);
  }
  print_books(4);
  printf("running 0 %llu\n", (unsigned long long)time_with_inner_regions());
  return 0;
}
