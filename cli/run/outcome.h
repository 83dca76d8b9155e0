/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file outcome.h
 * How a program that `heddle run` started has ended.
 */
#ifndef HEDDLE_CLI_RUN_OUTCOME_H
#define HEDDLE_CLI_RUN_OUTCOME_H

#include <stdbool.h>
#include <sys/types.h>

/** Exit statuses besides the program's own; those of env(1), timeout(1) and the shell. */
enum hd_run_exit { HD_RUN_FAILED = 125, HD_RUN_CANNOT_EXECUTE = 126, HD_RUN_NOT_FOUND = 127, HD_RUN_SIGNAL = 128 };

struct hd_run_outcome {
  pid_t pid;
  int exit_status; /* as a shell reports it */
  int signal;      /* that ended the program; 0: none */
  bool started;    /* false: exec failed; the reason is on stderr, exit_status says which */
};

#endif
