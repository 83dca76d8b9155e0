/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file job_files.h
 * A job from the files of a command line, for `heddle job` and `heddle merge --job`.
 */
#ifndef HEDDLE_CLI_JOB_JOB_FILES_H
#define HEDDLE_CLI_JOB_JOB_FILES_H

#include "output/job/job.h"

/**
 * From profiles of ranks, one at a time, and files that hold jobs already (docs/mpi.md). Many files are divided among
 * as many processes as there are processors. Returns a finished job, to be freed; NULL: stderr says why.
 */
struct hd_job *hd_job_of_files(char **files, size_t count);

/** Whether it seems to hold a job, and not a profile. */
bool hd_job_is_in(const char *file);

#endif
