/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli/run/options.h"

#include <stdlib.h>

#include "cli/run/counters.h"

/* Without an argument: on. */
static bool take_setting(const struct hd_option_use *use) {
  struct hd_run_options *taken = use->choices;
  const char *takes;
  const char *text = use->argument ? use->argument : "1";
  taken->set[use->option->value] = text;
  return hd_setting_is_valid(use->option->value, text, &takes) || hd_option_expect(use, takes);
}

static bool take_counters_at(const struct hd_option_use *use) {
  struct hd_run_options *taken = use->choices;
  taken->set[HD_SET_COUNTERS_AT] = use->argument;
  return hd_run_counters_at_is_valid(use->argument) || hd_option_expect(use, "region, loop or all");
}

static bool take_list(const struct hd_option_use *use) {
  if (!hd_run_list_is_valid(use->argument))
    return hd_option_expect(use, use->option->expects);
  return hd_run_list_add(use->field, use->argument) || hd_usage_complain(use->usage, "out of memory");
}

const struct hd_option hd_run_shared_options[] = {
    {'d', "callpath-depth", "K", "keep the last K sites of a callpath (default 0: all of them)", .take = take_setting,
     .value = HD_SET_CALLPATH_DEPTH},
    {0, "cycle-limit", "N",
     "fold a callpath that repeats its last N sites (default 1: every recursion\n"
     "folds; only without --callpath-depth)",
     .take = take_setting, .value = HD_SET_CYCLE_LIMIT},
    {0, "unwind", "DEPTH",
     "look for at most DEPTH calling routines of each parallel region\n"
     "(default 64); 'off': none",
     .take = take_setting, .value = HD_SET_UNWIND},
    {0, "overhead", "PERCENT",
     "of a thread's time that Heddle's events may cost before the finest are\n"
     "switched off for a while (default 2%); 'off': no limit",
     .take = take_setting, .value = HD_SET_OVERHEAD},
    {0, "memory", "SIZE",
     "of memory that Heddle may take in PROGRAM, besides 64k for each thread\n"
     "(default 4M); near it callpaths are shortened; 'off': no limit",
     .take = take_setting, .value = HD_SET_MEMORY},
    {0, "cpu-time", NULL, "measure processor time, too: a system call at every event", .take = take_setting,
     .value = HD_SET_CPU_TIME},
    {'e', "events", "LIST",
     "count these events, divided by commas, for every callpath and thread;\n"
     "'heddle events' lists those of this machine",
     .take = take_list, .field = offsetof(struct hd_run_options, events),
     .expects = "names of events, divided by commas"},
    {'g', "groups", "LIST",
     "count the events of these groups (IPC, CACHE, BRANCH, MEM, FLOPS, OS, ...:\n"
     "'heddle events --groups') or files, and report what their formulas make of\n"
     "them",
     .take = take_list, .field = offsetof(struct hd_run_options, groups),
     .expects = "names of groups or files, divided by commas"},
    {0, "counters-at", "WHAT",
     "what events are told apart for, and so how often they are read:\n"
     "'region', 'loop' (default: regions, loops, tasks) or 'all'",
     .take = take_counters_at},
    {0, "multiplex", NULL,
     "events that cannot be counted at the same time take turns; their counts\n"
     "are then estimates",
     .take = take_setting, .value = HD_SET_MULTIPLEX},
    {0, "routines", NULL,
     "load libheddle.so with PROGRAM: for routines compiled with\n"
     "-finstrument-functions and for markers. Needed when PROGRAM is a script\n"
     "or loads them later; otherwise heddle sees what PROGRAM needs",
     .take = hd_take_value, .field = offsetof(struct hd_run_options, routines), .value = HD_RUN_ROUTINES_YES},
    {0, "no-routines", NULL, "leave that out: they count, if at all, from the first OpenMP construct on",
     .take = hd_take_value, .field = offsetof(struct hd_run_options, routines), .value = HD_RUN_ROUTINES_NO},
    {0, "gomp", NULL, "run a program built by GCC on LLVM's libomp", .take = hd_take_flag,
     .field = offsetof(struct hd_run_options, gomp)},
    {0, "libomp", "PATH", "the libomp for --gomp (default: the one the loader finds)", .take = hd_take_text,
     .field = offsetof(struct hd_run_options, libomp), .expects = "the name of a file"},
    {0, "library", "PATH", "the libheddle.so to use (default: the one that belongs to this heddle)",
     .take = hd_take_text, .field = offsetof(struct hd_run_options, library), .expects = "the name of a file"},
    {0},
};

/* What is said of counters without any. */
bool hd_run_check_shared(const struct hd_usage *usage, const struct hd_run_options *taken) {
  const char *option = taken->set[HD_SET_MULTIPLEX]     ? "--multiplex"
                       : taken->set[HD_SET_COUNTERS_AT] ? "--counters-at"
                                                        : NULL;
  return !option || hd_run_wants_counters(taken) ||
         hd_usage_complain(
             usage, "%s says how events are counted, but there are none: name some with --events or --groups", option);
}

void hd_run_options_free(struct hd_run_options *options) {
  free(options->events);
  free(options->groups);
  options->events = NULL;
  options->groups = NULL;
}
