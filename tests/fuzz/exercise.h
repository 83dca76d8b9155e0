/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file exercise.h
 * Does with a profile whatever the command does: all reports, exports, sums and comparisons.
 */
#ifndef HEDDLE_FUZZ_EXERCISE_H
#define HEDDLE_FUZZ_EXERCISE_H

#include <stddef.h>
#include <stdio.h>

#include "output/model/model.h"

/** Reads the bytes; NULL: refused. Aborts when a refusal gives no reason, or one that no terminal should see. */
struct hd_model *fz_read(const void *bytes, size_t size);

/** Where what is printed goes. Closing it aborts when something was printed that no terminal should see. */
FILE *fz_open_sink(void);
void fz_close_sink(FILE *sink);

/** Prints it in one of the ways that there are, and sometimes exports it. Aborts when something is printed that no
 *  terminal should see. */
void fz_report(struct hd_model *model, uint32_t turn);

/** Shows its trace, if it has one, in one of the ways that there are, or the profile of a part. */
void fz_trace(struct hd_model *model, uint32_t turn);

/** Focuses and folds: changes the model. */
void fz_narrow(struct hd_model *model);

/** Merges it with another, or compares the two: both are read anew. */
void fz_combine(const void *bytes, size_t size, const void *other, size_t other_size, uint32_t turn);

#endif
