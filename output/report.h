/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file report.h
 * A profile as text for people.
 */
#ifndef HEDDLE_OUTPUT_REPORT_H
#define HEDDLE_OUTPUT_REPORT_H

#include <stdio.h>

#include "output/model.h"

enum hd_sort {
  HD_SORT_GAIN,
  HD_SORT_ELAPSED,
  HD_SORT_BUSY,
  HD_SORT_WAIT,
  HD_SORT_CALLS,
  HD_SORT_IMBALANCE,
  HD_SORT_NAME,
  HD_SORT_COUNT
};

/** "gain", "elapsed", ...; by enum hd_sort. */
extern const char *const hd_sort_names[HD_SORT_COUNT];

struct hd_report_options {
  enum hd_sort sort;
  unsigned long limit; /* lines of the table; 0: all */
  bool threads;        /* the tables per thread instead of the one per region */
  bool csv;
};

/** The report. Names should have been resolved (names.h). False: no memory. Write errors are left to `out`. */
bool hd_report_print(const struct hd_model *model, const struct hd_report_options *options, FILE *out);

/** At most 20 lines for the end of `heddle run`: what ran, and the regions that lose most. */
void hd_report_summary(const struct hd_model *model, FILE *out);

#endif
