/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file job.h
 * Which process of a parallel job this one is, as its launcher says: Open MPI's, MPICH's, MVAPICH's, Slurm's.
 */
#ifndef HEDDLE_SUPPORT_JOB_H
#define HEDDLE_SUPPORT_JOB_H

#include <stdint.h>

struct hd_job_place {
  int32_t rank;   /* -1: of none */
  uint32_t ranks; /* that the job has; 0: not known */
};

/** From the environment. */
struct hd_job_place hd_job_place_find(void);

#endif
