/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli/run/options.h"

#include <stdlib.h>
#include <string.h>

#include "cli/ctl/rules.h"
#include "cli/run/run_internal.h"
#include "support/command/memory.h"
#include "support/few_busy.h"
#include "support/name_choice.h"

/* Without an argument: on. */
bool hd_run_take_setting(const struct hd_option_use *use) {
  struct hd_run_options *taken = use->choices;
  struct hd_settings ignored;
  const char *text = use->argument ? use->argument : "1";
  const char *expected = hd_setting_read(use->option->value, text, &ignored);
  taken->set[use->option->value] = text;
  return !expected || hd_option_expect(use, expected);
}

static bool take_counters_at(const struct hd_option_use *use) {
  struct hd_run_options *taken = use->choices;
  taken->set[HD_SET_COUNTERS_AT] = use->argument;
  return hd_run_counters_at_is_valid(use->argument) || hd_option_expect(use, "region, loop or all");
}

static bool take_list(const struct hd_option_use *use) {
  if (!hd_run_list_is_valid(use->argument))
    return hd_option_expect(use, use->option->expects);
  hd_run_list_add(use->field, use->argument);
  return true;
}

/* Alone: only the library is loaded. */
static bool take_routines(const struct hd_option_use *use) {
  struct hd_run_options *taken = use->choices;
  struct hd_name_choice choice;
  char why[256];
  taken->routines = HD_RUN_PRELOAD_YES;
  if (!use->argument)
    return true;
  if (!hd_name_choice_read(use->argument, &choice, why, sizeof why))
    return hd_option_refuse(use, "cannot use %s", why);
  hd_name_choice_free(&choice);
  hd_run_list_add(&taken->measured, use->argument);
  return true;
}

/* SIZE, or what it is to have, and SIZE behind a comma. */
static bool take_trace(const struct hd_option_use *use) {
  static const char only[] = "concurrency";
  struct hd_run_options *taken = use->choices;
  struct hd_settings ignored;
  const char *text = use->argument;
  const bool is_only = text && strncmp(text, only, strlen(only)) == 0 && strchr(",", text[strlen(only)]);
  if (is_only) {
    taken->set[HD_SET_TRACE_CONCURRENCY] = "1";
    text = text[strlen(only)] ? text + strlen(only) + 1 : NULL;
  }
  taken->set[use->option->value] = text ? text : "64M";
  const char *expected = hd_setting_read(HD_SET_TRACE, taken->set[use->option->value], &ignored);
  return !expected || hd_option_expect(use, "a size such as 64M, or concurrency, or both with a comma between them");
}

static bool take_trace_condition(const struct hd_option_use *use) {
  struct hd_run_options *taken = use->choices;
  taken->set[HD_SET_TRACE_WHEN] = use->argument;
  return hd_run_trace_condition_is_valid(use->argument) || hd_option_expect(use, use->option->expects);
}

#define SETTING(name) .take = hd_run_take_setting, .value = HD_SET_##name

const struct hd_option hd_run_shared_options[] = {
    {'d', "callpath-depth", "K", "keep the last K sites of a callpath (default 0: all of them)",
     SETTING(CALLPATH_DEPTH)},
    {0, "cycle-limit", "N",
     "fold a callpath that repeats its last N sites (default 1: every recursion\n"
     "folds; only without --callpath-depth)",
     SETTING(CYCLE_LIMIT)},
    {0, "unwind", "DEPTH",
     "look for at most DEPTH calling routines of each parallel region\n"
     "(default 64); 'off': none",
     SETTING(UNWIND)},
    {0, "overhead", "PERCENT",
     "how much of a thread's time Heddle's events may take before the finest\n"
     "are switched off for a while (default 2%); 'off': no limit",
     SETTING(OVERHEAD)},
    {0, "samples", "HZ",
     "look what each thread executes so often in a second of its processor\n"
     "time (default 100; 'heddle report --hot'); 'off': never",
     SETTING(SAMPLES)},
    {0, "memory", "SIZE",
     "how much memory Heddle may take in PROGRAM, besides 64k for each thread\n"
     "(default 4M); near the limit callpaths are shortened; 'off': no limit",
     SETTING(MEMORY)},
    {0, "critical-path", NULL,
     "follow the critical path: work, span, and which callpaths are on it\n"
     "('heddle report --critical-path'); without --overhead there is no limit then",
     SETTING(CRITICAL_PATH)},
    {0, "locks", NULL,
     "follow who holds what others wait for: locks, critical sections, ordered\n"
     "('heddle report --locks'); without --overhead there is no limit then",
     SETTING(LOCKS)},
    {0, "trace", "SIZE",
     "also write down when threads do what, in at most SIZE (default 64M): a\n"
     "trace ('heddle trace'); without --overhead there is no limit then.\n"
     "'concurrency' or 'concurrency,SIZE': only when the number of busy\n"
     "threads changes",
     .take = take_trace, .value = HD_SET_TRACE, .may_be_alone = true},
    {0, "trace-last", "SIZE",
     "likewise, but keep the end of the run, in at most SIZE: what is older is\n"
     "written over",
     .take = take_trace, .value = HD_SET_TRACE_LAST, .expects = "a size such as 64M"},
    {0, "trace-when", "CONDITION",
     "with --trace or --trace-last: write down only what happens while a\n"
     "phase of a name is open ('phase NAME'), or an instance of the parallel\n"
     "region that begins in that line of PROGRAM ('region FILE:LINE'); or, with\n"
     "--trace, while few threads are busy for long ('busy<=K for TIME')",
     .take = take_trace_condition, .expects = "'phase NAME', 'region FILE:LINE' or " HD_FEW_BUSY_EXPECTS},
    {0, "cpu-time", NULL, "also measure processor time, with a system call at every event", SETTING(CPU_TIME)},
    {'e', "events", "LIST",
     "count these events, comma-separated, for every callpath and thread;\n"
     "'heddle events' lists those of this machine",
     .take = take_list, .field = offsetof(struct hd_run_options, events), .expects = "comma-separated names of events"},
    {'g', "groups", "LIST",
     "count the events of these groups (IPC, CACHE, BRANCH, MEM, FLOPS, OS, ...:\n"
     "'heddle events --groups') or files, and report their metrics",
     .take = take_list, .field = offsetof(struct hd_run_options, groups),
     .expects = "comma-separated names of groups or files"},
    {0, "counters-at", "WHAT",
     "granularity of the counts, and so how often counters are read:\n"
     "'region', 'loop' (default: regions, loops, tasks) or 'all'",
     .take = take_counters_at},
    {0, "multiplex", NULL,
     "let events that cannot be counted together take turns; their counts are\n"
     "then estimates",
     SETTING(MULTIPLEX)},
    {0, "routines", "LIST",
     "measure the functions compiled with clang's -fxray-instrument that LIST\n"
     "chooses: +REGEX or -REGEX, comma-separated; the last that matches a name\n"
     "decides, and if the first has a '-' all others are chosen. Without LIST:\n"
     "preload libheddle.so, for routines compiled with -finstrument-functions\n"
     "and for markers. Needed only if PROGRAM is a script or loads them later:\n"
     "heddle sees in PROGRAM's file whether it has any",
     .take = take_routines, .may_be_alone = true},
    {0, "no-routines", NULL, "do not preload: markers count from the first OpenMP construct on", .take = hd_take_value,
     .field = offsetof(struct hd_run_options, routines), .value = HD_RUN_PRELOAD_NO},
    {0, "handout", NULL,
     "preload libheddle-entry.so, which tells how long the runtime takes to hand\n"
     "out chunks of loops and to create tasks. Needed only if PROGRAM is a script\n"
     "or loads its OpenMP code later: heddle sees in PROGRAM's file whether it has\n"
     "such loops or tasks",
     .take = hd_take_value, .field = offsetof(struct hd_run_options, handout), .value = HD_RUN_PRELOAD_YES},
    {0, "no-handout", NULL, "do not preload it: that time counts as busy time", .take = hd_take_value,
     .field = offsetof(struct hd_run_options, handout), .value = HD_RUN_PRELOAD_NO},
    {0, "no-mpi", NULL, "do not stand in front of MPI's functions: time in them counts as busy time",
     HD_OPTION_FLAG(struct hd_run_options, no_mpi)},
    {0, "gomp", NULL, "run a program built by GCC on LLVM's libomp", HD_OPTION_FLAG(struct hd_run_options, gomp)},
    {0, "libomp", "PATH", "the libomp for --gomp (default: the one the loader finds)",
     HD_OPTION_FILE(struct hd_run_options, libomp)},
    {0, "library", "PATH", "the libheddle.so to use (default: the one that belongs to this heddle)",
     HD_OPTION_FILE(struct hd_run_options, library)},
    {0},
};

static bool is_traced(const struct hd_run_options *taken) {
  return taken->set[HD_SET_TRACE] || taken->set[HD_SET_TRACE_LAST] || getenv(hd_setting_name(HD_SET_TRACE)) ||
         getenv(hd_setting_name(HD_SET_TRACE_LAST));
}

/* What is said of counters without any; two limits. */
bool hd_run_check_shared(const struct hd_usage *usage, const struct hd_run_options *taken) {
  const char *option = taken->set[HD_SET_MULTIPLEX]     ? "--multiplex"
                       : taken->set[HD_SET_COUNTERS_AT] ? "--counters-at"
                                                        : NULL;
  if (taken->set[HD_SET_TRACE] && taken->set[HD_SET_TRACE_LAST])
    return hd_usage_complain(usage, "either --trace or --trace-last: a trace keeps the run's begin or its end");
  if (taken->set[HD_SET_TRACE_WHEN] && !is_traced(taken))
    return hd_usage_complain(usage, "--trace-when belongs to --trace and --trace-last");
  if (taken->set[HD_SET_TRACE_LAST] && taken->set[HD_SET_TRACE_WHEN] &&
      hd_few_busy_is_meant(taken->set[HD_SET_TRACE_WHEN]))
    return hd_usage_complain(usage,
                             "--trace-when 'busy<=K for TIME' belongs to --trace, which then keeps SIZE of such times");
  return !option || hd_run_wants_counters(taken) ||
         hd_usage_complain(usage, "%s has no effect without events: name some with --events or --groups", option);
}

char *hd_run_option_text(const struct hd_option_use *use) {
  return hd_print("--%s%s%s", use->option->name, use->argument ? "=" : "", use->argument ? use->argument : "");
}

void hd_run_options_free(struct hd_run_options *options) {
  free(options->events);
  free(options->groups);
  free(options->measured);
  if (options->rules)
    hd_rules_free(options->rules);
  free(options->rules);
  options->events = NULL;
  options->groups = NULL;
  options->measured = NULL;
  options->rules = NULL;
}
