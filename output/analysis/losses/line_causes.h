/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file line_causes.h
 * Why the lines of a report lose time: the causes of losses.h, summed over a line's nodes; and what is lost outside all
 * regions.
 */
#ifndef HEDDLE_OUTPUT_ANALYSIS_LINE_CAUSES_H
#define HEDDLE_OUTPUT_ANALYSIS_LINE_CAUSES_H

#include "output/analysis/lines/lines.h"
#include "output/analysis/losses/losses.h"

struct hd_line_causes {
  struct hd_losses *lines; /* by line, with the lines below */
  struct hd_losses program;
  struct hd_losses outside;
  uint32_t threads; /* a thread's part of the losses is wall time */
  bool known;       /* false: callpaths were left out or cut, and everything is 0 */
};

struct hd_main_cause {
  enum hd_loss cause; /* HD_LOSS_NONE: nothing is lost */
  double share;       /* of all that is lost */
};

/** Of a view without lines of routines. To be freed with hd_line_causes_free(). */
struct hd_line_causes hd_line_causes_of(const struct hd_lines *view);
void hd_line_causes_free(struct hd_line_causes *causes);

/** The cause of most of the losses. */
struct hd_main_cause hd_main_cause_of(const struct hd_losses *losses);

/** All of them, in thread ticks. */
double hd_losses_all(const struct hd_losses *losses);

/** How long no region ran, and what is lost meanwhile, in wall ticks. */
double hd_outside_elapsed(const struct hd_line_causes *causes);
double hd_outside_loss(const struct hd_line_causes *causes);

#endif
