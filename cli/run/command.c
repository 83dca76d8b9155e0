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
     "(default %n.%p.heddle); an existing file is kept and .1, .2, ... added"},
    {'q', "quiet", NULL, "print no summary"},
};

static const struct hd_option_section sections[] = {{.options = hd_run_shared_options, .count = HD_RUN_SHARED_COUNT}};

static const struct hd_usage usage = {
    .command = "run",
    .synopsis = "[options] [--] PROGRAM [ARGUMENT...]",
    .description = "Runs PROGRAM, writes a profile of every OpenMP process it consists of, and prints a summary on\n"
                   "stderr. The exit status is the program's (128+N when signal N ended it).",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .sections = sections,
    .section_count = sizeof sections / sizeof sections[0],
    .epilogue = "Exit status: 125 when heddle itself fails, 126 when PROGRAM cannot be executed, 127 when it is not\n"
                "found, 2 for wrong options, else the program's.",
    .in_order = true,
};

static bool take_output(struct hd_run_options *taken, const char *argument) {
  taken->output = argument;
  if (hd_output_name_is_valid(argument))
    return true;
  hd_arguments_complain(&usage, "--output takes a file name in which %%p, %%h, %%r, %%n or %%%% may stand, not '%s'",
                        argument);
  return false;
}

static bool take_option(void *context, int id, const char *argument) {
  struct hd_run_options *taken = context;
  switch (id) {
  case 'o':
    return take_output(taken, argument);
  case 'q':
    taken->quiet = true;
    return true;
  default:
    return hd_run_take_shared(&usage, taken, id, argument);
  }
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
  if (!hd_run_check_shared(&usage, taken))
    return HD_EXIT_USAGE;
  taken->command = argv + first;
  return run(taken);
}

int hd_cmd_run(int argc, char **argv) {
  struct hd_run_options taken = {0};
  const int status = take_and_run(&taken, argc, argv);
  hd_run_options_free(&taken);
  return status;
}
