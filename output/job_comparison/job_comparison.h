/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file job_comparison.h
 * MPI jobs of a program, compared: what more ranks, or another build, gained, and where the rest of their time went.
 *
 * *Points* are what is compared: numbers of ranks and threads (scaling), or sides. The first is the baseline. A point
 * has one or more jobs, its repeats; its numbers are those of the job with the median elapsed time.
 *
 * A job's elapsed time E has four parts. With the quantities of job.h (p threads in a rank, P in all, b busy time, t
 * elapsed time outside MPI), and means over all threads:
 *
 *     imbalance         max t - mean t     ranks have unequally much to do
 *     MPI               E - max t          even the late rank waits in MPI
 *     OpenMP            mean t - sum b / P threads of a rank wait, or have no work
 *     work              sum b / P          the work of all ranks, divided evenly
 *
 * The late rank's time is that of all places together, so each place has these parts as well: a call of MPI what the
 * late rank waits there; a region what the late rank spends there beyond the mean, and the mean's two parts.
 *
 * What is lost against the baseline, with P0 threads in all: each part less the baseline's * P0 / P. Together that is
 * E - E0 * P0 / P, the time beyond a perfect division of the baseline.
 */
#ifndef HEDDLE_OUTPUT_JOB_COMPARISON_H
#define HEDDLE_OUTPUT_JOB_COMPARISON_H

#include "output/comparison/bootstrap.h"
#include "output/job/job.h"

enum hd_job_part { HD_JOB_IMBALANCE, HD_JOB_MPI, HD_JOB_OPENMP, HD_JOB_WORK, HD_JOB_PARTS };

/** What a point lost against the baseline. */
struct hd_job_loss {
  double part_s[HD_JOB_PARTS]; /* wall seconds; negative: gained */
  double seconds;              /* their sum */
  struct hd_interval interval; /* of the sum, by the repeats */
  bool is_noise;               /* 0 lies in it */
};

struct hd_job_point {
  char *label; /* of a side; NULL: ranks and threads say it */
  uint32_t ranks;
  uint32_t threads;  /* of the rank that has most */
  uint64_t capacity; /* threads of all ranks, P */
  struct hd_job **jobs;
  size_t count;
  const struct hd_job *job; /* that with the median elapsed time */
  double *elapsed_s;        /* by job */
  double part_s[HD_JOB_PARTS];
  struct hd_interval elapsed_interval;
  double speedup; /* elapsed time of the baseline / here */
  struct hd_interval speedup_interval;
  double efficiency; /* speedup * P0 / P */
  double work;       /* busy time of all threads at the baseline / here */
  struct hd_job_loss loss;
  double processor_share; /* of the time in which threads wanted a processor, the mean of ranks; NaN: not known */
  bool is_silent;         /* several ranks, none of which ever called MPI */
};

/** A place at a point. */
struct hd_job_at {
  const struct hd_job_place *place; /* of the point's median job; NULL: it is not there */
  double part_s[HD_JOB_PARTS];
  struct hd_job_loss loss;
};

struct hd_job_row {
  const struct hd_job_place *like; /* one of them */
  struct hd_job_at *at;            /* by point */
  bool is_first, is_later;         /* it is at the first point, at others */
  uint32_t same;                   /* index of the row that has its numbers: its own, unless its line moved */
};

struct hd_job_compared_finding {
  uint32_t point;
  const struct hd_job_row *row;
  enum hd_job_part part;
  double gain_s;
  char evidence[HD_FINDING_BYTES];
  char attempt[HD_FINDING_BYTES];
};

struct hd_job_comparison {
  bool is_scaling;             /* points differ in ranks or threads; else they are sides */
  struct hd_job_point *points; /* by ranks, then by threads; sides as they came */
  size_t point_count;
  struct hd_job_row *rows; /* those that lost or gained most at the last point first */
  size_t row_count;
  size_t moved_count;                       /* of these, whose lines differ between two sides */
  struct hd_interner keys;                  /* of rows */
  struct hd_job_compared_finding *findings; /* by gain */
  size_t finding_count;
};

/** An empty one. */
struct hd_job_comparison *hd_job_comparison_new(bool is_scaling);
void hd_job_comparison_free(struct hd_job_comparison *comparison);

/** Adds a finished job, which it then owns. `side`: which one it belongs to, when sides are compared. */
void hd_job_comparison_add(struct hd_job_comparison *comparison, struct hd_job *job, const char *side);

/** Compares all that was added, at least one. */
void hd_job_comparison_finish(struct hd_job_comparison *comparison);

/** "imbalance"; the heading of its column; "ranks have unequally much to do". */
const char *hd_job_part_id(enum hd_job_part part);
const char *hd_job_part_title(enum hd_job_part part);
const char *hd_job_part_words(enum hd_job_part part);

/** The part with the largest loss, or gain if more was gained than lost in all; HD_JOB_PARTS: neither. */
enum hd_job_part hd_job_loss_main(const struct hd_job_loss *loss);

/** Its part of all that went the same way. */
double hd_job_loss_share(const struct hd_job_loss *loss, enum hd_job_part part);

/** "4 ranks", "4 ranks with 2 threads", or the side's name. The caller frees. */
char *hd_job_point_text(const struct hd_job_comparison *comparison, size_t point);

/** Whether points differ in the threads of a rank. */
bool hd_job_comparison_has_threads(const struct hd_job_comparison *comparison);

#endif
