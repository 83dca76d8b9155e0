/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/unify/clock_scale.h"

#include <math.h>

/* Clocks of the same machine, calibrated in each run, differ by less. */
static const double nearly = 1e-3;
static const double close_enough = 1e-6;
enum { FACTOR_MOST = 4096 };

static bool is_near(double a, double b) {
  return fabs(a / b - 1) <= nearly;
}

static double finest(struct hd_model *const *models, size_t count) {
  double least = models[0]->seconds_per_tick;
  for (size_t i = 1; i < count; i++)
    least = fmin(least, models[i]->seconds_per_tick);
  return least;
}

static bool all_alike(struct hd_model *const *models, size_t count) {
  for (size_t i = 1; i < count; i++)
    if (!is_near(models[i]->seconds_per_tick, models[0]->seconds_per_tick))
      return false;
  return true;
}

/* The thread time of all runs, if one tick of the finest clock is one of the common clock. */
static double thread_ticks(struct hd_model *const *models, size_t count, double least) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) {
    const struct hd_model *model = models[i];
    sum += (double)model->elapsed_ticks * (model->thread_count + 1.0) * model->seconds_per_tick / least;
  }
  return sum;
}

/* How far the lengths of the units lie apart. */
static double error_of(struct hd_model *const *models, size_t count, double least, uint32_t factor) {
  double worst = 0;
  for (size_t i = 0; i < count; i++) {
    const double exact = factor * models[i]->seconds_per_tick / least;
    worst = fmax(worst, fabs(round(exact) / exact - 1));
  }
  return worst;
}

/* The smallest factor that is good enough, else the best. No sum of times may overflow; some are of thread time, and
 * weighted by the size of teams. */
static uint32_t choose(struct hd_model *const *models, size_t count, double least) {
  const double ticks = thread_ticks(models, count, least);
  uint32_t best = 1;
  double best_error = error_of(models, count, least, 1);
  for (uint32_t factor = 2; factor <= FACTOR_MOST && best_error > close_enough && ticks * factor * 16 < 0x1p63;
       factor++) {
    const double error = error_of(models, count, least, factor);
    if (error < best_error) {
      best = factor;
      best_error = error;
    }
  }
  return best;
}

/* Those that are near an earlier one keep whole ticks in common with it. */
static bool take_factors(struct hd_model *const *models, size_t count, double least, uint32_t factor,
                         uint64_t *factors) {
  for (size_t i = 0; i < count; i++) {
    const double seconds = models[i]->seconds_per_tick;
    const double exact = factor * seconds / least;
    if (!(exact < 0x1p62))
      return false;
    factors[i] = (uint64_t)llround(exact);
    for (size_t j = 0; j < i; j++)
      if (is_near(seconds, models[j]->seconds_per_tick)) {
        factors[i] = factors[j];
        break;
      }
  }
  return true;
}

/* Such that the elapsed time of all is, in seconds, what it was. */
static double rate_of(struct hd_model *const *models, size_t count, const uint64_t *factors, double otherwise) {
  double seconds = 0;
  double ticks = 0;
  for (size_t i = 0; i < count; i++) {
    seconds += hd_model_seconds(models[i], models[i]->elapsed_ticks);
    ticks += (double)models[i]->elapsed_ticks * (double)factors[i];
  }
  return ticks > 0 ? seconds / ticks : otherwise;
}

bool hd_clocks_join(struct hd_model *const *models, size_t count, uint64_t *factors, double *seconds_per_tick) {
  const double least = finest(models, count);
  const uint32_t factor = all_alike(models, count) ? 1 : choose(models, count, least);
  if (!(thread_ticks(models, count, least) < 0x1p62) || !take_factors(models, count, least, factor, factors))
    return false;
  *seconds_per_tick = rate_of(models, count, factors, least / factor);
  return true;
}
