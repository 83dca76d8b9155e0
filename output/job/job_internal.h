/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file job_internal.h
 * For the files of this folder only.
 */
#ifndef HEDDLE_OUTPUT_JOB_INTERNAL_H
#define HEDDLE_OUTPUT_JOB_INTERNAL_H

#include "output/analysis/losses/losses.h"
#include "output/job/job.h"

/** places.c: what a rank spent in all of its callpaths. */
void hd_job_add_places(struct hd_job *job, uint32_t rank, const struct hd_loss_book *book);

/** places.c: a place's numbers over all ranks, of which order[i] becomes the i-th. */
void hd_job_place_sum_up(struct hd_job_place *place, const uint32_t *order, size_t ranks);

void hd_job_place_free(struct hd_job_place *place);

/** timeline.c: of a rank, and of a job whose ranks have theirs. */
void hd_job_rank_find_timeline(struct hd_job_rank *rank, const struct hd_model *model);
void hd_job_find_timeline(struct hd_job *job);

/** job_findings.c: of a job that has all else. */
void hd_job_add_findings(struct hd_job *job);

#endif
