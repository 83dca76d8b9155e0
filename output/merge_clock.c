/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file merge_clock.c
 * Brings the clocks of the runs together. All identities are linear in the ticks, so they survive multiplication by a
 * whole number, but not rounding: a run's ticks are multiplied so that all runs' units come to about the same length.
 */
#include <math.h>
#include <stdlib.h>

#include "output/merge_parts.h"

/* Clocks of the same machine, calibrated in each run, differ by less. */
static const double nearly = 1e-3;
static const double close_enough = 1e-6;
enum { FACTOR_MOST = 4096 };

static bool is_near(double a, double b) {
  return fabs(a / b - 1) <= nearly;
}

static double finest(const struct hd_merge *merge) {
  double least = merge->models[0]->seconds_per_tick;
  for (size_t i = 1; i < merge->count; i++)
    least = fmin(least, merge->models[i]->seconds_per_tick);
  return least;
}

static bool all_alike(const struct hd_merge *merge) {
  for (size_t i = 1; i < merge->count; i++)
    if (!is_near(merge->models[i]->seconds_per_tick, merge->models[0]->seconds_per_tick))
      return false;
  return true;
}

/* No sum of times in the file may overflow when the finest clock's factor is `factor`; some are of thread time, and
 * weighted by the size of teams. */
static bool fits(const struct hd_merge *merge, double least, double factor) {
  double sum = 0;
  for (size_t i = 0; i < merge->count; i++) {
    const struct hd_model *model = merge->models[i];
    sum += (double)model->elapsed_ticks * (model->thread_count + 1.0) * factor * model->seconds_per_tick / least;
  }
  return sum * 16 < 0x1p63;
}

/* How far the lengths of the units lie apart. */
static double error_of(const struct hd_merge *merge, double least, uint32_t factor) {
  double worst = 0;
  for (size_t i = 0; i < merge->count; i++) {
    const double exact = factor * merge->models[i]->seconds_per_tick / least;
    worst = fmax(worst, fabs(round(exact) / exact - 1));
  }
  return worst;
}

/* The smallest factor that is good enough, else the best. */
static uint32_t choose(const struct hd_merge *merge, double least) {
  uint32_t best = 1;
  double best_error = error_of(merge, least, 1);
  for (uint32_t factor = 2; factor <= FACTOR_MOST && best_error > close_enough && fits(merge, least, factor);
       factor++) {
    const double error = error_of(merge, least, factor);
    if (error < best_error) {
      best = factor;
      best_error = error;
    }
  }
  return best;
}

/* Those that are near an earlier one keep whole ticks in common with it. */
static void take_factors(struct hd_merge *merge, double least, uint32_t factor) {
  for (size_t i = 0; i < merge->count; i++) {
    const double seconds = merge->models[i]->seconds_per_tick;
    merge->factors[i] = (uint64_t)llround(factor * seconds / least);
    for (size_t j = 0; j < i; j++)
      if (is_near(seconds, merge->models[j]->seconds_per_tick)) {
        merge->factors[i] = merge->factors[j];
        break;
      }
  }
}

/* The clock of the sum: such that its elapsed time is, in seconds, that of the runs. */
static bool take_rate(struct hd_merge *merge, double least, uint32_t factor) {
  double seconds = 0;
  double ticks = 0;
  for (size_t i = 0; i < merge->count; i++) {
    const struct hd_model *model = merge->models[i];
    seconds += hd_model_seconds(model, model->elapsed_ticks);
    ticks += (double)model->elapsed_ticks * (double)merge->factors[i];
  }
  const double seconds_per_tick = ticks > 0 ? seconds / ticks : least / factor;
  struct hd_file_header *header = &merge->header;
  header->clock_kind = HD_CLOCK_TSC;
  header->clock_first = (struct hd_clock_pair){0, 0};
  header->clock_last = (struct hd_clock_pair){(uint64_t)llround(1e3 / seconds_per_tick), 1000000000000u};
  return header->clock_last.ticks > 0;
}

bool hd_merge_clocks(struct hd_merge *merge) {
  const double least = finest(merge);
  bool in_ns = true;
  for (size_t i = 0; i < merge->count; i++)
    in_ns = in_ns && merge->models[i]->header.clock_kind == merge->models[0]->header.clock_kind &&
            merge->models[i]->header.clock_kind != HD_CLOCK_TSC;
  const bool alike = all_alike(merge);
  const uint32_t factor = alike ? 1 : choose(merge, least);
  take_factors(merge, least, factor);
  if (in_ns || merge->count == 1) /* the header is the first run's */
    return true;
  return take_rate(merge, least, factor) || hd_merge_fail(merge, "the runs' clocks are too different");
}
