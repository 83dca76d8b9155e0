/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What `heddle scale` makes of its command line: thread counts, parameters, the order of runs, their commands. */
#include "expect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/scale/scale_internal.h"

/* ---- thread counts ---- */

static void assert_threads(const struct hd_series_threads *threads, const char *expected) {
  char text[256] = "";
  size_t used = 0;
  for (size_t i = 0; i < threads->count; i++)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%u", i ? " " : "", threads->items[i]);
  assert_string_equal(text, expected);
}

static void test_default_threads_are_powers_of_two_and_the_processors(void **state) {
  static const struct {
    uint32_t processors;
    const char *expected;
  } cases[] = {{0, "1"}, {1, "1"}, {2, "1 2"}, {6, "1 2 4 6"}, {8, "1 2 4 8"}, {96, "1 2 4 8 16 32 64 96"}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct hd_series_threads threads = {0};
    hd_series_default_threads(cases[i].processors, &threads);
    assert_threads(&threads, cases[i].expected);
    free(threads.items);
  }
}

static void test_lists_and_ranges_are_sorted_and_each_count_is_taken_once(void **state) {
  static const char *const cases[][2] = {{"4,1,2", "1 2 4"},       {"1-4", "1 2 3 4"}, {"2-9:3,1-3", "1 2 3 5 8"},
                                         {"65536,7,7", "7 65536"}, {"3-3:9", "3"},     {"007", "7"}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct hd_series_threads threads = {0};
    assert_null(hd_series_parse_threads(cases[i][0], &threads));
    assert_threads(&threads, cases[i][1]);
    free(threads.items);
  }
}

static void test_wrong_thread_counts_are_refused(void **state) {
  static const char *const cases[] = {"",    "0",     "-1",  "1-",    "2-1",   "1,",      ",1",
                                      "1 2", "1-2:",  "1:2", "1-3:0", "65537", "1-65537", "99999999999999999999",
                                      "+1",  "1-4:-1"};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct hd_series_threads threads = {0};
    assert_non_null(hd_series_parse_threads(cases[i], &threads));
    free(threads.items);
  }
}

/* ---- parameters ---- */

static void test_values_are_divided_by_commas_that_are_not_escaped(void **state) {
  struct hd_scale_parameter parameter;
  (void)state;
  assert_null(hd_scale_parse_parameter("NAME=a=b,c\\,d,\\e\\", &parameter));
  assert_string_equal(parameter.name, "NAME");
  assert_int_equal(parameter.values.count, 3);
  assert_string_equal(parameter.values.items[0], "a=b");
  assert_string_equal(parameter.values.items[1], "c,d");
  assert_string_equal(parameter.values.items[2], "\\e\\");
  hd_scale_parameter_free(&parameter);
}

/* ---- plans ---- */

struct sample {
  struct hd_scale_options options;
  struct hd_scale_parameter parameters[2];
  struct hd_scale_plan plan;
};

static void make_sample(struct sample *sample, const char *threads, uint32_t repeats, const char *first,
                        const char *second, char **command) {
  memset(sample, 0, sizeof *sample);
  sample->options =
      (struct hd_scale_options){.series = {.repeats = repeats, .command = command}, .parameters = sample->parameters};
  assert_null(hd_series_parse_threads(threads, &sample->options.threads));
  if (first)
    assert_null(hd_scale_parse_parameter(first, &sample->parameters[sample->options.parameter_count++]));
  if (second)
    assert_null(hd_scale_parse_parameter(second, &sample->parameters[sample->options.parameter_count++]));
  assert_true(hd_scale_plan_make(&sample->options, &sample->plan));
}

static void free_sample(struct sample *sample) {
  hd_scale_plan_free(&sample->plan);
  for (size_t i = 0; i < sample->options.parameter_count; i++)
    hd_scale_parameter_free(&sample->parameters[i]);
  free(sample->options.threads.items);
}

/* With as many repeats as a round has runs. */
static void test_each_run_has_each_place_of_the_round_once(void **state) {
  enum { ROUND = 6 };
  static char *command[] = {"app", NULL};
  struct sample sample;
  bool seen[ROUND][ROUND] = {{false}}; /* run, place */
  (void)state;
  make_sample(&sample, "1,2,4", ROUND, "N=a,b", NULL, command);
  assert_int_equal(sample.plan.step_count, ROUND * ROUND);
  for (size_t i = 0; i < sample.plan.step_count; i++) {
    const struct hd_scale_step *step = &sample.plan.steps[i];
    const size_t run = 3 * step->set + step->threads / 2;
    assert_int_equal(step->repeat, i / ROUND + 1);
    assert_false(seen[run][i % ROUND]);
    seen[run][i % ROUND] = true;
  }
  free_sample(&sample);
}

static void test_names_of_sets_hold_nothing_that_means_something_in_a_path(void **state) {
  static char *command[] = {"app", NULL};
  struct sample sample;
  char name[128];
  (void)state;
  make_sample(&sample, "8", 2, "A=x/y,%=\\,\n", "B=..", command);
  assert_int_equal(sample.plan.set_count, 2);
  assert_string_equal(sample.plan.sets[0].name, "A=x%2Fy,B=..");
  assert_string_equal(sample.plan.sets[1].name, "A=%25%3D%2C%0A,B=..");
  hd_scale_step_name(&sample.plan, &sample.plan.steps[0], name, sizeof name);
  assert_string_equal(name, "A=x%2Fy,B=../t8.r1");
  free_sample(&sample);
}

static void test_placeholders_are_replaced_once_and_others_stay(void **state) {
  static char *command[] = {"{N}/app", "{N}{N}", "{{N}}", "{threads}{", "{n}", "{M}", "", NULL};
  struct sample sample;
  struct hd_texts made = {0};
  struct hd_texts variables = {0};
  (void)state;
  make_sample(&sample, "3", 1, "N={M}", "M=7", command);
  hd_scale_step_command(&sample.plan, &sample.plan.steps[0], &made);
  static const char *const expected[] = {"{M}/app", "{M}{M}", "{{M}}", "3{", "{n}", "7", ""};
  assert_int_equal(made.count, sizeof expected / sizeof *expected);
  for (size_t i = 0; i < made.count; i++)
    assert_string_equal(made.items[i], expected[i]);
  hd_scale_step_environment(&sample.plan, &sample.plan.steps[0], &variables);
  assert_int_equal(variables.count, 1);
  assert_string_equal(variables.items[0], "OMP_NUM_THREADS=3");
  hd_texts_free(&made);
  hd_texts_free(&variables);
  free_sample(&sample);
}

static void test_ranks_are_run_with_each_thread_count(void **state) {
  static char *command[] = {"app", "{ranks}x{threads}", NULL};
  static const char *const names[] = {"n2.t1.r1", "n2.t3.r1", "n8.t1.r1", "n8.t3.r1"};
  static const char *const words[] = {"mpirun", "-n", "8", "--map-by=3"};
  struct sample sample;
  struct hd_series_job job;
  (void)state;
  make_sample(&sample, "1,3", 1, NULL, NULL, command);
  hd_scale_plan_free(&sample.plan);
  sample.options.launcher = "mpirun  -n {ranks} --map-by={threads} ";
  assert_null(hd_series_parse_threads("2,8", &sample.options.ranks));
  assert_true(hd_scale_plan_make(&sample.options, &sample.plan));
  assert_int_equal(sample.plan.step_count, 4);
  for (size_t i = 0; i < 4; i++) {
    hd_scale_step_job(&sample.plan, &sample.plan.steps[i], &job);
    assert_string_equal(job.name, names[i]);
    if (i < 3)
      hd_series_job_free(&job);
  }
  assert_string_equal(job.command.items[1], "8x3");
  assert_int_equal(job.launcher.count, 4);
  for (size_t i = 0; i < 4; i++)
    assert_string_equal(job.launcher.items[i], words[i]);
  hd_series_job_free(&job);
  free(sample.options.ranks.items);
  free_sample(&sample);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_default_threads_are_powers_of_two_and_the_processors),
      cmocka_unit_test(test_lists_and_ranges_are_sorted_and_each_count_is_taken_once),
      cmocka_unit_test(test_wrong_thread_counts_are_refused),
      cmocka_unit_test(test_values_are_divided_by_commas_that_are_not_escaped),
      cmocka_unit_test(test_each_run_has_each_place_of_the_round_once),
      cmocka_unit_test(test_names_of_sets_hold_nothing_that_means_something_in_a_path),
      cmocka_unit_test(test_placeholders_are_replaced_once_and_others_stay),
      cmocka_unit_test(test_ranks_are_run_with_each_thread_count),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
