/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file command.c
 * `heddle run [options] -- PROGRAM [ARGUMENT...]`: runs a program under libheddle.so and shows what it found.
 */
#include "cli/command.h"
#include "cli/program/output_name.h"
#include "cli/run/collect.h"
#include "cli/run/diagnose.h"
#include "cli/run/environment.h"
#include "cli/run/options.h"
#include "cli/run/process.h"
#include "cli/run/summary.h"
#include "cli/run/watch.h"
#include "support/command/options.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct hd_option options[] = {
    {'o', "output", "NAME",
     "name of the profile: %p pid, %h host, %r rank, %n program, %% percent\n"
     "(default %n.%p.heddle); an existing file is kept and .1, .2, ... added",
     .take = hd_take_output_name, .field = offsetof(struct hd_run_options, output)},
    {'q', "quiet", NULL, "print no summary", .take = hd_take_flag, .field = offsetof(struct hd_run_options, quiet)},
    {0},
};

static const struct hd_option_section sections[] = {{.options = hd_run_shared_options}, {0}};

static const struct hd_usage usage = {
    .command = "run",
    .synopsis = "[options] [--] PROGRAM [ARGUMENT...]",
    .description = "Runs PROGRAM, writes a profile of each of its OpenMP processes, and prints a summary on stderr. "
                   "The exit status is the program's (128+N when signal N ended it).",
    .options = options,
    .sections = sections,
    .epilogue = "Exit status: 125 when heddle itself fails, 126 when PROGRAM cannot be executed, 127 when it is not\n"
                "found, 2 for wrong options, else the program's.",
    .none = "which program?",
    .in_order = true,
};

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
    hd_run_collect(environment, outcome, &profiles);
  hd_run_environment_remove(environment);
  hd_run_signals_restore(signals);
  if (profiles.count || profiles.running || profiles.unsaved)
    hd_run_summarize(&profiles, taken, environment);
  else if (outcome->started)
    hd_run_diagnose(taken, environment, watch, outcome);
  hd_run_explain_gomp(taken, outcome);
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

int hd_cmd_run(int argc, char **argv) {
  struct hd_run_options taken = {0};
  int first = 0;
  int status = HD_EXIT_USAGE;
  if (hd_options_read(&usage, argc, argv, &taken, &first, &status)) {
    taken.command = argv + first;
    status = hd_run_check_shared(&usage, &taken) ? run(&taken) : HD_EXIT_USAGE;
  }
  hd_run_options_free(&taken);
  return status;
}
