/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What one transition costs the engine of exact concurrency: the write into the ring, and its share of a sweep, for
 * teams of 2 to 1024 simulated threads. One thread plays them all, so that only the engine's own work is timed.
 *
 *   critical  threads in one loop take turns in a critical section: most transitions keep the level or move it by one
 *   barrier   all threads of a team stop one by one, then start one by one: the level runs from 0 to the team's size
 *   callpaths every thread is busy in a callpath of its own: the worst case, see sweep/window.h
 *
 * usage: transitions [repetitions [threads]]  (default 15; the median is printed, with the quartiles of the sweep;
 * `threads` at most)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ompt/shared/clock.h"
#include "ompt/shared/measuring.h"
#include "ompt/shared/ring.h"
#include "ompt/shared/sweeper.h"

enum { TEAM_MOST = 1024, LOOP = 1, CRITICAL = 2, OWN = 3 };

static struct hd_ring rings[TEAM_MOST];
static uint32_t rotation[TEAM_MOST]; /* the threads in an order that is not that of their rings */

struct cost {
  double write_ns;
  double sweep_ns;
};

typedef uint32_t pattern(uint32_t thread, uint32_t step);

static uint32_t in_critical(uint32_t thread, uint32_t step) {
  static const uint32_t states[] = {HD_NONE, CRITICAL, LOOP};
  (void)thread;
  return states[step % 3];
}

static uint32_t at_barrier(uint32_t thread, uint32_t step) {
  (void)thread;
  return step % 2 ? LOOP : HD_NONE;
}

static uint32_t in_own_callpath(uint32_t thread, uint32_t step) {
  return step % 2 ? OWN + thread : HD_NONE;
}

static void put(struct hd_ring *ring, uint32_t busy) {
  uint64_t now = hd_clock_now();
  if (hd_ring_is_due(ring))
    hd_ring_make_room(ring);
  if (hd_ring_open(ring, &now))
    hd_ring_put(ring, now, busy);
}

/* Fills the rings to just below where their owners would sweep, then sweeps once. */
static struct cost fill_and_sweep(uint32_t team, pattern *next) {
  const uint32_t steps = HD_RING_LENGTH / 4 / 6 * 6;
  const uint64_t begin = hd_clock_monotonic_ns();
  for (uint32_t step = 0; step < steps; step++)
    for (uint32_t i = 0; i < team; i++)
      put(&rings[rotation[i]], next(rotation[i], step));
  const uint64_t middle = hd_clock_monotonic_ns();
  hd_sweeper_flush();
  const uint64_t end = hd_clock_monotonic_ns();
  for (uint32_t i = 0; i < team; i++)
    hd_ring_make_room(&rings[i]);
  const double count = (double)steps * team;
  return (struct cost){(double)(middle - begin) / count, (double)(end - middle) / count};
}

/* Every third number modulo the team's size, which is a power of two. */
static void join_team(uint32_t team) {
  for (uint32_t i = 0; i < team; i++) {
    rotation[i] = i * 3 % team;
    if (!hd_ring_join(&rings[i], i)) {
      fputs("transitions: no space for the rings\n", stderr);
      exit(1);
    }
    put(&rings[i], LOOP);
  }
}

static void leave_team(uint32_t team) {
  for (uint32_t i = 0; i < team; i++) {
    put(&rings[i], HD_NONE);
    hd_ring_leave(&rings[i]);
  }
}

static int by_sweep(const void *a, const void *b) {
  const double left = ((const struct cost *)a)->sweep_ns;
  const double right = ((const struct cost *)b)->sweep_ns;
  return left < right ? -1 : left > right;
}

static void measure(const char *name, pattern *next, int repetitions, uint32_t most) {
  struct cost *costs = calloc((size_t)repetitions, sizeof *costs);
  for (uint32_t team = 2; costs && team <= most; team *= team == 2 ? 8 : 4) {
    join_team(team);
    fill_and_sweep(team, next);
    for (int i = 0; i < repetitions; i++)
      costs[i] = fill_and_sweep(team, next);
    leave_team(team);
    qsort(costs, (size_t)repetitions, sizeof *costs, by_sweep);
    const struct cost median = costs[repetitions / 2];
    printf("%-10s %8u %10.1f %10.1f   (%.1f to %.1f)\n", name, team, median.write_ns, median.sweep_ns,
           costs[repetitions / 4].sweep_ns, costs[3 * repetitions / 4].sweep_ns);
  }
  free(costs);
}

int main(int argc, char **argv) {
  const int repetitions = argc > 1 ? atoi(argv[1]) : 15;
  const uint32_t threads = argc > 2 ? (uint32_t)atoi(argv[2]) : TEAM_MOST;
  const uint32_t most = threads < TEAM_MOST ? threads : TEAM_MOST;
  char why[1200];
  hd_clock_choose("auto", NULL);
  if (repetitions < 1 || !hd_store_create(&hd_store, NULL, "transitions", why, sizeof why)) {
    fprintf(stderr, "transitions: %s\n", repetitions < 1 ? "repetitions must be 1 or more" : why);
    return 1;
  }
  if (!hd_sweeper_init(hd_clock_now(), NULL))
    return 1;
  puts("pattern     threads   write ns   sweep ns   (quartiles)");
  measure("critical", in_critical, repetitions, most);
  measure("barrier", at_barrier, repetitions, most);
  measure("callpaths", in_own_callpath, repetitions, most);
  unlink(hd_store.live_path);
  return 0;
}
