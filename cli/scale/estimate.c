/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli/scale/scale_internal.h"

/* Steps like this one that are known; 0: none. */
static double mean_of(const struct hd_scale_plan *plan, const struct hd_scale_step *like, bool any_threads,
                      bool any_set) {
  double sum = 0;
  size_t count = 0;
  for (size_t i = 0; i < plan->step_count; i++) {
    const struct hd_scale_step *step = &plan->steps[i];
    if (step->seconds > 0 && (any_threads || (step->threads == like->threads && step->ranks == like->ranks)) &&
        (any_set || step->set == like->set)) {
      sum += step->seconds;
      count++;
    }
  }
  return count ? sum / (double)count : 0;
}

/* As the same run took before; else one with as many threads, else one of the same set, else any. 0: not known. */
static double expected(const struct hd_scale_plan *plan, const struct hd_scale_step *step) {
  double seconds = mean_of(plan, step, false, false);
  if (seconds <= 0)
    seconds = mean_of(plan, step, false, true);
  if (seconds <= 0)
    seconds = mean_of(plan, step, true, false);
  return seconds > 0 ? seconds : mean_of(plan, step, true, true);
}

static size_t count_ended(const struct hd_scale_plan *plan) {
  size_t count = 0;
  for (size_t i = 0; i < plan->step_count; i++)
    count += plan->steps[i].done || plan->steps[i].failed;
  return count;
}

/* Negative where one is not known. */
static double add(double sum, double seconds) {
  return sum < 0 || seconds <= 0 ? -1 : sum + seconds;
}

void hd_scale_estimate(const struct hd_scale_plan *plan, size_t step, bool runs, struct hd_series_state *state) {
  *state = (struct hd_series_state){.ended = count_ended(plan), .total = plan->step_count};
  hd_scale_step_name(plan, &plan->steps[step], state->name, sizeof state->name);
  for (size_t i = 0; i < plan->step_count; i++)
    if (!plan->steps[i].done && !plan->steps[i].failed && !(runs && i == step))
      state->left_s = add(state->left_s, expected(plan, &plan->steps[i]));
  if (runs)
    state->expected_s = add(0, expected(plan, &plan->steps[step]));
}
