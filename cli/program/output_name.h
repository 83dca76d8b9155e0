/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file output_name.h
 * Name templates of profiles: %p pid, %h host, %r rank, %n program, %% percent.
 */
#ifndef HEDDLE_CLI_PROGRAM_OUTPUT_NAME_H
#define HEDDLE_CLI_PROGRAM_OUTPUT_NAME_H

#include <stdbool.h>

#include "support/command/options.h"

/** Takes --output NAME: const char *, in which all %x have to be ones that heddle knows. */
hd_option_taker hd_take_output_name;

/** Makes an absolute name template, in PATH_MAX bytes, of `name`: of a directory the default name in it; NULL or "":
 *  of $HEDDLE_OUTPUT, which has to be as an argument of --output, else the default name. No device or pipe. False: the
 *  reason is on stderr. */
bool hd_output_name_template(const char *name, char *path);

#endif
