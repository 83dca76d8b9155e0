/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli/run/options.h"

#include <stdlib.h>
#include <string.h>

#include "cli/run/counters.h"
#include "support/byte_size.h"
#include "support/percent.h"

enum {
  OPTION_GOMP = HD_OPTION_LONG,
  OPTION_LIBOMP,
  OPTION_LIBRARY,
  OPTION_UNWIND,
  OPTION_OVERHEAD,
  OPTION_MEMORY,
  OPTION_CYCLE_LIMIT,
  OPTION_CPU_TIME,
  OPTION_COUNTERS_AT,
  OPTION_MULTIPLEX,
  OPTION_ROUTINES,
  OPTION_NO_ROUTINES
};
enum { DEPTH_MAX = 1000000 };

const struct hd_option hd_run_shared_options[HD_RUN_SHARED_COUNT] = {
    {'d', "callpath-depth", "K", "keep the last K sites of a callpath (default 0: all of them)"},
    {OPTION_CYCLE_LIMIT, "cycle-limit", "N",
     "fold a callpath that repeats its last N sites (default 1: every recursion\n"
     "folds; only without --callpath-depth)"},
    {OPTION_UNWIND, "unwind", "DEPTH",
     "look for at most DEPTH calling routines of each parallel region\n"
     "(default 64); 'off': none"},
    {OPTION_OVERHEAD, "overhead", "PERCENT",
     "of a thread's time that Heddle's events may cost before the finest are\n"
     "switched off for a while (default 2%); 'off': no limit"},
    {OPTION_MEMORY, "memory", "SIZE",
     "of memory that Heddle may take in PROGRAM, besides 64k for each thread\n"
     "(default 4M); near it callpaths are shortened; 'off': no limit"},
    {OPTION_CPU_TIME, "cpu-time", NULL, "measure processor time, too: a system call at every event"},
    {'e', "events", "LIST",
     "count these events, divided by commas, for every callpath and thread;\n"
     "'heddle events' lists those of this machine"},
    {'g', "groups", "LIST",
     "count the events of these groups (IPC, CACHE, BRANCH, MEM, FLOPS, OS, ...:\n"
     "'heddle events --groups') or files, and report what their formulas make of\n"
     "them"},
    {OPTION_COUNTERS_AT, "counters-at", "WHAT",
     "what events are told apart for, and so how often they are read:\n"
     "'region', 'loop' (default: regions, loops, tasks) or 'all'"},
    {OPTION_MULTIPLEX, "multiplex", NULL,
     "events that cannot be counted at the same time take turns; their counts\n"
     "are then estimates"},
    {OPTION_ROUTINES, "routines", NULL,
     "load libheddle.so with PROGRAM: for routines compiled with\n"
     "-finstrument-functions and for markers. Needed when PROGRAM is a script\n"
     "or loads them later; otherwise heddle sees what PROGRAM needs"},
    {OPTION_NO_ROUTINES, "no-routines", NULL,
     "leave that out: they count, if at all, from the first OpenMP construct on"},
    {OPTION_GOMP, "gomp", NULL, "run a program built by GCC on LLVM's libomp"},
    {OPTION_LIBOMP, "libomp", "PATH", "the libomp for --gomp (default: the one the loader finds)"},
    {OPTION_LIBRARY, "library", "PATH", "the libheddle.so to use (default: the one that belongs to this heddle)"},
};

/* Options that say no more than this. */
static void take_choice(struct hd_run_options *taken, int id, const char *argument) {
  switch (id) {
  case OPTION_GOMP:
    taken->gomp = true;
    break;
  case OPTION_LIBOMP:
    taken->libomp = argument;
    break;
  case OPTION_LIBRARY:
    taken->library = argument;
    break;
  case OPTION_CPU_TIME:
    taken->cpu_time = true;
    break;
  case OPTION_MULTIPLEX:
    taken->take_turns = true;
    break;
  case OPTION_ROUTINES:
    taken->routines = HD_RUN_ROUTINES_YES;
    break;
  case OPTION_NO_ROUTINES:
    taken->routines = HD_RUN_ROUTINES_NO;
    break;
  default:
    break;
  }
}

static bool take_count(const struct hd_usage *usage, const char **taken, const char *option, const char *argument,
                       unsigned long least) {
  unsigned long count = 0;
  *taken = argument;
  if (hd_arguments_number(argument, DEPTH_MAX, &count) && count >= least)
    return true;
  hd_arguments_complain(usage, "--%s takes a number from %lu to %d, not '%s'", option, least, DEPTH_MAX, argument);
  return false;
}

static bool take_unwind(const struct hd_usage *usage, struct hd_run_options *taken, const char *argument) {
  unsigned long depth = 0;
  taken->unwind = argument;
  if (strcmp(argument, "off") == 0 || (hd_arguments_number(argument, DEPTH_MAX, &depth) && depth > 0))
    return true;
  hd_arguments_complain(usage, "--unwind takes a number from 1 to %d, or off, not '%s'", DEPTH_MAX, argument);
  return false;
}

static bool take_memory(const struct hd_usage *usage, struct hd_run_options *taken, const char *argument) {
  uint64_t bytes;
  taken->memory = argument;
  if (!strcmp(argument, "off") || hd_size_read(argument, &bytes))
    return true;
  hd_arguments_complain(usage, "--memory takes a size, as 16M, or off, not '%s'", argument);
  return false;
}

static bool take_overhead(const struct hd_usage *usage, struct hd_run_options *taken, const char *argument) {
  uint64_t ppm;
  taken->overhead = argument;
  if (hd_share_read(argument, &ppm))
    return true;
  hd_arguments_complain(usage, "--overhead takes percent, from 0.0001 to 100, or off, not '%s'", argument);
  return false;
}

static bool take_list(const struct hd_usage *usage, char **taken, const char *option, const char *what,
                      const char *argument) {
  if (!hd_run_list_is_valid(argument)) {
    hd_arguments_complain(usage, "--%s takes names of %s, divided by commas, not '%s'", option, what, argument);
    return false;
  }
  if (hd_run_list_add(taken, argument))
    return true;
  hd_arguments_complain(usage, "out of memory");
  return false;
}

static bool take_counters_at(const struct hd_usage *usage, struct hd_run_options *taken, const char *argument) {
  taken->counters_at = argument;
  if (hd_run_counters_at_is_valid(argument))
    return true;
  hd_arguments_complain(usage, "--counters-at takes region, loop or all, not '%s'", argument);
  return false;
}

bool hd_run_take_shared(const struct hd_usage *usage, struct hd_run_options *taken, int id, const char *argument) {
  switch (id) {
  case 'e':
    return take_list(usage, &taken->events, "events", "events", argument);
  case 'g':
    return take_list(usage, &taken->groups, "groups", "groups or files", argument);
  case OPTION_COUNTERS_AT:
    return take_counters_at(usage, taken, argument);
  case 'd':
    return take_count(usage, &taken->depth, "callpath-depth", argument, 0);
  case OPTION_CYCLE_LIMIT:
    return take_count(usage, &taken->cycle_limit, "cycle-limit", argument, 1);
  case OPTION_UNWIND:
    return take_unwind(usage, taken, argument);
  case OPTION_MEMORY:
    return take_memory(usage, taken, argument);
  case OPTION_OVERHEAD:
    return take_overhead(usage, taken, argument);
  default:
    take_choice(taken, id, argument);
    return true;
  }
}

/* What is said of counters without any. */
bool hd_run_check_shared(const struct hd_usage *usage, const struct hd_run_options *taken) {
  const char *option = taken->take_turns ? "--multiplex" : taken->counters_at ? "--counters-at" : NULL;
  if (!option || hd_run_wants_counters(taken))
    return true;
  hd_arguments_complain(
      usage, "%s says how events are counted, but there are none: name some with --events or --groups", option);
  return false;
}

void hd_run_options_free(struct hd_run_options *options) {
  free(options->events);
  free(options->groups);
  options->events = NULL;
  options->groups = NULL;
}
