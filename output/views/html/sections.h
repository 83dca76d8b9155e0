/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file sections.h
 * The page's parts, from top to bottom. Each is a <section>, or nothing where the profile has nothing of it.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_HTML_SECTIONS_H
#define HEDDLE_OUTPUT_VIEWS_HTML_SECTIONS_H

#include <stdio.h>

#include "output/model/model.h"

void hd_html_heading(const struct hd_model *model, FILE *out);
void hd_html_findings(const struct hd_model *model, FILE *out);
void hd_html_levels(const struct hd_model *model, FILE *out);    /* for how long how many threads were busy */
void hd_html_callpaths(const struct hd_model *model, FILE *out); /* all of them, one row each */
void hd_html_threads(const struct hd_model *model, FILE *out);
void hd_html_loops(const struct hd_model *model, FILE *out); /* chunks of loops */
void hd_html_tasks(const struct hd_model *model, FILE *out);
void hd_html_hot(const struct hd_model *model, FILE *out);
void hd_html_counters(const struct hd_model *model, FILE *out);
void hd_html_overhead(const struct hd_model *model, FILE *out); /* with the notes */
void hd_html_source(const struct hd_model *model, FILE *out);

/** The text of a callpath's last site, as a link to its row. */
void hd_html_place(const struct hd_model *model, const struct hd_node *node, FILE *out);

#endif
