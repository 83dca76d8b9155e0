/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file compared_findings.c
 * Which places did not scale, or became slower, and why: the largest part of what a place lost at a point.
 */
#include <math.h>
#include <stdlib.h>

#include "output/job_comparison/job_comparison_internal.h"
#include "output/model/account.h"
#include "output/model/duration.h"
#include "support/command/memory.h"

/* Single runs differ by that much; as in comparisons of profiles. */
#define LEAST_WITHOUT_REPEATS 0.05

/* ---- why, and what to try ---- */

struct told {
  const struct hd_job_comparison *comparison;
  const struct hd_job_point *point;
  const struct hd_job_at *at, *base;
  struct hd_job_compared_finding *finding;
};

static void say_imbalance(const struct told *told) {
  const struct hd_job *job = told->point->job;
  const double mean = told->at->part_s[HD_JOB_WORK] + told->at->part_s[HD_JOB_OPENMP];
  hd_say(told->finding->evidence, "rank %d, for which the others wait, is there for %s, the mean is %s",
         job->ranks[job->late].rank, hd_duration_brief(mean + told->at->part_s[HD_JOB_IMBALANCE]).text,
         hd_duration_brief(mean).text);
  hd_say(told->finding->attempt, "divide the work anew, or give that rank more threads");
}

static void say_wait(const struct told *told) {
  const struct hd_job *job = told->point->job;
  const struct hd_job_place *place = told->finding->row->like;
  hd_say(told->finding->evidence, "even rank %d, which has most to do, waits there for %s", job->ranks[job->late].rank,
         hd_duration_brief(told->at->part_s[HD_JOB_MPI]).text);
  hd_say(told->finding->attempt, "%s", hd_mpi_cure(place->wait, place->called));
}

static void say_openmp(const struct told *told) {
  const double mean = told->at->part_s[HD_JOB_WORK] + told->at->part_s[HD_JOB_OPENMP];
  hd_say(told->finding->evidence, "its threads are busy for %.0f %% of %s", 100 * told->at->part_s[HD_JOB_WORK] / mean,
         hd_duration_brief(mean).text);
  hd_say(told->finding->attempt,
         "heddle run with that job, and heddle explain with the profile of a rank: it shows why");
}

/* The part of a point's busy time in which threads had a processor; of all if hardly any was lacking. */
static double worked_share(const struct hd_job_point *point) {
  return point->processor_share < HD_ACCOUNT_SHARED ? point->processor_share : 1;
}

/* What is gained without more work than at the baseline; time without a processor is no work. */
static double work_gain(const struct hd_job_comparison *comparison, const struct hd_job_row *row, size_t index) {
  const struct hd_job_point *base = &comparison->points[0], *point = &comparison->points[index];
  const double ratio = (double)base->capacity / (double)point->capacity;
  return row->at[index].part_s[HD_JOB_WORK] * worked_share(point) -
         row->at[0].part_s[HD_JOB_WORK] * worked_share(base) * ratio;
}

static void say_work(const struct told *told) {
  char *before = hd_job_point_text(told->comparison, 0),
       *here = hd_job_point_text(told->comparison, told->finding->point);
  const double base_s = told->base->part_s[HD_JOB_WORK] * (double)told->comparison->points[0].capacity;
  hd_say(told->finding->evidence, "all threads together work %s in it with %s, %s with %s",
         hd_duration_brief(told->at->part_s[HD_JOB_WORK] * (double)told->point->capacity).text, here,
         hd_duration_brief(base_s).text, before);
  if (worked_share(told->point) < 1)
    hd_say(told->finding->attempt,
           "the same where nothing else runs: threads had a processor for %.0f %% of the time they wanted one, and "
           "only so much counts",
           100 * told->point->processor_share);
  else
    hd_say(told->finding->attempt, "divide what each rank does for itself; else counters tell why: heddle run -g IPC");
  free(before);
  free(here);
}

static void say(const struct told *told) {
  static void (*const words[HD_JOB_PARTS])(const struct told *told) = {[HD_JOB_IMBALANCE] = say_imbalance,
                                                                       [HD_JOB_MPI] = say_wait,
                                                                       [HD_JOB_OPENMP] = say_openmp,
                                                                       [HD_JOB_WORK] = say_work};
  words[told->finding->part](told);
}

/* ---- which ---- */

static double least_of(const struct hd_job_point *point) {
  return (isfinite(point->loss.interval.low) ? HD_FINDING_LEAST : LEAST_WITHOUT_REPEATS) * point->job->elapsed_s;
}

static void look_at(struct hd_job_comparison *comparison, const struct hd_job_row *row, size_t index) {
  const struct hd_job_point *point = &comparison->points[index];
  const struct hd_job_loss *loss = &row->at[index].loss;
  const enum hd_job_part part = hd_job_loss_main(loss);
  if (part == HD_JOB_PARTS || loss->is_noise || !(loss->seconds > 0) || row->like->wait == HD_WAIT_MPI_OTHER)
    return;
  const double gain_s = part == HD_JOB_WORK ? work_gain(comparison, row, index) : loss->part_s[part];
  if (!(gain_s >= least_of(point)))
    return;
  struct hd_job_compared_finding *finding = &comparison->findings[comparison->finding_count++];
  *finding = (struct hd_job_compared_finding){.point = (uint32_t)index, .row = row, .part = part, .gain_s = gain_s};
  say(&(struct told){comparison, point, &row->at[index], &row->at[0], finding});
}

static int by_gain(const void *a, const void *b) {
  const struct hd_job_compared_finding *left = a, *right = b;
  return (left->gain_s < right->gain_s) - (left->gain_s > right->gain_s);
}

/* At the last point of a scan; of each side. */
void hd_job_compared_findings_add(struct hd_job_comparison *comparison) {
  const size_t first = comparison->is_scaling ? comparison->point_count - 1 : 1;
  comparison->findings = hd_new(comparison->row_count * comparison->point_count + 1, sizeof *comparison->findings);
  for (size_t point = first > 0 ? first : 1; point < comparison->point_count; point++)
    for (size_t row = 0; row < comparison->row_count; row++)
      look_at(comparison, &comparison->rows[row], point);
  qsort(comparison->findings, comparison->finding_count, sizeof *comparison->findings, by_gain);
}
