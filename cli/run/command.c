/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file command.c
 * `heddle run [options] -- PROGRAM [ARGUMENT...]`: runs a program under libheddle.so and shows what it found.
 */
#include "cli/command.h"
#include "cli/ctl/rules.h"
#include "cli/program/output_name.h"
#include "cli/run/run_internal.h"
#include "counters/sample_ring.h"
#include "support/command/memory.h"
#include "support/command/options.h"
#include "support/inprocess/seccomp.h"
#include "support/mpi_rank.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One number for each level of nesting. */
static bool take_threads(const struct hd_option_use *use) {
  const char *text = use->argument;
  for (size_t digits = strspn(text, "0123456789"); digits > 0; digits = strspn(text, "0123456789")) {
    if (strspn(text, "0") == digits)
      break;
    text += digits;
    if (*text != ',')
      break;
    text++;
  }
  if (*text || text == use->argument || text[-1] == ',')
    return hd_option_expect(use, use->option->expects);
  *(const char **)use->field = use->argument;
  return true;
}

/* Of two files the second counts. */
static bool take_rules(const struct hd_option_use *use) {
  struct hd_run_options *taken = use->choices;
  char error[PATH_MAX + 512];
  if (!taken->rules)
    taken->rules = hd_new(1, sizeof *taken->rules);
  else
    hd_rules_free(taken->rules);
  return hd_rules_read(use->argument, taken->rules, error, sizeof error) || hd_option_refuse(use, "%s", error);
}

/* Without an argument: for the usual time. */
static bool take_one_file(const struct hd_option_use *use) {
  struct hd_run_options *taken = use->choices;
  struct hd_settings settings = {0};
  taken->set[HD_SET_ONE_FILE] = use->argument ? use->argument : "60";
  return (!hd_setting_read(HD_SET_ONE_FILE, taken->set[HD_SET_ONE_FILE], &settings) && settings.one_file > 0) ||
         hd_option_expect(use, use->option->expects);
}

static const struct hd_option options[] = {
    {'o', "output", "NAME",
     "name of the profile: %p pid, %h host, %r rank, %n program, %% percent\n"
     "(default %n.%p.heddle); an existing file is kept and .1, .2, ... added",
     .take = hd_take_output_name, .field = offsetof(struct hd_run_options, output)},
    {'t', "threads", "N", "run with N threads (OMP_NUM_THREADS); N,M: M in each nested region", .take = take_threads,
     .field = offsetof(struct hd_run_options, threads), .expects = "a number of threads"},
    {0, "dormant", NULL,
     "measure nothing, at next to no cost, until 'heddle ctl PID on' or\n"
     "heddle_resume() in PROGRAM (docs/ctl.md)",
     .take = hd_run_take_setting, .value = HD_SET_DORMANT},
    {0, "only", "CLASS,...",
     "measure all events of these classes and of regions; all others in short\n"
     "windows only, from which the rest is estimated (docs/ctl.md)",
     .take = hd_run_take_setting, .value = HD_SET_ONLY},
    {0, "search", NULL,
     "measure regions alone, and for a short time each what a hypothesis about\n"
     "lost time needs; print what was tested, found and ruled out (docs/search.md)",
     HD_OPTION_FLAG(struct hd_run_options, search)},
    {0, "measure", "FILE",
     "measure by the rules in FILE, one on each line: 'off CLASS,...' and, in\n"
     "callpaths through a match only, 'off' or 'on CLASS,... under REGEX'\n"
     "(docs/run.md)",
     .take = take_rules},
    {0, "one-file", "SECONDS",
     "the ranks of an MPI job write one file for 'heddle job' when they end, in\n"
     "MPI_Finalize, instead of a profile each; a rank waits at most SECONDS\n"
     "(default 60) for the others to come there (docs/mpi.md)",
     .take = take_one_file, .may_be_alone = true, .expects = "a number of seconds"},
    {0, "all-ranks", NULL, "with --one-file: keep each rank's time in every place, also where it matters little",
     .take = hd_run_take_setting, .value = HD_SET_ALL_RANKS},
    {0, "rank-files", NULL, "with --one-file: also write each rank's profile", .take = hd_run_take_setting,
     .value = HD_SET_RANK_FILES},
    {'q', "quiet", NULL, "print no summary", HD_OPTION_FLAG(struct hd_run_options, quiet)},
    {0, "progress", NULL,
     "on a terminal, show elapsed time, busy threads and the current region in a\n"
     "line that comes after 2 s; mixes with what PROGRAM writes to the terminal",
     HD_OPTION_FLAG(struct hd_run_options, progress)},
    HD_OPTION_COLOR,
    {0},
};

static const struct hd_option_section sections[] = {{.options = hd_run_shared_options}, {0}};

static const struct hd_usage usage = {
    .command = "run",
    .synopsis = "[options] [--] PROGRAM [ARGUMENT...]",
    .description = "Runs PROGRAM, writes a profile of each of its OpenMP processes, and prints a summary on stderr.\n"
                   "The exit status is the program's (128+N when signal N ended it).",
    .options = options,
    .sections = sections,
    .epilogue = "Exit status: 125 when heddle itself fails, 126 when PROGRAM cannot be executed, 127 when it is not\n"
                "found, 2 for wrong options, else the program's.",
    .none = "missing PROGRAM",
    .in_order = true,
};

static void begin_with_regions(struct hd_run_options *taken) {
  if (taken->search && !taken->set[HD_SET_ONLY])
    taken->set[HD_SET_ONLY] = "region";
}

static bool check_search(const struct hd_run_options *taken) {
  return !taken->search || !taken->set[HD_SET_DORMANT] ||
         hd_usage_complain(&usage, "--search needs a measurement, so it does not go with --dormant");
}

static bool check_rules(const struct hd_run_options *taken) {
  if (taken->rules && taken->search)
    return hd_usage_complain(&usage, "either --search or --measure: each decides what is measured");
  return !taken->rules || !taken->set[HD_SET_DORMANT] ||
         hd_usage_complain(&usage, "--measure needs a measurement, so it does not go with --dormant");
}

static bool check_dormant(const struct hd_run_options *taken) {
  return !taken->set[HD_SET_DORMANT] || !taken->set[HD_SET_CRITICAL_PATH] ||
         hd_usage_complain(&usage, "--critical-path needs the whole run, so it does not go with --dormant");
}

/* A rank's trace is in its profile alone. */
static bool check_one_file(const struct hd_run_options *taken) {
  const char *const *set = taken->set;
  if (!set[HD_SET_ONE_FILE] && !getenv(hd_setting_name(HD_SET_ONE_FILE)))
    return !(set[HD_SET_ALL_RANKS] || set[HD_SET_RANK_FILES]) ||
           hd_usage_complain(&usage, "--all-ranks and --rank-files go with --one-file");
  if (taken->no_mpi && set[HD_SET_ONE_FILE])
    return hd_usage_complain(&usage, "--one-file needs what --no-mpi leaves out");
  return set[HD_SET_RANK_FILES] || !(set[HD_SET_TRACE] || set[HD_SET_TRACE_LAST]) ||
         hd_usage_complain(&usage, "a job's file has no trace: --one-file with a trace needs --rank-files");
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
static void finish(struct hd_run *run) {
  const struct hd_run_profiles *profiles = &run->profiles;
  if (run->outcome.started)
    hd_run_collect(run);
  hd_run_environment_remove(run);
  hd_run_signals_restore(&run->signals);
  hd_no_memory_status = run->outcome.exit_status; /* what the program did counts, if no summary can be made */
  if (profiles->count || profiles->running || profiles->unsaved || run->jobs.count)
    hd_run_summarize(run);
  else if (run->outcome.started)
    hd_run_diagnose(run);
  hd_run_explain_gomp(run);
  free(profiles->items);
  for (size_t i = 0; i < run->jobs.count; i++)
    free(run->jobs.paths[i]);
  free(run->jobs.paths);
}

/* The machine's first event of that kind takes the kernel some milliseconds: here they are not the program's. The ring
 * goes with this process. Under a filter of system calls nothing is tried, as in the program. */
static void prepare_kernel_to_sample(const struct hd_run_options *taken) {
  static struct hd_sample_ring ring;
  const char *samples = taken->set[HD_SET_SAMPLES];
  hd_seccomp_init();
  const bool may_ask = samples ? strcmp(samples, "off") != 0 : !hd_seccomp_was_there();
  hd_seccomp_leave();
  if (may_ask)
    hd_sample_ring_open(&ring, UINT64_C(1) << 60, 1);
}

/* Runs the program; all is decided. */
static int run_program(const struct hd_run_options *taken) {
  struct hd_run run = {.options = taken};
  fill_standard_descriptors();
  if (!hd_run_environment_prepare(&run)) {
    hd_run_counters_free(&run.counters);
    return HD_RUN_FAILED;
  }
  prepare_kernel_to_sample(taken);
  run.watch = hd_run_watch_start(&run);
  const bool ran = hd_run_process(&run);
  finish(&run);
  hd_run_watch_stop(run.watch);
  return ran ? run.outcome.exit_status : HD_RUN_FAILED;
}

int hd_cmd_run(int argc, char **argv) {
  struct hd_run_options taken = {0};
  int first = 0;
  int status = HD_EXIT_USAGE;
  hd_no_memory_status = HD_RUN_FAILED;
  if (hd_options_read(&usage, argc, argv, &taken, &first, &status)) {
    taken.command = argv + first;
    taken.quiet |= hd_mpi_rank_find().rank > 0; /* one summary for a job */
    begin_with_regions(&taken);
    const bool goes_together = hd_run_check_shared(&usage, &taken) && check_dormant(&taken) && check_search(&taken) &&
                               check_rules(&taken) && check_one_file(&taken);
    status = goes_together ? run_program(&taken) : HD_EXIT_USAGE;
  }
  hd_run_options_free(&taken);
  return status;
}
