/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file sort.h
 * What the lines of a report and the entries of a call graph are sorted by.
 */
#ifndef HEDDLE_OUTPUT_ANALYSIS_SORT_H
#define HEDDLE_OUTPUT_ANALYSIS_SORT_H

/** Its name, and that of the option's argument. SELF: busy time of its own; INCLUSIVE: with what lies below. */
#define HD_SORTS(SORT)                                                                                                 \
  SORT(GAIN, "gain")                                                                                                   \
  SORT(ELAPSED, "elapsed")                                                                                             \
  SORT(WALL, "wall")                                                                                                   \
  SORT(BUSY, "busy")                                                                                                   \
  SORT(WAIT, "wait")                                                                                                   \
  SORT(CALLS, "calls")                                                                                                 \
  SORT(IMBALANCE, "imbalance")                                                                                         \
  SORT(NAME, "name")                                                                                                   \
  SORT(SELF, "self")                                                                                                   \
  SORT(INCLUSIVE, "inclusive")

#define HD_SORT_NUMBER(name, words) HD_SORT_##name,
enum hd_sort { HD_SORTS(HD_SORT_NUMBER) HD_SORT_COUNT };
#undef HD_SORT_NUMBER

#endif
