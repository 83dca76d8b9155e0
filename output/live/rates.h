/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file rates.h
 * How many events come, what they cost, and which are off: of a program that runs.
 */
#ifndef HEDDLE_OUTPUT_LIVE_RATES_H
#define HEDDLE_OUTPUT_LIVE_RATES_H

#include "output/model/model.h"

struct hd_live_rate {
  double per_second; /* events of all threads */
  double ns;         /* one of them, on average; NAN: there was none */
  double share;      /* of its time they cost the thread that they cost most */
  uint32_t thread;   /* that one */
};

struct hd_live_rates {
  double seconds;                                  /* 0: the clock stood */
  struct hd_live_rate classes[HD_CLASS_COUNT + 1]; /* HD_CLASS_FIXED: what is never switched off */
  struct hd_live_rate all;
};

/** Of the time between two readings; `before` NULL: of the run. */
struct hd_live_rates hd_live_rates_between(const struct hd_model *before, const struct hd_model *after);

/** What is off now. */
struct hd_live_off {
  bool asked;       /* everywhere, as was asked for, or */
  bool in_part;     /* but in some regions */
  uint32_t regions; /* so many callpaths of regions, by the budget */
  double share;     /* what it had cost the thread that it cost most; 0: not known */
};
struct hd_live_off hd_live_off_now(const struct hd_model *model, enum hd_event_class event_class);

#endif
