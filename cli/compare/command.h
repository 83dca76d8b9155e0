/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file command.h
 * A comparison, for commands whose options it has.
 */
#ifndef HEDDLE_CLI_COMPARE_COMMAND_H
#define HEDDLE_CLI_COMPARE_COMMAND_H

#include <stddef.h>

#include "cli/compare/options.h"

/** Compares profiles and directories of profiles. Returns the exit status of `heddle compare`. */
int hd_compare_run(const struct hd_compare_choices *choices, char **operands, size_t count);

#endif
