/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file command.h
 * A comparison, for commands whose options it has.
 */
#ifndef HEDDLE_CLI_COMPARE_COMMAND_H
#define HEDDLE_CLI_COMPARE_COMMAND_H

#include <stddef.h>

#include "cli/compare/options.h"
#include "output/views/compare/compare.h"

/** Gets the comparisons that could be made, at least one; returns an exit status. */
typedef int hd_compare_user(void *context, const struct hd_compare_series *series, size_t count);

/** Compares profiles and directories of profiles, and hands that over. Returns the exit status. */
int hd_compare_with(const struct hd_compare_choices *choices, char **operands, size_t count, hd_compare_user *use,
                    void *context);

/** Whether these choices are such as a comparison of MPI jobs can answer. False: the reason is on stderr. */
bool hd_compare_suits_jobs(const struct hd_compare_choices *choices);

/** Compares profiles and directories of profiles, or jobs. Returns the exit status of `heddle compare`. */
int hd_compare_run(const struct hd_compare_choices *choices, char **operands, size_t count);

#endif
