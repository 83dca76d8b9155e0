/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file process.h
 * Starts the program, forwards signals, waits.
 */
#ifndef HEDDLE_CLI_RUN_PROCESS_H
#define HEDDLE_CLI_RUN_PROCESS_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "cli/run/environment.h"
#include "cli/run/options.h"
#include "cli/run/outcome.h"
#include "cli/run/watch.h"

/** Signals that were blocked for the run; given back by hd_run_signals_restore. */
struct hd_run_signals {
  sigset_t mask;
  struct sigaction child_action;
};

/**
 * Runs the command to its end. Signals that others send to heddle meanwhile go on to the program; those that the
 * terminal sends reach it anyway. They stay blocked until hd_run_signals_restore, so that a profile is not lost on
 * the way. The program gets descriptors, directory, signal mask and dispositions as heddle got them.
 * False: heddle itself failed, the reason is on stderr.
 */
bool hd_run_process(const struct hd_run_options *options, const struct hd_run_environment *environment,
                    struct hd_run_watch *watch, struct hd_run_signals *signals, struct hd_run_outcome *outcome);

void hd_run_signals_restore(const struct hd_run_signals *signals);

#endif
