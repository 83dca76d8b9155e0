/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file call_graph_views.h
 * Between the files of the report only: the views in which routines are lines of their own.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_REPORT_CALL_GRAPH_VIEWS_H
#define HEDDLE_OUTPUT_VIEWS_REPORT_CALL_GRAPH_VIEWS_H

#include "output/analysis/call_graph.h"
#include "output/views/render/table.h"

bool hd_report_flat(const struct hd_graph *graph, const struct hd_report_options *options, FILE *out);
bool hd_report_flat_csv(const struct hd_graph *graph, const struct hd_report_options *options, FILE *out);

/** After a run: at most `limit` of what has most time of its own, in few columns. */
bool hd_report_flat_brief(const struct hd_graph *graph, uint32_t limit, FILE *out);

bool hd_report_callgraph(const struct hd_graph *graph, const struct hd_report_options *options, FILE *out);
bool hd_report_callgraph_csv(const struct hd_graph *graph, const struct hd_report_options *options, FILE *out);
bool hd_report_tree(const struct hd_model *model, const struct hd_report_options *options, FILE *out);

/** HD_REPORT_REFUSED: nothing matches `options->callers`, which `errors` says. */
enum hd_report_end hd_report_callers(const struct hd_graph *graph, const struct hd_report_options *options, FILE *out,
                                     FILE *errors);

/** Answers one of the questions above. */
enum hd_report_end hd_report_routines(const struct hd_model *model, const struct hd_report_options *options, FILE *out,
                                      FILE *errors);

/** What was asked for besides the question, above every report: callpaths in focus, the depth they are cut to. */
void hd_report_scope(const struct hd_model *model, const struct hd_report_options *options, FILE *out);

/** Below the views: that there are no routines, or none with calls and times of their own, and how to get them. */
void hd_report_routine_hint(bool any, bool measured, const struct hd_model *model, FILE *out);

/** "step heat.c:20 <cycle 1> [4]"; without the number in brackets when `numbered` is false. */
void hd_entry_text(char text[HD_PLACE_BYTES], const struct hd_graph *graph, uint32_t entry, bool numbered);

/** Cells: a time in ticks, "-" when it is not known; a count likewise; a percentage of `whole`. */
void hd_cell_ticks(char cell[HD_CELL_BYTES], const struct hd_model *model, const struct hd_unit *unit, uint64_t ticks,
                   bool known);
void hd_cell_count(char cell[HD_CELL_BYTES], uint64_t count, bool known);
void hd_cell_percent(char cell[HD_CELL_BYTES], double part, double whole, bool known);

/** Comma-separated values: a place of the source, and a count or nothing. */
void hd_csv_node_names(FILE *out);
void hd_csv_node(const struct hd_model *model, const struct hd_node *node, FILE *out);
void hd_csv_count(uint64_t count, bool known, FILE *out);

#endif
