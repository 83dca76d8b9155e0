/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Medians and bootstrap intervals, against brute force, and how often they hold the truth. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "output/comparison/bootstrap.h"

static double first(const double medians[], void *context) {
  (void)context;
  return medians[0];
}

static double difference(const double medians[], void *context) {
  (void)context;
  return medians[1] - medians[0];
}

static double never_below(const double medians[], void *context) {
  return medians[0] < *(const double *)context ? NAN : medians[0];
}

static int compare_values(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Gauss's noise of variance 1, by Box and Muller. */
static double noise(struct drand48_data *random) {
  double a, b;
  drand48_r(random, &a);
  drand48_r(random, &b);
  return sqrt(-2 * log(1 - a)) * cos(6.283185307179586 * b);
}

static void fill(double *values, size_t count, struct drand48_data *random) {
  for (size_t i = 0; i < count; i++)
    values[i] = noise(random);
}

/* ---- medians ---- */

static void test_the_median_is_the_middle_value(void **state) {
  (void)state;
  const double values[] = {9, 1, 5, 7, 3};
  assert_int_equal(hd_median_index(values, 5), 2);
  assert_int_equal(hd_median_index(values, 1), 0);
  assert_int_equal(hd_median_index(values, 3), 2);
}

static void test_of_an_even_number_it_is_the_lower_middle(void **state) {
  (void)state;
  const double values[] = {4, 2, 3, 1};
  assert_int_equal(hd_median_index(values, 4), 1);
  assert_int_equal(hd_median_index(values, 2), 1);
}

static void test_equal_values_have_a_median(void **state) {
  (void)state;
  const double values[] = {2, 1, 2, 2, 1, 3};
  assert_int_equal(hd_median_index(values, 6), 0);
  assert_int_equal(hd_median_index(values + 2, 3), 0);
}

/* ---- intervals ---- */

/* Draws, sorts and takes the median, as it is written in textbooks. */
static void draw_by_hand(const double *values, size_t count, double *drawn, size_t draws) {
  struct drand48_data random;
  srand48_r(42, &random);
  double sample[64];
  for (size_t i = 0; i < draws; i++) {
    for (size_t j = 0; j < count; j++) {
      double at;
      drand48_r(&random, &at);
      sample[j] = values[(size_t)(at * (double)count)];
    }
    qsort(sample, count, sizeof *sample, compare_values);
    drawn[i] = sample[(count - 1) / 2];
  }
  qsort(drawn, draws, sizeof *drawn, compare_values);
}

static double variance_of(const double *values, size_t count) {
  double sum = 0, squares = 0;
  for (size_t i = 0; i < count; i++)
    sum += values[i];
  for (size_t i = 0; i < count; i++)
    squares += (values[i] - sum / (double)count) * (values[i] - sum / (double)count);
  return squares / (double)count;
}

static void test_intervals_and_variances_are_those_of_brute_force(void **state) {
  (void)state;
  enum { DRAWS = 100000 };
  static double drawn[DRAWS];
  struct drand48_data random;
  srand48_r(7, &random);
  for (size_t count = 3; count <= 50; count += 1 + count / 3) {
    double values[50];
    fill(values, count, &random);
    draw_by_hand(values, count, drawn, DRAWS);
    const struct hd_sample sample = {values, count};
    const struct hd_interval interval = hd_bootstrap(&sample, 1, first, NULL);
    /* Between the percentiles at 1.5 % and 3.5 %, as 2000 draws are. */
    assert_true(interval.low >= drawn[DRAWS * 15 / 1000] && interval.low <= drawn[DRAWS * 35 / 1000]);
    assert_true(interval.high >= drawn[DRAWS * 965 / 1000] && interval.high <= drawn[DRAWS * 985 / 1000]);
    const double variance = variance_of(drawn, DRAWS);
    assert_true(fabs(hd_median_variance(&sample) - variance) < 0.03 * variance);
  }
}

/* 0, 1, 2, ... whatever was drawn. */
static double count_up(const double medians[], void *context) {
  (void)medians;
  return (*(double *)context)++;
}

static void test_of_five_percent_one_half_is_outside_on_either_side(void **state) {
  (void)state;
  const double values[] = {1, 2, 3};
  const struct hd_sample sample = {values, 3};
  double next = 0;
  const struct hd_interval interval = hd_bootstrap(&sample, 1, count_up, &next);
  assert_true(fabs(interval.low - 0.025 * next) < 1.5 && fabs(interval.high - 0.975 * next) < 1.5);
  assert_true(next > 1000);
}

static void test_the_same_samples_have_the_same_interval(void **state) {
  (void)state;
  struct drand48_data random;
  srand48_r(3, &random);
  double values[20];
  fill(values, 20, &random);
  const struct hd_sample samples[] = {{values, 10}, {values + 10, 10}};
  const struct hd_interval once = hd_bootstrap(samples, 2, difference, NULL);
  (void)drand48();
  const struct hd_interval again = hd_bootstrap(samples, 2, difference, NULL);
  assert_memory_equal(&once, &again, sizeof once);
  assert_true(once.low < once.high);
}

static void expect_unknown(struct hd_interval interval) {
  assert_true(isnan(interval.low) && isnan(interval.high));
}

static void test_too_few_repeats_say_nothing(void **state) {
  (void)state;
  const double values[] = {1, 2, 3};
  const struct hd_sample samples[] = {{values, 3}, {values, 2}};
  expect_unknown(hd_bootstrap(samples, 2, difference, NULL));
  expect_unknown(hd_bootstrap(samples + 1, 1, first, NULL));
  expect_unknown(hd_bootstrap(samples, 0, first, NULL));
  assert_true(isnan(hd_median_variance(&samples[1])));
  const struct hd_interval known = hd_bootstrap(samples, 1, first, NULL);
  assert_true(known.low == 1 && known.high == 3);
}

static void test_what_is_no_number_says_nothing(void **state) {
  (void)state;
  const double values[] = {1, NAN, 3, 2, 5};
  const struct hd_sample samples[] = {{values, 5}, {values + 2, 3}};
  double limit = 2.5;
  expect_unknown(hd_bootstrap(samples, 1, first, NULL));
  expect_unknown(hd_bootstrap(samples + 1, 1, never_below, &limit));
  assert_true(isnan(hd_median_variance(&samples[0])));
  limit = 2;
  assert_true(hd_bootstrap(samples + 1, 1, never_below, &limit).low == 2);
}

static void test_equal_repeats_have_a_narrow_interval(void **state) {
  (void)state;
  const double values[] = {2, 2, 2, 2};
  const struct hd_sample sample = {values, 4};
  const struct hd_interval interval = hd_bootstrap(&sample, 1, first, NULL);
  assert_true(interval.low == 2 && interval.high == 2);
  assert_true(hd_median_variance(&sample) == 0);
}

static void test_thousands_of_repeats_are_no_trouble(void **state) {
  (void)state;
  enum { COUNT = 5000 };
  static double values[COUNT];
  for (size_t i = 0; i < COUNT; i++)
    values[i] = (double)(i * 7919 % COUNT); /* 0 .. COUNT - 1, in disorder */
  const struct hd_sample sample = {values, COUNT};
  const struct hd_interval interval = hd_bootstrap(&sample, 1, first, NULL);
  /* The median's standard deviation is 0.5 / sqrt(COUNT) of the range, 35.4 ranks. */
  assert_true(fabs(2500 - 1.96 * 35.4 - interval.low) < 10);
  assert_true(fabs(2500 + 1.96 * 35.4 - interval.high) < 10);
  assert_true(values[hd_median_index(values, COUNT)] == 2499);
}

/* ---- how often they hold the truth ---- */

/* Percent of trials in which the interval of one median, or the difference of two alike, holds 0. */
static double held_percent(size_t repeats, size_t samples) {
  enum { TRIALS = 2000 };
  struct drand48_data random;
  srand48_r(11, &random);
  int held = 0;
  for (int i = 0; i < TRIALS; i++) {
    double values[40];
    fill(values, repeats * samples, &random);
    const struct hd_sample both[] = {{values, repeats}, {values + repeats, repeats}};
    const struct hd_interval interval = hd_bootstrap(both, samples, samples == 1 ? first : difference, NULL);
    held += interval.low <= 0 && interval.high >= 0;
  }
  return 100.0 * held / (int)TRIALS;
}

static void test_intervals_hold_the_truth_as_often_as_is_said(void **state) {
  (void)state;
  static const struct {
    size_t repeats, samples;
    double percent;
  } cases[] = {{3, 1, 75}, {5, 1, 94}, {3, 2, 90}, {5, 2, 97}, {20, 2, 96.5}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const double percent = held_percent(cases[i].repeats, cases[i].samples);
    print_message("%zu repeats, %zu sample(s): %.1f %%\n", cases[i].repeats, cases[i].samples, percent);
    assert_true(fabs(percent - cases[i].percent) < 2.5);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_median_is_the_middle_value),
      cmocka_unit_test(test_of_an_even_number_it_is_the_lower_middle),
      cmocka_unit_test(test_equal_values_have_a_median),
      cmocka_unit_test(test_intervals_and_variances_are_those_of_brute_force),
      cmocka_unit_test(test_of_five_percent_one_half_is_outside_on_either_side),
      cmocka_unit_test(test_the_same_samples_have_the_same_interval),
      cmocka_unit_test(test_too_few_repeats_say_nothing),
      cmocka_unit_test(test_what_is_no_number_says_nothing),
      cmocka_unit_test(test_equal_repeats_have_a_narrow_interval),
      cmocka_unit_test(test_thousands_of_repeats_are_no_trouble),
      cmocka_unit_test(test_intervals_hold_the_truth_as_often_as_is_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
