/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file job.h
 * The ranks of one MPI job: what each did, how well all used their threads, and in which callpaths they differ.
 *
 * The efficiencies are those of POP's multiplicative hybrid model (pop-coe.eu; pm.bsc.es/dlb, talp). With p threads in
 * rank i, busy time b of all its threads, and t, its elapsed time without the part in which it waits in MPI outside all
 * parallel regions; E is the elapsed time of the job. Sums and means over ranks, with the weight p:
 *
 *     parallel          sum b / sum p * E        = mpi * openmp
 *     mpi               mean t / E               = balance * communication
 *     balance           mean t / max t           ranks have unequally much to do
 *     communication     max t / E                even the rank with most to do waits in MPI
 *     openmp            sum b / sum p * t
 */
#ifndef HEDDLE_OUTPUT_JOB_H
#define HEDDLE_OUTPUT_JOB_H

#include "output/model/model.h"
#include "output/unify/unified_tree.h"

struct hd_job_rank {
  const struct hd_model *model;
  int32_t rank;     /* -1: its profile does not say */
  uint32_t threads; /* p */
  double elapsed_s;
  double outside_mpi_s; /* t */
  double busy_s;        /* thread time, as all that follows */
  double wait_s;        /* but in MPI */
  double runtime_s;
  double mpi_s[HD_MPI_KINDS]; /* by kind of call */
};

/** What ranks spent in callpaths that end at one place. Ranks are indices into hd_job.ranks. */
struct hd_job_place {
  const struct hd_model *model; /* a rank that has it, and its node there */
  const struct hd_node *node;
  bool is_mpi;     /* a call of MPI: what ranks waited there. Else a region that is in no other, or the program: busy
                      outside all regions: for how long */
  uint64_t visits; /* of all ranks */
  uint64_t bytes;  /* of MPI */
  double mean_s;   /* over all ranks, those that were never there included */
  double most_s;
  double least_s;
  uint32_t most_rank, least_rank;
};

struct hd_job {
  struct hd_job_rank *ranks; /* by rank */
  size_t rank_count;
  uint32_t hosts;
  double elapsed_s; /* E: of the rank that took longest */
  double parallel, mpi, balance, communication, openmp;
  uint32_t late; /* the rank with most to do outside MPI, for which others wait */
  struct hd_job_place
      *places; /* work first, then calls of MPI; of each those first in which even ranks would save most */
  size_t place_count;
};

/** Of whole profiles with resolved names; they must outlive the job. */
struct hd_job *hd_job_new(struct hd_model *const *models, size_t count);
void hd_job_free(struct hd_job *job);

/** What even ranks would save there; of MPI what the rank that waits most waits longer than the mean. */
static inline double hd_job_excess(const struct hd_job_place *place) {
  return place->most_s - place->mean_s;
}

#endif
