/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file definition.h
 * What a scan is, as kept in scan.json, and what must not differ when it goes on.
 */
#ifndef HEDDLE_CLI_SCALE_DEFINITION_H
#define HEDDLE_CLI_SCALE_DEFINITION_H

#include <jansson.h>
#include <stdbool.h>

#include "cli/scale/plan.h"

/** Finds the file that each set runs and takes a hash of its content. */
void hd_scale_programs_find(struct hd_scale_plan *plan);

/** Whether a set's file is still what it was. */
bool hd_scale_program_is_same(struct hd_scale_set *set);

/** What scan.json has to say about this plan; `before` is what is there, NULL: nothing. NULL: no memory. */
json_t *hd_scale_definition_make(const struct hd_scale_plan *plan, const json_t *before);

/** Whether a scan that is there and the one that is asked for are the same but for thread counts, repeats and
 *  parameters' values. */
bool hd_scale_definition_fits(const struct hd_scale_plan *plan, const json_t *before, const json_t *asked);

#endif
