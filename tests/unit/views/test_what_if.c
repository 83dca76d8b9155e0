/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How long a run would take if one thing were different. */
#include "profile_builder.h"

#include "output/analysis/findings/what_if.h"
#include "output/model/memory.h"

enum { REGION = 1, LOOP = 2, ROUTINE = 3, AGAIN = 4 };

static struct builder builder;
static struct hd_model *model;

static int forget(void **state) {
  (void)state;
  hd_model_free(model);
  builder_free(&builder);
  return 0;
}

/* A region in which thread 1 waits for thread 0 at the end. */
static void add_region(uint32_t region, uint32_t loop, uint64_t most, uint64_t waits) {
  const uint64_t busy[] = {most, most - waits};
  for (uint32_t thread = 0; thread < 2; thread++)
    builder_cell(builder_row(&builder, loop, thread), HD_BUSY)->ticks = busy[thread];
  builder_cell(builder_row(&builder, region, 1), HD_WAIT_BARRIER_IMPLICIT)->ticks = waits;
  *builder_total(&builder, region, 2) = (struct hd_total_record){.profile = region,
                                                                 .team_size = 2,
                                                                 .instances = 1,
                                                                 .elapsed_ticks = most,
                                                                 .capacity_ticks = 2 * most,
                                                                 .busy_ticks = busy[0] + busy[1],
                                                                 .busy_max_ticks = 2 * most};
}

static void begin_run(void) {
  builder_init(&builder);
  builder.header->max_threads = 4;
  builder_profile(&builder, 0, HD_KIND_PROGRAM);
  builder_profile(&builder, 0, HD_KIND_PARALLEL);
  builder_profile(&builder, REGION, HD_KIND_LOOP);
  for (uint32_t thread = 0; thread < 2; thread++) {
    builder_thread(&builder, thread == 0 ? HD_THREAD_INITIAL : HD_THREAD_WORKER, 1000, 2000);
    builder_cell(builder_row(&builder, 0, thread), thread == 0 ? HD_BUSY : HD_IDLE)->ticks = 200;
  }
}

/* 200 outside, and a region of 800 whose loop keeps thread 0 busy, and thread 1 for half of the time. */
static int read_run(void **state) {
  (void)state;
  begin_run();
  add_region(REGION, LOOP, 800, 400);
  builder.header->end_ticks = 2000;
  model = builder_read(&builder);
  return 0;
}

/* 200 outside, 500 in the region, 300 in it as called by a routine. */
static int read_two_callpaths(void **state) {
  (void)state;
  begin_run();
  builder_profile(&builder, 0, HD_KIND_ROUTINE);
  struct hd_profile_record *again = builder_profile(&builder, ROUTINE, HD_KIND_PARALLEL);
  again->address = again->offset = 0x1000 + REGION;
  add_region(REGION, LOOP, 500, 400);
  add_region(AGAIN, AGAIN, 300, 200);
  builder.header->end_ticks = 2000;
  model = builder_read(&builder);
  return 0;
}

/* As read_run's, but tasks began in the region and were not observed. */
static int read_unseen_tasks(void **state) {
  (void)state;
  begin_run();
  add_region(REGION, LOOP, 800, 400);
  builder_refuse(&builder, HD_CLASS_TASK, REGION);
  builder_switch(&builder, HD_CLASS_TASK, 0, REGION);
  builder.header->end_ticks = 2000;
  model = builder_read(&builder);
  return 0;
}

static void expect(const char *text, double elapsed, double low, double high, enum hd_basis basis) {
  struct hd_what_if question;
  char error[256] = "";
  if (!hd_what_if_read(text, &question, error, sizeof error))
    fail_msg("'%s': %s", text, error);
  const struct hd_prediction prediction = hd_what_if_predict(model, &question);
  if (prediction.elapsed_ticks != elapsed || prediction.low_ticks != low || prediction.high_ticks != high)
    fail_msg("'%s': %g (%g to %g)", text, prediction.elapsed_ticks, prediction.low_ticks, prediction.high_ticks);
  assert_int_equal(prediction.basis, basis);
}

static void test_without_uneven_work(void **state) {
  (void)state;
  expect("1=balanced", 800, 800, 800, HD_BASIS_MEASURED);
  expect("1 without imbalance", 800, 800, 800, HD_BASIS_MEASURED);
  expect("1 without critical", 1000, 1000, 1000, HD_BASIS_MEASURED);
  expect("0 without serial", 900, 900, 900, HD_BASIS_MEASURED);
}

static void test_a_callpath_loses_what_is_its_own(void **state) {
  (void)state;
  expect("1=balanced", 800, 800, 800, HD_BASIS_MEASURED);
  expect("4=balanced", 900, 900, 900, HD_BASIS_MEASURED);
  expect("3=balanced", 900, 900, 900, HD_BASIS_MEASURED);
  expect("0=balanced", 700, 700, 700, HD_BASIS_MEASURED);
}

/* Which work was a task's is not known. */
static void test_uneven_work_is_that_of_unseen_tasks(void **state) {
  (void)state;
  expect("1=balanced", 1000, 1000, 1000, HD_BASIS_MEASURED);
  expect("1 without task-granularity", 800, 0, 800, HD_BASIS_ESTIMATED);
}

/* The thread that works longest has 800 of it; on average they have 600. */
static void test_with_other_work(void **state) {
  (void)state;
  expect("2*0.5", 600, 600, 700, HD_BASIS_MODEL);
  expect("1*0.5", 600, 600, 700, HD_BASIS_MODEL);
  expect("2*1", 1000, 1000, 1000, HD_BASIS_MODEL);
  expect("2*0", 200, 200, 400, HD_BASIS_MODEL);
}

/* 1200 of work in regions, for which two threads have 1600. */
static void test_with_other_threads(void **state) {
  (void)state;
  expect("threads=1", 1400, 1400, 1800, HD_BASIS_MODEL);
  expect("threads=2", 1000, 800, 1000, HD_BASIS_MODEL);
  expect("threads=4", 600, 500, 1000, HD_BASIS_MODEL);
  expect("threads=100", 600, 500, 1000, HD_BASIS_MODEL); /* there are four processors */
}

static void test_a_cause_that_one_run_cannot_show_is_refused(void **state) {
  (void)state;
  struct hd_what_if question;
  char error[256] = "";
  assert_false(hd_what_if_read("1 without work-inflation", &question, error, sizeof error));
  assert_string_equal(error, "cannot be asked without work-inflation: one run does not show it; 'heddle compare' does");
}

static void test_what_is_no_question_is_refused(void **state) {
  (void)state;
  static const char *const wrong[] = {
      "",   "x",   "1",    "1=",    "1=balance", "balanced", "-1=balanced", "1 without",    "1 without nothing",
      "1*", "1*x", "1*-1", "1*inf", "threads=0", "threads=", "threads=2x",  "99999999999*1"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    struct hd_what_if question;
    char error[256] = "";
    if (hd_what_if_read(wrong[i], &question, error, sizeof error))
      fail_msg("'%s' was taken", wrong[i]);
    assert_non_null(strstr(error, "expects ID=balanced"));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_without_uneven_work, read_run, forget),
      cmocka_unit_test_setup_teardown(test_a_callpath_loses_what_is_its_own, read_two_callpaths, forget),
      cmocka_unit_test_setup_teardown(test_uneven_work_is_that_of_unseen_tasks, read_unseen_tasks, forget),
      cmocka_unit_test_setup_teardown(test_with_other_work, read_run, forget),
      cmocka_unit_test_setup_teardown(test_with_other_threads, read_run, forget),
      cmocka_unit_test(test_what_is_no_question_is_refused),
      cmocka_unit_test(test_a_cause_that_one_run_cannot_show_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
