/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Processor time, working and waiting: thread i of p spins (i + 1) units in a loop and waits for the others at its end;
 * three times. Task-clock of the loop, by the program's own books:
 *   busy      of a thread: the time it spun ("spun"), less what it had no processor for: "ran THREAD NS", its processor
 *             time meanwhile
 *   waiting   of a thread: likewise, "stood THREAD NS", its processor time between its arrival and the barrier's end;
 *             where waiting threads spin it is the time they wait, where they sleep hardly anything
 */
#include <omp.h>

#include "spin.h"

enum { ROUNDS = 3 };

static struct processor {
  uint64_t ran_ns, stood_ns, arrived_ns, pad[5];
} processors[SPIN_THREADS];

static uint64_t cpu_ns(void) {
  struct timespec used;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

static void work(int me, unsigned unit_ms) {
  const uint64_t begin_ns = cpu_ns();
  spin_ms(me, (unsigned)(me + 1) * unit_ms);
  processors[me].arrived_ns = cpu_ns();
  processors[me].ran_ns += processors[me].arrived_ns - begin_ns;
}

int main(int argc, char **argv) {
  const unsigned unit_ms = argument(argc, argv, 1, 50);
#pragma omp parallel // mark: start
  {
#pragma omp barrier
  }
#pragma omp parallel // mark: region
  for (int round = 0; round < ROUNDS; round++) {
#pragma omp for schedule(static, 1) // mark: loop
    for (int i = 0; i < omp_get_num_threads(); i++)
      work(omp_get_thread_num(), unit_ms);
    struct processor *mine = &processors[omp_get_thread_num()];
    mine->stood_ns += cpu_ns() - mine->arrived_ns;
  }
  print_books(omp_get_max_threads());
  for (int i = 0; i < omp_get_max_threads(); i++)
    printf("ran %d %llu\nstood %d %llu\n", i, (unsigned long long)processors[i].ran_ns, i,
           (unsigned long long)processors[i].stood_ns);
  return 0;
}
