/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file findings_internal.h
 * Between the files of a comparison's findings only.
 */
#ifndef HEDDLE_OUTPUT_COMPARISON_FINDINGS_INTERNAL_H
#define HEDDLE_OUTPUT_COMPARISON_FINDINGS_INTERNAL_H

#include "output/comparison/findings.h"

/** Single runs of the same thing differ by a few per cent. */
#define HD_FINDING_LEAST_UNREPEATED 0.05

/** The ticks of a run below which nothing is a finding. */
double hd_compared_finding_least(const struct hd_model *model, bool noise_known);

void hd_compared_finding_add(struct hd_compared_findings *findings, const struct hd_finding *finding,
                             const struct hd_model *model, uint32_t point);

/** inflation.c: regions in which threads needed more busy time for the same work. */
void hd_inflation_find(const struct hd_comparison *comparison, uint32_t point, struct hd_compared_findings *findings);

/** A row whose work takes longer, for inflation_say.c. */
struct hd_inflation {
  const struct hd_comparison *comparison;
  uint32_t row;
  uint32_t point;
  double worked_s[2]; /* thread time with a processor at the baseline, and at the point */
  double shares[2];   /* of the processor time that was wanted there; NAN: not known */
};

/** inflation_say.c: evidence, why as far as that is known, and what to try. */
void hd_inflation_say(const struct hd_inflation *inflation, struct hd_finding *finding);

#endif
