/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file part_hint.h
 * How to ask for the profile of what a view of a trace shows.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_TRACE_PART_HINT_H
#define HEDDLE_OUTPUT_VIEWS_TRACE_PART_HINT_H

#include <stdint.h>
#include <stdio.h>

#include "output/model/model.h"

/** "The profile of the longest: heddle report --from 1.5 --to 2.5 FILE"; nothing, where there may be no profile of a part. */
void hd_trace_print_part_hint(const struct hd_model *model, const char *of, uint64_t from_ticks, uint64_t to_ticks,
                              FILE *out);

#endif
