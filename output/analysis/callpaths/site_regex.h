/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file site_regex.h
 * Which sites a user means by a regular expression.
 *
 * POSIX extended, found anywhere in one of a site's texts: its function's name (as the linker's demangler writes it,
 * and as reports do, without parameters), a phase's name, and "KIND FILE:LINE" ("loop static heat.c:42",
 * "routine heat.c:10", without a line number "routine app+0x1234").
 */
#ifndef HEDDLE_OUTPUT_ANALYSIS_SITE_REGEX_H
#define HEDDLE_OUTPUT_ANALYSIS_SITE_REGEX_H

#include <regex.h>
#include <stdio.h>

#include "output/model/model.h"
#include "support/command/options.h"

/** Whether the expression can be used; if not, `error` holds the reason. */
bool hd_site_regex_is_valid(const char *expression, char *error, size_t error_bytes);

/** An option's argument that is such an expression. const char *. */
hd_option_taker hd_take_site_regex;

/** By node id, whether its site is meant; to be freed by the caller. The expression is valid. `*count` is how many are.
 */
bool *hd_site_regex_nodes(const struct hd_model *model, const char *expression, uint32_t *count);

/** By node id, whether it is one whose site is meant, or lies below one; likewise. */
bool *hd_site_regex_callpaths(const struct hd_model *model, const char *expression, uint32_t *count);

/** Says that nothing was matched, with names that are near. */
void hd_site_regex_complain(const struct hd_model *model, const char *expression, FILE *errors);

#endif
