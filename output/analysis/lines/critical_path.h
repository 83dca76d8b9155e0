/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file critical_path.h
 * The critical path by lines of a report: what faster lines could bring, and what more threads could.
 */
#ifndef HEDDLE_OUTPUT_ANALYSIS_CRITICAL_PATH_H
#define HEDDLE_OUTPUT_ANALYSIS_CRITICAL_PATH_H

#include "output/analysis/lines/lines.h"

/** A line's part in it. */
struct hd_line_path {
  uint64_t own_ticks;       /* of the critical path, in the line itself */
  uint64_t inclusive_ticks; /* and with those below it */
  uint64_t span_ticks;      /* the program: the critical path; regions, trees of tasks: the instances' spans, summed */
  uint64_t work_ticks;      /* busy time: likewise; of others, with the lines below */
  uint64_t instances;       /* 0: it has no span */
};

/** By line. The caller frees. */
struct hd_line_path *hd_line_paths_of(const struct hd_lines *view);

/** Why the profile has no critical path; NULL: it has one. */
const char *hd_path_missing(const struct hd_model *model);

/** Why it may be longer than what is known, a sentence: the `index`-th reason. NULL: there are no more. */
const char *hd_path_lack(const struct hd_model *model, uint32_t index);

#endif
