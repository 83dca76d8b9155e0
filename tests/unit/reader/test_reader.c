/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file test_reader.c
 * Intact profiles: what the reader closes, converts and adds up. All expected values are whole ticks.
 */
#include "output/model/lazy_rows.h"
#include "output/model/memory.h"
#include "profile_pair.h"

#include <math.h>

static void test_sums_exclusive_and_inclusive(void **state) {
  (void)state;
  struct pair pair;
  make_pair(&pair);
  builder_cell(pair.rows[0][1], HD_BUSY)->ticks = 10;
  builder_cell(pair.rows[0][2], HD_BUSY)->ticks = 100;
  builder_cell(pair.rows[1][2], HD_BUSY)->ticks = 70;
  builder_cell(pair.rows[1][2], HD_WAIT_CRITICAL)->ticks = 30;
  pair.rows[0][2]->visits = 3;
  pair.rows[1][2]->visits = 4;
  pair.threads[0]->last_ticks = 1110;
  pair.threads[1]->last_ticks = 1100;
  struct hd_model *model = builder_read(&pair.builder);
  assert_int_equal(model->nodes[2].visits, 7);
  assert_int_equal(model->nodes[1].ticks[HD_BUSY], 10);
  assert_int_equal(model->nodes[1].inclusive_ticks[HD_BUSY], 180);
  assert_int_equal(model->nodes[0].inclusive_ticks[HD_WAIT_CRITICAL], 30);
  assert_int_equal(model->nodes[0].ticks[HD_BUSY], 0);
  assert_int_equal(model->ticks[HD_BUSY], 180);
  assert_int_equal(hd_model_row(model, 2, 1)->ticks[HD_BUSY], 70);
  assert_int_equal(model->nodes[2].depth, 2);
  assert_int_equal(model->elapsed_ticks, 1000);
  assert_true(hd_model_thread_is_whole(model, 0) && hd_model_thread_is_whole(model, 1));
  hd_model_free(model);
  builder_free(&pair.builder);
}

static void test_open_interval_goes_to_its_cell_until_the_end(void **state) {
  (void)state;
  struct pair pair;
  make_pair(&pair);
  pair.threads[0]->last_ticks = 1600;
  builder_cell(pair.rows[0][0], HD_BUSY)->ticks = 600;
  open_cell(&pair, 0, 2, HD_WAIT_LOCK);
  struct hd_model *model = builder_read(&pair.builder);
  assert_int_equal(model->nodes[2].ticks[HD_WAIT_LOCK], 400);
  assert_int_equal(model->threads[0].lifetime_ticks, 1000);
  assert_true(hd_model_thread_is_whole(model, 0));
  hd_model_free(model);
  builder_free(&pair.builder);
}

static void test_killed_program_ends_at_its_last_event(void **state) {
  (void)state;
  struct pair pair;
  make_pair(&pair);
  pair.builder.header->flags = 0;
  pair.builder.header->end_ticks = 0;
  pair.threads[1]->last_ticks = 1750;
  builder_cell(pair.rows[1][2], HD_BUSY)->ticks = 750;
  struct hd_model *model = builder_read(&pair.builder);
  assert_false(model->ended);
  assert_int_equal(model->end_ticks, 1750);
  assert_int_equal(model->threads[0].ticks[HD_IDLE], 750);
  assert_int_equal(model->threads[1].ticks[HD_IDLE], 0);
  assert_non_null(strstr(model->notes.items[0], "killed or is still running"));
  hd_model_free(model);
  builder_free(&pair.builder);
}

static void test_killed_program_is_named_with_its_signal(void **state) {
  (void)state;
  struct pair pair;
  make_pair(&pair);
  pair.builder.header->flags = HD_FILE_EXIT_KNOWN | HD_FILE_KILLED;
  pair.builder.header->exit_status = 137;
  struct hd_model *model = builder_read(&pair.builder);
  assert_true(model->ended);
  assert_non_null(strstr(model->notes.items[0], "signal 9"));
  hd_model_free(model);
  builder_free(&pair.builder);
}

static void test_status_of_a_program_that_was_not_killed_is_no_signal(void **state) {
  (void)state;
  struct pair pair;
  make_pair(&pair);
  pair.builder.header->flags = HD_FILE_EXIT_KNOWN;
  pair.builder.header->exit_status = 137;
  struct hd_model *model = builder_read(&pair.builder);
  assert_null(strstr(model->notes.items[0], "signal"));
  assert_int_equal(hd_model_signal(model), 0);
  hd_model_free(model);
  builder_free(&pair.builder);
}

static void test_finished_thread_gets_no_time_after_its_end(void **state) {
  (void)state;
  struct pair pair;
  make_pair(&pair);
  pair.threads[1]->last_ticks = pair.threads[1]->end_ticks = 1300;
  builder_cell(pair.rows[1][2], HD_BUSY)->ticks = 300;
  struct hd_model *model = builder_read(&pair.builder);
  assert_int_equal(model->threads[1].lifetime_ticks, 300);
  assert_int_equal(model->threads[1].ticks[HD_IDLE], 0);
  assert_false(model->threads[1].alive);
  assert_true(hd_model_thread_is_whole(model, 1));
  hd_model_free(model);
  builder_free(&pair.builder);
}

static void test_time_before_the_load_is_the_first_threads(void **state) {
  (void)state;
  struct builder builder;
  builder_init(&builder);
  builder_profile(&builder, 0, HD_KIND_PROGRAM);
  builder_thread(&builder, HD_THREAD_INITIAL, 1000, 1000); /* it has no row yet */
  builder.header->clock_first = (struct hd_clock_pair){.ticks = 900, .ns = 50900};
  builder.header->begin_ns = 50250;
  struct hd_model *model = builder_read(&builder);
  assert_int_equal(model->before_ticks, 750);
  assert_int_equal(model->elapsed_ticks, 1750);
  assert_int_equal(hd_model_row(model, 0, 0)->ticks[HD_BUSY], 750);
  assert_int_equal(model->threads[0].lifetime_ticks, 750);
  assert_true(hd_model_thread_is_whole(model, 0));
  hd_model_free(model);
  builder_free(&builder);
}

static void test_ticks_are_calibrated_by_the_two_pairs(void **state) {
  (void)state;
  struct pair pair;
  make_pair(&pair);
  pair.builder.header->clock_kind = HD_CLOCK_TSC;
  pair.builder.header->clock_first = (struct hd_clock_pair){.ticks = 1000, .ns = 7000};
  pair.builder.header->clock_last = (struct hd_clock_pair){.ticks = 5000, .ns = 8000};
  struct hd_model *model = builder_read(&pair.builder);
  assert_true(fabs(hd_model_seconds(model, model->elapsed_ticks) - 250e-9) < 1e-18);
  hd_model_free(model);
  pair.builder.header->clock_last = pair.builder.header->clock_first;
  builder_refused(&pair.builder, "never calibrated");
  builder_free(&pair.builder);
}

static void test_gain_is_summed_by_team_size(void **state) {
  (void)state;
  struct pair pair;
  make_pair(&pair);
  struct hd_total_record *two = builder_total(&pair.builder, 1, 2);
  *two = (struct hd_total_record){.profile = 1, .team_size = 2, .instances = 3, .elapsed_ticks = 100};
  two->capacity_ticks = 200, two->busy_ticks = 150, two->busy_max_ticks = 180;
  struct hd_total_record *four = builder_total(&pair.builder, 1, 4);
  *four = (struct hd_total_record){.profile = 1, .team_size = 4, .instances = 1, .elapsed_ticks = 50};
  four->capacity_ticks = 200, four->busy_ticks = 100, four->busy_max_ticks = 120;
  builder_total(&pair.builder, 1, 9); /* no instance yet: says nothing about the team's size */
  struct hd_model *model = builder_read(&pair.builder);
  const struct hd_node *node = &model->nodes[1];
  assert_int_equal(node->visits, 4);
  assert_int_equal(node->team.team_min, 2);
  assert_int_equal(node->team.team_max, 4);
  assert_true(node->team.gain_ticks == (200 - 150) / 2.0 + (200 - 100) / 4.0);
  assert_true(hd_team_concurrency(&node->team) == 250.0 / 150);
  assert_true(hd_team_imbalance(&node->team) == 300.0 / 250);
  assert_true(model->gain_ticks == node->team.gain_ticks);
  assert_int_equal(model->inside_ticks, 150);
  hd_model_free(model);
  builder_free(&pair.builder);
}

static void test_gain_is_never_negative_and_nested_gain_counts_once(void **state) {
  (void)state;
  struct pair pair;
  make_pair(&pair);
  builder_profile(&pair.builder, 2, HD_KIND_PARALLEL); /* id 3, nested */
  struct hd_total_record *outer = builder_total(&pair.builder, 1, 2);
  outer->instances = 1, outer->elapsed_ticks = 100, outer->capacity_ticks = 200, outer->busy_ticks = 203;
  struct hd_total_record *inner = builder_total(&pair.builder, 3, 2);
  inner->instances = 1, inner->elapsed_ticks = 60, inner->capacity_ticks = 120, inner->busy_ticks = 20;
  struct hd_model *model = builder_read(&pair.builder);
  assert_true(model->nodes[1].team.gain_ticks == 0);
  assert_true(model->nodes[3].team.gain_ticks == 50);
  assert_true(model->gain_ticks == 0);
  assert_int_equal(model->inside_ticks, 100);
  hd_model_free(model);
  builder_free(&pair.builder);
}

static void test_rows_are_sorted_and_equal_ones_joined(void **state) {
  (void)state;
  struct pair pair;
  make_pair(&pair);
  struct hd_row_record *again = builder_row(&pair.builder, 1, 0);
  again->visits = 5;
  pair.rows[0][1]->visits = 2;
  struct hd_model *model = builder_read(&pair.builder);
  assert_int_equal(model->row_count, 6);
  assert_int_equal(hd_model_row(model, 1, 0)->visits, 7);
  assert_int_equal(model->nodes[1].row_count, 2);
  assert_int_equal(model->rows[model->nodes[1].row_first + 1].thread, 1);
  assert_null(hd_model_row(model, 1, 2));
  hd_model_free(model);
  builder_free(&pair.builder);
}

static void test_texts_and_names_are_read(void **state) {
  (void)state;
  struct pair pair;
  make_pair(&pair);
  builder_text(&pair.builder, HD_TEXT_ARGUMENT, 0, "./app", 5);
  builder_text(&pair.builder, HD_TEXT_ARGUMENT, 0, "", 0);
  builder_text(&pair.builder, HD_TEXT_ENVIRONMENT, 0, "OMP_NUM_THREADS=2", 17);
  builder_text(&pair.builder, HD_TEXT_NOTE, 0, "a note", 6);
  builder_name(&pair.builder, 1, "main", "/src/app.c", "12");
  builder_text(&pair.builder, HD_TEXT_NAME, 2, "kernel", 6); /* without terminators, without file */
  struct hd_model *model = builder_read(&pair.builder);
  assert_int_equal(model->arguments.count, 2);
  assert_string_equal(model->arguments.items[0], "./app");
  assert_string_equal(model->arguments.items[1], "");
  assert_string_equal(model->environment.items[0], "OMP_NUM_THREADS=2");
  assert_string_equal(model->notes.items[0], "a note");
  assert_string_equal(model->nodes[1].name.function, "main");
  assert_string_equal(model->nodes[1].name.file, "/src/app.c");
  assert_int_equal(model->nodes[1].name.line, 12);
  assert_string_equal(model->nodes[2].name.function, "kernel");
  assert_null(model->nodes[2].name.file);
  assert_true(model->nodes[2].name_cached);
  hd_model_free(model);
  builder_free(&pair.builder);
}

static void test_times_that_do_not_add_up_are_noted(void **state) {
  (void)state;
  struct pair pair;
  make_pair(&pair);
  builder_cell(pair.rows[1][2], HD_BUSY)->ticks = 1;
  struct hd_model *model = builder_read(&pair.builder);
  assert_true(hd_model_thread_is_whole(model, 0));
  assert_false(hd_model_thread_is_whole(model, 1));
  assert_int_equal(model->notes.count, 1);
  assert_non_null(strstr(model->notes.items[0], "do not add up"));
  hd_model_free(model);
  builder_free(&pair.builder);
}

static void test_counters_of_the_header_become_notes(void **state) {
  (void)state;
  struct pair pair;
  make_pair(&pair);
  pair.builder.header->unknown_events = 1;
  pair.builder.header->unmatched_events = 2;
  pair.builder.header->lost_threads = 3;
  pair.builder.header->folded_paths = 4;
  pair.builder.header->lost_callbacks = 1u << HD_CALLBACK_THREAD_BEGIN | 1u << HD_CALLBACK_PARALLEL_BEGIN;
  pair.builder.header->registered = 2u << HD_REGISTERED_BITS * HD_CALLBACK_PARALLEL_BEGIN;
  struct hd_model *model = builder_read(&pair.builder);
  assert_int_equal(model->notes.count, 6);
  assert_non_null(strstr(model->notes.items[0], "4 callpaths"));
  assert_non_null(strstr(model->notes.items[1], "1 event is"));
  assert_non_null(strstr(model->notes.items[2], "2 end events"));
  assert_non_null(strstr(model->notes.items[3], "3 threads"));
  assert_non_null(strstr(model->notes.items[4], "thread_begin (it answers: nothing)"));
  assert_non_null(strstr(model->notes.items[5], "parallel_begin (it answers: never)"));
  hd_model_free(model);
  builder_free(&pair.builder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sums_exclusive_and_inclusive),
      cmocka_unit_test(test_open_interval_goes_to_its_cell_until_the_end),
      cmocka_unit_test(test_killed_program_ends_at_its_last_event),
      cmocka_unit_test(test_killed_program_is_named_with_its_signal),
      cmocka_unit_test(test_status_of_a_program_that_was_not_killed_is_no_signal),
      cmocka_unit_test(test_finished_thread_gets_no_time_after_its_end),
      cmocka_unit_test(test_time_before_the_load_is_the_first_threads),
      cmocka_unit_test(test_ticks_are_calibrated_by_the_two_pairs),
      cmocka_unit_test(test_gain_is_summed_by_team_size),
      cmocka_unit_test(test_gain_is_never_negative_and_nested_gain_counts_once),
      cmocka_unit_test(test_rows_are_sorted_and_equal_ones_joined),
      cmocka_unit_test(test_texts_and_names_are_read),
      cmocka_unit_test(test_times_that_do_not_add_up_are_noted),
      cmocka_unit_test(test_counters_of_the_header_become_notes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
