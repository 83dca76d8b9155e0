/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which runs and rows a comparison takes: medians of repeats, rows of one side only, refused runs, sides, callpaths. */
#include <math.h>

#include "compared_program.h"

/* ---- repeats ---- */

/* Two regions in which each thread works for so long. */
static void play_two(uint32_t threads, uint64_t clear, uint64_t noisy) {
  begin_program(threads);
  even(0x100, p, clear);
  even(0x110, p, noisy);
  end_program();
}

static void test_repeats_give_medians_and_intervals(void **state) {
  (void)state;
  play_two(1, 102, 60);
  play_two(2, 81, 30);
  play_two(1, 100, 140);
  play_two(2, 79, 70);
  play_two(2, 80, 50);
  play_two(1, 98, 100);
  struct hd_comparison *comparison = compare_scaling();
  const struct hd_compared *clear = &comparison->rows[row_of_code(comparison, 0x100)].at[1];
  const struct hd_compared *noisy = &comparison->rows[row_of_code(comparison, 0x110)].at[1];
  assert_int_equal(comparison->points[0].run_count, 3);
  assert_int_equal(comparison->points[1].run_count, 3);
  assert_int_equal(clear->runs, 3);
  assert_int_equal(clear->time_ticks, 80);
  assert_int_equal(clear->lost_total_ticks, 2 * 80 - 100);
  assert_int_equal(clear->main_cause, HD_LOSS_INFLATION);
  assert_true(clear->noise_known && !clear->in_noise);
  assert_true(clear->lost_total_interval.low >= 28e-9 * 0.999 && clear->lost_total_interval.high <= 32e-9 * 1.001);
  assert_true(clear->speedup_interval.low >= 98.0 / 81 * 0.999 && clear->speedup_interval.high <= 102.0 / 79 * 1.001);
  assert_true(clear->time_interval.low >= 79e-9 * 0.999 && clear->time_interval.high <= 81e-9 * 1.001);
  assert_true(clear->speedup_interval.low < clear->speedup && clear->speedup < clear->speedup_interval.high);
  assert_int_equal(noisy->time_ticks, 50);
  assert_int_equal(noisy->lost_total_ticks, 0);
  assert_true(noisy->noise_known && noisy->in_noise);
}

/* The median run of a row is its own: in these runs the one that is short in one region is long in the other. */
static void test_rows_numbers_are_those_of_its_own_median_run(void **state) {
  (void)state;
  play_two(1, 10, 900);
  play_two(1, 20, 700);
  play_two(1, 60, 800);
  play_two(2, 10, 10);
  struct hd_comparison *comparison = compare_scaling();
  assert_int_equal(comparison->rows[row_of_code(comparison, 0x100)].at[0].losses.busy, 20);
  assert_int_equal(comparison->rows[row_of_code(comparison, 0x110)].at[0].losses.busy, 800);
  assert_int_equal(comparison->rows[0].at[0].losses.busy, 860);
  assert_false(comparison->rows[0].at[1].noise_known);
  assert_false(comparison->rows[0].at[1].in_noise);
  assert_true(isnan(comparison->rows[0].at[1].lost_total_interval.low));
}

static void test_lower_one_of_two_medians_is_a_run(void **state) {
  (void)state;
  play_two(1, 30, 1);
  play_two(1, 20, 1);
  play_two(2, 10, 1);
  struct hd_comparison *comparison = compare_scaling();
  assert_int_equal(comparison->rows[row_of_code(comparison, 0x100)].at[0].time_ticks, 20);
}

/* ---- what does not match ---- */

static void test_rows_of_one_side_only_are_shown_and_not_compared(void **state) {
  (void)state;
  for (uint32_t threads = 1; threads <= 2; threads++) {
    begin_program(threads);
    even(0x100, p, 40);
    even(threads == 1 ? 0x110 : 0x120, p, 30);
    end_program();
  }
  struct hd_comparison *comparison = compare_scaling();
  const struct hd_compared_row *before = &comparison->rows[row_of_code(comparison, 0x110)];
  const struct hd_compared_row *after = &comparison->rows[row_of_code(comparison, 0x120)];
  assert_int_equal(comparison->row_count, 5);
  assert_int_equal(before->at[0].runs, 1);
  assert_int_equal(before->at[1].runs, 0);
  assert_false(before->at[1].matched);
  assert_int_equal(after->at[0].runs, 0);
  assert_int_equal(after->at[1].time_ticks, 30);
  assert_int_equal(after->at[1].losses.busy, 60);
  assert_false(after->at[1].matched);
  assert_int_equal(comparison->rows[0].at[1].lost_total_ticks, 2 * 70 - 70);
}

static void expect_refused(const char *reason) {
  char error[512] = "";
  const struct hd_compare_options options = {.mode = HD_COMPARE_SCALING};
  assert_null(hd_comparison_new(compared.inputs, compared.count, &options, error, sizeof error));
  if (!strstr(error, reason))
    fail_msg("expected \"%s\" in \"%s\"", reason, error);
}

static void test_different_programs_are_refused_unless_forced(void **state) {
  (void)state;
  play_two(1, 40, 30);
  play_two(2, 20, 15);
  snprintf(compared.models[1]->header.program, sizeof compared.models[1]->header.program, "other");
  expect_refused("other");
  expect_refused("--force");
  struct hd_comparison *comparison =
      compare_with_options(&(struct hd_compare_options){.mode = HD_COMPARE_SCALING, .force = true});
  assert_true(comparison->by_name);
  assert_true(comparison->notes.count > 0);
}

static void test_one_thread_count_is_no_scaling(void **state) {
  (void)state;
  play_two(2, 40, 30);
  expect_refused("two");
  play_two(2, 41, 30);
  expect_refused("2 threads");
}

/* ---- notes ---- */

static void expect_notes(const struct hd_comparison *comparison, const char *const *expected, size_t count) {
  assert_int_equal(comparison->notes.count, count);
  for (size_t i = 0; i < count; i++)
    assert_string_equal(comparison->notes.items[i], expected[i]);
}

static void set_status(size_t run, int status) {
  compared.models[run]->header.flags |= HD_FILE_EXIT_KNOWN;
  compared.models[run]->header.exit_status = status;
}

static void test_a_note_about_several_runs_is_one(void **state) {
  (void)state;
  for (uint32_t threads = 1; threads <= 2; threads++)
    for (int repeat = 0; repeat < 2; repeat++)
      play_two(threads, 40, 30);
  for (size_t i = 0; i < compared.count; i++)
    compared.models[i]->header.max_threads = 2; /* whatever this machine has */
  struct hd_comparison *comparison = compare_scaling();
  expect_notes(comparison, NULL, 0);
  set_status(1, 5);
  compared.models[1]->path = "app.scale/t1.r2.heddle";
  comparison = compare_scaling();
  expect_notes(comparison, (const char *const[]){"app.scale/t1.r2.heddle: the program's exit status was 5"}, 1);
  set_status(2, 3);
  comparison = compare_scaling();
  expect_notes(comparison, (const char *const[]){"in 2 of 4 runs: the program's exit status was 3 to 5"}, 1);
  set_status(2, 5);
  compared.models[3]->header.flags |= HD_FILE_STOPPED;
  comparison = compare_scaling();
  assert_int_equal(comparison->notes.count, 2);
  assert_string_equal(comparison->notes.items[0], "in 2 of 4 runs: the program's exit status was 5");
  assert_non_null(strstr(comparison->notes.items[1], ": the program was killed or ended"));
}

/* ---- sides ---- */

static void test_sides_are_compared_at_the_same_thread_count(void **state) {
  (void)state;
  play_two(2, 40, 30);
  play_two(2, 50, 20);
  compared.inputs[0].side = 1;
  compared.inputs[0].label = "after";
  compared.inputs[1].label = "before";
  struct hd_comparison *comparison = compare_with_options(&(struct hd_compare_options){.mode = HD_COMPARE_SIDES});
  const struct hd_compared *first = &comparison->rows[row_of_code(comparison, 0x100)].at[1];
  const struct hd_compared *second = &comparison->rows[row_of_code(comparison, 0x110)].at[1];
  assert_string_equal(comparison->points[0].label, "before");
  assert_string_equal(comparison->points[1].label, "after");
  assert_int_equal(first->lost_total_ticks, -2 * 10);
  assert_int_equal(first->main_cause, HD_LOSS_INFLATION);
  assert_int_equal(second->lost_ticks[HD_LOSS_INFLATION], 2 * 10);
  assert_true(same(second->lost_total_s, 10e-9));
  assert_int_equal(comparison->rows[0].at[1].lost_total_ticks, 0);
}

/* ---- callpaths ---- */

static void play_called_twice(uint32_t threads) {
  begin_program(threads);
  for (uint64_t i = 0; i < 2; i++) {
    as(0, 0);
    sc_routine_enter(0x8000 + 0x100 * i);
    even(0x100, p, i ? 20 : 70);
    as(0, 0);
    sc_routine_exit(0x8000 + 0x100 * i);
  }
  end_program();
}

static void test_calling_routines_tell_rows_apart_when_asked(void **state) {
  (void)state;
  play_called_twice(1);
  play_called_twice(2);
  struct hd_comparison *comparison = compare_scaling();
  assert_int_equal(comparison->row_count, 3);
  assert_int_equal(comparison->rows[2].at[1].time_ticks, 90);
  assert_int_equal(comparison->rows[2].at[1].calls, 2);
  assert_int_equal(comparison->rows[2].at[1].lost_total_ticks, 2 * 90 - 90);
  comparison = compare_with_options(&(struct hd_compare_options){.mode = HD_COMPARE_SCALING, .callpaths = true});
  assert_int_equal(comparison->row_count, 4);
  assert_int_equal(comparison->rows[2].at[1].time_ticks, 70);
  assert_int_equal(comparison->rows[3].at[1].time_ticks, 20);
}

int main(void) {
#define TEST(test) cmocka_unit_test_teardown(test, forget_runs)
  const struct CMUnitTest tests[] = {
      TEST(test_repeats_give_medians_and_intervals),
      TEST(test_rows_numbers_are_those_of_its_own_median_run),
      TEST(test_lower_one_of_two_medians_is_a_run),
      TEST(test_rows_of_one_side_only_are_shown_and_not_compared),
      TEST(test_different_programs_are_refused_unless_forced),
      TEST(test_one_thread_count_is_no_scaling),
      TEST(test_a_note_about_several_runs_is_one),
      TEST(test_sides_are_compared_at_the_same_thread_count),
      TEST(test_calling_routines_tell_rows_apart_when_asked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
