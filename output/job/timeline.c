/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How many threads were busy when: of a rank from its profile, of the job from its ranks. */
#include <math.h>

#include "output/job/job_internal.h"
#include "output/model/levels.h"

/* In steps of a 64th of a thread: short in a file, and exact when it is read again. */
static double rounded(double busy) {
  return round(64 * busy) / 64;
}

void hd_job_rank_find_timeline(struct hd_job_rank *rank, const struct hd_model *model) {
  const double part = (double)model->elapsed_ticks / (int)HD_JOB_TIMES;
  for (int i = 0; i < HD_JOB_TIMES; i++) {
    struct hd_run_stretch stretch;
    const bool is_known = part > 0 && hd_model_stretch(model, i * part, (i + 1) * part, &stretch);
    rank->busy_at[i] = is_known ? rounded(stretch.busy_ticks / part) : NAN;
  }
}

static double overlap(double from, double to, double other_from, double other_to) {
  return fmax(fmin(to, other_to) - fmax(from, other_from), 0);
}

/* The mean of a rank's busy threads in a part of the job, of which it may be over before the end. */
static double busy_in(const struct hd_job_rank *rank, double from_s, double to_s) {
  const double part_s = rank->elapsed_s / (int)HD_JOB_TIMES;
  double busy_s = 0;
  for (int i = 0; i < HD_JOB_TIMES; i++) {
    const double common_s = overlap(from_s, to_s, i * part_s, (i + 1) * part_s);
    busy_s += common_s > 0 ? common_s * rank->busy_at[i] : 0;
  }
  return busy_s / (to_s - from_s);
}

void hd_job_find_timeline(struct hd_job *job) {
  const double part_s = job->elapsed_s / (int)HD_JOB_TIMES;
  for (int i = 0; i < HD_JOB_TIMES; i++) {
    job->busy_at[i] = 0;
    for (size_t rank = 0; rank < job->rank_count; rank++)
      job->busy_at[i] += busy_in(&job->ranks[rank], i * part_s, (i + 1) * part_s);
  }
}
