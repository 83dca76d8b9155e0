/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file formula.h
 * Formulas in muParser's language, over numbers of the caller's.
 *
 * libmuparser is opened when the first formula is met, and nothing links it: Debian's brings libgomp along, which acts
 * on the environment when it is loaded (OMP_PROC_BIND would bind `heddle run`, and so the program, to one processor).
 */
#ifndef HEDDLE_OUTPUT_METRICS_FORMULA_H
#define HEDDLE_OUTPUT_METRICS_FORMULA_H

#include <stdbool.h>
#include <stddef.h>

/** muParser's own limits are beyond these; its C interface copies words of an error into 2 KiB without looking. */
enum { HD_FORMULA_BYTES_MOST = 1000, HD_ALIAS_BYTES_MOST = 63 };

struct hd_formula_error {
  int position; /* in the formula, in bytes from 0; -1: all of it */
  char why[300];
};

/** Makes formulas possible; false: `why` says why they are not. Later calls answer the same. */
bool hd_formula_open(char *why, size_t why_bytes);

/** Whether the name is an identifier: a letter or _, then letters, digits and _. */
bool hd_formula_is_identifier(const char *name);

/** What an identifier already means in any formula, in words; NULL: it is free for a variable. */
const char *hd_formula_meaning(const char *name);

struct hd_formula_variable {
  const char *name;
  double *value; /* the caller's; must outlive the formula */
};

/** The names that a formula may use. */
struct hd_formula_scope {
  const struct hd_formula_variable *variables;
  size_t count;
  bool dotted;           /* names may have dots */
  const char *what;      /* the variables are: "event of this group" */
  const char *otherwise; /* said of an unknown name when none is near; NULL: nothing */
};

/** NULL: `error` says what is wrong with the formula. Only when hd_formula_open() made them possible; free with
 *  hd_formula_free(). The scope need not outlive it. */
void *hd_formula_new(const char *formula, const struct hd_formula_scope *scope, struct hd_formula_error *error);
void hd_formula_free(void *parser);

/** Whether the formula uses the variable whose value is there. */
bool hd_formula_uses(void *parser, const double *value);

/** For the values that the variables have now. NaN: it has none (divided by zero). */
double hd_formula_value(void *parser);

#endif
