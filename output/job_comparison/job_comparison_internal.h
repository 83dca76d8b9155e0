/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file job_comparison_internal.h
 * For the files of this folder only.
 */
#ifndef HEDDLE_OUTPUT_JOB_COMPARISON_INTERNAL_H
#define HEDDLE_OUTPUT_JOB_COMPARISON_INTERNAL_H

#include "output/job_comparison/job_comparison.h"

/** losses.c: a job's elapsed time, and the late rank's time in a place (NULL: it is not there). */
void hd_job_parts_of(const struct hd_job *job, double part_s[HD_JOB_PARTS]);
void hd_job_parts_of_place(const struct hd_job *job, const struct hd_job_place *place, double part_s[HD_JOB_PARTS]);

/** losses.c: from the parts here and at the baseline, and both by repeat. `ratio` is P0 / P. */
struct hd_job_loss hd_job_loss_between(const double base_s[HD_JOB_PARTS], const double here_s[HD_JOB_PARTS],
                                       const struct hd_sample samples[2], double ratio);

double hd_job_sum_of_parts(const double part_s[HD_JOB_PARTS]);

/** rows.c: places of all jobs. */
void hd_job_compare_places(struct hd_job_comparison *comparison);

/** moved.c: of two sides, finds which places are the same though their lines differ. */
void hd_job_match_moved(struct hd_job_comparison *comparison);

/** compared_findings.c: of a comparison that has all else. */
void hd_job_compared_findings_add(struct hd_job_comparison *comparison);

#endif
