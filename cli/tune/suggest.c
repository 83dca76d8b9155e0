/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/tune/tune_internal.h"
#include "output/analysis/resolve/resolve.h"
#include "output/model/memory.h"
#include "output/reader/open.h"
#include "support/command/memory.h"
#include "support/log.h"

/* Which kinds of settings may cure a cause; the others none. */
static const struct {
  enum hd_cause cause;
  enum hd_tune_kind kind;
} cures[] = {{HD_CAUSE_OVERSUBSCRIPTION, HD_TUNE_THREADS},
             {HD_CAUSE_FORK_JOIN, HD_TUNE_THREADS},
             {HD_CAUSE_FORK_JOIN, HD_TUNE_WAIT},
             {HD_CAUSE_WAKE_UP, HD_TUNE_WAIT},
             {HD_CAUSE_BARRIER, HD_TUNE_WAIT},
             {HD_CAUSE_PINNED, HD_TUNE_BIND},
             {HD_CAUSE_IMBALANCE, HD_TUNE_SCHEDULE},
             {HD_CAUSE_SCHEDULING, HD_TUNE_SCHEDULE}};

static void take_finding(struct hd_tune *tune, const struct hd_model *model, const struct hd_finding *finding) {
  const double share = finding->gain_ticks / (double)model->elapsed_ticks;
  for (size_t i = 0; i < sizeof cures / sizeof *cures; i++)
    if (cures[i].cause == finding->cause && share > tune->weights[cures[i].kind]) {
      tune->weights[cures[i].kind] = share;
      tune->reasons[cures[i].kind] = hd_cause_words(finding->cause);
    }
}

static void take_profile(struct hd_tune *tune, const char *path) {
  char error[PATH_MAX + 256];
  struct hd_model *model = NULL;
  if (!hd_profile_open(path, &model, error, sizeof error)) {
    hd_log("%s; settings are tried in no particular order", error);
    return;
  }
  hd_resolve(model);
  struct hd_findings *findings = hd_findings_new(model, HD_FINDING_LEAST);
  for (size_t i = 0; i < findings->count; i++)
    take_finding(tune, model, &findings->items[i]);
  for (uint32_t i = 0; i < model->loop_count; i++)
    tune->facts.has_runtime_loops |= (model->loops[i].flags & HD_CHUNKS_RUNTIME) != 0;
  hd_findings_free(findings);
  hd_model_free(model);
}

static void add_command(const struct hd_tune *tune, struct hd_series_job *job) {
  for (char **argument = tune->options->series.command; *argument; argument++)
    hd_texts_add(&job->command, hd_print("%s", *argument));
}

/* What comes next need not try again. */
static enum hd_tune_end note_none(struct hd_tune *tune) {
  hd_log("the program left no profile, so nothing suggests what to try first");
  hd_need(json_object_set_new(tune->file, "profile", json_false()) == 0);
  return hd_series_save(&tune->series, tune->file) ? HD_TUNE_DONE : HD_TUNE_FAILED;
}

/* The profile gets its name last: it is there, and whole, or not. A program without OpenMP leaves none. */
static enum hd_tune_end make_profile(struct hd_tune *tune, const char *path) {
  struct hd_series_job job = {.name = "first profile", .run_options = &tune->options->run_options};
  struct hd_series_outcome outcome;
  char from[PATH_MAX], output[PATH_MAX], kept[PATH_MAX];
  add_command(tune, &job);
  enum hd_tune_end end = hd_tune_run_job(tune, &job, &outcome);
  hd_series_running(&tune->series, job.index, "", from);
  hd_series_running(&tune->series, job.index, ".out", output);
  hd_series_join(kept, tune->series.path, "first.out");
  hd_series_progress_clear(&tune->series);
  if (end == HD_TUNE_DONE && !hd_series_is_expected(&tune->series, &outcome)) {
    hd_series_failure_show(&tune->series, &job, &outcome, NULL, kept);
    end = HD_TUNE_FAILED;
  } else if (end == HD_TUNE_DONE) {
    rename(output, kept);
    if (access(from, F_OK) != 0)
      end = note_none(tune);
    else if (!hd_series_move(from, path))
      end = HD_TUNE_FAILED;
  }
  hd_series_job_free(&job);
  return end;
}

enum hd_tune_end hd_tune_suggest(struct hd_tune *tune) {
  char path[PATH_MAX];
  struct hd_program *program = hd_new(1, sizeof *program);
  hd_program_inspect(tune->options->series.command[0], program);
  tune->facts = (struct hd_tune_facts){.options = tune->options,
                                       .processors = hd_series_count_processors(),
                                       .links_libomp = program->links_libomp,
                                       .has_runtime_loops = program->calls_gomp_runtime};
  free(program);
  hd_series_join(path, tune->series.path, "first.heddle");
  enum hd_tune_end end = HD_TUNE_DONE;
  if (access(path, F_OK) != 0 && !json_is_false(json_object_get(tune->file, "profile")))
    end = make_profile(tune, path);
  if (end == HD_TUNE_DONE && access(path, F_OK) == 0)
    take_profile(tune, path);
  return end;
}
