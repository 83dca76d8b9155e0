/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Laws of scaling fitted to known laws with noise. */
#include "laws.h"

struct program {
  const char *name;
  const uint32_t *threads;
  size_t count, repeats;
  double serial, coherence;
  double noise;  /* of a run, relative */
  double misfit; /* of what is behind all runs at a point, and at the one asked for */
  uint32_t asked;
};

struct tally {
  int prediction, serial, coherence, amdahl, told, told_wrong, peaks;
};

static void try_once(const struct program *program, struct drand48_data *random, struct tally *tally) {
  struct data data;
  struct hd_scaling scaling;
  struct hd_prediction prediction;
  for (size_t i = 0; i < program->count; i++) {
    const double behind =
        law(1, program->serial, program->coherence, program->threads[i]) * (1 + program->misfit * noise(random));
    for (size_t j = 0; j < program->repeats; j++)
      data.seconds[i][j] = behind * (1 + program->noise * noise(random));
    data.points[i] = (struct hd_scaling_point){program->threads[i], {data.seconds[i], program->repeats}};
  }
  const double truth =
      law(1, program->serial, program->coherence, program->asked) * (1 + program->misfit * noise(random));
  hd_scaling_fit(data.points, program->count, &scaling);
  hd_scaling_predict(&scaling, program->asked, &prediction);
  const bool right = is_in(truth, prediction.interval[HD_LAW_USL]);
  tally->prediction += right;
  tally->serial += is_in(program->serial, scaling.laws[HD_LAW_USL].serial_interval);
  tally->coherence += is_in(program->coherence, scaling.laws[HD_LAW_USL].coherence_interval);
  tally->amdahl += is_in(truth, prediction.interval[HD_LAW_AMDAHL]) &&
                   is_in(program->serial, scaling.laws[HD_LAW_AMDAHL].serial_interval);
  tally->told += prediction.told;
  tally->told_wrong += prediction.told && !right;
  tally->peaks += isfinite(scaling.laws[HD_LAW_USL].peak);
  hd_scaling_free(&scaling);
}

/* In each of 400 trials, the same every time. */
static struct tally try_often(const struct program *program) {
  enum { TRIALS = 400 };
  struct drand48_data random;
  struct tally tally = {0};
  srand48_r(17, &random);
  for (int i = 0; i < TRIALS; i++)
    try_once(program, &random, &tally);
  int *numbers = &tally.prediction;
  for (size_t i = 0; i < sizeof tally / sizeof *numbers; i++)
    numbers[i] = (numbers[i] * 100 + TRIALS / 2) / TRIALS;
  print_message("%-34s %zu counts x %-2zu -> %2u: prediction %3d %%, s %3d %%, k %3d %%, Amdahl's %3d %%; told %3d %%, "
                "wrongly %d %%; peak %3d %%\n",
                program->name, program->count, program->repeats, program->asked, tally.prediction, tally.serial,
                tally.coherence, tally.amdahl, tally.told, tally.told_wrong, tally.peaks);
  return tally;
}

static const struct program programs[] = {
    {"Amdahl, 1 %", doubling, 4, 1, 0.1, 0, 0.01, 0, 16},
    {"Amdahl, 1 %", doubling, 4, 5, 0.1, 0, 0.01, 0, 16},
    {"Amdahl, 5 %", doubling, 4, 1, 0.1, 0, 0.05, 0, 16},
    {"Amdahl, 5 %", doubling, 4, 5, 0.1, 0, 0.05, 0, 16},
    {"Amdahl, 5 %", counting, 8, 5, 0.05, 0, 0.05, 0, 16},
    {"USL, 1 %", doubling, 4, 1, 0.05, 0.01, 0.01, 0, 16},
    {"USL, 1 %", doubling, 4, 3, 0.05, 0.01, 0.01, 0, 16},
    {"USL, 1 %", doubling, 4, 5, 0.05, 0.01, 0.01, 0, 16},
    {"USL, 1 %", counting, 8, 5, 0.05, 0.01, 0.01, 0, 16},
    {"USL, 5 %", doubling, 4, 3, 0.05, 0.01, 0.05, 0, 16},
    {"USL, 5 %", doubling, 4, 5, 0.05, 0.01, 0.05, 0, 16},
    {"USL, 5 %", doubling, 6, 10, 0.05, 0.002, 0.05, 0, 64},
    {"USL, 5 %", counting, 8, 1, 0.05, 0.01, 0.05, 0, 16},
    {"USL, 5 %", counting, 8, 5, 0.05, 0.01, 0.05, 0, 16},
    {"USL off by 3 %, noise 1 %", doubling, 4, 1, 0.05, 0.01, 0.01, 0.03, 16},
    {"USL off by 3 %, noise 1 %", doubling, 4, 5, 0.05, 0.01, 0.01, 0.03, 16},
    {"USL off by 3 %, noise 1 %", counting, 8, 5, 0.05, 0.01, 0.01, 0.03, 16},
};

static void test_intervals_hold_the_truth(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
    const struct program *program = &programs[i];
    const struct tally tally = try_often(program);
    assert_true(tally.prediction >= 92 && tally.serial >= 92 && tally.coherence >= 92);
    assert_true(tally.told_wrong <= 8);
    if (program->coherence <= 0) {
      assert_true(tally.amdahl >= 92);
      assert_true(tally.peaks <= 3);
    }
  }
}

static void test_what_little_noise_allows_is_told(void **state) {
  (void)state;
  const struct program little = {"USL, 0.3 %", doubling, 5, 5, 0.05, 0.01, 0.003, 0, 32};
  const struct program much = {"USL, 20 %", doubling, 5, 5, 0.05, 0.01, 0.2, 0, 32};
  const struct tally of_little = try_often(&little), of_much = try_often(&much);
  assert_true(of_little.told >= 99 && of_little.peaks >= 99 && of_little.told_wrong == 0);
  assert_true(of_much.told <= 5);
}

/* Repeats must count: the same medians, with more noise around them, leave more open. */
static void test_noise_of_repeats_widens_intervals(void **state) {
  (void)state;
  double span[2];
  for (int wide = 0; wide < 2; wide++) {
    struct data data;
    struct hd_scaling scaling;
    struct hd_prediction prediction;
    for (size_t i = 0; i < 4; i++) {
      const double middle = law(1, 0.1, 0, doubling[i]), off = wide ? 0.05 : 0.005;
      memcpy(data.seconds[i], (double[]){middle * (1 - off), middle, middle * (1 + off)}, 3 * sizeof(double));
      data.points[i] = (struct hd_scaling_point){doubling[i], {data.seconds[i], 3}};
    }
    hd_scaling_fit(data.points, 4, &scaling);
    hd_scaling_predict(&scaling, 16, &prediction);
    span[wide] = prediction.interval[HD_LAW_AMDAHL].high - prediction.interval[HD_LAW_AMDAHL].low;
    hd_scaling_free(&scaling);
  }
  assert_true(span[1] > 2 * span[0]);
}

static struct hd_interval with_repeats(const double *middles, double off) {
  struct data data;
  struct hd_scaling scaling;
  struct hd_prediction prediction;
  for (size_t i = 0; i < 4; i++) {
    memcpy(data.seconds[i], (double[]){middles[i] * (1 - off), middles[i], middles[i] * (1 + off)}, 3 * sizeof(double));
    data.points[i] = (struct hd_scaling_point){doubling[i], {data.seconds[i], 3}};
  }
  hd_scaling_fit(data.points, 4, &scaling);
  hd_scaling_predict(&scaling, 16, &prediction);
  hd_scaling_free(&scaling);
  return prediction.interval[HD_LAW_USL];
}

/* The same residuals are held against the law only where the noise does not explain them. */
static void test_residuals_within_the_noise_are_noise(void **state) {
  (void)state;
  static const double signs[] = {1, -1, 1, -1};
  double middles[4];
  for (size_t i = 0; i < 4; i++)
    middles[i] = law(1, 0.1, 0.005, doubling[i]) * (1 + 0.005 * signs[i]);
  const struct hd_interval silent = with_repeats(middles, 0.0001), noisy = with_repeats(middles, 0.015);
  assert_true(noisy.high - noisy.low < 0.7 * (silent.high - silent.low));
}

/* However well a law fits. */
static void test_times_may_be_off_the_law_by_a_little(void **state) {
  (void)state;
  struct data data;
  struct hd_scaling scaling = fit_law(&data, counting, 8, 1, 0.1, 0);
  struct hd_prediction prediction;
  hd_scaling_predict(&scaling, 4, &prediction);
  for (int which = 0; which < HD_LAW_COUNT; which++) {
    assert_true(prediction.interval[which].high > 1.029 * prediction.seconds[which]);
    assert_true(prediction.interval[which].high < 1.05 * prediction.seconds[which]);
    assert_true(prediction.interval[which].low < 0.971 * prediction.seconds[which]);
    assert_true(prediction.interval[which].low > 0.95 * prediction.seconds[which]);
  }
  hd_scaling_predict(&scaling, 0, &prediction);
  assert_false(prediction.told);
  assert_non_null(prediction.why);
  assert_true(isnan(prediction.seconds[0]) && isnan(prediction.interval[0].low));
  hd_scaling_free(&scaling);
}

/* A comparison may have so many rows. */
static void test_five_hundred_fits_take_no_second(void **state) {
  (void)state;
  struct timespec begin, end;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
  for (int i = 0; i < 500; i++) {
    struct tally tally = {0};
    struct drand48_data random;
    srand48_r(i, &random);
    try_once(&programs[13], &random, &tally);
  }
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
  const double seconds = (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
  print_message("500 fits: %.3f s\n", seconds);
  assert_true(seconds < 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_intervals_hold_the_truth),
      cmocka_unit_test(test_what_little_noise_allows_is_told),
      cmocka_unit_test(test_noise_of_repeats_widens_intervals),
      cmocka_unit_test(test_residuals_within_the_noise_are_noise),
      cmocka_unit_test(test_times_may_be_off_the_law_by_a_little),
      cmocka_unit_test(test_five_hundred_fits_take_no_second),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
