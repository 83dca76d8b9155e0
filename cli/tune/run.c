/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/tune/tune_internal.h"
#include "support/command/memory.h"

static void describe(const struct hd_tune *tune, const struct hd_series_job *job, struct hd_series_state *state) {
  *state = (struct hd_series_state){.ended = tune->made, .expected_s = -1, .left_s = -1};
  snprintf(state->name, sizeof state->name, "%s", job->name);
}

enum hd_tune_end hd_tune_run_job(struct hd_tune *tune, const struct hd_series_job *job,
                                 struct hd_series_outcome *outcome) {
  struct hd_series *series = &tune->series;
  struct hd_series_state state;
  do {
    if (hd_series_signals_look(&series->signals, 0))
      return HD_TUNE_STOPPED;
    describe(tune, job, &state);
    hd_series_progress_begin(series, &state);
    if (!hd_series_clear(series) || !hd_series_has_room(series) || !hd_series_run(series, job, outcome))
      return HD_TUNE_FAILED;
    if (series->signals.stop)
      return HD_TUNE_STOPPED;
  } while (outcome->interrupted);
  tune->made++;
  describe(tune, job, &state);
  if (hd_series_is_expected(series, outcome)) /* else more is said */
    hd_series_progress_end(series, &state, outcome->seconds);
  return HD_TUNE_DONE;
}

static void fill(const struct hd_tune *tune, const char *race, const char *settings, uint32_t repeat,
                 struct hd_series_job *job) {
  *job = (struct hd_series_job){.index = tune->made};
  snprintf(job->name, sizeof job->name, "%s: %s, run %u", race, hd_tune_settings_name(settings), repeat);
  while (*settings) {
    const size_t length = strcspn(settings, " ");
    hd_texts_add(&job->variables, hd_print("%.*s", (int)length, settings));
    settings += length + (settings[length] == ' ');
  }
  for (char **argument = tune->options->series.command; *argument; argument++)
    hd_texts_add(&job->command, hd_print("%s", *argument));
}

/* Keeps the output and the time. */
static bool keep(struct hd_tune *tune, const char *race, const char *settings, uint32_t repeat,
                 const struct hd_series_job *job, double seconds) {
  char from[PATH_MAX], to[PATH_MAX];
  hd_series_running(&tune->series, job->index, ".out", from);
  return hd_tune_store_output(tune, race, settings, repeat, ".out", to) && hd_series_move(from, to) &&
         hd_tune_store_add(tune, race, settings, repeat, seconds);
}

enum hd_tune_end hd_tune_run(struct hd_tune *tune, const char *race, const char *settings, uint32_t repeat,
                             double *seconds) {
  struct hd_series_outcome outcome;
  struct hd_series_job job;
  char kept[PATH_MAX];
  *seconds = NAN;
  if (hd_tune_store_find(tune, race, settings, repeat, seconds))
    return HD_TUNE_DONE;
  fill(tune, race, settings, repeat, &job);
  enum hd_tune_end end = hd_tune_run_job(tune, &job, &outcome);
  hd_series_progress_clear(&tune->series);
  if (end == HD_TUNE_DONE && hd_series_is_expected(&tune->series, &outcome)) {
    *seconds = outcome.seconds;
    tune->slowest_s = fmax(tune->slowest_s, *seconds);
    end = keep(tune, race, settings, repeat, &job, *seconds) ? HD_TUNE_DONE : HD_TUNE_FAILED;
  } else if (end == HD_TUNE_DONE) { /* it is tried again when the search is resumed */
    end = hd_tune_store_output(tune, race, settings, repeat, ".failed.out", kept) ? HD_TUNE_DONE : HD_TUNE_FAILED;
    if (end == HD_TUNE_DONE)
      hd_series_failure_show(&tune->series, &job, &outcome, NULL, kept);
  }
  hd_series_job_free(&job);
  return end;
}
