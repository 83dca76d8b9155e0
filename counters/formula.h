/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file formula.h
 * The formulas of a group of events: muParser's language, with the group's own numbers as variables.
 *
 * libmuparser is opened when the first formula is met, and nothing links it: Debian's brings libgomp along, which acts
 * on the environment when it is loaded (OMP_PROC_BIND would bind `heddle run`, and so the program, to one processor).
 */
#ifndef HEDDLE_COUNTERS_FORMULA_H
#define HEDDLE_COUNTERS_FORMULA_H

#include "counters/group.h"

/** muParser's own limits are beyond these; its C interface copies words of an error into 2 KiB without looking. */
enum { HD_FORMULA_BYTES_MOST = 1000, HD_ALIAS_BYTES_MOST = 63 };

struct hd_formula_error {
  int position; /* in the formula, in bytes from 0; -1: all of it */
  char why[300];
};

/** Makes formulas possible; false: `why` says why they are not. Later calls answer the same. */
bool hd_formula_open(char *why, size_t why_bytes);

/** Is the name an identifier: a letter or _, then letters, digits and _? */
bool hd_formula_is_identifier(const char *name);

/** What an identifier already means in a formula, in words; NULL: it is free for an event. */
const char *hd_formula_meaning(const char *name);

/** Fills the metric's parser, events and uses_elapsed from its formula. */
bool hd_formula_compile(struct hd_group *group, struct hd_metric *metric, struct hd_formula_error *error);

void hd_formula_free(void *parser);

#endif
