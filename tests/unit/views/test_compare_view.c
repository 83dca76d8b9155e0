/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file test_compare_view.c
 * Comparisons as text, Markdown, CSV and JSON. The runs: 200 ns outside and one region of E ns, in which the primary is
 * busy all the time and the worker for W of it; it waits at the end for the rest.
 */
#include "profile_builder.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>

#include "output/model/memory.h"
#include "output/views/compare/compare.h"

enum { OUTSIDE = 200, RUNS_MOST = 64 };

static struct {
  struct builder builder;
  struct hd_model *models[RUNS_MOST];
  struct hd_compare_input inputs[RUNS_MOST];
  size_t count;
  struct hd_comparison *comparison;
  char *text;
} test;

static int forget(void **state) {
  (void)state;
  hd_comparison_free(test.comparison);
  for (size_t i = 0; i < test.count; i++)
    hd_model_free(test.models[i]);
  free(test.text);
  memset(&test, 0, sizeof test);
  return 0;
}

/* ---- runs ---- */

static void add_total(uint32_t region, uint32_t threads, uint64_t elapsed, uint64_t busy) {
  struct hd_total_record *total = builder_total(&test.builder, region, threads);
  total->instances = 1;
  total->elapsed_ticks = elapsed;
  total->capacity_ticks = threads * elapsed;
  total->busy_ticks = busy;
  total->busy_max_ticks = threads * elapsed;
}

static void add_region(uint32_t threads, uint64_t elapsed, uint64_t worker_busy, const char *function) {
  const uint32_t region = builder_profile(&test.builder, 0, HD_KIND_PARALLEL)->id;
  builder_name(&test.builder, region, function, "/src/app.c", region == 1 ? "10" : "20");
  for (uint32_t thread = 0; thread < threads; thread++) {
    struct hd_row_record *row = builder_row(&test.builder, region, thread);
    row->visits = 1;
    row->ticks[HD_BUSY] = thread == 0 ? elapsed : worker_busy;
    row->ticks[HD_WAIT_BARRIER_IMPLICIT] = thread == 0 ? 0 : elapsed - worker_busy;
  }
  add_total(region, threads, elapsed, elapsed + (threads - 1) * worker_busy);
}

static void begin_run(uint32_t threads) {
  char variable[64];
  const size_t length = (size_t)snprintf(variable, sizeof variable, "OMP_NUM_THREADS=%u", threads);
  builder_init(&test.builder);
  builder_profile(&test.builder, 0, HD_KIND_PROGRAM);
  builder_text(&test.builder, HD_TEXT_ENVIRONMENT, 0, variable, length);
  builder_text(&test.builder, HD_TEXT_ARGUMENT, 0, "./app", 5);
}

static void end_run(uint32_t threads, uint64_t inside, const char *label, uint32_t side) {
  const uint64_t end = 1000 + OUTSIDE + inside;
  test.builder.header->end_ticks = end;
  for (uint32_t thread = 0; thread < threads; thread++) {
    builder_thread(&test.builder, thread == 0 ? HD_THREAD_INITIAL : HD_THREAD_WORKER, 1000, end);
    builder_row(&test.builder, 0, thread)->ticks[thread == 0 ? HD_BUSY : HD_IDLE] = OUTSIDE;
  }
  test.models[test.count] = builder_read(&test.builder);
  test.inputs[test.count] = (struct hd_compare_input){test.models[test.count], side, label};
  test.count++;
  builder_free(&test.builder);
}

static void add_run(uint32_t threads, uint64_t elapsed, uint64_t worker_busy) {
  begin_run(threads);
  add_region(threads, elapsed, worker_busy, "main");
  end_run(threads, elapsed, NULL, 0);
}

/* 1000 ns with one thread; 700 ns with two, of whose 1400 - 1000 lost ones 200 are serial and 200 imbalance. */
static void add_scaling_runs(uint32_t repeats) {
  for (uint32_t i = 0; i < repeats; i++) {
    add_run(1, 800, 0);
    add_run(2, 500, 300);
  }
}

static void add_side(uint64_t worker_busy, const char *label, uint32_t side, const char *function) {
  begin_run(2);
  add_region(2, 500, worker_busy, function);
  end_run(2, 500, label, side);
}

static void compare(enum hd_comparison_mode mode) {
  char error[256] = "";
  const struct hd_compare_options options = {.mode = mode};
  test.comparison = hd_comparison_new(test.inputs, test.count, &options, error, sizeof error);
  if (!test.comparison)
    fail_msg("%s", error);
}

/* Into a file: a stream in memory would be as wide as the terminal that the test runs in. */
static const char *print_with(const struct hd_compare_view_options *options, const char *title) {
  FILE *out = tmpfile();
  assert_non_null(out);
  const struct hd_compare_series series = {test.comparison, title};
  hd_compare_print(&series, 1, options, out);
  const long bytes = ftell(out);
  free(test.text);
  test.text = calloc(1, (size_t)bytes + 1);
  assert_non_null(test.text);
  rewind(out);
  assert_int_equal(fread(test.text, 1, (size_t)bytes, out), bytes);
  fclose(out);
  return test.text;
}

static const char *print(enum hd_compare_format format) {
  return print_with(&(struct hd_compare_view_options){.format = format}, NULL);
}

static void expect_text(const char *expected) {
  if (!strstr(test.text, expected))
    fail_msg("expected\n%s\nin\n%s", expected, test.text);
}

static void expect_no_text(const char *unexpected) {
  if (strstr(test.text, unexpected))
    fail_msg("unexpected\n%s\nin\n%s", unexpected, test.text);
}

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

/* ---- the other formats ---- */

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
    builder_row(&test.builder, single, 0)->ticks[HD_BUSY] = 10;
    builder_row(&test.builder, task, 0)->ticks[HD_BUSY] = 700;
    builder_row(&test.builder, inner, 0)->ticks[HD_BUSY] = 5;
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
      cmocka_unit_test_teardown(test_markdown_shows_marks_as_they_are, forget),
      cmocka_unit_test_teardown(test_csv_has_a_line_per_row_and_point, forget),
      cmocka_unit_test_teardown(test_json_has_ticks_that_add_up_and_null_for_the_unknown, forget),
      cmocka_unit_test_teardown(test_json_of_intervals_without_a_bound, forget),
      cmocka_unit_test_teardown(test_names_do_not_steer_the_terminal, forget),
      cmocka_unit_test_teardown(test_what_became_slower_is_said_to_be, forget),
      cmocka_unit_test_teardown(test_tasks_below_a_single_are_not_serial, forget),
      cmocka_unit_test_teardown(test_thread_counts_in_arguments_are_no_difference, forget),
      cmocka_unit_test_teardown(test_a_cause_is_named_where_what_is_missing_cannot_change_it, forget),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
