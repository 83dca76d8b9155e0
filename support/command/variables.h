/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file variables.h
 * Variables of the environment that look like Heddle's and are not: misspelt ones have no effect.
 */
#ifndef HEDDLE_SUPPORT_COMMAND_VARIABLES_H
#define HEDDLE_SUPPORT_COMMAND_VARIABLES_H

/** One of them; `meant`: the variable that it is nearest to; NULL: it is near to none. */
typedef void hd_variable_visit(void *context, const char *name, const char *meant);

/** Calls `visit` for each HEDDLE_... that Heddle does not know. */
void hd_variables_each_unknown(hd_variable_visit *visit, void *context);

/** Says so on stderr, a line for each. */
void hd_variables_warn(void);

#endif
