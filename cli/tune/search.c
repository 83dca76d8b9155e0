/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file search.c
 * One kind of settings after the other, each in a race: all its values, and what has been chosen so far, are run in
 * turn, repeat by repeat. A value that cannot win any more is not run again. The value that wins is kept for the races
 * that follow. At the end the winner and the default are run in turn once more: by these runs alone they are compared,
 * because the one that won has been lucky, too.
 */
#include <math.h>
#include <stdlib.h>

#include "cli/tune/tune_internal.h"
#include "support/command/memory.h"

static struct hd_sample sample_of(const struct hd_tune_candidate *candidate) {
  return (struct hd_sample){candidate->seconds, candidate->count};
}

static double median_of(const struct hd_tune_candidate *candidate) {
  return candidate->count > 0 ? candidate->seconds[hd_median_index(candidate->seconds, candidate->count)] : INFINITY;
}

/* ---- time ---- */

/* Whether a run still fits in, with the runs of the final. */
static bool has_time(const struct hd_tune *tune, bool final) {
  const double limit = tune->options->limit_s, run = tune->slowest_s;
  const double reserve = final ? 0 : 2 * run * HD_REPEATS_LEAST;
  return limit <= 0 || hd_series_now_s() - tune->begin_s + run + reserve <= limit;
}

/* ---- a race ---- */

static void add_candidate(const struct hd_tune *tune, struct hd_tune_race *race,
                          const struct hd_tune_settings *settings) {
  race->candidates = hd_grow_by_one(race->candidates, race->count, sizeof *race->candidates);
  race->candidates[race->count++] =
      (struct hd_tune_candidate){.settings = *settings,
                                 .text = hd_tune_settings_text(settings),
                                 .seconds = hd_new(tune->options->series.repeats, sizeof(double))};
}

void hd_tune_race_free(struct hd_tune_race *race) {
  for (size_t i = 0; i < race->count; i++) {
    free(race->candidates[i].text);
    free(race->candidates[i].seconds);
  }
  free(race->candidates);
}

static enum hd_tune_end run_once(struct hd_tune *tune, const struct hd_tune_race *race,
                                 struct hd_tune_candidate *candidate, uint32_t repeat) {
  double seconds;
  const enum hd_tune_end end = hd_tune_run(tune, race->id, candidate->text, repeat, &seconds);
  if (end != HD_TUNE_DONE)
    return end;
  if (isnan(seconds)) {
    candidate->out = candidate->failed = true;
    return candidate == race->candidates ? HD_TUNE_FAILED : HD_TUNE_DONE; /* what stood before has to work */
  }
  candidate->seconds[candidate->count++] = seconds;
  return HD_TUNE_DONE;
}

static size_t fastest(const struct hd_tune_race *race) {
  size_t best = 0;
  for (size_t i = 1; i < race->count; i++)
    if (!race->candidates[i].out && median_of(&race->candidates[i]) < median_of(&race->candidates[best]))
      best = i;
  return best;
}

static bool is_out(const struct hd_tune_race *race, size_t index, size_t best) {
  const struct hd_sample sample = sample_of(&race->candidates[best]), other = sample_of(&race->candidates[index]);
  return race->candidates[index].out || (index != best && hd_tune_is_out(&sample, &other));
}

/* Those that are out stay out. The first, with which the winner is compared, runs as long as any other does. Returns
 * how many are left. */
static size_t drop(struct hd_tune_race *race) {
  const size_t best = fastest(race);
  size_t left = 0;
  for (size_t i = 1; i < race->count; i++) {
    race->candidates[i].out = is_out(race, i, best);
    left += !race->candidates[i].out;
  }
  race->candidates[0].out = left <= 1 && is_out(race, 0, best);
  return left + !race->candidates[0].out;
}

/* Each repeat begins one later, so that none is always first. */
static enum hd_tune_end run_race(struct hd_tune *tune, struct hd_tune_race *race, bool final) {
  enum hd_tune_end end = HD_TUNE_DONE;
  size_t left = race->count;
  for (uint32_t repeat = 1; repeat <= tune->options->series.repeats && left > 1; repeat++) {
    for (size_t i = 0; i < race->count; i++) {
      struct hd_tune_candidate *candidate = &race->candidates[(i + repeat - 1) % race->count];
      double known;
      if (candidate->out)
        continue;
      if (!hd_tune_store_find(tune, race->id, candidate->text, repeat, &known) && !has_time(tune, final)) {
        tune->limited = true;
        return HD_TUNE_DONE;
      }
      end = run_once(tune, race, candidate, repeat);
      if (end != HD_TUNE_DONE)
        return end;
    }
    if (!final)
      left = drop(race);
  }
  return end;
}

static size_t winner_of(const struct hd_tune_race *race) {
  const size_t best = fastest(race);
  const struct hd_sample base = sample_of(&race->candidates[0]), other = sample_of(&race->candidates[best]);
  return best > 0 && hd_tune_judge(&base, &other).faster ? best : 0;
}

static enum hd_tune_end race_kind(struct hd_tune *tune, enum hd_tune_kind kind) {
  struct hd_texts *values = &tune->values[kind];
  struct hd_tune_race *race = &tune->races[tune->race_count];
  hd_tune_values(kind, &tune->facts, values);
  if (values->count == 0)
    return HD_TUNE_DONE;
  tune->race_count++;
  *race = (struct hd_tune_race){
      .id = hd_tune_kind_id(kind), .reason = tune->reasons[kind], .repeats = tune->options->series.repeats};
  add_candidate(tune, race, &tune->chosen);
  for (size_t i = 0; i < values->count; i++) {
    struct hd_tune_settings settings = tune->chosen;
    settings.of[kind] = values->items[i];
    add_candidate(tune, race, &settings);
  }
  const enum hd_tune_end end = run_race(tune, race, false);
  race->winner = winner_of(race);
  tune->chosen = race->candidates[race->winner].settings;
  return end;
}

/* ---- all ---- */

static enum hd_tune_end run_final(struct hd_tune *tune) {
  struct hd_tune_race *race = &tune->races[tune->race_count];
  char *text = hd_tune_settings_text(&tune->chosen);
  const bool differs = *text;
  free(text);
  if (!differs)
    return HD_TUNE_DONE;
  tune->race_count++;
  *race = (struct hd_tune_race){.id = "final", .repeats = tune->options->series.repeats};
  add_candidate(tune, race, &(struct hd_tune_settings){{NULL}});
  add_candidate(tune, race, &tune->chosen);
  const enum hd_tune_end end = run_race(tune, race, true);
  const struct hd_sample base = sample_of(&race->candidates[0]), other = sample_of(&race->candidates[1]);
  tune->verdict = hd_tune_judge(&base, &other);
  tune->judged = isfinite(tune->verdict.saved.low);
  race->winner = tune->verdict.faster;
  return end;
}

/* The kind that is suggested most strongly among those that are left. */
static enum hd_tune_kind next_kind(const struct hd_tune *tune, const bool done[HD_TUNE_KINDS]) {
  int next = HD_TUNE_KINDS;
  for (int kind = 0; kind < HD_TUNE_KINDS; kind++)
    if (!done[kind] && (next == HD_TUNE_KINDS || tune->weights[kind] > tune->weights[next]))
      next = kind;
  return (enum hd_tune_kind)next;
}

enum hd_tune_end hd_tune_search(struct hd_tune *tune) {
  bool done[HD_TUNE_KINDS] = {false};
  enum hd_tune_end end = HD_TUNE_DONE;
  for (int i = 0; i < HD_TUNE_KINDS && end == HD_TUNE_DONE && !tune->limited; i++) {
    const enum hd_tune_kind kind = next_kind(tune, done);
    done[kind] = true;
    end = race_kind(tune, kind);
  }
  return end == HD_TUNE_DONE ? run_final(tune) : end;
}
