/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file mpi_job.h
 * This rank's part in the one file of an MPI job: what the wrappers of MPI ask for when it ends (mpi/reduction.h).
 */
#ifndef HEDDLE_OMPT_MPI_JOB_H
#define HEDDLE_OMPT_MPI_JOB_H

#include "mpi/calls.h"
#include "support/settings.h"

/** At the start, when the profile's header says whose it is. */
void hd_mpi_job_init(const struct hd_settings *settings);

/** For the wrappers. */
const struct heddle_mpi_job *hd_mpi_job_find(void);

#endif
