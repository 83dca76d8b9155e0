/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file summary.h
 * Names the profiles of a run and shows the most important one.
 */
#ifndef HEDDLE_CLI_RUN_SUMMARY_H
#define HEDDLE_CLI_RUN_SUMMARY_H

#include "cli/run/collect.h"
#include "cli/run/environment.h"
#include "cli/run/options.h"

/** Caches symbol names in the profiles and, unless `options->quiet`, prints at most 25 lines about them on stderr. */
void hd_run_summarize(const struct hd_run_profiles *profiles, const struct hd_run_options *options,
                      const struct hd_run_environment *environment);

#endif
