/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is found in a comparison: work that takes longer, and why; losses that the baseline has not. */
#include <jansson.h>
#include <math.h>

#include "compared_view.h"
#include "output/comparison/findings.h"

static struct hd_compared_findings findings;

static int forget_findings(void **state) {
  hd_compared_findings_free(&findings);
  return forget(state);
}

static void find(enum hd_comparison_mode mode) {
  compare(mode);
  findings = hd_compared_findings_new(test.comparison);
}

/* NULL: there is none. */
static const struct hd_compared_finding *finding_of(enum hd_cause cause) {
  for (size_t i = 0; i < findings.count; i++)
    if (findings.items[i].finding.cause == cause)
      return &findings.items[i];
  return NULL;
}

static const struct hd_finding *inflation(void) {
  const struct hd_compared_finding *found = finding_of(HD_CAUSE_WORK_INFLATION);
  assert_non_null(found);
  return &found->finding;
}

static void expect_sentence(const char *sentence, const char *part) {
  if (!strstr(sentence, part))
    fail_msg("expected '%s' in '%s'", part, sentence);
}

static void expect_ticks(double ticks, double expected) {
  if (fabs(ticks - expected) > 1e-6)
    fail_msg("%g, not %g", ticks, expected);
}

/* Busy 800 ns with one thread; so long with two, evenly. */
static void add_pair(uint64_t busy) {
  add_run(1, 800, 0);
  add_run(2, busy / 2, busy / 2);
}

static void test_work_that_takes_longer_is_found_at_its_region(void **state) {
  (void)state;
  add_pair(1200);
  find(HD_COMPARE_SCALING);
  const struct hd_finding *finding = inflation();
  expect_ticks(finding->gain_ticks, 400 / 2.0);
  expect_ticks(finding->low_ticks, 200);
  expect_ticks(finding->high_ticks, 200);
  assert_int_equal(finding->basis, HD_BASIS_MEASURED);
  assert_int_equal(finding->place->kind, HD_KIND_PARALLEL);
  assert_int_equal(finding->place->name.line, 10);
  assert_string_equal(finding->evidence[0],
                      "threads work 1.20 us in it in all with 2 threads, 0.800 us with 1 thread: 1.50 times as long");
  assert_string_equal(finding->evidence[1], "");
  expect_sentence(finding->attempt[0], "heddle scale -g IPC");
  assert_true(findings.items[0].finding.cause == HD_CAUSE_WORK_INFLATION && findings.items[0].point == 1);
}

static void test_work_that_takes_as_long_is_not_found(void **state) {
  (void)state;
  add_pair(800);
  find(HD_COMPARE_SCALING);
  assert_null(finding_of(HD_CAUSE_WORK_INFLATION));
  assert_non_null(finding_of(HD_CAUSE_SERIAL)); /* the 200 ns outside */
}

/* 40 of 800 ns more, of 620 elapsed: more than 2 % of them, but single runs differ by as much. */
static void test_repeats_are_needed_for_what_is_small(void **state) {
  (void)state;
  add_pair(840);
  find(HD_COMPARE_SCALING);
  assert_null(finding_of(HD_CAUSE_WORK_INFLATION));
}

static void test_repeats_bound_what_is_small(void **state) {
  (void)state;
  for (uint64_t i = 0; i < 5; i++) {
    add_run(1, 800, 0);
    add_run(2, 418 + i, 418 + i);
  }
  find(HD_COMPARE_SCALING);
  expect_ticks(inflation()->gain_ticks, 20);
  expect_ticks(inflation()->low_ticks, 18);
  expect_ticks(inflation()->high_ticks, 22);
}

static void test_noise_is_no_finding(void **state) {
  (void)state;
  for (uint64_t i = 0; i < 5; i++) {
    add_run(1, 700 + 100 * i, 0);
    add_run(2, 360 + 50 * i, 360 + 50 * i);
  }
  find(HD_COMPARE_SCALING);
  assert_null(finding_of(HD_CAUSE_WORK_INFLATION));
}

/* Twice the busy time because threads had a processor for half of it: that is none of the work's. So long that what
 * threads may wait at their start (account.h) is nothing. */
static void test_time_without_a_processor_is_no_work(void **state) {
  (void)state;
  const uint64_t s = 1000000000;
  add_pair(1600);
  for (uint32_t i = 0; i < 2; i++) {
    test.models[1]->threads[i].account = (struct hd_account){.known = true, .ran_ns = 500 * s, .queued_ns = 500 * s};
    test.models[0]->threads[0].account = (struct hd_account){.known = true, .ran_ns = 1000 * s};
  }
  find(HD_COMPARE_SCALING);
  assert_null(finding_of(HD_CAUSE_WORK_INFLATION));
  assert_non_null(finding_of(HD_CAUSE_OVERSUBSCRIPTION));
}

static void test_heddles_own_work_is_not_the_programs(void **state) {
  (void)state;
  add_pair(1200);
  test.models[1]->nodes[1].intrusion_inclusive.ticks[HD_INTRUSION_BUSY] = 400;
  find(HD_COMPARE_SCALING);
  assert_null(finding_of(HD_CAUSE_WORK_INFLATION));
}

/* ---- why ---- */

/* Thread time of 800 ns with one thread, 1200 with two; so many counts there. */
static void add_counted(uint32_t threads, uint64_t instructions, uint64_t cycles) {
  const uint64_t elapsed = threads == 1 ? 800 : 600;
  begin_run(threads);
  builder_counters(&test.builder, 2, 0, HD_COUNTERS_AT_LOOP);
  builder_event(&test.builder, "PAPI_TOT_INS", 0);
  builder_event(&test.builder, "PAPI_TOT_CYC", 0);
  add_region(threads, elapsed, 600, "main");
  for (uint32_t thread = 0; thread < threads; thread++) {
    struct hd_counts_record *record = builder_counts(&test.builder, 1, thread);
    builder_count(record, 0, HD_COUNT_BUSY, instructions / threads);
    builder_count(record, 1, HD_COUNT_BUSY, cycles / threads);
  }
  end_run(threads, elapsed, NULL, 0);
}

static const struct hd_finding *find_counted(uint64_t instructions, uint64_t cycles) {
  add_counted(1, 1000, 2000);
  add_counted(2, instructions, cycles);
  find(HD_COMPARE_SCALING);
  return inflation();
}

static void test_more_cycles_for_the_same_instructions_are_waits_for_memory(void **state) {
  (void)state;
  const struct hd_finding *finding = find_counted(1000, 3000);
  expect_sentence(finding->evidence[1], "1.00 times the instructions take 1.50 times the cycles");
  expect_sentence(finding->attempt[0], "no cache line that several threads write");
}

static void test_more_instructions_are_more_work(void **state) {
  (void)state;
  const struct hd_finding *finding = find_counted(1480, 3000);
  expect_sentence(finding->evidence[1], "1.48 times the instructions: more work is done");
  expect_sentence(finding->attempt[0], "what each thread repeats");
}

static void test_neither_is_a_slower_processor(void **state) {
  (void)state;
  expect_sentence(find_counted(1000, 2020)->evidence[1], "processors ran slower");
}

static void add_sampled(uint32_t threads, uint64_t elapsed, uint64_t own, uint64_t library) {
  begin_run(threads);
  test.builder.header->loaded_ticks = 1000;
  const uint32_t app = builder_module(&test.builder, "/bin/app"),
                 libc = builder_module(&test.builder, "/lib/libc.so.6");
  add_region(threads, elapsed, elapsed, "main");
  builder_sampled(&test.builder, 1, HD_BUSY, app, 0x10, own);
  builder_sampled(&test.builder, 1, HD_BUSY, libc, 0x20, library);
  builder_sampled(&test.builder, 1, HD_WAIT_BARRIER_IMPLICIT, libc, 0x30, 1000);
  test.builder.header->sample_period_ns = 10;
  end_run(threads, elapsed, NULL, 0);
}

static void test_samples_say_which_library_takes_longer(void **state) {
  (void)state;
  add_sampled(1, 800, 78, 2);
  add_sampled(2, 600, 80, 40);
  find(HD_COMPARE_SCALING);
  assert_string_equal(inflation()->evidence[1], "by samples 0.380 us of the 0.400 us more are in libc.so.6");
}

/* ---- sides ---- */

static void test_sides_are_blamed_only_for_what_the_baseline_has_not(void **state) {
  (void)state;
  add_side(100, "before", 0, "main");
  add_side(100, "after", 1, "main");
  find(HD_COMPARE_SIDES);
  assert_int_equal(findings.count, 0);
}

/* The worker works 100 ns where it worked 400: of the 400 that it waits, 300 are new. */
static void test_a_side_that_is_less_balanced(void **state) {
  (void)state;
  add_side(400, "before", 0, "main");
  add_side(100, "after", 1, "main");
  find(HD_COMPARE_SIDES);
  assert_int_equal(findings.count, 1);
  assert_int_equal(findings.items[0].finding.cause, HD_CAUSE_IMBALANCE);
  expect_ticks(findings.items[0].finding.gain_ticks, 300 / 2.0);
}

/* ---- as shown ---- */

static void test_text_begins_with_three_findings_at_most(void **state) {
  (void)state;
  add_pair(1200);
  compare(HD_COMPARE_SCALING);
  print(HD_COMPARE_TEXT);
  assert_memory_equal(test.text,
                      "findings  at 2 threads 0.200 us (25 %) to gain: the same work takes longer, parallel ", 80);
  expect_text("\n          threads work 1.20 us in it in all with 2 threads, 0.800 us with 1 thread: 1.50 times as");
  expect_text("\n          try counters tell why");
  print(HD_COMPARE_MARKDOWN);
  expect_text("- findings: at 2 threads 0.200 us (25 %) to gain");
  expect_text("\n  - threads work 1.20 us in it in all");
}

static void test_json_has_them_above_and_in_each_comparison(void **state) {
  (void)state;
  add_pair(1200);
  compare(HD_COMPARE_SCALING);
  print(HD_COMPARE_JSON);
  json_t *loaded = json_loads(test.text, 0, NULL);
  assert_non_null(loaded);
  json_t *all = json_object_get(loaded, "findings");
  json_t *comparison = json_array_get(json_object_get(loaded, "comparisons"), 0);
  assert_true(json_equal(all, json_object_get(comparison, "findings")));
  const json_t *first = json_array_get(all, 0);
  assert_string_equal(json_string_value(json_object_get(first, "cause")), "work-inflation");
  assert_int_equal(json_integer_value(json_object_get(json_object_get(first, "place"), "line")), 10);
  assert_int_equal(json_integer_value(json_object_get(first, "point")), 1);
  assert_int_equal(json_integer_value(json_object_get(first, "comparison")), 0);
  assert_true(fabs(json_number_value(json_object_get(first, "gain_s")) - 200e-9) < 1e-15);
  json_decref(loaded);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(test_work_that_takes_longer_is_found_at_its_region, forget_findings),
      cmocka_unit_test_teardown(test_work_that_takes_as_long_is_not_found, forget_findings),
      cmocka_unit_test_teardown(test_repeats_are_needed_for_what_is_small, forget_findings),
      cmocka_unit_test_teardown(test_repeats_bound_what_is_small, forget_findings),
      cmocka_unit_test_teardown(test_noise_is_no_finding, forget_findings),
      cmocka_unit_test_teardown(test_time_without_a_processor_is_no_work, forget_findings),
      cmocka_unit_test_teardown(test_heddles_own_work_is_not_the_programs, forget_findings),
      cmocka_unit_test_teardown(test_more_cycles_for_the_same_instructions_are_waits_for_memory, forget_findings),
      cmocka_unit_test_teardown(test_more_instructions_are_more_work, forget_findings),
      cmocka_unit_test_teardown(test_neither_is_a_slower_processor, forget_findings),
      cmocka_unit_test_teardown(test_samples_say_which_library_takes_longer, forget_findings),
      cmocka_unit_test_teardown(test_sides_are_blamed_only_for_what_the_baseline_has_not, forget_findings),
      cmocka_unit_test_teardown(test_a_side_that_is_less_balanced, forget_findings),
      cmocka_unit_test_teardown(test_text_begins_with_three_findings_at_most, forget_findings),
      cmocka_unit_test_teardown(test_json_has_them_above_and_in_each_comparison, forget_findings),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
