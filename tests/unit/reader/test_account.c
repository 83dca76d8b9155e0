/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The kernel's account of threads: the share of the time in which they wanted a processor that they had one. */
#include <math.h>

#include "merge_sum.h"
#include "output/model/account.h"
#include "output/model/memory.h"
#include "output/views/compare/compare.h"
#include "output/views/export/export.h"
#include "output/views/report/report.h"
#include "profile_builder.h"

/* Two threads on two processors, from tick 1000 to 2000. */
static struct hd_thread_record *start(struct builder *builder) {
  builder_init(builder);
  builder->header->max_threads = 2;
  builder_profile(builder, 0, HD_KIND_PROGRAM);
  builder_thread(builder, HD_THREAD_INITIAL, 1000, 2000);
  builder_thread(builder, HD_THREAD_WORKER, 1000, 2000);
  struct hd_thread_record *records = (void *)((char *)builder->newest[HD_BLOCK_THREADS] + HD_BLOCK_HEADER_BYTES);
  for (uint32_t i = 0; i < 2; i++) {
    builder_cell(builder_row(builder, 0, i), HD_BUSY)->ticks = 1000;
    records[i].threads = 1;
    records[i].end_ticks = 2000;
    records[i].busy_ticks = 1000;
  }
  return records;
}

static void tell(struct hd_thread_record *record, uint64_t ran_ns, uint64_t queued_ns, uint64_t preemptions) {
  record->told = record->threads;
  record->ran_ns = ran_ns;
  record->queued_ns = queued_ns;
  record->preemptions = preemptions;
}

/* So long that what threads may wait at their start (account.h) is nothing. */
static void tell_seconds(struct hd_thread_record *record, uint64_t ran, uint64_t queued, uint64_t preemptions) {
  tell(record, ran * UINT64_C(1000000000), queued * UINT64_C(1000000000), preemptions);
}

static struct hd_model *end(struct builder *builder) {
  struct hd_model *model = builder_read(builder);
  builder_free(builder);
  return model;
}

static void expect_report(const struct hd_model *model, const struct hd_report_options *options, const char *expected,
                          bool there) {
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  assert_non_null(out);
  assert_int_equal(hd_report_print(model, options, out, out), HD_REPORT_MADE);
  fclose(out);
  if ((strstr(text, expected) != NULL) != there)
    fail_msg("%s \"%s\" in:\n%s", there ? "no" : "unexpected", expected, text);
  free(text);
}

static void expect_heading(const struct hd_model *model, const char *expected, bool there) {
  expect_report(model, &(struct hd_report_options){0}, expected, there);
}

static void test_share_of_each_thread_and_of_the_program(void **state) {
  (void)state;
  struct builder builder;
  struct hd_thread_record *records = start(&builder);
  tell_seconds(&records[0], 300, 200, 4);
  tell_seconds(&records[1], 110, 390, 7);
  struct hd_model *model = end(&builder);
  const struct hd_account all = hd_account_of_program(model);
  assert_true(hd_account_share(&model->threads[0].account) == 0.6);
  assert_true(hd_account_share(&model->threads[1].account) == 0.22);
  assert_true(hd_account_share(&all) == 0.41);
  assert_int_equal(all.preemptions, 11);
  expect_heading(model, "warning   threads had a processor 41 % of the time: measure on a quiet machine", true);
  hd_model_free(model);
}

static void test_share_is_unknown_when_that_of_one_thread_is(void **state) {
  (void)state;
  struct builder builder;
  struct hd_thread_record *records = start(&builder);
  tell(&records[0], 300, 200, 4);
  tell(&records[1], 110, 390, 7);
  records[1].threads = 2; /* one of them has not been asked */
  struct hd_model *model = end(&builder);
  const struct hd_account all = hd_account_of_program(model);
  assert_true(model->threads[0].account.known && !model->threads[1].account.known && !all.known);
  assert_true(isnan(hd_account_share(&all)) && isnan(hd_account_share(&model->threads[1].account)));
  expect_heading(model, "had a processor", false);
  hd_model_free(model);
}

/* Of one thread the kernel has not told. Nothing is known of the part that is in focus. */
static void test_each_threads_share_has_a_column(void **state) {
  (void)state;
  struct builder builder;
  struct hd_thread_record *records = start(&builder);
  tell(&records[0], 300, 100, 4);
  struct hd_model *model = end(&builder);
  const struct hd_report_options text = {.question = HD_ASK_THREADS}, csv = {.question = HD_ASK_THREADS, .csv = true};
  expect_report(model, &text, "Thread Kind    Lifetime  Busy Busy%  Wait Proc%\n", true);
  expect_report(model, &text, " 75.0\n     1 worker", true);
  expect_report(model, &text, "100.0 0.000     -\n", true);
  expect_report(model, &csv, ",idle_s,processor_share,unresolved_s,wait_at_most,", true);
  expect_report(model, &csv, ",0,0.75,0,false,", true);
  expect_report(model, &csv, ",0,,0,false,", true);
  hd_model_free(model);
}

static void test_shares_nobody_told_of_have_no_column(void **state) {
  (void)state;
  struct builder builder;
  start(&builder);
  struct hd_model *model = end(&builder);
  expect_report(model, &(struct hd_report_options){.question = HD_ASK_THREADS}, "Proc%\n", false);
  hd_model_free(model);
}

static void test_nothing_is_said_of_threads_that_had_all_they_wanted(void **state) {
  (void)state;
  struct builder builder;
  struct hd_thread_record *records = start(&builder);
  tell(&records[0], 996, 4, 0);
  tell(&records[1], 996, 4, 0);
  struct hd_model *model = end(&builder);
  expect_heading(model, "had a processor", false);
  hd_model_free(model);
}

static void expect_start(const struct hd_model *model, bool brief, const char *expected) {
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  assert_non_null(out);
  if (brief)
    hd_report_summary(model, out);
  else
    assert_int_equal(hd_report_print(model, &(struct hd_report_options){0}, out, out), HD_REPORT_MADE);
  fclose(out);
  if (strncmp(text, expected, strlen(expected)) != 0)
    fail_msg("\"%s\" does not begin:\n%s", expected, text);
  free(text);
}

/* Threads had `ran` of 1000 on so many processors. There is a region with a gain of a quarter of the run. */
static struct hd_model *model_with_share(uint64_t ran, uint32_t processors) {
  struct builder builder;
  struct hd_thread_record *records = start(&builder);
  tell_seconds(&records[0], ran, 1000 - ran, 1);
  tell_seconds(&records[1], ran, 1000 - ran, 1);
  builder.header->max_threads = processors;
  const uint32_t region = builder_profile(&builder, 0, HD_KIND_PARALLEL)->id;
  struct hd_total_record *total = builder_total(&builder, region, 2);
  total->instances = 1;
  total->elapsed_ticks = 1000;
  total->capacity_ticks = 2000;
  total->busy_ticks = total->busy_max_ticks = 1500;
  return end(&builder);
}

static void test_warning_comes_first_below_nine_tenths(void **state) {
  (void)state;
  static const struct hd_report_options csv = {.csv = true}, whole = {.verbose = true};
  struct hd_model *model = model_with_share(899, 2);
  for (int brief = 0; brief < 2; brief++)
    expect_start(model, brief, "warning   threads had a processor 90 % of the time: ");
  expect_heading(model, "\nsharing", false);
  expect_report(model, &csv, ",processor_share,", true);
  expect_report(model, &csv, ",0.899", true);
  hd_model_free(model);
  model = model_with_share(900, 2);
  for (int brief = 0; brief < 2; brief++)
    expect_start(model, brief, "findings  ");
  expect_report(model, &whole, "\nsharing   threads had a processor for 90 % of", true);
  hd_model_free(model);
  model = model_with_share(899, 1);
  expect_heading(model, "of the time: more threads than processors\n", true);
  expect_heading(model, "quiet machine", false);
  hd_model_free(model);
}

/* Two threads take turns on one processor for 9 ms, until the kernel moves one of them; or for 20 ms. */
static void test_threads_that_begin_on_one_processor_are_not_warned_of(void **state) {
  (void)state;
  for (uint64_t waits = 9; waits <= 20; waits += 11) {
    struct builder builder;
    struct hd_thread_record *records = start(&builder);
    for (int i = 0; i < 2; i++)
      tell(&records[i], 25000000, waits * 1000000, 1);
    struct hd_model *model = end(&builder);
    expect_heading(model, "warning   threads had a processor", waits > 10);
    hd_model_free(model);
  }
}

static void test_gains_beside_other_programs_are_marked(void **state) {
  (void)state;
  struct hd_model *model = model_with_share(899, 2);
  expect_heading(model, "\ngain      about ", true);
  expect_heading(model, "\n~0.", true); /* the first column */
  expect_heading(model, "'~' before a gain: threads lacked processors", true);
  hd_model_free(model);
  model = model_with_share(900, 2);
  expect_heading(model, "\ngain      at most ", true);
  expect_heading(model, "~", false);
  hd_model_free(model);
}

static void test_more_threads_than_processors_are_said(void **state) {
  (void)state;
  for (uint32_t processors = 1; processors <= 2; processors++) {
    struct builder builder;
    start(&builder);
    builder.header->max_threads = processors;
    struct hd_model *model = end(&builder);
    expect_heading(model, "threads   2 on 1 processor: more than processors;", processors == 1);
    expect_heading(model, "more than processors", processors == 1);
    hd_model_free(model);
  }
}

/* One after the other: never more than one. */
static void test_threads_of_different_times_are_not_too_many(void **state) {
  (void)state;
  struct builder builder;
  struct hd_thread_record *records = start(&builder);
  builder.header->max_threads = 1;
  struct hd_row_record *rows = (void *)((char *)builder.newest[HD_BLOCK_ROWS] + HD_BLOCK_HEADER_BYTES);
  records[0].last_ticks = records[0].end_ticks = records[1].begin_ticks = 1500;
  records[0].busy_ticks = records[1].busy_ticks = rows[0].cells[0].ticks = rows[1].cells[0].ticks = 500;
  struct hd_model *model = end(&builder);
  expect_heading(model, "more than processors", false);
  hd_model_free(model);
}

static void test_accounts_of_runs_add_up(void **state) {
  (void)state;
  struct builder builder;
  struct hd_thread_record *records = start(&builder);
  tell(&records[0], 300, 200, 4);
  tell(&records[1], 110, 390, 7);
  struct hd_model *known = end(&builder);
  records = start(&builder);
  tell(&records[0], 5, 6, 7);
  struct hd_model *half = end(&builder);
  struct hd_model *sum = SUM(known, known, half);
  assert_true(sum->threads[0].account.known && !sum->threads[1].account.known);
  assert_int_equal(sum->threads[0].account.ran_ns, 605);
  assert_int_equal(sum->threads[0].account.queued_ns, 406);
  assert_int_equal(sum->threads[0].account.preemptions, 15);
  hd_model_free(sum);
  hd_model_free(half);
  hd_model_free(known);
}

/* Sides of two runs and one. Threads had `first` of 1024 in the first, and 992 in the others; of the second's thread 1
 * the kernel has not told. */
static void expect_comparison(uint64_t first, enum hd_compare_format format, const char *expected, bool there) {
  struct hd_model *models[3];
  struct hd_compare_input inputs[3];
  char error[200] = "";
  char text[20000] = "";
  for (uint32_t i = 0; i < 3; i++) {
    struct builder builder;
    struct hd_thread_record *records = start(&builder);
    const uint64_t ran = i == 0 ? first : 992;
    tell_seconds(&records[0], ran, 1024 - ran, 0);
    tell_seconds(&records[1], ran, 1024 - ran, 0);
    records[1].told = i == 1 ? 0 : records[1].threads;
    models[i] = end(&builder);
    inputs[i] = (struct hd_compare_input){models[i], i / 2, i / 2 ? "after" : "before"};
  }
  struct hd_comparison *comparison =
      hd_comparison_new(inputs, 3, &(struct hd_compare_options){.mode = HD_COMPARE_SIDES}, error, sizeof error);
  assert_non_null(comparison);
  FILE *out = fmemopen(text, sizeof text - 1, "w");
  const struct hd_compare_series series = {comparison, NULL};
  hd_compare_print(&series, 1, &(struct hd_compare_view_options){.format = format}, out);
  fclose(out);
  if ((strstr(text, expected) != NULL) != there)
    fail_msg("%s \"%s\" in:\n%s", there ? "no" : "unexpected", expected, text);
  hd_comparison_free(comparison);
  for (uint32_t i = 0; i < 3; i++)
    hd_model_free(models[i]);
}

static void test_compared_runs_that_shared_processors_are_said(void **state) {
  (void)state;
  expect_comparison(972, HD_COMPARE_TEXT, "\nsharing   threads had a", true);
  expect_comparison(931, HD_COMPARE_MARKDOWN,
                    "- sharing: threads had a processor for only part of the time they wanted "
                    "it (before: 91, - %; after: 97 %)",
                    true);
  expect_comparison(931, HD_COMPARE_TEXT, "warning", false);
  expect_comparison(973, HD_COMPARE_TEXT, "sharing", false);
  expect_comparison(973, HD_COMPARE_MARKDOWN, "sharing", false);
}

/* In the first line. */
static void test_compared_runs_beside_other_programs_begin_with_a_warning(void **state) {
  (void)state;
  char text[400];
  for (int markdown = 0; markdown < 2; markdown++) {
    snprintf(text, sizeof text, "%s other programs ran: threads had a processor for only part of the",
             markdown ? "- warning:" : "warning  ");
    expect_comparison(420, markdown ? HD_COMPARE_MARKDOWN : HD_COMPARE_TEXT, text, true);
    expect_comparison(420, markdown ? HD_COMPARE_MARKDOWN : HD_COMPARE_TEXT, "sharing", false);
  }
  expect_comparison(420, HD_COMPARE_MARKDOWN, "(before: 41, - %; after: 97 %)", true);
  expect_comparison(420, HD_COMPARE_TEXT, "\nwarning", false);
}

static void test_compared_runs_have_their_share_in_csv_and_json(void **state) {
  (void)state;
  expect_comparison(768, HD_COMPARE_CSV, ",untold_ticks,processor_share,busy_at_most,wait_at_most,causes_unknown,",
                    true);
  expect_comparison(768, HD_COMPARE_CSV, ",0,0.75,false,false,false,", true);
  expect_comparison(768, HD_COMPARE_CSV, ",0,0.96875,false,false,false,", true);
  expect_comparison(768, HD_COMPARE_JSON, "\"processor_share\": 0.75", true);
  expect_comparison(768, HD_COMPARE_JSON, "\"processor_share\": null", true);
  expect_comparison(768, HD_COMPARE_JSON, "\"processor_share\": 0.96875", true);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_share_of_each_thread_and_of_the_program),
      cmocka_unit_test(test_share_is_unknown_when_that_of_one_thread_is),
      cmocka_unit_test(test_each_threads_share_has_a_column),
      cmocka_unit_test(test_shares_nobody_told_of_have_no_column),
      cmocka_unit_test(test_nothing_is_said_of_threads_that_had_all_they_wanted),
      cmocka_unit_test(test_warning_comes_first_below_nine_tenths),
      cmocka_unit_test(test_threads_that_begin_on_one_processor_are_not_warned_of),
      cmocka_unit_test(test_gains_beside_other_programs_are_marked),
      cmocka_unit_test(test_more_threads_than_processors_are_said),
      cmocka_unit_test(test_threads_of_different_times_are_not_too_many),
      cmocka_unit_test(test_accounts_of_runs_add_up),
      cmocka_unit_test(test_compared_runs_that_shared_processors_are_said),
      cmocka_unit_test(test_compared_runs_beside_other_programs_begin_with_a_warning),
      cmocka_unit_test(test_compared_runs_have_their_share_in_csv_and_json),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
