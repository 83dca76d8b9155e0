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
    hd_log("all runs are in %s", taken->directory);
  else if (left < plan->step_count)
    hd_log("%zu of %zu runs are in %s already", plan->step_count - left, plan->step_count, taken->directory);
  else
    hd_log("%zu run%s, kept in %s", left, hd_plural(left), taken->directory);
  if (left && most > processors)
    hd_log("warning: up to %u threads on %u processor%s: threads will wait for a processor", most, processors,
           hd_plural(processors));
}

/* One run, whatever becomes of it. False: the scan cannot go on. */
static bool take_step(struct hd_scale *scale, struct hd_scale_step *step) {
  struct hd_scale_outcome outcome;
  struct hd_scale_profiles profiles = {0};
  char error[PATH_MAX + 256] = "";
  if (!hd_scale_store_clear(scale) || !hd_scale_store_has_room(scale) || !hd_scale_run(scale, step, &outcome))
    return false;
  if (outcome.interrupted)
    return true;
  const char *wrong = "";
  if (!outcome.signal && scale->plan.options->expected_status[outcome.status & 0xff])
    wrong = hd_scale_profiles_find(scale, step, &profiles, error, sizeof error);
  step->failed = wrong != NULL;
  step->seconds = wrong ? 0 : outcome.seconds;
  hd_scale_progress_clear(scale);
  const bool kept = wrong || hd_scale_store_keep(scale, step, &profiles);
  if (wrong)
    hd_scale_failure_show(scale, step, &outcome, wrong);
  if (wrong && !profiles.paths.count)
    hd_scale_store_has_room(scale); /* if not, that is why, and neither run nor library could say so */
  hd_scale_profiles_free(&profiles);
  return kept;
}

/* Repeats the step when it was stopped and continued meanwhile: its times would be wrong. */
static enum hd_scale_end run_step(struct hd_scale *scale, size_t index) {
  struct hd_scale_step *step = &scale->plan.steps[index];
  do {
    if (hd_scale_signals_look(&scale->signals, 0))
      return HD_SCALE_STOPPED;
    hd_scale_progress_begin(scale, index);
    if (!take_step(scale, step))
      return HD_SCALE_FAILED;
    if (scale->signals.stop)
      return HD_SCALE_STOPPED;
  } while (!step->done && !step->failed);
  hd_scale_progress_end(scale);
  return step->failed && !scale->plan.options->keep_going ? HD_SCALE_FAILED : HD_SCALE_DONE;
}

enum hd_scale_end hd_scale_scan(struct hd_scale *scale, uint32_t processors) {
  const struct hd_scale_plan *plan = &scale->plan;
  enum hd_scale_end end = HD_SCALE_DONE;
  if (!plan->options->quiet)
    announce(plan, processors);
  if (!hd_scale_signals_take(&scale->signals))
    return HD_SCALE_FAILED;
  for (size_t i = 0; i < plan->step_count && end == HD_SCALE_DONE; i++)
    if (!plan->steps[i].done)
      end = run_step(scale, i);
  hd_scale_progress_clear(scale);
  if (end != HD_SCALE_DONE)
    say_left(plan, end);
  hd_scale_store_close(scale); /* before a signal may end the command */
  hd_scale_signals_restore(&scale->signals);
  return end;
}
