/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file test_readings.c
 * How often counters were read and how long that took; and what sums of runs make of it, and of the time before the
 * tool was loaded.
 */
#include "count_of.h"
#include "counts_sample.h"
#include "merge_sum.h"
#include "output/model/memory.h"

static const char rates[] = "rates.txt\nSHORT Rates\n\nEVENTSET\nE0\n\nMETRICS\nrate  E0 / busy\nspeed  E0 / elapsed\n";

/* The program is busy for 70 ticks in all, and began 2000 ticks before the load of the tool. */
static struct hd_model *run_with(uint64_t readings, uint64_t reading_ticks, enum hd_counters_at at,
                                 const char *setting) {
  struct builder builder;
  start_whole(&builder, at);
  builder_text(&builder, HD_TEXT_GROUP, 0, rates, sizeof rates - 1);
  builder_text(&builder, HD_TEXT_ENVIRONMENT, 0, setting, strlen(setting));
  builder.header->clock_first = (struct hd_clock_pair){1000, 3000};
  builder.header->begin_ns = 1000;
  builder.header->reading_ticks = reading_ticks;
  struct hd_thread_record *thread = builder_thread(&builder, HD_THREAD_WORKER, 2000, 2000);
  thread->end_ticks = 2000;
  thread->readings = readings;
  struct hd_model *model = builder_read(&builder);
  builder_free(&builder);
  return model;
}

static struct hd_model *run_of(uint64_t readings, uint64_t reading_ticks) {
  return run_with(readings, reading_ticks, HD_COUNTERS_AT_LOOP, "OMP_NUM_THREADS=2");
}

static void expect_reading(struct hd_model *model, uint64_t readings, double ticks) {
  assert_int_equal(hd_model_readings(model), readings);
  const double seconds = hd_model_reading_seconds(model);
  if (isnan(ticks))
    assert_true(isnan(seconds));
  else
    assert_true(fabs(seconds / model->seconds_per_tick - ticks) < 1e-6);
  hd_model_free(model);
}

static void test_readings_take_their_time(void **state) {
  (void)state;
  expect_reading(run_of(3, 2), 3, 6);
  expect_reading(run_of(0, 2), 0, 0);
  expect_reading(run_of(3, 0), 3, NAN);
}

static void test_much_reading_is_noted(void **state) {
  (void)state;
  struct hd_model *model = run_of(3, 2);
  assert_true(has_note(model,
                       "counters were read 3 times, about 6e-09 s in all threads together, as much as 9 % of the "
                       "busy time: --counters-at region reads less often"));
  hd_model_free(model);
  model = run_with(3, 2, HD_COUNTERS_AT_ALL, "OMP_NUM_THREADS=2");
  assert_true(has_note(model, "--counters-at loop reads less often"));
  hd_model_free(model);
  model = run_with(3, 2, HD_COUNTERS_AT_REGION, "OMP_NUM_THREADS=2");
  assert_true(has_note(model, "counters were read 3 times"));
  assert_false(has_note(model, "less often"));
  hd_model_free(model);
  model = run_of(3, 1); /* 4.3 % */
  assert_false(has_note(model, "counters were read"));
  hd_model_free(model);
}

static void test_readings_of_runs_add_up(void **state) {
  (void)state;
  struct hd_model *models[] = {run_of(3, 2), run_of(1, 6), run_of(5, 0), run_of(0, 0)};
  expect_reading(SUM(models[0], models[1]), 4, 12);
  expect_reading(SUM(models[0], models[3]), 3, 6);
  expect_reading(SUM(models[0], models[2]), 8, NAN); /* not less than it was */
  for (size_t i = 0; i < 4; i++)
    hd_model_free(models[i]);
}

static double metric(const struct hd_model *model, struct hd_count_of of, uint32_t index) {
  const struct hd_count count = metric_of(model, of, model->groups[0], &model->groups[0]->metrics[index]);
  assert_true(count.known);
  return count.value;
}

/* A sum of sums, too. */
static void test_metrics_of_sums_leave_the_time_before_counting_out(void **state) {
  (void)state;
  struct hd_model *run = run_of(0, 0);
  struct hd_model *two = SUM(run, run);
  struct hd_model *three = SUM(two, run);
  struct hd_model *const models[] = {run, two, three};
  for (size_t i = 0; i < 3; i++) {
    assert_true(fabs(metric(models[i], HD_COUNT_OF_PROGRAM, 0) * 70e-9 / 551 - 1) < 1e-9);
    assert_true(fabs(metric(models[i], HD_COUNT_OF_PROGRAM, 1) * 1000e-9 / 551 - 1) < 1e-9);
    assert_true(fabs(metric(models[i], (struct hd_count_of){0, HD_NONE, false}, 0) * 10e-9 - 1) < 1e-9);
    assert_true(fabs(metric(models[i], (struct hd_count_of){HD_NONE, 0, true}, 1) * 40e-9 / 221 - 1) < 1e-9);
  }
  for (size_t i = 0; i < 3; i++)
    hd_model_free(models[i]);
}

static void test_heddles_own_settings_are_not_openmps(void **state) {
  (void)state;
  struct hd_model *first = run_with(0, 0, HD_COUNTERS_AT_LOOP, "HEDDLE_COUNTERS=E0");
  struct hd_model *other = run_with(0, 0, HD_COUNTERS_AT_LOOP, "HEDDLE_COUNTERS=E0,E1");
  struct hd_model *third = run_with(0, 0, HD_COUNTERS_AT_LOOP, "OMP_SCHEDULE=static");
  struct hd_model *sum = SUM(first, other);
  assert_false(has_note(sum, "different OpenMP settings"));
  hd_model_free(sum);
  sum = SUM(first, third);
  assert_true(has_note(sum, "different OpenMP settings"));
  hd_model_free(sum);
  hd_model_free(first);
  hd_model_free(other);
  hd_model_free(third);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_readings_take_their_time),
      cmocka_unit_test(test_much_reading_is_noted),
      cmocka_unit_test(test_readings_of_runs_add_up),
      cmocka_unit_test(test_metrics_of_sums_leave_the_time_before_counting_out),
      cmocka_unit_test(test_heddles_own_settings_are_not_openmps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
