/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file cmd_run.c
 * `heddle run [options] -- PROGRAM [ARGUMENT...]`: runs a program under libheddle.so and shows what it found.
 */
#include "command.h"
#include "run.h"
#include "support/arguments.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  OPTION_GOMP = HD_OPTION_LONG,
  OPTION_LIBOMP,
  OPTION_LIBRARY,
  OPTION_UNWIND,
  OPTION_CYCLE_LIMIT,
  OPTION_CPU_TIME,
  OPTION_COUNTERS_AT,
  OPTION_MULTIPLEX,
  OPTION_ROUTINES,
  OPTION_NO_ROUTINES
};
enum { DEPTH_MAX = 1000000 };

static const struct hd_option options[] = {
    {'o', "output", "NAME",
     "name of the profile: %p pid, %h host, %r rank, %n program, %% percent\n"
     "(default %n.%p.heddle); an existing file is kept and .1, .2, ... added"},
    {'d', "callpath-depth", "K", "keep the last K sites of a callpath (default 0: all of them)"},
    {OPTION_CYCLE_LIMIT, "cycle-limit", "N",
     "fold a callpath that repeats its last N sites (default 1: every recursion\n"
     "folds; only without --callpath-depth)"},
    {OPTION_UNWIND, "unwind", "DEPTH",
     "look for at most DEPTH calling routines of each parallel region\n"
     "(default 64); 'off': none"},
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
    {'q', "quiet", NULL, "print no summary"},
    {OPTION_GOMP, "gomp", NULL, "run a program built by GCC on LLVM's libomp"},
    {OPTION_LIBOMP, "libomp", "PATH", "the libomp for --gomp (default: the one the loader finds)"},
    {OPTION_LIBRARY, "library", "PATH", "the libheddle.so to use (default: the one that belongs to this heddle)"},
};

static const struct hd_usage usage = {
    .command = "run",
    .synopsis = "[options] [--] PROGRAM [ARGUMENT...]",
    .description = "Runs PROGRAM, writes a profile of every OpenMP process it consists of, and prints a summary on\n"
                   "stderr. The exit status is the program's (128+N when signal N ended it).",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .epilogue = "Exit status: 125 when heddle itself fails, 126 when PROGRAM cannot be executed, 127 when it is not\n"
                "found, 2 for wrong options, else the program's.",
    .in_order = true,
};

/* Options that say no more than this. */
static void take_choice(struct hd_run_options *taken, int id, const char *argument) {
  switch (id) {
  case 'q':
    taken->quiet = true;
    break;
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

static bool take_count(const char **taken, const char *option, const char *argument, unsigned long least) {
  unsigned long count = 0;
  *taken = argument;
  if (hd_arguments_number(argument, DEPTH_MAX, &count) && count >= least)
    return true;
  hd_arguments_complain(&usage, "--%s takes a number from %lu to %d, not '%s'", option, least, DEPTH_MAX, argument);
  return false;
}

static bool take_output(struct hd_run_options *taken, const char *argument) {
  taken->output = argument;
  if (hd_run_output_is_valid(argument))
    return true;
  hd_arguments_complain(&usage, "--output takes a file name in which %%p, %%h, %%r, %%n or %%%% may stand, not '%s'",
                        argument);
  return false;
}

static bool take_unwind(struct hd_run_options *taken, const char *argument) {
  unsigned long depth = 0;
  taken->unwind = argument;
  if (strcmp(argument, "off") == 0 || (hd_arguments_number(argument, DEPTH_MAX, &depth) && depth > 0))
    return true;
  hd_arguments_complain(&usage, "--unwind takes a number from 1 to %d, or off, not '%s'", DEPTH_MAX, argument);
  return false;
}

static bool take_list(char **taken, const char *option, const char *what, const char *argument) {
  if (!hd_run_list_is_valid(argument)) {
    hd_arguments_complain(&usage, "--%s takes names of %s, divided by commas, not '%s'", option, what, argument);
    return false;
  }
  if (hd_run_list_add(taken, argument))
    return true;
  hd_arguments_complain(&usage, "out of memory");
  return false;
}

static bool take_counters_at(struct hd_run_options *taken, const char *argument) {
  taken->counters_at = argument;
  if (hd_run_counters_at_is_valid(argument))
    return true;
  hd_arguments_complain(&usage, "--counters-at takes region, loop or all, not '%s'", argument);
  return false;
}

static bool take_option(void *context, int id, const char *argument) {
  struct hd_run_options *taken = context;
  switch (id) {
  case 'e':
    return take_list(&taken->events, "events", "events", argument);
  case 'g':
    return take_list(&taken->groups, "groups", "groups or files", argument);
  case OPTION_COUNTERS_AT:
    return take_counters_at(taken, argument);
  case 'o':
    return take_output(taken, argument);
  case 'd':
    return take_count(&taken->depth, "callpath-depth", argument, 0);
  case OPTION_CYCLE_LIMIT:
    return take_count(&taken->cycle_limit, "cycle-limit", argument, 1);
  case OPTION_UNWIND:
    return take_unwind(taken, argument);
  default:
    take_choice(taken, id, argument);
    return true;
  }
}

/* What is said of counters without any. */
static bool check(const struct hd_run_options *taken) {
  const char *option = taken->take_turns ? "--multiplex" : taken->counters_at ? "--counters-at" : NULL;
  if (!option || hd_run_wants_counters(taken))
    return true;
  hd_arguments_complain(
      &usage, "%s says how events are counted, but there are none: name some with --events or --groups", option);
  return false;
}

/* A descriptor that heddle opens must not take the place of a closed stdin, stdout or stderr, or messages would go
 * into it. The program still gets these as they were: closed. */
static void fill_standard_descriptors(void) {
  for (int fd = open("/dev/null", O_RDWR | O_CLOEXEC); fd >= 0; fd = open("/dev/null", O_RDWR | O_CLOEXEC))
    if (fd > STDERR_FILENO) {
      close(fd);
      return;
    }
}

/* The program has ended: what it left becomes profiles, before anything may interrupt. */
static void finish(const struct hd_run_options *taken, struct hd_run_environment *environment,
                   struct hd_run_watch *watch, const struct hd_run_signals *signals,
                   const struct hd_run_outcome *outcome) {
  struct hd_run_profiles profiles = {0};
  if (outcome->started)
    hd_run_collect(environment, watch, outcome, &profiles);
  hd_run_environment_remove(environment);
  hd_run_signals_restore(signals);
  if (profiles.count || profiles.running || profiles.unsaved)
    hd_run_summarize(&profiles, taken, environment);
  else if (outcome->started)
    hd_run_diagnose(taken, environment, watch, outcome);
  free(profiles.items);
}

/* Runs the program; all is decided. */
static int run(const struct hd_run_options *taken) {
  struct hd_run_environment environment;
  struct hd_run_signals signals;
  struct hd_run_outcome outcome;
  fill_standard_descriptors();
  if (!hd_run_environment_prepare(taken, &environment)) {
    hd_run_counters_free(&environment.counters);
    return HD_RUN_FAILED;
  }
  struct hd_run_watch *watch = hd_run_watch_start(&environment);
  const bool ran = hd_run_process(taken, &environment, watch, &signals, &outcome);
  finish(taken, &environment, watch, &signals, &outcome);
  hd_run_watch_stop(watch);
  return ran ? outcome.exit_status : HD_RUN_FAILED;
}

/* Like hd_cmd_run; what the options own is freed by the caller. */
static int take_and_run(struct hd_run_options *taken, int argc, char **argv) {
  int first = 0;
  switch (hd_arguments_parse(&usage, argc, argv, take_option, taken, &first)) {
  case HD_ARGUMENTS_HELP:
    return HD_EXIT_OK;
  case HD_ARGUMENTS_WRONG:
    return HD_EXIT_USAGE;
  case HD_ARGUMENTS_OK:
    break;
  }
  if (first >= argc) {
    hd_arguments_complain(&usage, "which program?");
    return HD_EXIT_USAGE;
  }
  if (!check(taken))
    return HD_EXIT_USAGE;
  taken->command = argv + first;
  return run(taken);
}

int hd_cmd_run(int argc, char **argv) {
  struct hd_run_options taken = {0};
  const int status = take_and_run(&taken, argc, argv);
  free(taken.events);
  free(taken.groups);
  return status;
}
