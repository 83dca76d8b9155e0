/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Findings as text and as JSON, and above other reports. */
#include "profile_builder.h"

#include <jansson.h>
#include <stdio.h>

#include "output/model/memory.h"
#include "output/views/explain/explain.h"
#include "output/views/render/table.h"
#include "output/views/report/report.h"

static struct {
  struct builder builder;
  struct hd_model *model;
  char *text;
} test;

static int forget(void **state) {
  (void)state;
  hd_model_free(test.model);
  builder_free(&test.builder);
  free(test.text);
  memset(&test, 0, sizeof test);
  return 0;
}

/* 200 ns outside; regions follow. */
static void begin_run(void) {
  struct builder *builder = &test.builder;
  builder_init(builder);
  builder->header->max_threads = 2;
  builder->header->end_ticks = 2000;
  builder_profile(builder, 0, HD_KIND_PROGRAM);
  for (uint32_t thread = 0; thread < 2; thread++) {
    builder_thread(builder, thread == 0 ? HD_THREAD_INITIAL : HD_THREAD_WORKER, 1000, 2000);
    builder_cell(builder_row(builder, 0, thread), thread == 0 ? HD_BUSY : HD_IDLE)->ticks = 200;
  }
}

/* In which one thread is busy all the time, the other for `busy`. */
static void add_region(uint64_t elapsed, uint64_t busy, const char *function, const char *line) {
  struct builder *builder = &test.builder;
  const uint32_t region = builder_profile(builder, 0, HD_KIND_PARALLEL)->id;
  builder_name(builder, region, function, "/src/app.c", line);
  for (uint32_t thread = 0; thread < 2; thread++) {
    struct hd_row_record *row = builder_row(builder, region, thread);
    builder_cell(row, HD_BUSY)->ticks = thread == 0 ? elapsed : busy;
    builder_cell(row, HD_WAIT_BARRIER_IMPLICIT)->ticks = thread == 0 ? 0 : elapsed - busy;
  }
  struct hd_total_record *total = builder_total(builder, region, 2);
  *total = (struct hd_total_record){.profile = total->profile, .thread = total->thread, .team_size = 2, .instances = 1};
  total->elapsed_ticks = elapsed;
  total->capacity_ticks = 2 * elapsed;
  total->busy_ticks = elapsed + busy;
  total->busy_max_ticks = 2 * elapsed;
}

static void read_run(uint64_t busy, const char *function) {
  begin_run();
  add_region(800, busy, function, "10");
  test.model = builder_read(&test.builder);
}

static const char *print(bool all) {
  size_t bytes = 0;
  free(test.text);
  FILE *out = open_memstream(&test.text, &bytes);
  assert_non_null(out);
  hd_explain_print(test.model, all, out);
  fclose(out);
  return test.text;
}

static void test_findings_have_evidence_and_a_cure(void **state) {
  (void)state;
  read_run(200, "main");
  assert_string_equal(strchr(print(false), ':'),
                      ": 1.000 us elapsed, 2 threads on 2 processors\n"
                      "\n"
                      "1. 0.300 us (30 %) to gain: uneven work, parallel app.c:10 in main\n"
                      "    its busiest thread works 1.60 times the mean; the others wait 0.600 us in all for it\n"
                      "    Try: the same share of work for every thread: 0.500 us instead of 0.800 us\n"
                      "\n"
                      "2. 0.100 us (10 %) to gain: serial time, program app\n"
                      "    no parallel region is open for 0.200 us (20 % of the run), of which 0 s before the first\n"
                      "    Try: open a parallel region there: divided among 2 threads it takes 0.100 us\n"
                      "         compile with -finstrument-functions, and the finding names the function that takes "
                      "it\n");
}

/* The first finding is not the largest cause. */
static void test_a_cause_with_several_places_is_added_up(void **state) {
  (void)state;
  begin_run();
  add_region(400, 220, "first", "10");
  add_region(400, 240, "second", "20");
  test.model = builder_read(&test.builder);
  assert_non_null(
      strstr(print(false), "2 processors\n\n0.170 us (17 %) to gain in all: uneven work, in 2 places\n\n1. "));
  assert_null(strstr(test.text, "in all: serial time"));
}

static void test_a_schedule_that_is_chosen_at_run_time_needs_no_other_code(void **state) {
  struct hd_model_loop loop = {.node = 1, .flags = HD_CHUNKS_RUNTIME};
  (void)state;
  read_run(200, "main");
  test.model->loops = &loop;
  test.model->loop_count = 1;
  assert_non_null(strstr(print(false), "Try: OMP_SCHEDULE=dynamic or OMP_SCHEDULE=guided: 0.500 us instead of"));
}

static void test_lines_have_at_most_100_characters(void **state) {
  (void)state;
  read_run(200, "a_function_with_a_name_that_is_so_long_that_no_terminal_has_room_for_it_and_for_anything_else");
  print(true);
  for (const char *line = test.text; *line; line = strchr(line, '\n') + 1)
    assert_true(strcspn(line, "\n") <= 100);
}

static void test_a_run_without_findings_says_so(void **state) {
  (void)state;
  read_run(790, "main");
  test.model->nodes[0].elapsed_at.count = 0;
  test.model->inside_ticks = test.model->elapsed_ticks;
  assert_non_null(strstr(print(false), "\nNothing worth mentioning was found"));
  assert_non_null(strstr(print(true), "uneven work"));
}

static void test_what_was_not_observed_is_said(void **state) {
  (void)state;
  read_run(200, "main");
  assert_null(strstr(print(false), "--overhead off"));
  test.model->off_classes = 1u << HD_CLASS_MUTEX;
  assert_non_null(strstr(print(false), "'heddle run --overhead off' observes everything"));
}

static json_t *json_of(bool all) {
  size_t bytes = 0;
  free(test.text);
  FILE *out = open_memstream(&test.text, &bytes);
  assert_true(out && hd_explain_json(test.model, all, out));
  fclose(out);
  json_t *value = json_loads(test.text, 0, NULL);
  assert_non_null(value);
  return value;
}

static void expect_number(const json_t *object, const char *key, double expected) {
  const double number = json_number_value(json_object_get(object, key));
  if (number < expected * (1 - 1e-9) || number > expected * (1 + 1e-9))
    fail_msg("%s is %g, not %g", key, number, expected);
}

static void expect_text(const json_t *object, const char *key, const char *expected) {
  assert_string_equal(json_string_value(json_object_get(object, key)), expected);
}

static void test_json_has_what_the_text_has(void **state) {
  (void)state;
  read_run(200, "main");
  json_t *whole = json_of(false);
  expect_number(whole, "heddle", 1);
  expect_number(whole, "elapsed_s", 1e-6);
  expect_number(whole, "threads", 2);
  expect_number(whole, "processors", 2);
  assert_true(json_is_null(json_object_get(whole, "unexplained_s"))); /* there are no levels */
  assert_int_equal(json_array_size(json_object_get(whole, "findings")), 2);
  const json_t *first = json_array_get(json_object_get(whole, "findings"), 0), *place = json_object_get(first, "place");
  expect_text(first, "cause", "imbalance");
  expect_text(first, "basis", "measured");
  expect_number(first, "gain_s", 300e-9);
  expect_number(first, "gain_low_s", 300e-9);
  expect_number(first, "gain_high_s", 300e-9);
  expect_number(place, "id", 1);
  expect_number(place, "line", 10);
  expect_text(place, "kind", "parallel");
  expect_text(place, "function", "main");
  expect_text(place, "file", "app.c");
  assert_int_equal(json_array_size(json_object_get(first, "evidence")), 1);
  assert_int_equal(json_array_size(json_object_get(first, "try")), 1);
  json_decref(whole);
}

static void test_reports_begin_with_findings(void **state) {
  (void)state;
  const struct hd_report_options options = {.question = HD_ASK_REGIONS, .sort = HD_SORT_GAIN};
  size_t bytes = 0;
  read_run(200, "main");
  for (int summary = 0; summary < 2; summary++) {
    free(test.text);
    FILE *out = open_memstream(&test.text, &bytes);
    assert_non_null(out);
    if (summary)
      hd_report_summary(test.model, out);
    else
      hd_report_print(test.model, &options, out, out);
    fclose(out);
    assert_int_equal(strncmp(test.text, "findings  0.300 us (30 %) to gain: uneven work, parallel app.c:10", 65), 0);
    assert_true(!summary == (strstr(test.text, "\n          try the same share of work") != NULL));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(test_findings_have_evidence_and_a_cure, forget),
      cmocka_unit_test_teardown(test_a_cause_with_several_places_is_added_up, forget),
      cmocka_unit_test_teardown(test_a_schedule_that_is_chosen_at_run_time_needs_no_other_code, forget),
      cmocka_unit_test_teardown(test_lines_have_at_most_100_characters, forget),
      cmocka_unit_test_teardown(test_a_run_without_findings_says_so, forget),
      cmocka_unit_test_teardown(test_what_was_not_observed_is_said, forget),
      cmocka_unit_test_teardown(test_json_has_what_the_text_has, forget),
      cmocka_unit_test_teardown(test_reports_begin_with_findings, forget),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
