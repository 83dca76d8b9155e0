/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Conditions on comparisons: what is wrong with them, where they hold, and what is noise. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/compare/fail_if.h"

/* ---- a comparison of two sides, filled by hand ---- */

enum { ROWS = 5, POINTS = 2, HOT = 2, INNER = 3, COLD = 4 };

struct sample {
  struct hd_comparison comparison;
  struct hd_model model;
  struct hd_united united;
  struct hd_united_node united_nodes[ROWS];
  struct hd_node nodes[ROWS];
  struct hd_point points[POINTS];
  struct hd_compared_row rows[ROWS];
  struct hd_compared at[ROWS][POINTS];
};

static void set_time(struct sample *sample, uint32_t row, uint32_t point, double seconds) {
  struct hd_compared *at = &sample->at[row][point], *base = &sample->at[row][0];
  at->time_s = seconds;
  at->time_ticks = (int64_t)(seconds * 1e9);
  at->speedup = base->time_s / seconds;
  at->efficiency = at->speedup;
  at->lost_total_s = seconds - base->time_s;
  at->lost_s[HD_LOSS_LOCKS] = at->lost_total_s;
}

/* Known from repeats: the new time is between so many times the old one. */
static void set_noise(struct sample *sample, uint32_t row, double least, double most) {
  struct hd_compared *at = &sample->at[row][1];
  at->noise_known = true;
  at->speedup_interval = (struct hd_interval){1 / most, 1 / least};
  at->lost_total_interval =
      (struct hd_interval){(least - 1) * sample->at[row][0].time_s, (most - 1) * sample->at[row][0].time_s};
  at->in_noise = least <= 1 && most >= 1;
}

/* The program takes 10 s, its hot region 5, a loop in it 4, a cold region 0.05; all the same on both sides. */
static void fill(struct sample *sample) {
  static const char *const functions[ROWS] = {"main", "main", "hot", "hot", "cold"};
  static const double seconds[ROWS] = {10, 4, 5, 4, 0.05};
  memset(sample, 0, sizeof *sample);
  strcpy(sample->model.header.program, "app");
  for (uint32_t i = 0; i < ROWS; i++) {
    sample->nodes[i] = (struct hd_node){.id = i,
                                        .module = HD_NONE,
                                        .kind = i == 0       ? HD_KIND_PROGRAM
                                                : i == INNER ? HD_KIND_LOOP
                                                             : HD_KIND_PARALLEL,
                                        .name = {.function = functions[i], .file = "app.c", .line = 10 * i}};
    sample->united_nodes[i] = (struct hd_united_node){
        .module = HD_NONE, .model = &sample->model, .node = &sample->nodes[i], .named = &sample->nodes[i]};
    sample->rows[i] = (struct hd_compared_row){.kind = HD_COMPARED_REGION, .parent = HD_NONE, .united = i};
    sample->rows[i].at = sample->at[i];
    for (uint32_t point = 0; point < POINTS; point++) {
      sample->at[i][point].runs = 1;
      sample->at[i][point].matched = true;
      set_time(sample, i, point, seconds[i]);
    }
  }
  sample->rows[0].kind = HD_COMPARED_PROGRAM;
  sample->rows[1].kind = HD_COMPARED_OUTSIDE;
  sample->rows[INNER].kind = HD_COMPARED_CONSTRUCT;
  sample->rows[INNER].parent = HOT;
  strcpy(sample->points[0].label, "before");
  strcpy(sample->points[1].label, "after");
  sample->united = (struct hd_united){.nodes = sample->united_nodes, .node_count = ROWS};
  sample->comparison = (struct hd_comparison){.options.mode = HD_COMPARE_SIDES,
                                              .united = &sample->united,
                                              .points = sample->points,
                                              .point_count = POINTS,
                                              .rows = sample->rows,
                                              .row_count = ROWS};
}

static void expect(const struct sample *sample, const char *expression, bool holds, const char *expected) {
  char error[600] = "", *text = NULL;
  size_t length;
  struct hd_fail_if *condition = hd_fail_if_new(expression, error, sizeof error);
  if (!condition)
    fail_msg("%s", error);
  FILE *out = open_memstream(&text, &length);
  const bool held = hd_fail_if_holds(condition, &sample->comparison, 0.01, out);
  fclose(out);
  hd_fail_if_free(condition);
  assert_string_equal(text, expected);
  assert_true(held == holds);
  free(text);
}

static void expect_error(const char *expression, const char *expected) {
  char error[2000] = "";
  struct hd_fail_if *condition = hd_fail_if_new(expression, error, sizeof error);
  assert_null(condition);
  assert_string_equal(error, expected);
}

#define SMALL(expression) "'" expression "' is not checked: 1 region with less than 1 % of the program's time\n"

/* ---- what is wrong ---- */

static void test_unknown_names_are_told_with_the_nearest(void **state) {
  (void)state;
  expect_error("region.tmie > 1", "condition 'region.tmie > 1', column 1: 'region.tmie' is no quantity of a "
                                  "comparison; nearest: region.time");
  expect_error("1 > program.loks", "condition '1 > program.loks', column 5: 'program.loks' is no quantity of a "
                                   "comparison; nearest: program.locks");
  expect_error("x > 1", "condition 'x > 1', column 1: 'x' is no quantity of a comparison; they are program.NAME and "
                        "region.NAME, where NAME is one of time, seconds, speedup, efficiency, lost, serial, "
                        "imbalance, barrier_explicit, locks, tasks, runtime, scheduling, task_creation, mpi, "
                        "other, work_inflation");
}

static void test_syntax_errors_have_a_column(void **state) {
  (void)state;
  expect_error("region.time > * 2", "condition 'region.time > * 2', column 15: Unexpected operator \"*\"");
  expect_error("(region.time", "condition '(region.time', column 13: Missing parenthesis");
  expect_error("region.time = 2", "condition 'region.time = 2', column 13: a formula cannot assign; == compares");
  expect_error("region.time / 0 > 2", "condition 'region.time / 0 > 2', column 13: division by zero");
  expect_error("'ä' x", "condition ''ä' x', column 1: Unexpected token \"'ä' x\"");
  expect_error("ä = 3", "condition 'ä = 3', column 3: a formula cannot assign; == compares");
  expect_error("", "condition '': Expression is empty");
}

static void test_conditions_must_speak_of_the_runs(void **state) {
  (void)state;
  expect_error("1 > 2", "condition '1 > 2' needs program.NAME or region.NAME");
  expect_error("region.time", "condition 'region.time' contains no comparison; for example 'region.time > 1.05'");
  expect_error("region.time\n> 1", "the condition has characters that cannot be shown");
  char expression[1100];
  memset(expression, '1', sizeof expression);
  expression[1001] = '\0';
  expect_error(expression, "the condition is longer than 1000 bytes");
}

/* ---- where it holds ---- */

static void test_slower_regions_are_named_with_their_values(void **state) {
  (void)state;
  struct sample sample;
  fill(&sample);
  set_time(&sample, HOT, 1, 6);
  expect(&sample, "region.time > 1.05", true,
         "'region.time > 1.05' holds: parallel app.c:20 in hot, after: region.time = 1.2 (too few runs to know the "
         "noise)\n" SMALL("region.time > 1.05"));
  expect(&sample, "region.time > 1.25", false,
         SMALL("region.time > 1.25") "'region.time > 1.25' is false for everything checked (2 times)\n");
}

static void test_all_quantities_have_their_values(void **state) {
  (void)state;
  static const char *const names[] = {
      "time",  "seconds", "speedup", "efficiency", "lost",          "serial", "imbalance", "barrier_explicit",
      "locks", "tasks",   "runtime", "scheduling", "task_creation", "mpi",    "other",     "work_inflation"};
  for (size_t owner = 0; owner < 2; owner++)
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
      struct sample sample;
      char expression[100], expected[300], error[300];
      fill(&sample);
      struct hd_compared *at = &sample.at[owner ? HOT : 0][1];
      set_time(&sample, owner ? HOT : 0, 1, 20);
      at->speedup = 101, at->efficiency = 102, at->lost_total_s = 103;
      for (int loss = 0; loss < HD_LOSS_COUNT; loss++)
        at->lost_s[loss] = 104 + loss;
      const double base = owner ? 5 : 10, values[] = {20 / base, 20 - base};
      const double value = i < 2 ? values[i] : 99 + (double)i;
      const char *who = owner ? "region" : "program";
      snprintf(expression, sizeof expression, "%s.%s == %.17g", who, names[i], value);
      snprintf(expected, sizeof expected, "'%s' holds: %s, after: %s.%s = %.4g (too few runs to know the noise)\n%s",
               expression, owner ? "parallel app.c:20 in hot" : "program app", who, names[i], value,
               owner ? "" : "\xff");
      char *text = NULL;
      size_t length;
      FILE *out = open_memstream(&text, &length);
      struct hd_fail_if *condition = hd_fail_if_new(expression, error, sizeof error);
      assert_non_null(condition);
      assert_true(hd_fail_if_holds(condition, &sample.comparison, 0.01, out));
      fclose(out);
      hd_fail_if_free(condition);
      assert_memory_equal(text, expected, strcspn(expected, "\xff"));
      free(text);
    }
}

static void test_conditions_on_the_program_are_tried_once(void **state) {
  (void)state;
  struct sample sample;
  fill(&sample);
  set_time(&sample, 0, 1, 15);
  expect(&sample, "program.seconds > 4 && program.time < 2", true,
         "'program.seconds > 4 && program.time < 2' holds: program app, after: program.time = 1.5, program.seconds = 5 "
         "(too few runs to know the noise)\n");
  expect(&sample, "program.time > 2", false, "'program.time > 2' is false for everything checked (1 time)\n");
}

static void test_region_and_program_can_be_mixed(void **state) {
  (void)state;
  struct sample sample;
  fill(&sample);
  set_time(&sample, INNER, 1, 8);
  set_time(&sample, 0, 1, 20);
  expect(&sample, "region.seconds / program.seconds > .25", true,
         "'region.seconds / program.seconds > .25' holds: loop app.c:30, after: program.seconds = 10, "
         "region.seconds = 4 (too few runs to know the noise)\n" SMALL("region.seconds / program.seconds > .25"));
}

static void test_nested_regions_are_tried_what_is_outside_is_not(void **state) {
  (void)state;
  struct sample sample;
  fill(&sample);
  sample.rows[COLD].kind = HD_COMPARED_NESTED;
  set_time(&sample, 1, 1, 9);
  set_time(&sample, COLD, 1, 2);
  expect(&sample, "region.time > 1.5", true,
         "'region.time > 1.5' holds: parallel app.c:40 in cold, after: region.time = 40 (too few runs to know the "
         "noise)\n");
}

/* ---- noise ---- */

static void test_what_is_noise_does_not_count_and_is_said(void **state) {
  (void)state;
  struct sample sample;
  fill(&sample);
  set_time(&sample, HOT, 1, 6);
  set_noise(&sample, HOT, 0.9, 1.4);
  set_noise(&sample, INNER, 0.9, 1.1);
  expect(&sample, "region.time > 1.05", false,
         "'region.time > 1.05' would be true but for the noise: parallel app.c:20 in hot, after: region.time = "
         "1.2\n" SMALL("region.time > 1.05") "'region.time > 1.05' is false for everything checked (2 times)\n");
  expect(
      &sample, "region.locks > 0.5", false,
      "'region.locks > 0.5' would be true but for the noise: parallel app.c:20 in hot, after: region.locks = 1\n" SMALL(
          "region.locks > 0.5") "'region.locks > 0.5' is false for everything checked (2 times)\n");
  set_noise(&sample, HOT, 1.1, 1.4);
  expect(
      &sample, "region.time > 1.05", true,
      "'region.time > 1.05' holds: parallel app.c:20 in hot, after: region.time = 1.2\n" SMALL("region.time > 1.05"));
}

/* With twice the threads half the time is no noise, though nothing is lost. */
static void test_speedup_counts_where_nothing_is_lost(void **state) {
  (void)state;
  struct sample sample;
  fill(&sample);
  set_time(&sample, 0, 1, 5);
  sample.at[0][1].efficiency = 1;
  sample.at[0][1].lost_total_s = 0.01;
  set_noise(&sample, 0, 0.48, 0.52);
  sample.at[0][1].in_noise = true;
  expect(&sample, "program.speedup > 1.5", true,
         "'program.speedup > 1.5' holds: program app, after: program.speedup = 2\n");
  expect(&sample, "program.time < 0.6", true, "'program.time < 0.6' holds: program app, after: program.time = 0.5\n");
  expect(&sample, "program.lost > 0.001", false,
         "'program.lost > 0.001' would be true but for the noise: program app, after: program.lost = 0.01\n"
         "'program.lost > 0.001' is false for everything checked (1 time)\n");
}

static void test_each_quantity_is_taken_without_its_noise(void **state) {
  (void)state;
  static const char *const expressions[] = {"program.time > 1.05",    "program.seconds > 0.1",
                                            "program.speedup < 0.99", "program.efficiency < .9",
                                            "program.lost > 0.1",     "program.locks > 0.1"};
  for (size_t i = 0; i < sizeof expressions / sizeof *expressions; i++) {
    struct sample sample;
    char expected[300], error[300], *text = NULL;
    size_t length;
    fill(&sample);
    set_time(&sample, 0, 1, 12);
    set_noise(&sample, 0, 0.9, 1.4);
    for (int known = 1; known >= 0; known--) {
      sample.at[0][1].noise_known = known != 0; /* if not, the rest says nothing */
      struct hd_fail_if *condition = hd_fail_if_new(expressions[i], error, sizeof error);
      FILE *out = open_memstream(&text, &length);
      assert_true(hd_fail_if_holds(condition, &sample.comparison, 0.01, out) == !known);
      fclose(out);
      hd_fail_if_free(condition);
      snprintf(expected, sizeof expected, "'%s' %s: program app, after: ", expressions[i],
               known ? "would be true but for the noise" : "holds");
      assert_memory_equal(text, expected, strlen(expected));
      free(text);
    }
  }
}

/* No difference is a value, too. */
static void test_conditions_that_hold_without_any_difference_count(void **state) {
  (void)state;
  struct sample sample;
  fill(&sample);
  set_time(&sample, 0, 1, 10.5);
  set_noise(&sample, 0, 0.9, 1.2);
  expect(
      &sample, "program.time > 1.5 || program.speedup < 2", true,
      "'program.time > 1.5 || program.speedup < 2' holds: program app, after: program.time = 1.05, program.speedup = "
      "0.9524\n");
}

/* ---- what is not tried ---- */

static void test_regions_on_one_side_are_said(void **state) {
  (void)state;
  struct sample sample;
  fill(&sample);
  sample.at[HOT][0].runs = 0;
  sample.at[HOT][1].matched = false;
  sample.at[INNER][1].runs = 0;
  sample.at[INNER][1].matched = false;
  expect(&sample, "region.time > 0", false,
         "'region.time > 0' is not checked: parallel app.c:20 in hot, after: it is not in the baseline\n"
         "'region.time > 0' is not checked: loop app.c:30, after: it is not there\n" SMALL(
             "region.time > 0") "'region.time > 0' is false for everything checked (0 times)\n");
}

static void test_small_regions_count_when_they_grow(void **state) {
  (void)state;
  struct sample sample;
  fill(&sample);
  set_time(&sample, COLD, 1, 1);
  expect(&sample, "region.time > 2", true,
         "'region.time > 2' holds: parallel app.c:40 in cold, after: region.time = 20 (too few runs to know the "
         "noise)\n");
}

static void test_what_has_no_value_is_said(void **state) {
  (void)state;
  struct sample sample;
  fill(&sample);
  expect(&sample, "1 / program.seconds > 2", false,
         "'1 / program.seconds > 2' has no value: program app, after: program.seconds = 0\n"
         "'1 / program.seconds > 2' is false for everything checked (1 time)\n");
  sample.at[0][0].time_ticks = 0;
  expect(&sample, "program.time > 2", false,
         "'program.time > 2' has no value: program app, after: program.time = nan\n"
         "'program.time > 2' is false for everything checked (1 time)\n");
}

static void test_names_do_not_steer_the_terminal(void **state) {
  (void)state;
  struct sample sample;
  fill(&sample);
  sample.nodes[HOT].name.function = "h\033[2Jot";
  set_time(&sample, HOT, 1, 6);
  char *text = NULL, error[300];
  size_t length;
  FILE *out = open_memstream(&text, &length);
  struct hd_fail_if *condition = hd_fail_if_new("region.time > 1", error, sizeof error);
  assert_true(hd_fail_if_holds(condition, &sample.comparison, 0.01, out));
  fclose(out);
  hd_fail_if_free(condition);
  assert_null(strchr(text, '\033'));
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_unknown_names_are_told_with_the_nearest),
      cmocka_unit_test(test_syntax_errors_have_a_column),
      cmocka_unit_test(test_conditions_must_speak_of_the_runs),
      cmocka_unit_test(test_slower_regions_are_named_with_their_values),
      cmocka_unit_test(test_all_quantities_have_their_values),
      cmocka_unit_test(test_conditions_on_the_program_are_tried_once),
      cmocka_unit_test(test_region_and_program_can_be_mixed),
      cmocka_unit_test(test_what_is_noise_does_not_count_and_is_said),
      cmocka_unit_test(test_speedup_counts_where_nothing_is_lost),
      cmocka_unit_test(test_nested_regions_are_tried_what_is_outside_is_not),
      cmocka_unit_test(test_each_quantity_is_taken_without_its_noise),
      cmocka_unit_test(test_conditions_that_hold_without_any_difference_count),
      cmocka_unit_test(test_regions_on_one_side_are_said),
      cmocka_unit_test(test_small_regions_count_when_they_grow),
      cmocka_unit_test(test_what_has_no_value_is_said),
      cmocka_unit_test(test_names_do_not_steer_the_terminal),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
