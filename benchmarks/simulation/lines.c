/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How many lines of memory go from one thread to another because of Heddle, construct by construct: written by one
 * thread and then read or written by another. Counted from the addresses that the library touches while one thread
 * plays a team (play.h), in the steady state, sweeps included. Constructs come in turn in a region, whose own lines are
 * subtracted. Threads do a microsecond of work for each, or before the first where it has no work in it, varied at
 * random, so that they arrive in changing order.
 *
 * usage: lines [threads ...]      default: 2 4 16
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "play.h"

#define REGIONS 200
#define TIMES 32 /* a construct in a region */

enum { TEAMS_MOST = 16, UNTIMED = 100, WORK_NS = 1000 };

static const struct construct {
  const char *title, *name;
} constructs[] = {{"region", NULL},
                  {"loop and its barrier", "loop"},
                  {"loop, nowait", "nowait"},
                  {"single, nowait", "single"},
                  {"barrier", "barrier"},
                  {"critical", "critical"},
                  {"task, and its barrier", "task"}};
enum { CONSTRUCTS = sizeof constructs / sizeof *constructs };

static struct figures empty[TEAMS_MOST]; /* of regions without constructs */

/* In each region TIMES of them. */
static bool count_lines(struct play *base, const struct construct *construct, uint32_t threads,
                        struct figures *figures) {
  char text[32] = "";
  if (construct->name)
    snprintf(text, sizeof text, "%s*%d", construct->name, TIMES);
  base->constructs = text;
  base->program.threads = threads;
  base->program.work_ps = (uint64_t)WORK_NS * PS_OF_NS * (construct->name ? TIMES : 1);
  return play(base, figures);
}

/* What the region itself adds is left out; its part of the sweeps is in proportion to its events. */
static void leave_out(struct figures *figures, const struct figures *region) {
  figures->lines = (figures->lines - region->lines) / TIMES;
  figures->runtime_lines = (figures->runtime_lines - region->runtime_lines) / TIMES;
  for (int i = 0; i < NAMES_KEPT; i++) {
    for (int j = 0; j < NAMES_KEPT; j++)
      if (!strcmp(figures->names[i].name, region->names[j].name))
        figures->names[i].lines -= region->names[j].lines;
    figures->names[i].lines /= TIMES;
  }
}

static void print_names(const struct figures *figures, double least) {
  const char *before = "";
  for (int i = 0; i < NAMES_KEPT; i++) {
    const struct named_lines *its = &figures->names[i];
    if (its->lines / REGIONS < least)
      continue;
    printf("%s%s %.2g", before, its->name, its->lines / REGIONS);
    before = ", ";
  }
}

static bool print_row(struct play *base, const struct construct *construct, const uint32_t *teams, int count) {
  struct figures figures = {.calls = 0};
  printf("| %s |", construct->title);
  for (int i = 0; i < count; i++) {
    if (!count_lines(base, construct, teams[i], &figures))
      return false;
    if (construct->name)
      leave_out(&figures, &empty[i]);
    else
      empty[i] = figures;
    printf(" %.2f |", (figures.lines - figures.runtime_lines) / teams[i]);
  }
  printf(" %.2f | ", figures.runtime_lines / teams[count - 1]);
  print_names(&figures, 0.05);
  puts(" |");
  fflush(stdout);
  return true;
}

static void print_head(const uint32_t *teams, int count) {
  printf("Lines of a thread for each construct that another thread has written; then the runtime's own, and what the\n"
         "lines are in all threads of the last team together.\n\n|  |");
  for (int i = 0; i < count; i++)
    printf(" %u threads |", teams[i]);
  printf(" runtime's | structures, %u threads |\n| --- |", teams[count - 1]);
  for (int i = 0; i < count + 2; i++)
    printf(" --- |");
  puts("");
}

int main(int argc, char **argv) {
  char folder[4096], work[] = "/tmp/heddle-lines.XXXXXX", profile[sizeof work + 16];
  uint32_t teams[TEAMS_MOST] = {2, 4, 16};
  int count = argc > 1 ? 0 : 3;
  const ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 1);
  folder[length > 0 ? length : 0] = 0;
  *(strrchr(folder, '/') ? strrchr(folder, '/') : folder) = 0;
  for (int i = 1; i < argc && count < TEAMS_MOST; i++) {
    teams[count++] = (uint32_t)atoi(argv[i]);
    if (teams[count - 1] < 1 || teams[count - 1] > 2048) {
      fputs("usage: lines [threads ...]\n", stderr);
      return 2;
    }
  }
  if (!mkdtemp(work))
    return 1;
  snprintf(profile, sizeof profile, "%s/profile", work);
  struct play base = {.mode = PLAY_COUNTED,
                      .folder = folder,
                      .profile = profile,
                      .untimed = UNTIMED,
                      .regions = REGIONS,
                      .names_lines = true,
                      .program = {.work_ps = WORK_NS * PS_OF_NS, .jitter = 0.5}};
  for (int i = 0; i < PLACES; i++)
    base.costs[i] =
        (struct costs){.access_ps = 300, .usual = UINT64_MAX, .line_ps = 50 * PS_OF_NS, .lines_ps = 20 * PS_OF_NS};
  print_head(teams, count);
  bool done = true;
  for (int i = 0; done && i < CONSTRUCTS; i++)
    done = print_row(&base, &constructs[i], teams, count);
  rmdir(work);
  return done ? 0 : 1;
}
