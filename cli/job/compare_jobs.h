/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file compare_jobs.h
 * MPI jobs compared, for `heddle compare` and `heddle scale --ranks`.
 */
#ifndef HEDDLE_CLI_JOB_COMPARE_JOBS_H
#define HEDDLE_CLI_JOB_COMPARE_JOBS_H

#include <stdbool.h>
#include <stddef.h>

/** How files of jobs in a directory end. */
#define HD_JOB_ENDING ".job"

struct hd_job_compare_view {
  size_t limit; /* lines of a table; 0: all */
  bool is_markdown, is_json;
};

/** Whether it is a file of a job, or a directory with such files. */
bool hd_job_is_operand(const char *operand);

/**
 * Compares files of jobs, and directories of them (*.job): by ranks and threads where these differ, else the first
 * operand with each other. Writes to stdout; returns an exit status. What is wrong was said.
 */
int hd_jobs_compare(char **operands, size_t count, const struct hd_job_compare_view *view);

#endif
