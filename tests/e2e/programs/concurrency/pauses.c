/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * `pauses ROUNDS`: in each round one thread pauses the measurement while all send events, far more than fit into their
 * logs, and another lets it go on. Prints how often they were in a critical section and had the lock: COUNT times each
 * thread in each round.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "heddle.h"

enum { COUNT = 5000, RESUME = 4800, BETWEEN = 100 };

int main(int argc, char **argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 1;
  long in_sections = 0, in_locks = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
  for (int round = 0; round < rounds; round++) {
#pragma omp parallel
    for (int i = 0; i < COUNT; i++) {
      if (i == round * 37 % 900 && omp_get_thread_num() == round % omp_get_num_threads())
        heddle_pause();
#pragma omp critical
      in_sections++;
      omp_set_lock(&lock);
      in_locks++;
      omp_unset_lock(&lock);
      if (i == RESUME && omp_get_thread_num() == 0)
        heddle_resume();
      if (i % BETWEEN == 0) {
#pragma omp barrier
      }
    }
  }
  printf("%ld %ld\n", in_sections, in_locks);
  return 0;
}
