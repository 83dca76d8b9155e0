/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Counts in parallel regions, with all kinds of events, until its input ends ("s": the first is over): then it says
 * "equal" if what the threads counted is what the rounds make of it: of each round ITERATIONS in a critical section, as
 * many under a lock, TASKS tasks, THREADS barriers, one single.
 *
 * The loop is monotonic, so that chunks are not stolen: libomp with assertions sometimes ends a program in which they
 * are, if they have more than one iteration (__kmp_dispatch_next_algorithm: a thief may read an owner's bound while it
 * is still one in iterations, not yet one in chunks). Without that, one of some 90 runs of eight seconds ended so.
 */
#include <omp.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

enum { ITERATIONS = 200, TASKS = 50 };

static long in_critical, in_lock, in_tasks, in_barriers, in_singles;

static int has_ended(void) {
  struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
  char byte;
  return poll(&input, 1, 0) > 0 && read(STDIN_FILENO, &byte, 1) == 0;
}

__attribute__((noinline)) static void round_of(omp_lock_t *lock) {
#pragma omp parallel
  {
#pragma omp for schedule(monotonic : dynamic, 8)
    for (int i = 0; i < ITERATIONS; i++) {
#pragma omp critical
      in_critical++;
      omp_set_lock(lock);
      in_lock++;
      omp_unset_lock(lock);
    }
#pragma omp atomic
    in_barriers++;
#pragma omp barrier
#pragma omp single
    {
      in_singles++;
      for (int i = 0; i < TASKS; i++) {
#pragma omp task
        {
#pragma omp atomic
          in_tasks++;
        }
      }
#pragma omp taskwait
    }
  }
}

int main(void) {
  omp_lock_t lock;
  long rounds = 0;
  omp_init_lock(&lock);
  do {
    round_of(&lock);
    if (rounds++ == 0)
      puts("s");
    fflush(stdout);
  } while (!has_ended());
  const int equal = in_critical == rounds * ITERATIONS && in_lock == rounds * ITERATIONS &&
                    in_tasks == rounds * TASKS && in_barriers == rounds * omp_get_max_threads() && in_singles == rounds;
  puts(equal ? "equal" : "different");
  return !equal;
}
