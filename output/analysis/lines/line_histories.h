/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file line_histories.h
 * Lines of a report in time.
 */
#ifndef HEDDLE_OUTPUT_ANALYSIS_LINE_HISTORIES_H
#define HEDDLE_OUTPUT_ANALYSIS_LINE_HISTORIES_H

#include "output/analysis/lines/lines.h"

/** Of the nodes that the line stands for, added up, with `node` as the line's; NULL: none has a history. The caller
 * frees it, in one piece. */
struct hd_history *hd_line_history(const struct hd_lines *view, uint32_t line);

#endif
