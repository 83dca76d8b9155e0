/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "each.h"

#include <stdio.h>

enum { TIMES_MOST = 1024, UNTIMED = 8, REGIONS = 24 };

/* Tasks come with a barrier, which is subtracted. */
enum { REGION, LOOP, SINGLE, BARRIER, CRITICAL, TASK, NAMES };
static const char *const names[NAMES] = {"region", "loop", "single", "barrier", "critical", "task"};

/* Of a region with so many of them. */
static bool find_ns(struct play *play_now, enum play_mode mode, double *ns) {
  struct figures figures;
  play_now->mode = mode;
  const bool done = play(play_now, &figures);
  *ns = (double)figures.times.elapsed / PS_OF_NS / (double)figures.times.regions;
  return done;
}

/* By how much regions with so many of them last longer. */
static bool find_added(struct play *play_now, double *ns) {
  double with = 0, without = 0;
  const bool done = find_ns(play_now, PLAY_COUNTED, &with) && find_ns(play_now, PLAY_NOTHING, &without);
  *ns = with - without;
  return done;
}

/* Many in a region: threads that sweep must have the time to take turns. */
static bool find_each(struct play *play_now, double ns[NAMES]) {
  const uint32_t room = (MOST_STEPS - 16) / (play_now->program.threads + 6);
  const uint32_t times = room < TIMES_MOST ? room : TIMES_MOST;
  struct play regions = *play_now;
  regions.constructs = "";
  regions.untimed *= TIMES_MOST;
  regions.regions *= TIMES_MOST;
  if (!find_added(&regions, &ns[REGION]))
    return false;
  for (int i = 1; i < NAMES; i++) {
    char text[32];
    snprintf(text, sizeof text, "%s*%u", names[i], times);
    play_now->constructs = text;
    if (!find_added(play_now, &ns[i]))
      return false;
    ns[i] = (ns[i] - ns[REGION]) / times;
  }
  ns[TASK] = (ns[TASK] - ns[BARRIER]) / play_now->program.threads; /* each makes one task for each thread */
  return true;
}

static bool print_row(struct play *play_now) {
  double ns[NAMES];
  if (!find_each(play_now, ns))
    return false;
  printf("| %u |", play_now->program.threads);
  for (int i = 0; i < NAMES; i++)
    printf(" %.1f |", ns[i]);
  puts("");
  return true;
}

bool each_print(const struct play *base, const uint32_t *teams, int count) {
  struct play play_now = *base;
  printf("\nHow much longer each construct takes, in ns, with nothing in it.\n\n| threads |");
  for (int i = 0; i < NAMES; i++)
    printf(" %s |", names[i]);
  puts("\n| --- | --- | --- | --- | --- | --- | --- |");
  play_now.program.work_ps = 0;
  play_now.untimed = UNTIMED;
  play_now.regions = REGIONS;
  for (int i = 0; i < count; i++) {
    play_now.program.threads = teams[i];
    if (!print_row(&play_now))
      return false;
  }
  return true;
}
