/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file job.h
 * The ranks of one MPI job: what each did, how well all used their threads, and in which places they differ.
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
 *
 * A job is made rank by rank, and keeps nothing of their profiles but what is below: some 40 KB of a rank with 300
 * places. hd_job_add() or hd_job_add_job() any number of times, then hd_job_finish(), then it is read.
 */
#ifndef HEDDLE_OUTPUT_JOB_H
#define HEDDLE_OUTPUT_JOB_H

#include <math.h>

#include "output/analysis/findings/findings.h"
#include "output/model/model.h"
#include "output/unify/intern.h"

/** A rank's run, and the job's, in equal parts of its elapsed time. Ranks are taken to begin together. */
enum { HD_JOB_TIMES = 50 };

struct hd_job_rank {
  char *file; /* its profile */
  char *host;
  char *program;
  int32_t rank;        /* -1: its profile does not say */
  uint32_t ranks;      /* of the job, as this one was told; 0: it was not */
  uint32_t threads;    /* p */
  uint32_t processors; /* of its host; 0: not known */
  double elapsed_s;
  double outside_mpi_s; /* t */
  double busy_s;        /* thread time, as all that follows */
  double wait_s;        /* but in MPI */
  double runtime_s;
  double mpi_s[HD_MPI_KINDS];   /* by kind of call */
  double busy_at[HD_JOB_TIMES]; /* busy threads, on average; NaN: not known */
  double processor_share;       /* of the time in which its threads wanted a processor (account.h); NaN: not known */
};

/** Of the ranks' times in a place: the least, the quartiles and the most. */
enum { HD_JOB_LEAST, HD_JOB_MEDIAN = 2, HD_JOB_MOST = 4, HD_JOB_QUARTILES };

/** What ranks spent in callpaths that end at one place. Ranks are indices into hd_job.ranks. */
struct hd_job_place {
  char *text; /* for people: "parallel heat.c:42 in main" */
  enum hd_kind kind;
  char *called; /* the function of MPI; NULL: none, as below */
  char *function;
  char *path; /* of the source */
  uint32_t line;
  enum hd_state wait; /* in a call of MPI: of what kind. HD_BUSY: a region that is in no other, or the program: busy
                         outside all regions: for how long */
  uint64_t visits;    /* of all ranks */
  uint64_t bytes;     /* of MPI */
  int64_t busy_us; /* thread time of all ranks, but in calls of MPI; -1: not known. In whole microseconds, whose sum is
                      the same in whatever order ranks are added */
  double *seconds; /* by rank; NULL: only what follows is known */
  uint32_t limit;  /* ranks for which there is room; those beyond were never there */
  double mean_s;   /* over all ranks, those that were never there included */
  double quartiles_s[HD_JOB_QUARTILES];
  uint32_t most_rank, least_rank;
};

/** What could be gained, as a finding of one run (findings.h). */
struct hd_job_finding {
  enum hd_cause cause;
  double gain_s;
  const struct hd_job_place *place;
  uint32_t rank; /* index of the one that it is about */
  char evidence[HD_FINDING_BYTES];
  char attempt[HD_FINDING_BYTES];
};

struct hd_job {
  struct hd_job_rank *ranks; /* by rank */
  size_t rank_count, rank_limit;
  uint32_t hosts;
  double elapsed_s; /* E: of the rank that took longest */
  double parallel, mpi, balance, communication, openmp;
  double busy_at[HD_JOB_TIMES]; /* busy threads of all ranks; NaN: not known of one */
  uint32_t crowded; /* a rank on a host whose ranks have more threads than processors; HD_NONE: there is none */
  uint32_t late;    /* the rank with most to do outside MPI, for which others wait */
  struct hd_job_place
      *places; /* work first, then calls of MPI; of each those first in which even ranks would save most */
  size_t place_count, place_limit;
  struct hd_interner keys;         /* of places, until hd_job_finish() */
  struct hd_job_finding *findings; /* by gain; none below HD_FINDING_LEAST of the job */
  size_t finding_count;
  bool is_summary; /* of some places not each rank's time is known */
};

/** An empty one. */
struct hd_job *hd_job_new(void);
void hd_job_free(struct hd_job *job);

/** Adds a rank: a whole profile with resolved names, which may then be freed. */
void hd_job_add(struct hd_job *job, const struct hd_model *model);

/** Adds another's ranks, which is empty afterwards; neither is a summary or finished. */
void hd_job_add_job(struct hd_job *job, struct hd_job *part);

/** Sorts, adds up, and finds what could be gained. Nothing can be added afterwards. */
void hd_job_finish(struct hd_job *job);

/** The place that `like` means, new if there was none: takes its texts, and nothing else of it. For hd_job_add() and
 *  for those who read a job. */
struct hd_job_place *hd_job_find_or_add_place(struct hd_job *job, struct hd_job_place *like);

/** What tells places apart, also in several jobs. The caller frees. */
char *hd_job_place_key(const struct hd_job_place *place);

/** One more rank, of which nothing is known yet: the last. */
struct hd_job_rank *hd_job_new_rank(struct hd_job *job);

/** A rank's time in a place that has `seconds`, to be changed. */
double *hd_job_seconds(struct hd_job_place *place, uint32_t rank);

/** NaN: not known. */
static inline double hd_job_busy(const struct hd_job_place *place) {
  return place->busy_us < 0 ? NAN : (double)place->busy_us / 1e6;
}

static inline double hd_job_most(const struct hd_job_place *place) {
  return place->quartiles_s[HD_JOB_MOST];
}

/** What ranks have to do outside MPI, the mean over their threads. */
static inline double hd_job_mean_outside(const struct hd_job *job) {
  return job->balance * job->ranks[job->late].outside_mpi_s;
}

/** What even ranks would save there; of MPI what the rank that waits most waits longer than the mean. */
static inline double hd_job_excess(const struct hd_job_place *place) {
  return hd_job_most(place) - place->mean_s;
}

/** Whether a rank's time there was kept; if so, that. */
bool hd_job_spent(const struct hd_job_place *place, uint32_t rank, double *seconds);

/** Of what the late rank's threads wait in a call of MPI, the part that is elapsed time outside regions: in regions
 *  threads wait side by side. */
double hd_job_wait_outside(const struct hd_job *job, double seconds);

#endif
