/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* When `heddle tune` takes one setting for faster than another, and what it tries. */
#include "expect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/tune/tune_internal.h"

#define SAMPLE(...)                                                                                                    \
  (&(struct hd_sample){(const double[]){__VA_ARGS__}, sizeof((double[]){__VA_ARGS__}) / sizeof(double)})

/* ---- decisions ---- */

static void test_a_setting_that_is_always_faster_wins(void **state) {
  (void)state;
  const struct hd_tune_verdict verdict = hd_tune_judge(SAMPLE(1.0, 1.1, 1.2), SAMPLE(0.8, 0.7, 0.9));
  assert_true(verdict.faster);
  assert_true(verdict.base_s == 1.1 && verdict.other_s == 0.8);
  assert_true(fabs(verdict.saved.low - 0.1) < 1e-12 && fabs(verdict.saved.high - 0.5) < 1e-12);
}

static void test_what_may_be_noise_does_not_win(void **state) {
  (void)state;
  assert_false(hd_tune_judge(SAMPLE(1.0, 1.1, 1.2), SAMPLE(0.7, 1.0, 1.3)).faster);
  assert_false(hd_tune_judge(SAMPLE(1.0, 1.0, 1.0), SAMPLE(1.0, 1.0, 1.0)).faster);
  assert_false(hd_tune_judge(SAMPLE(0.8, 0.7, 0.9), SAMPLE(1.0, 1.1, 1.2)).faster);
}

static void test_a_hundredth_is_not_worth_a_setting(void **state) {
  (void)state;
  assert_false(hd_tune_judge(SAMPLE(1.0, 1.0, 1.0), SAMPLE(0.99, 0.99, 0.99)).faster);
  assert_true(hd_tune_judge(SAMPLE(1.0, 1.0, 1.0), SAMPLE(0.97, 0.97, 0.97)).faster);
}

static void test_two_runs_tell_nothing(void **state) {
  (void)state;
  const struct hd_tune_verdict verdict = hd_tune_judge(SAMPLE(1.0, 1.0), SAMPLE(0.1, 0.1));
  assert_false(verdict.faster);
  assert_true(isnan(verdict.saved.low));
  assert_false(hd_tune_is_out(SAMPLE(0.1, 0.1), SAMPLE(1.0, 1.0)));
  assert_false(hd_tune_judge(&(struct hd_sample){0}, SAMPLE(1.0, 1.0, 1.0)).faster);
}

static void test_a_setting_is_dropped_only_if_it_is_surely_slower(void **state) {
  (void)state;
  assert_true(hd_tune_is_out(SAMPLE(1.0, 1.1, 1.2), SAMPLE(2.0, 2.1, 1.9)));
  assert_false(hd_tune_is_out(SAMPLE(1.0, 1.1, 1.2), SAMPLE(1.1, 1.3, 1.5)));
  assert_false(hd_tune_is_out(SAMPLE(2.0, 2.1, 1.9), SAMPLE(1.0, 1.1, 1.2)));
}

/* ---- settings ---- */

static void expect_values(enum hd_tune_kind kind, const struct hd_tune_facts *facts, const char *expected) {
  char text[1024] = "";
  struct hd_texts values = {0};
  hd_tune_values(kind, facts, &values);
  for (size_t i = 0; i < values.count; i++)
    strcat(strcat(text, i > 0 ? "; " : ""), values.items[i]);
  assert_string_equal(text, expected);
  hd_texts_free(&values);
}

static void test_what_is_tried(void **state) {
  static const struct hd_tune_options all = {.schedules = true}, none = {.schedules = false};
  struct hd_tune_facts facts = {.options = &none, .processors = 6};
  (void)state;
  unsetenv("OMP_NUM_THREADS");
  unsetenv("OMP_PROC_BIND");
  expect_values(HD_TUNE_THREADS, &facts, "OMP_NUM_THREADS=6; OMP_NUM_THREADS=4; OMP_NUM_THREADS=2; OMP_NUM_THREADS=1");
  setenv("OMP_NUM_THREADS", "4", 1);
  expect_values(HD_TUNE_THREADS, &facts, "OMP_NUM_THREADS=6; OMP_NUM_THREADS=2; OMP_NUM_THREADS=1");
  unsetenv("OMP_NUM_THREADS");
  expect_values(HD_TUNE_WAIT, &facts, "OMP_WAIT_POLICY=active; OMP_WAIT_POLICY=passive");
  facts.links_libomp = true;
  expect_values(HD_TUNE_WAIT, &facts, "OMP_WAIT_POLICY=active; OMP_WAIT_POLICY=passive; KMP_BLOCKTIME=0");
  expect_values(HD_TUNE_BIND, &facts, "OMP_PROC_BIND=close OMP_PLACES=cores; OMP_PROC_BIND=spread OMP_PLACES=cores");
  facts.processors = 1;
  expect_values(HD_TUNE_BIND, &facts, "");
  expect_values(HD_TUNE_SCHEDULE, &facts, "");
  facts.options = &all;
  expect_values(HD_TUNE_SCHEDULE, &facts,
                "OMP_SCHEDULE=static; OMP_SCHEDULE=dynamic; OMP_SCHEDULE=dynamic,16; OMP_SCHEDULE=guided");
  facts.options = &none;
  facts.has_runtime_loops = true;
  expect_values(HD_TUNE_SCHEDULE, &facts,
                "OMP_SCHEDULE=static; OMP_SCHEDULE=dynamic; OMP_SCHEDULE=dynamic,16; OMP_SCHEDULE=guided");
}

static void test_settings_are_joined_in_one_order(void **state) {
  (void)state;
  const struct hd_tune_settings settings = {
      .of = {[HD_TUNE_SCHEDULE] = "OMP_SCHEDULE=guided", [HD_TUNE_THREADS] = "OMP_NUM_THREADS=2"}};
  char *text = hd_tune_settings_text(&settings);
  assert_string_equal(text, "OMP_NUM_THREADS=2 OMP_SCHEDULE=guided");
  free(text);
  text = hd_tune_settings_text(&(struct hd_tune_settings){{NULL}});
  assert_string_equal(hd_tune_settings_name(text), "default");
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_setting_that_is_always_faster_wins),
      cmocka_unit_test(test_what_may_be_noise_does_not_win),
      cmocka_unit_test(test_a_hundredth_is_not_worth_a_setting),
      cmocka_unit_test(test_two_runs_tell_nothing),
      cmocka_unit_test(test_a_setting_is_dropped_only_if_it_is_surely_slower),
      cmocka_unit_test(test_what_is_tried),
      cmocka_unit_test(test_settings_are_joined_in_one_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
