/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profile.h"

#include <stdlib.h>
#include <unistd.h>

#include "team.h"

enum { LOOPS_PER_REGION = 99, CALLPATHS_MOST = 500000 };

/* The workers, then thread 0. */
static void call_all(enum place place, uint32_t threads, uint32_t site, bool workers_only) {
  for (uint32_t i = threads; i-- > (workers_only ? 1 : 0);)
    team_call(place, i, threads, site);
}

static void play_loop(uint32_t threads, uint32_t site) {
  call_all(PLACE_LOOP_BEGIN, threads, site, false);
  call_all(PLACE_LOOP_END, threads, site, false);
  call_all(PLACE_LOOP_BARRIER_BEGIN, threads, site, false);
  call_all(PLACE_LOOP_BARRIER_END, threads, site, false);
}

static void begin_region(uint32_t threads, uint32_t site) {
  team_call(PLACE_PARALLEL_BEGIN, 0, threads, site);
  call_all(PLACE_LATE_BARRIER_END, threads, site, true);
  call_all(PLACE_LATE_IMPLICIT_END, threads, site, true);
  call_all(PLACE_IMPLICIT_BEGIN, threads, site, false);
}

static void end_region(uint32_t threads, uint32_t site) {
  call_all(PLACE_JOIN_BEGIN, threads, site, false);
  team_call(PLACE_JOIN_END, 0, threads, site);
  team_call(PLACE_IMPLICIT_END, 0, threads, site);
  team_call(PLACE_PARALLEL_END, 0, threads, site);
}

/* Every region has LOOPS_PER_REGION loops below it. */
static void fill(uint32_t threads, uint32_t callpaths, uint32_t one_in) {
  const uint32_t size = (threads + one_in - 1) / one_in;
  uint32_t made = 1; /* the program */
  for (uint32_t i = 0; made < callpaths; i++) {
    const uint32_t site = i * (LOOPS_PER_REGION + 1);
    for (uint32_t j = 1; one_in > 1 && j < size; j++) /* another part of the threads each time */
      team_exchange(j, 1 + (i * (size - 1) + j - 1) % (threads - 1));
    begin_region(size, site);
    made++;
    for (uint32_t j = 0; j < LOOPS_PER_REGION && made < callpaths; j++, made++)
      play_loop(size, site + 1 + j);
    end_region(size, site);
  }
  team_end();
}

bool profile_make(const char *folder, int argc, char **argv) {
  const uint32_t threads = argc > 1 ? (uint32_t)atoi(argv[1]) : 0;
  const uint32_t callpaths = argc > 2 ? (uint32_t)atoi(argv[2]) : 0;
  const uint32_t one_in = argc > 3 ? (uint32_t)atoi(argv[3]) : 1;
  if (threads < 2 || threads > MOST_THREADS || callpaths < 1 || callpaths >= CALLPATHS_MOST || one_in < 1)
    return false;
  setenv("HEDDLE_OUTPUT", argv[0], 1);
  setenv("HEDDLE_MEMORY", "64G", 1);
  setenv("HEDDLE_UNWIND", "off", 1);
  setenv("HEDDLE_OVERHEAD", "off", 1);
  unlink(argv[0]);
  if (!team_start(folder, "played", threads, NULL))
    return false;
  fill(threads, callpaths, one_in);
  return true;
}
