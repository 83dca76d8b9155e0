/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Floods of events that cost more than the budget: `floods WHAT SECONDS [LONGER]`, in one region of all threads; LONGER
 * times as much work between them.
 *   critical   a section of 2.5 us in 3 us of each thread: what an event takes shifts few waits
 *   locks      the same with a lock
 *   barriers   thread 0 works for 3 us, the others for 1 us, then they meet
 *   turns      the same, but the longer work is another thread's each time
 *   singles    one works for 2 us, the others wait for it
 *   loops      the first half of the iterations of a static loop takes 3 us, the second 1 us
 * A thread keeps books of how long it waits: "waited THREAD NS". They count as waiting what the runtime and the tool do
 * between the work and the wait, too. Work is measured in turns of an empty loop.
 */
#include <omp.h>
#include <string.h>

#include "spin.h"

enum { ROUND = 500, TURNS_PER_US = 3000 };

static omp_lock_t lock;
static int longer = 1;

static void work(int tenths_us) {
  for (int i = 0; i < longer * tenths_us * TURNS_PER_US / 10; i++)
    __asm__ volatile("");
}

static uint64_t critical(int thread, int round) {
  (void)thread, (void)round;
  work(5);
  const uint64_t begin = now_ns();
  uint64_t got;
#pragma omp critical // mark: critical
  {
    got = now_ns();
    work(25);
  }
  return got - begin;
}

static uint64_t locks(int thread, int round) {
  (void)thread, (void)round;
  work(5);
  const uint64_t begin = now_ns();
  omp_set_lock(&lock); // mark: locks
  const uint64_t got = now_ns();
  work(25);
  omp_unset_lock(&lock);
  return got - begin;
}

static uint64_t meet_after(int tenths_us) {
  work(tenths_us);
  const uint64_t begin = now_ns();
#pragma omp barrier // mark: barriers
  return now_ns() - begin;
}

static uint64_t barriers(int thread, int round) {
  (void)round;
  return meet_after(thread == 0 ? 30 : 10);
}

static uint64_t turns(int thread, int round) {
  return meet_after(thread == round % omp_get_num_threads() ? 30 : 10);
}

static uint64_t singles(int thread, int round) {
  (void)thread, (void)round;
  const uint64_t begin = now_ns();
  uint64_t worked = 0;
#pragma omp single // mark: singles
  {
    work(20);
    worked = now_ns() - begin;
  }
  return now_ns() - begin - worked;
}

static uint64_t loops(int thread, int round) {
  (void)thread, (void)round;
  uint64_t begin = 0;
#pragma omp for schedule(static) // mark: loops
  for (int i = 0; i < 2 * omp_get_num_threads(); i++) {
    work(i < omp_get_num_threads() ? 15 : 5);
    begin = now_ns();
  }
  return now_ns() - begin;
}

static const struct {
  const char *name;
  uint64_t (*once)(int thread, int round);
} floods[] = {{"critical", critical}, {"locks", locks},     {"barriers", barriers},
              {"turns", turns},       {"singles", singles}, {"loops", loops}};

static void flood(uint64_t (*once)(int thread, int round), double end_s) {
  int goes = 1;
#pragma omp parallel // mark: region
  {
    const int thread = omp_get_thread_num();
    uint64_t waited = 0;
    while (goes) {
      for (int round = 0; round < ROUND; round++)
        waited += once(thread, round);
      const uint64_t begin = now_ns();
#pragma omp barrier
#pragma omp single
      goes = omp_get_wtime() < end_s;
      waited += now_ns() - begin;
    }
    spin_threads[thread].waited_ns = waited;
  }
}

int main(int argc, char **argv) {
  omp_init_lock(&lock);
  if (argc > 3)
    longer = atoi(argv[3]);
  for (size_t i = 0; argc > 2 && i < sizeof floods / sizeof *floods; i++)
    if (!strcmp(floods[i].name, argv[1]))
      flood(floods[i].once, omp_get_wtime() + atof(argv[2]));
  for (int thread = 0; thread < omp_get_max_threads() && thread < SPIN_THREADS; thread++)
    printf("waited %d %llu\n", thread, (unsigned long long)spin_threads[thread].waited_ns);
  return 0;
}
