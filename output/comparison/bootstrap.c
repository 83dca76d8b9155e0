/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/comparison/bootstrap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/command/memory.h"

/* One less than a round number: then the 50th from either end leave 2.5 % outside. */
enum { RESAMPLES = 1999, OUTSIDE = (RESAMPLES + 1) / 40, SAMPLES_MOST = 2 };

/* A sample, sorted, and of each of its values the probability that it or one before it is the median of as many values
 * drawn from the sample with replacement. One random number then stands for a whole drawn sample and its sorting. */
struct urn {
  double *sorted;
  double *up_to;
  size_t count;
};

static size_t median_rank(size_t count) {
  return (count - 1) / 2;
}

size_t hd_median_index(const double *values, size_t count) {
  for (size_t i = 0; i < count; i++) {
    size_t less = 0, equal = 0;
    for (size_t j = 0; j < count; j++) {
      less += values[j] < values[i];
      equal += values[j] <= values[i] && values[j] >= values[i];
    }
    if (less <= median_rank(count) && median_rank(count) < less + equal)
      return i;
  }
  return 0;
}

static int compare_values(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* ---- drawing medians ---- */

static double log_binomial(double n, double k, double p) {
  int sign; /* lgamma() would keep it in a global variable */
  return lgamma_r(n + 1, &sign) - lgamma_r(k + 1, &sign) - lgamma_r(n - k + 1, &sign) + k * log(p) +
         (n - k) * log1p(-p);
}

/* The probability that at least `least` of n draws hit what has probability p. Summed from the term next to the limit
 * away from the mean, so that terms only become smaller. */
static double at_least(size_t n, size_t least, double p) {
  const double odds = p / (1 - p), count = (double)n;
  const bool upper = (double)least > count * p;
  double hits = upper ? (double)least : (double)least - 1;
  double term = exp(log_binomial(count, hits, p)), sum = 0;
  while (term > 0 && sum + term > sum) {
    sum += term;
    term *= upper ? odds * (count - hits) / (hits + 1) : hits / ((count - hits + 1) * odds);
    hits += upper ? 1 : -1;
  }
  return upper ? sum : 1 - sum;
}

static void fill_probabilities(struct urn *urn) {
  for (size_t i = 0; i + 1 < urn->count; i++)
    urn->up_to[i] = at_least(urn->count, median_rank(urn->count) + 1, (double)(i + 1) / (double)urn->count);
  urn->up_to[urn->count - 1] = 1;
}

static bool all_finite(const struct hd_sample *sample) {
  for (size_t i = 0; i < sample->count; i++)
    if (!isfinite(sample->values[i]))
      return false;
  return true;
}

static void free_urn(struct urn *urn) {
  free(urn->sorted);
  free(urn->up_to);
}

/* False: it says nothing about noise. */
static bool fill_urn(struct urn *urn, const struct hd_sample *sample) {
  if (sample->count < HD_REPEATS_LEAST || !all_finite(sample))
    return false;
  urn->count = sample->count;
  urn->sorted = hd_new(sample->count, sizeof *urn->sorted);
  urn->up_to = hd_new(sample->count, sizeof *urn->up_to);
  memcpy(urn->sorted, sample->values, sample->count * sizeof *urn->sorted);
  qsort(urn->sorted, urn->count, sizeof *urn->sorted, compare_values);
  fill_probabilities(urn);
  return true;
}

static double draw_median(const struct urn *urn, struct drand48_data *random) {
  double at;
  size_t rank = 0;
  drand48_r(random, &at);
  while (at >= urn->up_to[rank] && rank + 1 < urn->count)
    rank++;
  return urn->sorted[rank];
}

double hd_median_variance(const struct hd_sample *sample) {
  struct urn urn = {0};
  double variance = NAN;
  if (fill_urn(&urn, sample)) {
    const double middle = urn.sorted[median_rank(urn.count)];
    double sum = 0, squares = 0;
    for (size_t i = 0; i < urn.count; i++) {
      const double share = urn.up_to[i] - (i > 0 ? urn.up_to[i - 1] : 0);
      const double off = urn.sorted[i] - middle;
      sum += share * off;
      squares += share * off * off;
    }
    variance = fmax(0, squares - sum * sum);
  }
  free_urn(&urn);
  return variance;
}

/* ---- intervals ---- */

/* False: the statistic was no number. */
static bool draw_all(const struct urn *urns, size_t count, hd_statistic *statistic, void *context, double *drawn) {
  struct drand48_data random;
  srand48_r(1979, &random);
  for (size_t i = 0; i < RESAMPLES; i++) {
    double medians[SAMPLES_MOST] = {0};
    for (size_t j = 0; j < count; j++)
      medians[j] = draw_median(&urns[j], &random);
    drawn[i] = statistic(medians, context);
    if (isnan(drawn[i]))
      return false;
  }
  return true;
}

struct hd_interval hd_bootstrap(const struct hd_sample *samples, size_t count, hd_statistic *statistic, void *context) {
  struct hd_interval interval = HD_INTERVAL_UNKNOWN;
  struct urn urns[SAMPLES_MOST] = {{0}};
  double drawn[RESAMPLES];
  size_t filled = 0;
  while (filled < count && fill_urn(&urns[filled], &samples[filled]))
    filled++;
  if (count > 0 && filled == count && draw_all(urns, count, statistic, context, drawn)) {
    qsort(drawn, RESAMPLES, sizeof *drawn, compare_values);
    interval = (struct hd_interval){drawn[OUTSIDE - 1], drawn[RESAMPLES - OUTSIDE]};
  }
  for (size_t i = 0; i < filled; i++)
    free_urn(&urns[i]);
  return interval;
}
