/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Processor time, working and waiting: thread i of p spins (i + 1) units in a loop, and waits for the others at its
 * end; ROUNDS times. Task-clock of the loop, by the program's own books (spin.h): busy      of a thread: the time it
 * spun ("spun"), if it had a processor all along waiting   of a thread: the time it waited ("waited") where waiting
 * threads spin, hardly anything where they sleep "ran THREAD NS" is the thread's processor time while it spun, whoever
 * else wanted the processor.
 */
#include <omp.h>

#include "spin.h"

enum { ROUNDS = 3 };

static uint64_t ran_ns[SPIN_THREADS][8];

static uint64_t cpu_ns(void) {
  struct timespec used;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

static void work(int me, unsigned unit_ms) {
  const uint64_t begin_ns = cpu_ns();
  spin_ms(me, (unsigned)(me + 1) * unit_ms);
  ran_ns[me][0] += cpu_ns() - begin_ns;
}

int main(int argc, char **argv) {
  const unsigned unit_ms = argument(argc, argv, 1, 50);
#pragma omp parallel // mark: start
  {
#pragma omp barrier
  } team_begin(0);
#pragma omp parallel // mark: region
  for (int round = 0; round < ROUNDS; round++) {
#pragma omp for schedule(static, 1) // mark: loop
    for (int i = 0; i < omp_get_num_threads(); i++)
      work(omp_get_thread_num(), unit_ms);
#pragma omp master
    team_end(0, 0, omp_get_num_threads());
  }
  print_books(omp_get_max_threads());
  for (int i = 0; i < omp_get_max_threads(); i++)
    printf("ran %d %llu\n", i, (unsigned long long)ran_ns[i][0]);
  return 0;
}
