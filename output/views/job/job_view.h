/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file job_view.h
 * The ranks of an MPI job side by side: as text, and as JSON, which is also how a job is kept in a file (docs/mpi.md).
 * Jobs that are written are finished; one that is read is not yet.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_JOB_VIEW_H
#define HEDDLE_OUTPUT_VIEWS_JOB_VIEW_H

#include <stdio.h>

#include "output/job/job.h"

/** `limit`: lines of each table at most; 0: all. `is_html`: as parts of a page's body, with figures for its scripts. */
void hd_job_print(const struct hd_job *job, size_t limit, bool is_html, FILE *out);

/** Its efficiencies and findings alone. */
void hd_job_print_findings(const struct hd_job *job, FILE *out);

/** One rank beside the others: first where it differs most. `rank` is an index. */
void hd_job_print_rank(const struct hd_job *job, uint32_t rank, size_t limit, FILE *out);

/** "rank 3"; without a number its profile's name. The caller frees. */
char *hd_job_rank_text(const struct hd_job *job, uint32_t rank);

/** `all_ranks`: each rank's time in each place, not only where it matters. False: no memory. */
bool hd_job_json(const struct hd_job *job, bool all_ranks, FILE *out);

/** What hd_job_json() wrote. NULL: it is none. */
struct hd_job *hd_job_read(FILE *in);

#endif
