/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file explain.h
 * What is wrong with a run, as text for people and as JSON. Names should have been resolved (resolve_names.h). Write
 * errors are left to `out`.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_EXPLAIN_EXPLAIN_H
#define HEDDLE_OUTPUT_VIEWS_EXPLAIN_EXPLAIN_H

#include <stdbool.h>
#include <stdio.h>

#include "output/analysis/findings/what_if.h"
#include "output/model/model.h"

/** Findings of at least 2 % of the run, or `all`: with evidence and what to try. */
void hd_explain_print(const struct hd_model *model, bool all, FILE *out);

/** The same as JSON (docs/explain.md). False: no memory. */
bool hd_explain_json(const struct hd_model *model, bool all, FILE *out);

/** How long the run would take then. The model must have the callpath. */
void hd_explain_what_if(const struct hd_model *model, const struct hd_what_if *question, FILE *out);
bool hd_explain_what_if_json(const struct hd_model *model, const struct hd_what_if *question, FILE *out);

/** What a loop's iterations cost, and its time under other schedules (advice.h). The model must have the callpath. */
void hd_explain_loop(const struct hd_model *model, uint32_t id, FILE *out);
bool hd_explain_loop_json(const struct hd_model *model, uint32_t id, FILE *out);

/** The first three findings for other reports: a line each, or two with what to try. Returns how many there are. */
size_t hd_explain_brief(const struct hd_model *model, bool attempts, FILE *out);

#endif
