/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file job_view.h
 * `heddle job`: the ranks of an MPI job side by side.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_JOB_VIEW_H
#define HEDDLE_OUTPUT_VIEWS_JOB_VIEW_H

#include <stdio.h>

#include "output/job/job.h"

/** `limit`: lines of each table at most; 0: all. */
void hd_job_print(const struct hd_job *job, size_t limit, FILE *out);

/** False: no memory. */
bool hd_job_json(const struct hd_job *job, FILE *out);

#endif
