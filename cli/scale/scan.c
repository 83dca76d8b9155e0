/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli/scale/scale_internal.h"
#include "output/model/format_names.h"
#include "support/log.h"

static size_t count_left(const struct hd_scale_plan *plan) {
  size_t left = 0;
  for (size_t i = 0; i < plan->step_count; i++)
    left += !plan->steps[i].done && !plan->steps[i].failed;
  return left;
}

static void say_left(const struct hd_scale_plan *plan, enum hd_scale_end end) {
  size_t failed = 0;
  for (size_t i = 0; i < plan->step_count; i++)
    failed += plan->steps[i].failed;
  const size_t left = count_left(plan);
  if (end == HD_SCALE_FAILED && failed && !plan->options->keep_going)
    hd_log("stopped at the failed run, with %zu of %zu runs left; repeat the command to try it again and resume,\n"
           "heddle: with --keep-going to make the others whatever fails",
           left, plan->step_count);
  else
    hd_log("interrupted with %zu of %zu runs left; repeat the command to resume", left + failed, plan->step_count);
}

static void announce(const struct hd_scale_plan *plan, uint32_t processors) {
  const struct hd_scale_options *taken = plan->options;
  const size_t left = count_left(plan);
  const uint32_t most = taken->threads.items[taken->threads.count - 1];
  if (left == 0)
    hd_log("all runs are in %s", taken->series.directory);
  else if (left < plan->step_count)
    hd_log("%zu of %zu runs are in %s already", plan->step_count - left, plan->step_count, taken->series.directory);
  else
    hd_log("%zu run%s, kept in %s", left, hd_plural(left), taken->series.directory);
  if (left && most > processors && !taken->ranks.count)
    hd_log("warning: up to %u threads on %u processor%s: threads will wait for a processor", most, processors,
           hd_plural(processors));
}

static bool keep(struct hd_scale *scale, struct hd_scale_step *step, struct hd_scale_profiles *profiles) {
  return step->ranks ? hd_scale_store_keep_job(scale, step) : hd_scale_store_keep(scale, step, profiles);
}

/* What became of a run. False: the scan cannot go on. */
static bool judge(struct hd_scale *scale, struct hd_scale_step *step, const struct hd_series_job *job,
                  const struct hd_series_outcome *outcome) {
  struct hd_scale_profiles profiles = {0};
  char error[PATH_MAX + 256] = "", kept[PATH_MAX];
  const char *wrong = "";
  hd_series_progress_clear(&scale->series);
  if (hd_series_is_expected(&scale->series, outcome))
    wrong = step->ranks ? hd_scale_ranks_join(scale, step, error, sizeof error)
                        : hd_scale_profiles_find(scale, step, &profiles, error, sizeof error);
  step->failed = wrong != NULL;
  step->seconds = wrong ? 0 : outcome->seconds;
  const bool is_kept = wrong || keep(scale, step, &profiles);
  hd_scale_store_path(scale, step, ".failed.out", kept);
  if (wrong)
    hd_series_failure_show(&scale->series, job, outcome, *wrong ? wrong : NULL, kept);
  if (wrong && !profiles.paths.count)
    hd_series_has_room(&scale->series); /* if not, that is why, and neither run nor library could say so */
  hd_scale_profiles_free(&profiles);
  return is_kept;
}

/* One run. False: the scan cannot go on. */
static bool take_step(struct hd_scale *scale, struct hd_scale_step *step) {
  struct hd_series *series = &scale->series;
  struct hd_series_outcome outcome;
  struct hd_series_job job;
  hd_scale_step_job(&scale->plan, step, &job);
  const bool done = hd_series_clear(series) && hd_series_has_room(series) && hd_series_run(series, &job, &outcome) &&
                    (outcome.interrupted || judge(scale, step, &job, &outcome));
  hd_series_job_free(&job);
  return done;
}

/* Repeats the step when it was stopped and continued meanwhile: its times would be wrong. */
static enum hd_scale_end run_step(struct hd_scale *scale, size_t index) {
  struct hd_series *series = &scale->series;
  struct hd_scale_step *step = &scale->plan.steps[index];
  struct hd_series_state state;
  do {
    if (hd_series_signals_look(&series->signals, 0))
      return HD_SCALE_STOPPED;
    hd_scale_estimate(&scale->plan, index, true, &state);
    hd_series_progress_begin(series, &state);
    if (!take_step(scale, step))
      return HD_SCALE_FAILED;
    if (series->signals.stop)
      return HD_SCALE_STOPPED;
  } while (!step->done && !step->failed);
  hd_scale_estimate(&scale->plan, index, false, &state);
  if (!step->failed) /* of that more is said */
    hd_series_progress_end(series, &state, step->seconds);
  return step->failed && !scale->plan.options->keep_going ? HD_SCALE_FAILED : HD_SCALE_DONE;
}

enum hd_scale_end hd_scale_scan(struct hd_scale *scale, uint32_t processors) {
  const struct hd_scale_plan *plan = &scale->plan;
  enum hd_scale_end end = HD_SCALE_DONE;
  if (!plan->options->series.quiet)
    announce(plan, processors);
  if (!hd_series_signals_take(&scale->series.signals))
    return HD_SCALE_FAILED;
  for (size_t i = 0; i < plan->step_count && end == HD_SCALE_DONE; i++)
    if (!plan->steps[i].done)
      end = run_step(scale, i);
  hd_series_progress_clear(&scale->series);
  if (end != HD_SCALE_DONE)
    say_left(plan, end);
  hd_series_close(&scale->series); /* before a signal may end the command */
  hd_series_signals_restore(&scale->series.signals);
  return end;
}
