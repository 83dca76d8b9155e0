/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Comparisons as text: tables, marks, and what the numbers may be called. */
#include <math.h>

#include "compared_view.h"

/* ---- text ---- */

static void test_scaling_of_single_runs_is_this_table(void **state) {
  (void)state;
  add_scaling_runs(1);
  compare(HD_COMPARE_SCALING);
  print(HD_COMPARE_TEXT);
  expect_text("command   ./app\n"
              "host      loom, 4 processors\n"
              "compared  1, 2 threads; 1 run of each\n"
              "noise     not known: that takes 3 or more runs of each. Differences may be noise\n");
  expect_text("\nProgram: times in microseconds\n"
              "Threads Runs  Time Speedup Effic% Busy Work% Karp-Flatt% Amdahl Remark\n"
              "      1    1 1.000    1.00  100.0 1.00 100.0           -      - baseline\n"
              "      2    1 0.700    1.43   71.4 1.43 100.0        40.0   1.67 \n");
  expect_text("\nLost wall microseconds by cause\n"
              "serial imbalance  Lost Lost% At\n"
              " 0.100     0.100 0.200  28.6 2 threads\n"
              "At 2 threads 0.200 us of 0.700 us are lost; 50 % of it to serial time, most of that outside all "
              "regions.\n");
  expect_text("\nRegions: microseconds by threads; what is lost, and why, at 2 threads\n"
              " T(1)  T(2) Speedup Effic%  Lost     Main cause Region\n"
              "0.800 0.500    1.60   80.0 0.100 imbalance 100% parallel app.c:10 in main\n"
              "0.200 0.200    1.00   50.0 0.100    serial 100% outside all regions\n"
              "1.000 0.700    1.43   71.4 0.200     serial 50% program app\n"
              "Of the regions, parallel app.c:10 in main loses most: 0.100 us at 2 threads, 1.60 times as fast as with "
              "1\nthread; 100 % of it to imbalance.\n");
  expect_no_text("~");
  expect_no_text("Laws");
  expect_no_text("so lines need not add up");
}

static void test_repeats_have_intervals(void **state) {
  (void)state;
  add_scaling_runs(3);
  compare(HD_COMPARE_SCALING);
  print(HD_COMPARE_TEXT);
  expect_text("compared  1, 2 threads; 3 runs each\n");
  expect_text("      2    3 0.700 0.700-0.700    1.43   1.43-1.43   71.4 1.43 100.0        40.0   1.67 \n");
  expect_text(" 0.100     0.100 0.200 0.200-0.200  28.6 2 threads\n");
  expect_text("0.800 0.500    1.60   80.0 0.100 0.100-0.100 imbalance 100% parallel app.c:10 in main\n");
  expect_text("so lines need not add up");
}

static void test_what_may_be_chance_is_marked_and_has_no_cause(void **state) {
  (void)state;
  add_scaling_runs(3);
  add_run(3, 700, 0);
  compare(HD_COMPARE_SCALING);
  for (uint32_t row = 0; row < test.comparison->row_count; row++) {
    struct hd_compared *at = &test.comparison->rows[row].at[1];
    at->in_noise = true;
    at->lost_total_interval = (struct hd_interval){-1e-8, 1e-8};
  }
  print(HD_COMPARE_TEXT);
  expect_text("~0.200 -0.010..0.010  28.6 2 threads\n");
  expect_text("? what has fewer than 3 repeats");
  expect_text("~ loss within the noise\n");
  expect_text("? noise not known\n");
  expect_text(" ?0.567 "); /* 3 * 900 - 1000 thread ns, divided by 3 */
  test.comparison->point_count = 2;
  print(HD_COMPARE_TEXT);
  expect_text("At 2 threads no loss exceeds the noise.\n");
  expect_text(" ~0.100 -0.010..0.010          - parallel app.c:10 in main\n");
  expect_no_text("100%");
  test.comparison->point_count = 3;
}

static void test_sides_are_shown_as_a_difference(void **state) {
  (void)state;
  add_side(100, "before", 0, "main");
  begin_run(2);
  add_region(2, 300, 300, "main");
  end_run(2, 300, "after", 1);
  compare(HD_COMPARE_SIDES);
  print(HD_COMPARE_TEXT);
  expect_text("compared  before, after; 1 run of each\nthreads   2\n");
  expect_text("Runs  Time   Diff Diff% Busy Side\n"
              "   1 0.700      -     - 1.14 before, the baseline\n"
              "   1 0.500 -0.200 -28.6 1.60 after\n");
  expect_text("imbalance    Sum Side\n"
              "   -0.200 -0.200 after\n"
              "after takes 0.200 us (28.6 %) less than before; 100 % of it from less imbalance, most of that in "
              "parallel\napp.c:10 in main.\n");
  expect_text("\nRegions, in microseconds: before is before, after is after\n"
              "Before After   Diff Diff%          Main cause imbalance Region\n"
              " 0.500 0.300 -0.200 -40.0 less imbalance 100%    -0.200 parallel app.c:10 in main\n"
              " 0.200 0.200  0.000   0.0                   -     0.000 outside all regions\n"
              " 0.700 0.500 -0.200 -28.6 less imbalance 100%    -0.200 program app\n"
              "Of the regions, parallel app.c:10 in main gains most: 0.200 us; 100 % of it from less imbalance.\n");
}

static void test_regions_that_are_not_everywhere_stay_in_sight(void **state) {
  (void)state;
  add_run(1, 800, 0);
  begin_run(2);
  add_region(2, 500, 300, "main");
  add_region(2, 40, 40, "late");
  end_run(2, 540, NULL, 0);
  compare(HD_COMPARE_SCALING);
  print(HD_COMPARE_TEXT);
  expect_text("    - 0.040       -      -     -              - parallel app.c:20 in late (only at 2)\n");
  expect_text("\nAt 2 threads, but not in all runs, so not compared: 1 region, 0.040 us.\n");
  print_with(&(struct hd_compare_view_options){.limit = 1}, NULL);
  expect_text("1 more region is not shown; --limit 0 shows all.\n");
  expect_text("At 2 threads, but not in all runs"); /* the limit does not hide it */
}

/* With half the work 200 ns of the thread time are gained, and 600 lost. */
static void test_a_share_is_said_only_where_nothing_was_gained(void **state) {
  (void)state;
  add_run(1, 800, 0);
  add_run(2, 500, 100);
  compare(HD_COMPARE_SCALING);
  print(HD_COMPARE_TEXT);
  expect_text("At 2 threads 0.200 us of 0.700 us are lost; 0.200 us to imbalance, most of that in ");
  expect_text("\n(partly offset by 0.100 us gained to other causes).\n");
  expect_text("imbalance 67% program app\n");
}

static void test_what_is_shown_as_nothing_has_no_cause(void **state) {
  (void)state;
  for (uint32_t threads = 1; threads <= 2; threads++) {
    begin_run(threads);
    add_region(threads, 3000000000u / threads, 3000000000u / threads, "main");
    add_region(threads, 100, 50, "tiny");
    end_run(threads, 3000000000u / threads + 100, NULL, 0);
  }
  compare(HD_COMPARE_SCALING);
  assert_int_equal(test.comparison->rows[3].at[1].lost_total_ticks, 100);
  print(HD_COMPARE_TEXT);
  expect_text("0.000 0.000    1.00   50.0 0.000          - parallel app.c:20 in tiny\n");
  test.comparison->rows[0].at[1].lost_s[HD_LOSS_IMBALANCE] = -1e-9;
  print(HD_COMPARE_TEXT);
  expect_no_text("-0.000");
}

static void test_many_points_leave_columns_out_and_say_so(void **state) {
  (void)state;
  for (uint32_t threads = 1; threads <= 30; threads++)
    add_run(threads, 2400 / threads, 2400 / threads);
  compare(HD_COMPARE_SCALING);
  print_with(&(struct hd_compare_view_options){.predict = (const uint32_t[]){64}, .predict_count = 1}, "many");
  expect_text("\n== many ==\n");
  expect_text("The times at 10 more thread counts are not shown; --csv has all.\n");
  expect_text(" T(20) ");
  expect_no_text(" T(21) ");
  expect_text("\nLaws of scaling");
  expect_text("By Amdahl's law 7."); /* 200 of 2600 ns */
  expect_text(" program app\n   ");
  expect_text("T(64)");
}

static void test_no_law_and_no_prediction_without_four_counts(void **state) {
  (void)state;
  add_scaling_runs(1);
  compare(HD_COMPARE_SCALING);
  print_with(&(struct hd_compare_view_options){.predict = (const uint32_t[]){64}, .predict_count = 1}, NULL);
  expect_text("\nNo prediction is possible: fewer than 4 thread counts.\n");
}

/* ---- what the numbers may be called ---- */

static void test_what_became_slower_is_said_to_be(void **state) {
  (void)state;
  add_run(1, 100, 0);
  add_run(2, 16000, 0);
  compare(HD_COMPARE_SCALING);
  print(HD_COMPARE_TEXT);
  expect_text("160 times slower than with 1");
  expect_no_text("times as fast");
  expect_no_text("9.4"); /* Karp and Flatt's serial part, 10700 % */
}

/* One thread makes all tasks, any may run them. */
static void test_tasks_below_a_single_are_not_serial(void **state) {
  (void)state;
  for (uint32_t threads = 1; threads <= 2; threads++) {
    begin_run(threads);
    add_region(threads, 800, 0, "main");
    const uint32_t single = builder_profile(&test.builder, 1, HD_KIND_SINGLE)->id;
    const uint32_t task = builder_profile(&test.builder, single, HD_KIND_TASK)->id;
    const uint32_t inner = builder_profile(&test.builder, task, HD_KIND_CRITICAL)->id;
    builder_cell(builder_row(&test.builder, single, 0), HD_BUSY)->ticks = 10;
    builder_cell(builder_row(&test.builder, task, 0), HD_BUSY)->ticks = 700;
    builder_cell(builder_row(&test.builder, inner, 0), HD_BUSY)->ticks = 5;
    end_run(threads, 800, NULL, 0);
  }
  compare(HD_COMPARE_SCALING);
  assert_int_equal(test.comparison->serial_ticks, OUTSIDE + 10);
}

static void add_run_with(uint32_t threads, const char *argument) {
  begin_run(threads);
  builder_text(&test.builder, HD_TEXT_ARGUMENT, 1, argument, strlen(argument));
  add_region(threads, 500, 0, "main");
  end_run(threads, 500, NULL, 0);
}

static void test_thread_counts_in_arguments_are_no_difference(void **state) {
  (void)state;
  add_run_with(1, "-t1,7");
  add_run_with(2, "-t2,7");
  compare(HD_COMPARE_SCALING);
  print(HD_COMPARE_TEXT);
  expect_text("command   ./app -t1,7\n");
  expect_no_text("command lines differ");
  expect_no_text("-t2,7");
  add_run_with(2, "-t2,8");
  hd_comparison_free(test.comparison);
  compare(HD_COMPARE_SCALING);
  print(HD_COMPARE_TEXT);
  expect_text("other     ./app -t2,8\n");
  expect_text("command lines differ");
}

/* Lost with two threads: 500 to imbalance and 200 outside. What was off for `ticks` may be twice that, on two threads.
 */
static enum hd_loss cause_with(uint64_t ticks) {
  forget(NULL);
  add_run(1, 500, 0);
  begin_run(2);
  add_region(2, 500, 0, "main");
  builder_switch(&test.builder, HD_CLASS_MUTEX, 0, 1)->on_ticks = 1000 + ticks;
  builder_refuse(&test.builder, HD_CLASS_MUTEX, 1);
  end_run(2, 500, NULL, 0);
  compare(HD_COMPARE_SCALING);
  return test.comparison->rows[0].at[1].main_cause;
}

static void test_a_cause_is_named_where_what_is_missing_cannot_change_it(void **state) {
  (void)state;
  assert_int_equal(cause_with(74), HD_LOSS_IMBALANCE);
  print(HD_COMPARE_TEXT);
  expect_text("imbalance");
  assert_int_equal(cause_with(75), HD_LOSS_COUNT);
}

static void test_notes_stand_below_the_tables(void **state) {
  (void)state;
  add_run(1, 500, 0);
  add_run(2, 500, 0);
  test.models[1]->header.flags |= HD_FILE_EXIT_KNOWN;
  test.models[1]->header.exit_status = 7;
  compare(HD_COMPARE_SCALING);
  for (enum hd_compare_format format = HD_COMPARE_TEXT; format <= HD_COMPARE_MARKDOWN; format++) {
    print(format);
    const char *note = strstr(test.text, "the program's exit status was 7");
    const char *regions = strstr(test.text, "Regions: ");
    assert_true(note && regions && regions < note);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(test_scaling_of_single_runs_is_this_table, forget),
      cmocka_unit_test_teardown(test_repeats_have_intervals, forget),
      cmocka_unit_test_teardown(test_what_may_be_chance_is_marked_and_has_no_cause, forget),
      cmocka_unit_test_teardown(test_sides_are_shown_as_a_difference, forget),
      cmocka_unit_test_teardown(test_regions_that_are_not_everywhere_stay_in_sight, forget),
      cmocka_unit_test_teardown(test_a_share_is_said_only_where_nothing_was_gained, forget),
      cmocka_unit_test_teardown(test_what_is_shown_as_nothing_has_no_cause, forget),
      cmocka_unit_test_teardown(test_many_points_leave_columns_out_and_say_so, forget),
      cmocka_unit_test_teardown(test_no_law_and_no_prediction_without_four_counts, forget),
      cmocka_unit_test_teardown(test_what_became_slower_is_said_to_be, forget),
      cmocka_unit_test_teardown(test_tasks_below_a_single_are_not_serial, forget),
      cmocka_unit_test_teardown(test_thread_counts_in_arguments_are_no_difference, forget),
      cmocka_unit_test_teardown(test_a_cause_is_named_where_what_is_missing_cannot_change_it, forget),
      cmocka_unit_test_teardown(test_notes_stand_below_the_tables, forget),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
