/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Comparisons as Markdown, CSV and JSON; names that would steer the terminal. */
#include <jansson.h>
#include <math.h>

#include "compared_view.h"

static void test_markdown_shows_marks_as_they_are(void **state) {
  (void)state;
  begin_run(1);
  add_region(1, 800, 0, "a|b*_`c");
  end_run(1, 800, NULL, 0);
  begin_run(2);
  add_region(2, 500, 300, "a|b*_`c");
  end_run(2, 500, NULL, 0);
  compare(HD_COMPARE_SCALING);
  print(HD_COMPARE_MARKDOWN);
  expect_text("\n| T(1) | T(2) | Speedup | Effic% | Lost | Main cause | Region |\n"
              "| ---: | ---: | ---: | ---: | ---: | ---: | :--- |\n"
              "| 0.800 | 0.500 | 1.60 | 80.0 | 0.100 | imbalance 100% | parallel app.c:10 in a\\|b\\*\\_\\`c |\n");
  expect_text("\n### Program: times in microseconds\n");
  expect_text("- command: ./app\n");
}

static unsigned commas(const char *line) {
  unsigned count = 0;
  bool quoted = false;
  for (; *line && *line != '\n'; line++) {
    quoted ^= *line == '"';
    count += *line == ',' && !quoted;
  }
  return count;
}

static void test_csv_has_a_line_per_row_and_point(void **state) {
  (void)state;
  add_run(1, 800, 0);
  begin_run(2);
  add_region(2, 500, 300, "main");
  add_region(2, 40, 40, "f(int, \"x\")");
  end_run(2, 540, NULL, 0);
  compare(HD_COMPARE_SCALING);
  const char *text = print_with(&(struct hd_compare_view_options){.format = HD_COMPARE_CSV}, "a, b");
  unsigned lines = 0;
  const unsigned fields = commas(text);
  for (const char *line = text; *line; line = strchr(line, '\n') + 1, lines++)
    assert_int_equal(commas(line), fields);
  assert_int_equal(lines, 1 + 4 * 2);
  expect_text("\n\"a, b\",scaling,2,,region,parallel,main,/src/app.c,10,,,1,2,2,1,1,1,");
  expect_text("\n\"a, b\",scaling,3,,region,parallel,\"f(int, \"\"x\"\")\",/src/app.c,20,,,0,1,1,1,0,,,,,,,,false,");
}

static json_t *load(void) {
  json_error_t error;
  json_t *loaded = json_loads(test.text, JSON_DECODE_ANY, &error);
  if (!loaded)
    fail_msg("line %d: %s", error.line, error.text);
  return loaded;
}

static int64_t sum_of(const json_t *object) {
  const char *key = NULL;
  json_t *value = NULL;
  int64_t sum = 0;
  json_object_foreach((json_t *)(uintptr_t)object, key, value) sum += json_integer_value(value);
  return sum;
}

static void test_json_has_ticks_that_add_up_and_null_for_the_unknown(void **state) {
  (void)state;
  add_scaling_runs(1);
  compare(HD_COMPARE_SCALING);
  print(HD_COMPARE_JSON);
  json_t *loaded = load();
  const json_t *comparison = json_array_get(json_object_get(loaded, "comparisons"), 0);
  assert_true(json_is_null(json_object_get(comparison, "title")));
  const json_t *program = json_array_get(json_object_get(comparison, "rows"), 0);
  const json_t *at = json_array_get(json_object_get(program, "at"), 1);
  assert_int_equal(json_integer_value(json_object_get(at, "lost_total_ticks")), 2 * 700 - 1000);
  assert_int_equal(sum_of(json_object_get(at, "lost_ticks")), 400);
  assert_int_equal(json_integer_value(json_object_get(json_object_get(at, "lost_ticks"), "imbalance")), 200);
  assert_int_equal(sum_of(json_object_get(at, "not_busy_ticks")), 400);
  assert_true(json_is_null(json_object_get(at, "time_interval_s")));
  assert_true(json_is_null(json_object_get(at, "in_noise")));
  assert_string_equal(json_string_value(json_object_get(at, "main_cause")), "serial");
  const json_t *laws = json_object_get(program, "laws");
  assert_true(json_is_false(json_object_get(laws, "fitted")));
  assert_true(json_is_null(json_object_get(laws, "amdahl_refuted")));
  json_decref(loaded);
}

static void test_json_of_intervals_without_a_bound(void **state) {
  (void)state;
  add_scaling_runs(3);
  compare(HD_COMPARE_SCALING);
  test.comparison->rows[0].at[1].speedup_interval = (struct hd_interval){0.5, INFINITY};
  print(HD_COMPARE_JSON);
  json_t *loaded = load();
  const json_t *rows = json_object_get(json_array_get(json_object_get(loaded, "comparisons"), 0), "rows");
  const json_t *at = json_array_get(json_object_get(json_array_get(rows, 0), "at"), 1);
  const json_t *interval = json_object_get(at, "speedup_interval");
  assert_true(json_real_value(json_array_get(interval, 0)) == 0.5);
  assert_true(json_is_null(json_array_get(interval, 1)));
  assert_int_equal(json_array_size(json_object_get(at, "time_interval_s")), 2);
  json_decref(loaded);
}

/* What a program or a path is called must not steer the terminal. */
static void test_names_do_not_steer_the_terminal(void **state) {
  (void)state;
  add_side(100, "be\033[2Jfore\n", 0, "main");
  add_side(200, "after", 1, "main");
  compare(HD_COMPARE_SIDES);
  print(HD_COMPARE_TEXT);
  expect_text("be?[2Jfore");
  expect_no_text("\033");
  print(HD_COMPARE_MARKDOWN);
  expect_no_text("\033");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(test_markdown_shows_marks_as_they_are, forget),
      cmocka_unit_test_teardown(test_csv_has_a_line_per_row_and_point, forget),
      cmocka_unit_test_teardown(test_json_has_ticks_that_add_up_and_null_for_the_unknown, forget),
      cmocka_unit_test_teardown(test_json_of_intervals_without_a_bound, forget),
      cmocka_unit_test_teardown(test_names_do_not_steer_the_terminal, forget),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
