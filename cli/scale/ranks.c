/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdio.h>
#include <string.h>

#include "cli/job/compare_jobs.h"
#include "cli/job/job_files.h"
#include "cli/scale/scale_internal.h"
#include "output/model/format_names.h"
#include "output/views/job/job_view.h"
#include "support/command/memory.h"

/* NULL: it is the job that was asked for. */
static const char *check(const struct hd_job *job, const struct hd_scale_step *step, char *error, size_t error_bytes) {
  if (job->rank_count != step->ranks) {
    snprintf(error, error_bytes, "it left %zu profile%s, not one of each of %u rank%s", job->rank_count,
             hd_plural(job->rank_count), step->ranks, hd_plural(step->ranks));
    return error;
  }
  return step->ranks > 1 && job->ranks[0].rank < 0 ? "its processes are no ranks: the launcher is none of MPI's" : NULL;
}

static const char *save(const struct hd_job *job, const char *path, char *error, size_t error_bytes) {
  FILE *out = fopen(path, "we");
  const bool written = out && hd_job_json(job, true, out);
  if (out && fclose(out) == 0 && written)
    return NULL;
  snprintf(error, error_bytes, "cannot write %s", path);
  return error;
}

const char *hd_scale_ranks_join(struct hd_scale *scale, const struct hd_scale_step *step, char *error,
                                size_t error_bytes) {
  char path[PATH_MAX];
  struct hd_texts paths = {0};
  hd_scale_profiles_list(scale, step, &paths);
  hd_texts_sort(&paths);
  struct hd_job *job = paths.count ? hd_job_of_files(paths.items, paths.count) : NULL;
  hd_series_running(&scale->series, (size_t)(step - scale->plan.steps), HD_JOB_ENDING, path);
  const char *wrong = !paths.count ? "it left no profile"
                      : !job       ? "its profiles cannot be read"
                                   : check(job, step, error, error_bytes);
  if (!wrong && !hd_series_program_is_same(&scale->plan.sets[step->set].program))
    wrong = "the program was changed during the scan";
  if (!wrong)
    wrong = save(job, path, error, error_bytes);
  hd_job_free(job);
  hd_texts_free(&paths);
  return wrong;
}

double hd_scale_ranks_elapsed(char *path) {
  struct hd_job *job = hd_job_of_files(&path, 1);
  const double seconds = job ? job->elapsed_s : -1;
  hd_job_free(job);
  return seconds;
}
