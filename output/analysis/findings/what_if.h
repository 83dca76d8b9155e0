/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file what_if.h
 * How long a run would take if one thing were different: by the times and gains that findings rest on (findings.h).
 *
 *     ID=balanced        no thread works longer than others in that callpath: its losses to uneven work are gone
 *     ID without CAUSE   likewise any cause of findings ("critical", "scheduling", ...)
 *     ID*FACTOR          its work takes so much of the time
 *     threads=N          other threads, on the processors there are
 *
 * ID is a callpath's number; what lies below it is part of it.
 */
#ifndef HEDDLE_OUTPUT_ANALYSIS_WHAT_IF_H
#define HEDDLE_OUTPUT_ANALYSIS_WHAT_IF_H

#include "output/analysis/findings/findings.h"

enum hd_change { HD_CHANGE_WITHOUT, HD_CHANGE_WORK, HD_CHANGE_THREADS };

struct hd_what_if {
  enum hd_change change;
  uint32_t node;       /* HD_CHANGE_WITHOUT, _WORK */
  enum hd_cause cause; /* HD_CHANGE_WITHOUT */
  double factor;       /* HD_CHANGE_WORK: 0 or more */
  uint32_t threads;    /* HD_CHANGE_THREADS: 1 or more */
};

/** The run's elapsed time then, in ticks. low <= elapsed <= high. */
struct hd_prediction {
  double elapsed_ticks, low_ticks, high_ticks;
  enum hd_basis basis;
};

/** Reads a question. False: it is none, and `error` says why. Whether there is such a callpath is not asked. */
bool hd_what_if_read(const char *text, struct hd_what_if *question, char *error, size_t error_bytes);

/** The model must have the callpath. */
struct hd_prediction hd_what_if_predict(const struct hd_model *model, const struct hd_what_if *question);

#endif
