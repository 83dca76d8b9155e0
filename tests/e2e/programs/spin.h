/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Work of known length for the known-answer programs: a thread is busy until a clock says so, whatever the machine, and
 * even when there are more threads than cores. A thread may be off its core at the moment when it should stop or start,
 * so the program keeps its own books by the same clock and prints them at the end; tests compare Heddle's with these:
 *   "spun THREAD NS"      time in spin_ms
 *   "blocked THREAD NS"   time from a blocked_since's begin to its call: in a lock, barrier or taskwait
 *   "waited THREAD NS"    time from the thread's last arrival (spin_ms or arrive) to the last arrival of its team
 *   "joined THREAD NS"    time from the thread's last arrival to team_end: a wait at the end lies between these two
 *   "elapsed TEAM NS"     time from team_begin to team_end
 */
#ifndef HEDDLE_TESTS_SPIN_H
#define HEDDLE_TESTS_SPIN_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SPIN_THREADS = 16, SPIN_TEAMS = 2 };

/* A cache line each: nobody slows another down. */
static struct spin_thread {
  uint64_t spun_ns, blocked_ns, waited_ns, joined_ns, arrived_ns, pad[3];
} spin_threads[SPIN_THREADS];

static struct spin_team {
  uint64_t begin_ns, elapsed_ns, pad[6];
} spin_teams[SPIN_TEAMS];

static inline uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline void arrive(int thread) {
  spin_threads[thread].arrived_ns = now_ns();
}

static inline void spin_ms(int thread, unsigned ms) {
  uint64_t begin = now_ns(), now;
  do
    now = now_ns();
  while (now - begin < ms * UINT64_C(1000000));
  spin_threads[thread].spun_ns += now - begin;
  spin_threads[thread].arrived_ns = now;
}

static inline void blocked_since(int thread, uint64_t begin_ns) {
  spin_threads[thread].blocked_ns += now_ns() - begin_ns;
}

/* Just before a region or, inside one, by one thread after a barrier. */
static inline void team_begin(int team) {
  spin_teams[team].begin_ns = now_ns();
}

/* Just after it; its threads are `first` to `first + count - 1` in these books. */
static inline void team_end(int team, int first, int count) {
  uint64_t now = now_ns();
  spin_teams[team].elapsed_ns += now - spin_teams[team].begin_ns;
  uint64_t last_ns = 0;
  for (int i = first; i < first + count; i++)
    if (last_ns < spin_threads[i].arrived_ns)
      last_ns = spin_threads[i].arrived_ns;
  for (int i = first; i < first + count; i++) {
    spin_threads[i].waited_ns += last_ns - spin_threads[i].arrived_ns;
    spin_threads[i].joined_ns += now - spin_threads[i].arrived_ns;
  }
}

static inline void print_books(int threads) {
  for (int i = 0; i < threads; i++) {
    printf("spun %d %llu\n", i, (unsigned long long)spin_threads[i].spun_ns);
    printf("blocked %d %llu\n", i, (unsigned long long)spin_threads[i].blocked_ns);
    printf("waited %d %llu\n", i, (unsigned long long)spin_threads[i].waited_ns);
    printf("joined %d %llu\n", i, (unsigned long long)spin_threads[i].joined_ns);
  }
  for (int i = 0; i < SPIN_TEAMS; i++)
    printf("elapsed %d %llu\n", i, (unsigned long long)spin_teams[i].elapsed_ns);
}

static inline unsigned argument(int argc, char **argv, int index, unsigned otherwise) {
  return argc > index ? (unsigned)strtoul(argv[index], NULL, 10) : otherwise;
}

#endif
