/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file line_counts.h
 * Counts of what the reports show: lines, threads in a line, the entries and arcs of the call graph.
 */
#ifndef HEDDLE_OUTPUT_ANALYSIS_LINE_COUNTS_H
#define HEDDLE_OUTPUT_ANALYSIS_LINE_COUNTS_H

#include "output/analysis/callpaths/call_graph.h"
#include "output/analysis/lines/lines.h"
#include "output/model/count_sums.h"

/** Sums by line of a view: exclusive or inclusive; by thread, of one line and those below. NULL: without
 *  counters. */
struct hd_count_sum *hd_lines_count(const struct hd_lines *view, bool inclusive);
struct hd_count_sum *hd_lines_count_threads(const struct hd_lines *view, uint32_t line);

/** Of a call graph: by entry, arc and cycle. All NULL without counters. */
struct hd_graph_counts {
  struct hd_count_sum *own, *inclusive; /* by entry */
  struct hd_count_sum *arcs;            /* by arc, inclusive: of the child, below its outermost callpaths */
  struct hd_count_sum *cycles;          /* by number - 1, inclusive */
};
struct hd_graph_counts hd_graph_count(const struct hd_graph *graph);
void hd_graph_counts_free(struct hd_graph_counts *counts);

/** For metrics: elapsed ticks of an entry, those of the program as far as was counted; or NaN. */
double hd_graph_entry_elapsed(const struct hd_graph *graph, const struct hd_graph_entry *entry);

#endif
