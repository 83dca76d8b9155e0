/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file child.h
 * Questions that a child answers: what it loads, opens and breaks stays out of this process.
 */
#ifndef HEDDLE_CLI_PROGRAM_CHILD_H
#define HEDDLE_CLI_PROGRAM_CHILD_H

#include <sys/types.h>

/** In the child: finds the answer and writes it to `to`. What it prints goes nowhere. */
typedef void hd_child_task(void *context, int to);

/** Reads at most `bytes` of the answer. Returns how many there were; -1: there was no child. `status` is waitpid's. */
ssize_t hd_child_ask(hd_child_task *task, void *context, void *answer, size_t bytes, int *status);

#endif
