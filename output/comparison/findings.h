/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file findings.h
 * Why a point of a comparison loses time against the baseline: findings (output/analysis/findings/findings.h) of its median run,
 * less what the baseline loses to the same cause at the same place, and work that takes longer (inflation.c).
 *
 * Of thread counts only the largest is looked at; of sides every one.
 */
#ifndef HEDDLE_OUTPUT_COMPARISON_FINDINGS_H
#define HEDDLE_OUTPUT_COMPARISON_FINDINGS_H

#include "output/analysis/findings/findings.h"
#include "output/comparison/comparison.h"

struct hd_compared_finding {
  struct hd_finding finding;
  const struct hd_model *model; /* the run that its place and ticks are of */
  uint32_t point;
};

struct hd_compared_findings {
  struct hd_compared_finding *items; /* by the part of the run that they would gain, the largest first */
  size_t count;
};

/** None is below 2 % of its run, nor below 5 % where only repeats could tell it from noise and there are too few of
 *  them; none lies within the noise that the repeats show. */
struct hd_compared_findings hd_compared_findings_new(const struct hd_comparison *comparison);
void hd_compared_findings_free(struct hd_compared_findings *findings);

#endif
