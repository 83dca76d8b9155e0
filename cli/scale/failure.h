/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file failure.h
 * Shows a run that failed.
 */
#ifndef HEDDLE_CLI_SCALE_FAILURE_H
#define HEDDLE_CLI_SCALE_FAILURE_H

#include "cli/scale/run_step.h"

/** Shows a run that failed: its command, why, and the end of its output, which is kept as "t4.r2.failed.out". */
void hd_scale_failure_show(const struct hd_scale_plan *plan, const struct hd_scale_store *store,
                           const struct hd_scale_step *step, const struct hd_scale_outcome *outcome, const char *why);

#endif
