/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file place_text.h
 * Lines of a report as text for people.
 */
#ifndef HEDDLE_OUTPUT_ANALYSIS_PLACE_TEXT_H
#define HEDDLE_OUTPUT_ANALYSIS_PLACE_TEXT_H

#include "output/analysis/callpaths/call_graph.h"
#include "output/analysis/lines/lines.h"
#include "output/model/node_text.h"

enum { HD_CALLPATH_BYTES = 2048 };

/** hd_node_text() of a line. The function is left out when it is `outer`'s; `outer` may be NULL. "... kernel
 * heat.c:10": the calls above it were not kept, and `outer` is not one of them. */
void hd_place_text(char place[HD_PLACE_BYTES], const struct hd_model *model, const struct hd_line *line,
                   const struct hd_line *outer);

/** A line with those above it, the innermost first: "critical cg.c:43 in dot < loop static cg.c:38 < ...". */
void hd_callpath_text(char text[HD_CALLPATH_BYTES], const struct hd_lines *view, uint32_t line);

/** "step heat.c:20 <cycle 1> [4]"; without the number in brackets when `numbered` is false. */
void hd_entry_text(char text[HD_PLACE_BYTES], const struct hd_graph *graph, uint32_t entry, bool numbered);

#endif
