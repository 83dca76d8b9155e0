/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file complain.h
 * Says what is wrong where a function then returns false.
 */
#ifndef HEDDLE_SUPPORT_COMMAND_COMPLAIN_H
#define HEDDLE_SUPPORT_COMMAND_COMPLAIN_H

#include <stdbool.h>

#include "support/log.h"

/** Writes a line to stderr, as hd_log does. Its value is false. */
#define HD_COMPLAIN(...) (hd_log(__VA_ARGS__), false)

/** "cannot WHAT PATH: " and what errno says. Always false. */
bool hd_complain_of(const char *what, const char *path);

#endif
