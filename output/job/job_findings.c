/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file job_findings.c
 * What a job could gain: if its ranks had equally much to do, all would take the mean of what they do outside MPI, not
 * the most (mpi-imbalance). What even the rank with most to do waits in MPI is no other rank's doing alone: messages on
 * their way, or ranks in turn (mpi-wait). So the gains of all together are at most elapsed time less that mean.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "output/job/job_internal.h"
#include "output/model/duration.h"
#include "output/model/format_names.h"
#include "support/command/memory.h"

static bool is_call(const struct hd_job_place *place) {
  return place->wait != HD_BUSY;
}

/* By how much a rank was there longer than the mean; NAN: it is not known. */
static double longer(const struct hd_job_place *place, uint32_t rank) {
  double seconds;
  return hd_job_spent(place, rank, &seconds) ? seconds - place->mean_s : NAN;
}

/* Where the late rank works longest beyond the mean; or where the others wait longest beyond what it does. */
static const struct hd_job_place *place_of_late(const struct hd_job *job, bool of_calls) {
  const struct hd_job_place *found = NULL;
  double most = 0;
  for (size_t i = 0; i < job->place_count; i++) {
    const struct hd_job_place *place = &job->places[i];
    const double difference = longer(place, job->late) * (of_calls ? -1 : 1);
    if (is_call(place) == of_calls && place->wait != HD_WAIT_MPI_OTHER && difference > most) {
      found = place;
      most = difference;
    }
  }
  return found;
}

static struct hd_job_finding *add(struct hd_job *job, enum hd_cause cause, double gain_s,
                                  const struct hd_job_place *place) {
  if (!(gain_s >= HD_FINDING_LEAST * job->elapsed_s) || !place)
    return NULL;
  struct hd_job_finding *finding = &job->findings[job->finding_count++];
  *finding = (struct hd_job_finding){.cause = cause, .gain_s = gain_s, .place = place, .rank = job->late};
  return finding;
}

/* The place is the region, if the ranks differ in one; else the call in which the others wait. */
static void find_imbalance(struct hd_job *job) {
  const struct hd_job_rank *late = &job->ranks[job->late];
  const struct hd_job_place *work = place_of_late(job, false), *call = place_of_late(job, true);
  const double mean = hd_job_mean_outside(job);
  struct hd_job_finding *finding = job->rank_count < 2 ? NULL
                                                       : add(job, HD_CAUSE_MPI_IMBALANCE, late->outside_mpi_s - mean,
                                                             (!work || work->kind == HD_KIND_PROGRAM) && call ? call
                                                             : work                                           ? work
                                                                                                              : call);
  if (!finding)
    return;
  hd_say(finding->evidence, "rank %d has %s to do outside MPI, the mean is %s; %s longer than the mean in %s",
         late->rank, hd_duration_brief(late->outside_mpi_s).text, hd_duration_brief(mean).text,
         hd_duration_brief(work ? longer(work, job->late) : 0).text,
         work && work->kind != HD_KIND_PROGRAM ? work->text : "what is outside all regions");
  hd_say(finding->attempt, "divide the work anew, or give that rank more threads%s%s",
         call ? "; the others wait in " : "", call ? call->text : "");
}

double hd_job_wait_outside(const struct hd_job *job, double seconds) {
  const struct hd_job_rank *late = &job->ranks[job->late];
  const double outside = late->elapsed_s - late->outside_mpi_s;
  double all = 0;
  for (int kind = 0; kind < HD_MPI_KINDS; kind++)
    all += late->mpi_s[kind];
  return all > outside ? seconds * outside / all : seconds;
}

static void find_waits(struct hd_job *job) {
  for (size_t i = 0; i < job->place_count; i++) {
    const struct hd_job_place *place = &job->places[i];
    double seconds = 0;
    if (!is_call(place) || place->wait == HD_WAIT_MPI_OTHER || !hd_job_spent(place, job->late, &seconds))
      continue;
    struct hd_job_finding *finding = add(job, HD_CAUSE_MPI_WAIT, hd_job_wait_outside(job, seconds), place);
    if (!finding)
      continue;
    hd_say(finding->evidence, "even rank %d, which has most to do, waits there for %s", job->ranks[job->late].rank,
           hd_duration_brief(seconds).text);
    hd_say(finding->attempt, "%s", hd_mpi_cure(place->wait, place->called));
  }
}

static int by_gain(const void *a, const void *b) {
  const struct hd_job_finding *left = a, *right = b;
  return (left->gain_s < right->gain_s) - (left->gain_s > right->gain_s);
}

void hd_job_add_findings(struct hd_job *job) {
  job->findings = hd_new(job->place_count + 1, sizeof *job->findings);
  if (job->rank_count == 0)
    return;
  find_imbalance(job);
  find_waits(job);
  qsort(job->findings, job->finding_count, sizeof *job->findings, by_gain);
}
