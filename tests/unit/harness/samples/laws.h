/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file laws.h
 * For tests of laws of scaling: times of a known law, with and without noise, and laws fitted to them.
 */
#ifndef HEDDLE_TESTS_LAWS_H
#define HEDDLE_TESTS_LAWS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "output/comparison/scaling_law.h"

enum { POINTS_MOST = 8, REPEATS_MOST = 10 };

static const uint32_t doubling[] = {1, 2, 4, 8, 16, 32}, counting[] = {1, 2, 3, 4, 5, 6, 7, 8};

/* Times of a program, filled in one way or another. */
struct data {
  double seconds[POINTS_MOST][REPEATS_MOST];
  struct hd_scaling_point points[POINTS_MOST];
  size_t count;
};

static inline double law(double one, double s, double k, double p) {
  return one * (1 + s * (p - 1) + k * p * (p - 1)) / p;
}

/* Gauss's noise of variance 1, by Box and Muller. */
static inline double noise(struct drand48_data *random) {
  double a, b;
  drand48_r(random, &a);
  drand48_r(random, &b);
  return sqrt(-2 * log(1 - a)) * cos(6.283185307179586 * b);
}

/* One run each. */
static inline struct hd_scaling fit(struct data *data, const uint32_t *threads, const double *seconds, size_t count) {
  struct hd_scaling scaling;
  for (size_t i = 0; i < count; i++) {
    data->seconds[i][0] = seconds[i];
    data->points[i] = (struct hd_scaling_point){threads[i], {data->seconds[i], 1}};
  }
  hd_scaling_fit(data->points, count, &scaling);
  return scaling;
}

static inline struct hd_scaling fit_law(struct data *data, const uint32_t *threads, size_t count, double one, double s,
                                        double k) {
  double seconds[POINTS_MOST];
  for (size_t i = 0; i < count; i++)
    seconds[i] = law(one, s, k, threads[i]);
  return fit(data, threads, seconds, count);
}

static inline bool is_near(double a, double b) {
  return fabs(a - b) <= 1e-6 * fmax(1, fabs(b));
}

static inline bool is_in(double number, struct hd_interval interval) {
  return interval.low <= number && number <= interval.high;
}

static inline void expect_why(const struct hd_scaling *scaling, uint32_t threads, const char *expected) {
  struct hd_prediction prediction;
  hd_scaling_predict(scaling, threads, &prediction);
  if (!expected) {
    if (!prediction.told)
      fail_msg("%u threads: %s", threads, prediction.why);
    assert_null(prediction.why);
    return;
  }
  assert_false(prediction.told);
  if (!strstr(prediction.why, expected))
    fail_msg("'%s', but expected '%s'", prediction.why, expected);
}

#endif
