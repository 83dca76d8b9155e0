/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file progress.h
 * The bar with runs done and time left, on stderr.
 */
#ifndef HEDDLE_CLI_SCALE_PROGRESS_H
#define HEDDLE_CLI_SCALE_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/scale/plan.h"

/** Seconds on a clock that nobody sets. */
double hd_scale_now_s(void);

struct hd_scale_progress {
  const struct hd_scale_plan *plan;
  bool quiet;
  bool bar;       /* stderr is a terminal */
  int shown;      /* columns of the bar that stand there */
  size_t running; /* the step */
  double begin_s; /* of it */
};

void hd_scale_progress_start(struct hd_scale_progress *progress, const struct hd_scale_plan *plan);

/** A step begins. */
void hd_scale_progress_begin(struct hd_scale_progress *progress, size_t step);

/** It is still running: draws the bar again. */
void hd_scale_progress_tick(struct hd_scale_progress *progress);

/** It has ended. */
void hd_scale_progress_end(struct hd_scale_progress *progress);

/** Takes the bar away, for other lines. */
void hd_scale_progress_clear(struct hd_scale_progress *progress);

#endif
