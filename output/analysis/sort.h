/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file sort.h
 * What the lines of a report and the entries of a call graph are sorted by.
 */
#ifndef HEDDLE_OUTPUT_ANALYSIS_SORT_H
#define HEDDLE_OUTPUT_ANALYSIS_SORT_H

enum hd_sort {
  HD_SORT_GAIN,
  HD_SORT_ELAPSED,
  HD_SORT_WALL,
  HD_SORT_BUSY,
  HD_SORT_WAIT,
  HD_SORT_CALLS,
  HD_SORT_IMBALANCE,
  HD_SORT_NAME,
  HD_SORT_SELF,      /* busy time of its own */
  HD_SORT_INCLUSIVE, /* busy time with what lies below */
  HD_SORT_COUNT
};

/** "gain", "elapsed", ... */
extern const char *const hd_sort_names[HD_SORT_COUNT];

#endif
