/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file diagnose.h
 * Says why there is no profile, or why the program did not start.
 */
#ifndef HEDDLE_CLI_RUN_DIAGNOSE_H
#define HEDDLE_CLI_RUN_DIAGNOSE_H

#include "cli/run/environment.h"
#include "cli/run/options.h"
#include "cli/run/outcome.h"
#include "cli/run/watch.h"

/** Says on stderr why execvp failed with `error`, and the cure. */
void hd_run_explain_start(const char *command, int error);

/** After a program that aborted on the libomp of --gomp: says that its own runtime may still run it. */
void hd_run_explain_gomp(const struct hd_run_options *options, const struct hd_run_outcome *outcome);

/** Says on stderr why there is no profile, and the cure. */
void hd_run_diagnose(const struct hd_run_options *options, const struct hd_run_environment *environment,
                     const struct hd_run_watch *watch, const struct hd_run_outcome *outcome);

#endif
