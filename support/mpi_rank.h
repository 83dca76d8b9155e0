/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file mpi_rank.h
 * Which process of a parallel job this one is, as its launcher says: Open MPI's, MPICH's, MVAPICH's, Slurm's.
 */
#ifndef HEDDLE_SUPPORT_MPI_RANK_H
#define HEDDLE_SUPPORT_MPI_RANK_H

#include <stdint.h>

struct hd_mpi_rank {
  int32_t rank;   /* -1: of none */
  uint32_t ranks; /* that the job has; 0: not known */
};

/** From the environment. */
struct hd_mpi_rank hd_mpi_rank_find(void);

#endif
