/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <math.h>

#include "output/job_comparison/job_comparison_internal.h"

/* ---- words ---- */

struct part {
  const char *id, *title, *words;
};

static const struct part parts[HD_JOB_PARTS] = {
    [HD_JOB_IMBALANCE] = {"imbalance", "imbalance", "ranks have unequally much to do"},
    [HD_JOB_MPI] = {"mpi", "MPI", "waits in MPI"},
    [HD_JOB_OPENMP] = {"openmp", "OpenMP", "threads of the ranks wait or have no work"},
    [HD_JOB_WORK] = {"work_inflation", "extra work", "all ranks together have more work"},
};

const char *hd_job_part_id(enum hd_job_part part) {
  return parts[part].id;
}

const char *hd_job_part_title(enum hd_job_part part) {
  return parts[part].title;
}

const char *hd_job_part_words(enum hd_job_part part) {
  return parts[part].words;
}

/* ---- parts ---- */

static double threads_of(const struct hd_job *job) {
  double threads = 0;
  for (size_t i = 0; i < job->rank_count; i++)
    threads += job->ranks[i].threads;
  return threads;
}

double hd_job_sum_of_parts(const double part_s[HD_JOB_PARTS]) {
  double sum = 0;
  for (int i = 0; i < HD_JOB_PARTS; i++)
    sum += part_s[i];
  return sum;
}

void hd_job_parts_of(const struct hd_job *job, double part_s[HD_JOB_PARTS]) {
  const double mean = hd_job_mean_outside(job), most = job->ranks[job->late].outside_mpi_s;
  part_s[HD_JOB_IMBALANCE] = most - mean;
  part_s[HD_JOB_MPI] = job->elapsed_s - most;
  part_s[HD_JOB_WORK] = job->parallel * job->elapsed_s;
  part_s[HD_JOB_OPENMP] = mean - part_s[HD_JOB_WORK];
}

/* The mean over all threads. A summary keeps each rank's time only where it matters. */
static double mean_of(const struct hd_job *job, const struct hd_job_place *place) {
  double sum = 0, seconds;
  if (!hd_job_spent(place, 0, &seconds))
    return place->mean_s;
  for (uint32_t i = 0; i < job->rank_count; i++) {
    hd_job_spent(place, i, &seconds);
    sum += job->ranks[i].threads * seconds;
  }
  return sum / threads_of(job);
}

void hd_job_parts_of_place(const struct hd_job *job, const struct hd_job_place *place, double part_s[HD_JOB_PARTS]) {
  double late_s;
  for (int i = 0; i < HD_JOB_PARTS; i++)
    part_s[i] = 0;
  if (!place)
    return;
  if (!hd_job_spent(place, job->late, &late_s))
    late_s = place->mean_s;
  if (place->wait != HD_BUSY) {
    part_s[HD_JOB_MPI] = hd_job_wait_outside(job, late_s);
    return;
  }
  const double mean = mean_of(job, place);
  part_s[HD_JOB_IMBALANCE] = late_s - mean;
  part_s[HD_JOB_WORK] = place->busy_us < 0 ? mean : hd_job_busy(place) / threads_of(job);
  part_s[HD_JOB_OPENMP] = mean - part_s[HD_JOB_WORK];
}

/* ---- losses ---- */

static double lost(const double medians[], void *ratio) {
  return medians[1] - medians[0] * *(const double *)ratio;
}

struct hd_job_loss hd_job_loss_between(const double base_s[HD_JOB_PARTS], const double here_s[HD_JOB_PARTS],
                                       const struct hd_sample samples[2], double ratio) {
  struct hd_job_loss loss = {.interval = hd_bootstrap(samples, 2, lost, &ratio)};
  for (int i = 0; i < HD_JOB_PARTS; i++)
    loss.part_s[i] = here_s[i] - base_s[i] * ratio;
  loss.seconds = hd_job_sum_of_parts(loss.part_s);
  loss.is_noise = loss.interval.low <= 0 && loss.interval.high >= 0;
  return loss;
}

enum hd_job_part hd_job_loss_main(const struct hd_job_loss *loss) {
  const double sign = loss->seconds < 0 ? -1 : 1;
  enum hd_job_part found = HD_JOB_PARTS;
  double most = 0;
  for (int i = 0; i < HD_JOB_PARTS; i++)
    if (sign * loss->part_s[i] > most) {
      most = sign * loss->part_s[i];
      found = (enum hd_job_part)i;
    }
  return found;
}

double hd_job_loss_share(const struct hd_job_loss *loss, enum hd_job_part part) {
  double all = 0;
  for (int i = 0; i < HD_JOB_PARTS; i++)
    all += (loss->part_s[i] > 0) == (loss->part_s[part] > 0) ? loss->part_s[i] : 0;
  return loss->part_s[part] / all;
}
