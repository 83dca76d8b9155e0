/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file source_lines.h
 * The numbers of a profile by file and line of the source: those of all callpaths that end in a construct there, and
 * the samples of its code.
 */
#ifndef HEDDLE_OUTPUT_ANALYSIS_SOURCE_LINES_H
#define HEDDLE_OUTPUT_ANALYSIS_SOURCE_LINES_H

#include "output/model/model.h"

struct hd_source_line {
  const char *file; /* as the compiler wrote it; belongs to the model */
  uint32_t line;
  double gain_ticks; /* of regions that begin there; of other constructs if there is none */
  double busy_ticks; /* of the constructs themselves, without what lies below them */
  double wait_ticks;
  double samples; /* of code of this line, while busy */
};

struct hd_source_lines {
  struct hd_source_line *items; /* by file and line */
  size_t count;
  double samples; /* of the whole program, while busy */
};

/** Lines with a number. Names of nodes and samples should have been resolved. Free with hd_source_lines_free(). */
struct hd_source_lines hd_source_lines_new(const struct hd_model *model);
void hd_source_lines_free(struct hd_source_lines *lines);

#endif
