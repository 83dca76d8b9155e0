/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Laws of scaling fitted to known laws without noise; what the data cannot tell, and what cannot be fitted. */
#include "laws.h"

/* ---- laws without noise ---- */

static void expect_fit(const struct hd_scaling *scaling, enum hd_law which, double one, double s, double k) {
  const struct hd_law_fit *fit = &scaling->laws[which];
  assert_true(scaling->fitted);
  assert_true(fabs(fit->time_one / one - 1) < 1e-6);
  assert_true(is_near(fit->serial, s) && is_near(fit->coherence, k));
  assert_true(is_in(one, fit->time_one_interval) && is_in(s, fit->serial_interval));
  assert_true(is_in(k, fit->coherence_interval));
  assert_true(fit->residual < 1e-9);
}

static void test_known_laws_are_recovered(void **state) {
  (void)state;
  static const double ones[] = {1, 3e-7, 4e5}, serials[] = {0, 0.01, 0.3, 1}, coherences[] = {0, 1e-4, 0.02, 2};
  for (size_t i = 0; i < 3 * 4 * 4 * 2; i++) {
    struct data data;
    const double one = ones[i % 3], s = serials[i / 3 % 4], k = coherences[i / 12 % 4];
    const uint32_t *threads = i / 48 ? counting : doubling;
    struct hd_scaling scaling = fit_law(&data, threads, i / 48 ? 8 : 4, one, s, k);
    expect_fit(&scaling, HD_LAW_USL, one, s, k);
    if (k <= 0)
      expect_fit(&scaling, HD_LAW_AMDAHL, one, s, 0);
    struct hd_prediction prediction;
    hd_scaling_predict(&scaling, 64, &prediction);
    assert_true(fabs(prediction.seconds[HD_LAW_USL] / law(one, s, k, 64) - 1) < 1e-6);
    assert_true(is_in(law(one, s, k, 64), prediction.interval[HD_LAW_USL]));
    hd_scaling_free(&scaling);
  }
}

static void test_counts_need_not_begin_at_one(void **state) {
  (void)state;
  static const uint32_t threads[] = {48, 6, 24, 12, 96};
  struct data data;
  struct hd_scaling scaling = fit_law(&data, threads, 5, 7, 0.02, 3e-4);
  expect_fit(&scaling, HD_LAW_USL, 7, 0.02, 3e-4);
  hd_scaling_free(&scaling);
}

static void test_residuals_stand_by_their_points(void **state) {
  (void)state;
  static const double seconds[] = {8, 4, 2, 1.2};
  struct data data;
  struct hd_scaling scaling = fit(&data, doubling, seconds, 4);
  for (int which = 0; which < HD_LAW_COUNT; which++) {
    const struct hd_law_fit *fit = &scaling.laws[which];
    double squares = 0;
    for (size_t i = 0; i < 4; i++) {
      const double residual = 1 - law(fit->time_one, fit->serial, fit->coherence, doubling[i]) / seconds[i];
      assert_true(is_near(scaling.residuals[(size_t)which * 4 + i], residual));
      squares += residual * residual;
    }
    assert_true(is_near(fit->residual, sqrt(squares / 4)));
    assert_true(fit->residual > 0.005);
  }
  hd_scaling_free(&scaling);
}

/* No other parameters have smaller squares: a walk around the fit finds none. */
static void test_no_other_parameters_fit_better(void **state) {
  (void)state;
  struct drand48_data random;
  srand48_r(4, &random);
  int fitted = 0;
  for (int trial = 0; trial < 200; trial++) {
    struct data data;
    double seconds[5];
    for (size_t i = 0; i < 5; i++)
      seconds[i] = exp(1.5 * noise(&random)); /* not a law's at all: the bounds matter */
    struct hd_scaling scaling = fit(&data, doubling, seconds, 5);
    const struct hd_law_fit *fit = &scaling.laws[trial % 2];
    fitted += scaling.fitted;
    for (int step = 0; step < 1000 && scaling.fitted; step++) {
      const double size = 0.5 * pow(0.9, step % 80), one = fit->time_one * exp(size * noise(&random));
      const double s = fmin(1, fmax(0, fit->serial + size * noise(&random)));
      const double k = trial % 2 ? fmax(0, fit->coherence + size * noise(&random)) : 0;
      double squares = 0;
      for (size_t i = 0; i < 5; i++)
        squares += pow(1 - law(one, s, k, doubling[i]) / seconds[i], 2);
      assert_true(sqrt(squares / 5) >= fit->residual * (1 - 1e-9));
    }
    hd_scaling_free(&scaling);
  }
  assert_true(fitted > 150);
}

static void test_the_peak_is_where_the_time_is_shortest(void **state) {
  (void)state;
  struct data data;
  struct hd_scaling scaling = fit_law(&data, doubling, 6, 1, 0.04, 0.01);
  assert_true(is_near(scaling.laws[HD_LAW_USL].peak, sqrt(0.96 / 0.01)));
  assert_true(isinf(scaling.laws[HD_LAW_AMDAHL].peak));
  assert_true(scaling.amdahl_refuted);
  hd_scaling_free(&scaling);
  scaling = fit_law(&data, doubling, 6, 1, 0.5, 3);
  assert_true(scaling.laws[HD_LAW_USL].peak <= 1 && scaling.laws[HD_LAW_USL].peak >= 1);
  hd_scaling_free(&scaling);
  scaling = fit_law(&data, doubling, 6, 1, 0.04, 0);
  assert_true(isinf(scaling.laws[HD_LAW_USL].peak));
  assert_false(scaling.amdahl_refuted);
  hd_scaling_free(&scaling);
}

/* ---- what the data cannot tell ---- */

static void test_four_points_far_from_a_law_leave_it_open(void **state) {
  (void)state;
  static const double seconds[] = {8, 4.6, 2.1, 1.5};
  struct data data;
  struct hd_scaling scaling = fit(&data, doubling, seconds, 4);
  struct hd_prediction prediction;
  hd_scaling_predict(&scaling, 16, &prediction);
  assert_true(prediction.interval[HD_LAW_USL].high > 2 * prediction.interval[HD_LAW_USL].low);
  assert_true(prediction.interval[HD_LAW_USL].low < prediction.seconds[HD_LAW_USL]);
  assert_true(prediction.interval[HD_LAW_USL].high > prediction.seconds[HD_LAW_USL]);
  expect_why(&scaling, 16, "differ by more than a factor of 2");
  hd_scaling_free(&scaling);
}

static void test_times_without_a_trend_are_said(void **state) {
  (void)state;
  static const double constant[] = {2, 2, 2, 2, 2}, shaking[] = {2, 2.1, 1.95, 2.05, 2}, zigzag[] = {1, 4, 1, 4, 1};
  static const double *const times[] = {constant, shaking, zigzag};
  for (size_t i = 0; i < 3; i++) {
    struct data data;
    struct hd_scaling scaling = fit(&data, doubling, times[i], 5);
    expect_why(&scaling, 8, "does not change with the number of threads beyond its noise");
    assert_true((i > 0 && isinf(scaling.laws[HD_LAW_USL].peak)) || scaling.laws[HD_LAW_USL].peak <= 1);
    hd_scaling_free(&scaling);
  }
}

static void test_growing_times_have_their_peak_at_one(void **state) {
  (void)state;
  static const double seconds[] = {1, 1.5, 2.5, 4.5, 8.5};
  struct data data;
  struct hd_scaling scaling = fit(&data, doubling, seconds, 5);
  assert_true(scaling.laws[HD_LAW_USL].peak <= 1);
  assert_true(scaling.laws[HD_LAW_AMDAHL].serial >= 1 && scaling.laws[HD_LAW_AMDAHL].serial <= 1);
  assert_true(scaling.amdahl_refuted);
  expect_why(&scaling, 32, NULL);
  hd_scaling_free(&scaling);
}

static void test_far_beyond_what_was_measured_little_may_be_open(void **state) {
  (void)state;
  struct data data;
  struct hd_scaling scaling = fit_law(&data, doubling, 5, 1, 0.1, 0);
  expect_why(&scaling, 32, NULL);
  expect_why(&scaling, 65, "more than 4 times as many threads as measured");
  hd_scaling_free(&scaling);
  /* Where little depends on what is open, it may be farther. */
  struct hd_scaling_point points[POINTS_MOST];
  double seconds[POINTS_MOST][5];
  for (size_t i = 0; i < 8; i++) {
    points[i] = (struct hd_scaling_point){1 + 31 * (uint32_t)i, {seconds[i], 5}};
    for (size_t j = 0; j < 5; j++)
      seconds[i][j] = law(1, 0.6, 0.01, points[i].threads);
  }
  hd_scaling_fit(points, 8, &scaling);
  expect_why(&scaling, 1000, NULL);
  hd_scaling_free(&scaling);
}

/* So much coherence that noise may just, but hardly, have made it. */
static void test_laws_that_contradict_each_other_are_said(void **state) {
  (void)state;
  bool told = false, contradict = false;
  for (double k = 0; k < 0.01; k += 0.0002) {
    struct data data;
    struct hd_scaling scaling = fit_law(&data, counting, 8, 1, 0.05, k);
    struct hd_prediction prediction;
    hd_scaling_predict(&scaling, 32, &prediction);
    contradict = contradict || (prediction.why && strstr(prediction.why, "contradict"));
    if (prediction.told && scaling.amdahl_refuted) {
      assert_true(contradict);
      told = true;
    }
    hd_scaling_free(&scaling);
  }
  assert_true(told);
}

/* ---- what cannot be fitted ---- */

static void expect_unfitted(const double *seconds, const uint32_t *threads, size_t count, const char *expected) {
  struct data data;
  struct hd_prediction prediction;
  struct hd_scaling scaling = fit(&data, threads, seconds, count);
  assert_false(scaling.fitted);
  assert_string_equal(scaling.why, expected);
  hd_scaling_predict(&scaling, 8, &prediction);
  assert_false(prediction.told);
  assert_non_null(prediction.why);
  assert_true(isnan(prediction.seconds[0]) && isnan(prediction.interval[1].high));
  hd_scaling_free(&scaling);
}

static void test_what_cannot_be_fitted_is_said(void **state) {
  (void)state;
  static const uint32_t doubled[] = {1, 2, 4, 4, 2}, none[] = {1, 2, 0, 4};
  expect_unfitted((double[]){4, 2, 1}, doubling, 3, "fewer than 4 thread counts");
  expect_unfitted((double[]){4, 2, 1, 1, 2}, doubled, 5, "fewer than 4 thread counts");
  expect_unfitted((double[]){4, 2, 0, 1}, doubling, 4, "a time is zero");
  expect_unfitted((double[]){4, 2, 1e-320, 1}, doubling, 4, "a time is zero");
  expect_unfitted((double[]){4, 2, NAN, 1}, doubling, 4, "a time is not known");
  expect_unfitted((double[]){4, INFINITY, 2, 1}, doubling, 4, "a time is not known");
  expect_unfitted((double[]){4, -2, 2, 1}, doubling, 4, "a time is not known");
  expect_unfitted((double[]){4, 2, 2, 1}, none, 4, "a time is not known");
  struct hd_scaling scaling;
  hd_scaling_fit(NULL, 0, &scaling);
  assert_false(scaling.fitted);
  hd_scaling_free(&scaling);
}

static void test_times_that_grow_from_nothing_fit_no_law(void **state) {
  (void)state;
  static const uint32_t threads[] = {2, 3, 4, 5};
  expect_unfitted((double[]){1, 2.1, 3.2, 4.3}, threads, 4,
                  "no law fits: with one thread there would be no time at all");
}

static void test_points_without_a_time_are_left_out(void **state) {
  (void)state;
  static const double seconds[] = {1, 0.6, 0.4, 0.3, 0.25};
  struct data data;
  struct hd_scaling scaling = fit(&data, doubling, seconds, 5);
  hd_scaling_free(&scaling);
  data.points[1].seconds.count = 0;
  hd_scaling_fit(data.points, 5, &scaling);
  assert_true(scaling.fitted);
  const struct hd_law_fit *usl = &scaling.laws[HD_LAW_USL];
  for (size_t i = 0; i < 5; i++) {
    const double expected = 1 - law(usl->time_one, usl->serial, usl->coherence, doubling[i]) / seconds[i];
    assert_true(i == 1 ? isnan(scaling.residuals[5 + i]) : is_near(scaling.residuals[5 + i], expected));
  }
  hd_scaling_free(&scaling);
  data.points[2].seconds.count = 0;
  hd_scaling_fit(data.points, 5, &scaling);
  assert_false(scaling.fitted);
  hd_scaling_free(&scaling);
}

/* Whatever the times: intervals hold what was fitted, and nothing is out of bounds. */
static void test_any_times_have_intervals_around_their_fit(void **state) {
  (void)state;
  int open = 0;
  struct drand48_data random;
  srand48_r(23, &random);
  for (int trial = 0; trial < 3000; trial++) {
    struct data data;
    double seconds[POINTS_MOST];
    const size_t count = 4 + (size_t)trial % 5;
    for (size_t i = 0; i < count; i++)
      seconds[i] = exp((trial % 7) * noise(&random));
    struct hd_scaling scaling = fit(&data, counting, seconds, count);
    for (int which = 0; which < HD_LAW_COUNT && scaling.fitted; which++) {
      const struct hd_law_fit *fit = &scaling.laws[which];
      struct hd_prediction prediction;
      hd_scaling_predict(&scaling, 20, &prediction);
      assert_true(fit->time_one > 0 && fit->serial >= 0 && fit->serial <= 1 + 1e-9 && fit->coherence >= 0);
      assert_true(is_in(fit->time_one, fit->time_one_interval) && is_in(fit->serial, fit->serial_interval));
      assert_true(is_in(fit->coherence, fit->coherence_interval));
      assert_true(fit->serial_interval.low >= 0 && fit->serial_interval.high <= 1 + 1e-6);
      const struct hd_interval k = fit->coherence_interval;
      assert_true(k.low >= 0 && (isinf(k.high) || k.high < 1e9));
      open += isinf(k.high) != 0;
      assert_true(fit->peak >= 1);
      assert_true(is_in(prediction.seconds[which], prediction.interval[which]));
    }
    hd_scaling_free(&scaling);
  }
  assert_true(open > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_known_laws_are_recovered),
      cmocka_unit_test(test_counts_need_not_begin_at_one),
      cmocka_unit_test(test_residuals_stand_by_their_points),
      cmocka_unit_test(test_no_other_parameters_fit_better),
      cmocka_unit_test(test_the_peak_is_where_the_time_is_shortest),
      cmocka_unit_test(test_four_points_far_from_a_law_leave_it_open),
      cmocka_unit_test(test_times_without_a_trend_are_said),
      cmocka_unit_test(test_growing_times_have_their_peak_at_one),
      cmocka_unit_test(test_far_beyond_what_was_measured_little_may_be_open),
      cmocka_unit_test(test_laws_that_contradict_each_other_are_said),
      cmocka_unit_test(test_what_cannot_be_fitted_is_said),
      cmocka_unit_test(test_times_that_grow_from_nothing_fit_no_law),
      cmocka_unit_test(test_points_without_a_time_are_left_out),
      cmocka_unit_test(test_any_times_have_intervals_around_their_fit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
