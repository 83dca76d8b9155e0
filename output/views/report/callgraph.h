/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file callgraph.h
 * Between the files of the call graph only: its arcs in order, who calls a cycle, the index at its end, rows on paper.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_REPORT_CALLGRAPH_H
#define HEDDLE_OUTPUT_VIEWS_REPORT_CALLGRAPH_H

#include "output/views/report/report_internal.h"

/** Arcs of every entry, the one with the largest inclusive time first, an entry's arc to itself left out: those from
 *  its parents are parents[parents_first[e]] to parents[parents_first[e + 1] - 1]; likewise its children. */
struct hd_graph_lists {
  uint32_t *parents, *parents_first;
  uint32_t *children, *children_first;
};
void hd_graph_lists_make(struct hd_graph_lists *lists, const struct hd_graph *graph);
void hd_graph_lists_free(struct hd_graph_lists *lists);

/** Whether an arc leads from one member of a cycle to another. */
bool hd_graph_is_inner(const struct hd_graph *graph, const struct hd_graph_arc *arc);

/** Who calls a cycle from outside, the most expensive first. */
struct hd_graph_caller {
  uint32_t entry;
  uint64_t visits;
  uint64_t visits_concurrent;
  uint64_t self_ticks;
  uint64_t inclusive_ticks;
};

/** Returns their number; `*callers` is the caller's to free. */
uint32_t hd_graph_cycle_callers(const struct hd_graph *graph, uint32_t cycle, struct hd_graph_caller **callers);

/** The first `shown` blocks' entries by name, with their numbers. */
void hd_report_index(const struct hd_graph *graph, const struct hd_graph_block *blocks, uint32_t shown, FILE *out);

/** Rows of the text: their user data in the table. */
enum hd_callgraph_row { HD_CALLGRAPH_PRIMARY, HD_CALLGRAPH_ARC, HD_CALLGRAPH_TEXT, HD_CALLGRAPH_RULE };
#define HD_CALLGRAPH_INDEX "Index" /* the title of the column with the entries' numbers */
void hd_report_callgraph_rows(struct hd_table *grid, FILE *out);

/** What the columns and rows mean. `whole`: what Time% is a part of. */
void hd_report_callgraph_legend(const char *whole, FILE *out);

#endif
