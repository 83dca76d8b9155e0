/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file job_view_internal.h
 * For the files of this folder only.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_JOB_INTERNAL_H
#define HEDDLE_OUTPUT_VIEWS_JOB_INTERNAL_H

#include "output/job/job.h"
#include "output/views/render/columns.h"
#include "output/views/render/document.h"
#include "output/views/render/json.h"

/** json.c: a rank's number, or null; where a place is in the source; efficiencies. */
json_t *hd_job_rank_number(const struct hd_job *job, uint32_t index);
json_t *hd_job_place_source(const struct hd_job_place *place);
json_t *hd_job_efficiency(const struct hd_job *job);

/** timeline.c: how many threads were busy when, in the job; nothing if it is not known. In a page scripts draw it, by
 *  rank. Of a rank as a cell. */
void hd_job_print_timeline(const struct hd_document *document, const struct hd_job *job);
struct hd_value hd_job_rank_strip(const struct hd_job_rank *rank);

#endif
