/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file outcome.h
 * How `heddle run` exits.
 */
#ifndef HEDDLE_CLI_RUN_OUTCOME_H
#define HEDDLE_CLI_RUN_OUTCOME_H

/** Exit statuses besides the program's own; those of env(1), timeout(1) and the shell. */
enum hd_run_exit { HD_RUN_FAILED = 125, HD_RUN_CANNOT_EXECUTE = 126, HD_RUN_NOT_FOUND = 127, HD_RUN_SIGNAL = 128 };

#endif
