/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file limits.h
 * What a trace does not have of the run, in words: the same wherever it is said.
 */
#ifndef HEDDLE_OUTPUT_TRACE_LIMITS_H
#define HEDDLE_OUTPUT_TRACE_LIMITS_H

#include "output/model/model.h"

/** `text` goes on after "the trace". */
typedef void hd_trace_limit_teller(void *context, const char *text);

/** Calls `tell`, unless it is NULL, for each: it begins late, ends early, has stretches. Returns how many; 0: the trace
 * is whole, or there is none. */
unsigned hd_trace_limits(const struct hd_model *model, hd_trace_limit_teller *tell, void *context);

/** Says them on stderr, a line each. */
void hd_trace_tell_limits(const struct hd_model *model);

/** The stretches, or the first of them: "0.200000 s to 0.310000 s, ...". Free with free(). */
char *hd_trace_stretches_text(const struct hd_model *model);

#endif
