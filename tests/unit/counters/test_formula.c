/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Formulas of groups of events: what is wrong with them and where, and what they give. */
#include <math.h>
#include <string.h>

#include "group_text.h"
#include "output/metrics/metric.h"

static struct hd_group *parse_formula(const char *formula) {
  char text[2000];
  snprintf(text, sizeof text, EVENTS "METRICS\nvalue\t%s\n", formula);
  return parse(text);
}

/* With INS 6, CYC 4, 2 s busy and 5 s elapsed. */
static double value_of(const char *formula) {
  struct hd_group *group = parse_formula(formula);
  group->values[0] = 6;
  group->values[1] = 4;
  group->busy_s = 2;
  group->elapsed_s = 5;
  const double value = hd_metric_value(&group->metrics[0]);
  hd_group_free(group);
  return value;
}

/* The group is whole but for the metric's values. */
static void expect_problem(const char *text, const char *expected) {
  char error[512] = "";
  struct hd_group *group = hd_group_parse("G.txt", text, error, sizeof error);
  assert_non_null(group);
  assert_non_null(group->metrics[0].problem);
  assert_string_equal(group->metrics[0].problem, expected);
  assert_null(group->metrics[0].parser);
  assert_true(isnan(hd_metric_value(&group->metrics[0])));
  hd_group_free(group);
}

/* The formula stands in line 5, from column 7 on. */
static void expect_formula_error(const char *formula, const char *expected) {
  char text[3000];
  char whole[600];
  snprintf(text, sizeof text, EVENTS "METRICS\nvalue\t%s\n", formula);
  snprintf(whole, sizeof whole, "G.txt:5: formula of 'value', column %s", expected);
  expect_problem(text, whole);
}

/* ---- what is wrong with formulas ---- */

static void test_unknown_events_are_named_with_the_nearest(void **state) {
  (void)state;
  expect_formula_error("INST / CYC", "7: 'INST' is no event of this group; nearest: INS");
  expect_formula_error("INS / CYCLES", "13: 'CYCLES' is no event of this group");
  expect_formula_error("INS / cyc", "13: 'cyc' is no event of this group; nearest: CYC");
  expect_formula_error("INS / elasped", "13: 'elasped' is no event of this group; nearest: elapsed");
  expect_formula_error("1e-9 *  PAPI_TOT_INS", "15: 'PAPI_TOT_INS' is no event of this group");
  expect_formula_error("INST.x / CYC", "7: 'INST' is no event of this group; nearest: INS");
  expect_formula_error("sinus(INS)", "7: 'sinus' is no event of this group; nearest: INS");
}

static void test_columns_are_counted_in_characters(void **state) {
  (void)state;
  expect_problem(EVENTS "METRICS\n  Zählung [µs]  INS / X\n",
                 "G.txt:5: formula of 'Zählung', column 23: 'X' is no event of this group");
}

static void test_syntax_errors_have_muparsers_words_and_the_column(void **state) {
  (void)state;
  expect_formula_error("INS + * CYC", "13: Unexpected operator \"*\"");
  expect_formula_error("(INS", "11: Missing parenthesis");
  expect_formula_error("INS CYC", "11: Unexpected variable \"CYC\"");
  expect_formula_error("sin(INS, CYC)", "19: Too many parameters for function \"sin\"");
  expect_formula_error("INS % 2", "11: Unexpected token \"% 2\"");
  expect_formula_error("atan2(INS)", "16: Too few parameters for function \"atan2\"");
  expect_formula_error("INS,CYC", "10: ',' stands only between a function's arguments");
  expect_formula_error("INS / ", "12: Unexpected end of expression");
}

static void test_assignments_are_refused(void **state) {
  (void)state;
  expect_formula_error("INS = 3", "11: a formula cannot assign; == compares");
  expect_formula_error("INS == 6 ? (CYC = 7) : 1", "23: a formula cannot assign; == compares");
  expect_formula_error("(busy)=1", "13: a formula cannot assign; == compares");
  assert_true(value_of("(INS == 6) + (INS <= 6) + (INS >= 6) + (INS != 5)") == 4);
}

static void test_division_by_a_constant_zero_is_refused(void **state) {
  (void)state;
  expect_formula_error("INS / 0", "11: division by zero");
  expect_formula_error("INS/0.0 + 1", "10: division by zero");
  expect_formula_error("INS / (3 - 3)", "11: division by zero");
  expect_formula_error("INS / -0e5", "11: division by zero");
  expect_formula_error("1 / (CYC / sin(0))", "16: division by zero");
  expect_formula_error("INS / 0^2", "11: division by zero");
  expect_formula_error("INS / (1-1)^(1+1) * CYC", "11: division by zero");
  assert_true(value_of("INS / 2^0") == 6);
  assert_true(value_of("INS / 0.5 + 0") == 12);
  assert_true(value_of("INS / (0 + CYC)") == 1.5);
}

static void test_formulas_without_end_are_refused(void **state) {
  (void)state;
  char formula[1200];
  memset(formula, '(', sizeof formula);
  formula[1001] = '\0';
  char text[2000], error[200];
  snprintf(text, sizeof text, EVENTS "METRICS\nvalue\t%s\n", formula);
  expect_error(text, "G.txt:5: the formula of 'value' is longer than 1000 bytes");
  for (const char *c = "(%"; *c; c++) {
    memset(formula, *c, 1000);
    formula[1000] = '\0';
    snprintf(text, sizeof text, EVENTS "METRICS\nvalue\t%s\n", formula);
    struct hd_group *group = hd_group_parse("G.txt", text, error, sizeof error);
    assert_non_null(group);
    assert_non_null(group->metrics[0].problem);
    assert_true(strlen(group->metrics[0].problem) < sizeof error);
    hd_group_free(group);
  }
}

/* ---- what formulas give ---- */

static void test_formulas_know_events_and_times(void **state) {
  (void)state;
  assert_true(value_of("INS / CYC") == 1.5);
  assert_true(value_of("busy") == 2);
  assert_true(value_of("elapsed + time") == 10);
  assert_true(value_of("1e-3 * INS / busy") == 0.003);
  assert_true(value_of("INS > CYC ? 10 : 20") == 10);
  assert_true(value_of("max(INS, CYC, 7)") == 7);
  assert_true(value_of("2^3 + -1") == 7);
}

static void test_values_follow_the_group(void **state) {
  (void)state;
  struct hd_group *group = parse_formula("INS / CYC");
  for (int i = 1; i < 5; i++) {
    group->values[0] = 1e15 * i;
    group->values[1] = 2;
    assert_true(hd_metric_value(&group->metrics[0]) == 5e14 * i);
  }
  hd_group_free(group);
}

static void test_what_has_no_value_is_nan(void **state) {
  (void)state;
  assert_true(isnan(value_of("INS / (CYC - 4)")));
  assert_true(isnan(value_of("(INS - 6) / (CYC - 4)")));
  assert_true(isnan(value_of("sqrt(CYC - INS)")));
  assert_true(isnan(value_of("log(INS - 6)")));
  assert_true(isnan(value_of("exp(1000 * INS)")));
  assert_true(isnan(value_of("1e308 * 10 + INS"))); /* muParser has worked out the constant beforehand */
  assert_true(isnan(value_of("(CYC - 4)^-1")));
}

/* A quotient without a value does not become a number again. */
static void test_a_division_by_zero_inside_is_nan(void **state) {
  (void)state;
  assert_true(isnan(value_of("1 / (INS / (CYC - 4))")));
  assert_true(isnan(value_of("min(INS / (CYC - 4), 100)")));
  assert_true(isnan(value_of("INS / (CYC - 4) > 1 ? 3 : 4")));
  assert_true(value_of("CYC == 4 ? 0 : INS / (CYC - 4)") == 0);
}

static void test_a_value_comes_back_after_nan(void **state) {
  (void)state;
  struct hd_group *group = parse_formula("INS / CYC");
  group->values[0] = 1;
  assert_true(isnan(hd_metric_value(&group->metrics[0])));
  group->values[1] = 4;
  assert_true(hd_metric_value(&group->metrics[0]) == 0.25);
  hd_group_free(group);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_unknown_events_are_named_with_the_nearest),
      cmocka_unit_test(test_columns_are_counted_in_characters),
      cmocka_unit_test(test_syntax_errors_have_muparsers_words_and_the_column),
      cmocka_unit_test(test_assignments_are_refused),
      cmocka_unit_test(test_division_by_a_constant_zero_is_refused),
      cmocka_unit_test(test_formulas_without_end_are_refused),
      cmocka_unit_test(test_formulas_know_events_and_times),
      cmocka_unit_test(test_values_follow_the_group),
      cmocka_unit_test(test_what_has_no_value_is_nan),
      cmocka_unit_test(test_a_division_by_zero_inside_is_nan),
      cmocka_unit_test(test_a_value_comes_back_after_nan),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
