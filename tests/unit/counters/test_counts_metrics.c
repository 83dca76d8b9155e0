/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file test_counts_metrics.c
 * What groups' formulas make of counts: of sums, and of the time in which was counted.
 */
#include "counts_sample.h"

#include "output/analysis/callpaths/callpath_truncate.h"
#include "output/model/memory.h"

static const char rates[] = "rates.txt\nSHORT Rates\n\nEVENTSET\nA  E0\nB  E1\n\nMETRICS\nratio            A / B\n"
                            "per second [1/s]  A / busy\nspeed [1/s]  A / elapsed\n";

static struct hd_count metric(const struct hd_model *model, uint32_t node, uint32_t thread, bool inclusive, int index) {
  return metric_of(model, (struct hd_count_of){node, thread, inclusive}, model->groups[0],
                   &model->groups[0]->metrics[index]);
}

static void test_metrics_are_of_sums(void **state) {
  (void)state;
  struct builder builder;
  start(&builder, 2, 0, HD_COUNTERS_AT_REGION);
  builder_text(&builder, HD_TEXT_GROUP, 0, rates, sizeof rates - 1);
  builder_count(count(&builder, PROGRAM, 0, 10, 0), 1, HD_COUNT_BUSY, 0);
  builder_count(count(&builder, REGION, 0, 100, 0), 1, HD_COUNT_BUSY, 10);
  builder_count(count(&builder, REGION, 1, 300, 0), 1, HD_COUNT_BUSY, 190);
  *builder_total(&builder, REGION, 2) = (struct hd_total_record){
      .profile = REGION, .team_size = 2, .instances = 1, .elapsed_ticks = 100, .busy_ticks = 60, .capacity_ticks = 200};
  struct hd_model *model = builder_read(&builder);
  assert_int_equal(model->group_count, 1);
  expect_exact(metric(model, REGION, HD_NONE, false, 0), 2); /* not the mean of 10 and 1.58 */
  expect_exact(metric(model, REGION, 0, false, 0), 10);
  expect_exact(metric(model, PROGRAM, HD_NONE, true, 0), 2.05);
  expect_unknown(metric(model, PROGRAM, HD_NONE, false, 0));                 /* by zero */
  expect_estimate(metric(model, REGION, HD_NONE, false, 1), 400 / 60e-9, 1); /* with what is counted here */
  expect_estimate(metric(model, REGION, 1, false, 1), 300 / 30e-9, 1);
  expect_estimate(metric(model, REGION, HD_NONE, true, 1), 400 / 60e-9, 1);
  expect_estimate(metric(model, REGION, HD_NONE, true, 2), 400 / 100e-9, 1);
  expect_estimate(metric(model, HD_NONE, HD_NONE, true, 2), 410 / 1000e-9, 1);
  expect_estimate(metric(model, HD_NONE, 1, true, 2), 300 / 30e-9, 1);
  expect_unknown(metric(model, REGION, 0, true, 2)); /* a thread's part of a region has no elapsed time */
  assert_string_equal(model->notes.items[0],
                      "group rates (rates.txt:8): 'ratio' divided by zero in 1 callpath: left empty");
  hd_model_free(model);
  builder_free(&builder);
}

static void test_broken_groups_become_notes(void **state) {
  (void)state;
  static const char broken[] = "mine.txt\nSHORT Mine\n\nEVENTSET\nA  E0\n\nMETRICS\nratio A\n";
  struct builder builder;
  start_whole(&builder, HD_COUNTERS_AT_LOOP);
  builder_text(&builder, HD_TEXT_GROUP, 0, broken, sizeof broken - 1);
  struct hd_model *model = builder_read(&builder);
  assert_int_equal(model->group_count, 0);
  assert_non_null(strstr(model->notes.items[0], "mine.txt:7:"));
  assert_non_null(strstr(model->notes.items[0], "the group is left out"));
  hd_model_free(model);
  builder_free(&builder);
}

static void test_a_wrong_formula_has_no_value_and_becomes_a_note(void **state) {
  (void)state;
  static const char wrong[] = "mine.txt\nEVENTSET\nA  E0\nMETRICS\nratio   A / NOBODY\ntwice   2 * A\n";
  struct builder builder;
  start_whole(&builder, HD_COUNTERS_AT_LOOP);
  builder_text(&builder, HD_TEXT_GROUP, 0, wrong, sizeof wrong - 1);
  struct hd_model *model = builder_read(&builder);
  assert_int_equal(model->group_count, 1);
  expect_unknown(metric(model, REGION, HD_NONE, true, 0));
  assert_true(metric(model, REGION, HD_NONE, true, 1).known);
  assert_string_equal(
      model->notes.items[0],
      "mine.txt:4: formula of 'ratio', column 13: 'NOBODY' is no event of this group: its column is empty");
  hd_model_free(model);
  builder_free(&builder);
}

static void test_a_group_of_events_that_were_not_counted_is_not_known(void **state) {
  (void)state;
  struct builder builder;
  start_whole(&builder, HD_COUNTERS_AT_LOOP); /* there is no E1 */
  builder_text(&builder, HD_TEXT_GROUP, 0, rates, sizeof rates - 1);
  struct hd_model *model = builder_read(&builder);
  expect_unknown(metric(model, REGION, HD_NONE, true, 0));
  assert_true(metric(model, REGION, HD_NONE, true, 1).known);
  assert_int_equal(model->notes.count, 0);
  hd_model_free(model);
  builder_free(&builder);
}

/* Below `all` what a critical section does is the loop's, the wait for it as well. */
static void test_busy_is_the_time_of_what_was_counted(void **state) {
  (void)state;
  for (enum hd_counters_at at = HD_COUNTERS_AT_LOOP; at <= HD_COUNTERS_AT_ALL; at++) {
    struct builder builder;
    start_whole(&builder, at);
    builder_text(&builder, HD_TEXT_GROUP, 0, rates, sizeof rates - 1);
    for (uint32_t thread = 0; thread < 2; thread++) {
      struct hd_row_record *row = builder_row(&builder, CRITICAL, thread);
      builder_cell(row, HD_WAIT_CRITICAL)->ticks = 5;
      builder_cell(row, HD_WAIT_BARRIER_IMPLICIT)->ticks = 7;
      if (at == HD_COUNTERS_AT_ALL)
        count(&builder, CRITICAL, thread, 0, 0);
    }
    struct hd_model *model = builder_read(&builder);
    const double loop = at == HD_COUNTERS_AT_ALL ? 10e-9 : 25e-9;
    expect_estimate(metric(model, LOOP, 0, false, 1), 200 / loop, 1);
    expect_estimate(metric(model, LOOP, HD_NONE, false, 1), 500 / (2 * loop), 1);
    expect_estimate(metric(model, REGION, HD_NONE, true, 1), 550 / (at == HD_COUNTERS_AT_ALL ? 60e-9 : 70e-9), 1);
    expect_estimate(metric(model, HD_NONE, 0, true, 1), 221 / (at == HD_COUNTERS_AT_ALL ? 40e-9 : 45e-9), 1);
    hd_callpath_truncate(model, 2);
    expect_estimate(metric(model, LOOP, HD_NONE, false, 1), 500 / (2 * loop), 1);
    hd_model_free(model);
    builder_free(&builder);
  }
}

/* The 2000 ticks before the load are busy time of the program's, but nothing was counted then. */
static void test_metrics_leave_the_time_before_counting_out(void **state) {
  (void)state;
  struct builder builder;
  start_whole(&builder, HD_COUNTERS_AT_LOOP);
  builder_text(&builder, HD_TEXT_GROUP, 0, rates, sizeof rates - 1);
  builder.header->clock_first = (struct hd_clock_pair){1000, 3000};
  builder.header->begin_ns = 1000;
  struct hd_model *model = builder_read(&builder);
  assert_int_equal(model->before_ticks, 2000);
  expect_estimate(metric(model, HD_NONE, HD_NONE, true, 1), 551 / 70e-9, 1);
  expect_estimate(metric(model, HD_NONE, HD_NONE, true, 2), 551 / 1000e-9, 1);
  expect_estimate(metric(model, HD_NONE, 0, true, 1), 221 / 40e-9, 1);
  expect_estimate(metric(model, HD_NONE, 0, true, 2), 221 / 40e-9, 1);
  expect_estimate(metric(model, HD_NONE, 1, true, 2), 330 / 30e-9, 1);
  expect_estimate(metric(model, PROGRAM, HD_NONE, false, 1), 1 / 10e-9, 1);
  expect_estimate(metric(model, PROGRAM, HD_NONE, true, 2), 551 / 1000e-9, 1);
  expect_estimate(metric(model, PROGRAM, 0, false, 1), 1 / 10e-9, 1);
  hd_model_free(model);
  builder_free(&builder);
}

/* Thread 1 was not counted in the loop: a ratio of what is left could be anything. */
static void test_metrics_of_incomplete_counts_have_no_value(void **state) {
  (void)state;
  struct builder builder;
  start(&builder, 1, 0, HD_COUNTERS_AT_LOOP);
  builder_text(&builder, HD_TEXT_GROUP, 0, rates, sizeof rates - 1);
  count(&builder, PROGRAM, 0, 1, 0);
  count(&builder, REGION, 0, 20, 0);
  count(&builder, REGION, 1, 30, 0);
  count(&builder, LOOP, 0, 200, 0);
  struct hd_model *model = builder_read(&builder);
  assert_true(count_of(model, HD_COUNT_OF_PROGRAM, 0, HD_COUNT_BUSY).partial);
  expect_unknown(metric(model, HD_NONE, HD_NONE, true, 1));
  expect_unknown(metric(model, LOOP, HD_NONE, false, 1));
  expect_unknown(metric(model, REGION, HD_NONE, true, 1));
  expect_estimate(metric(model, REGION, HD_NONE, false, 1), 50 / 20e-9, 1);
  expect_estimate(metric(model, LOOP, 0, false, 1), 200 / 20e-9, 1);
  hd_model_free(model);
  builder_free(&builder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_metrics_are_of_sums),
      cmocka_unit_test(test_broken_groups_become_notes),
      cmocka_unit_test(test_a_wrong_formula_has_no_value_and_becomes_a_note),
      cmocka_unit_test(test_a_group_of_events_that_were_not_counted_is_not_known),
      cmocka_unit_test(test_busy_is_the_time_of_what_was_counted),
      cmocka_unit_test(test_metrics_leave_the_time_before_counting_out),
      cmocka_unit_test(test_metrics_of_incomplete_counts_have_no_value),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
