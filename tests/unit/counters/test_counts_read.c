/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file test_counts_read.c
 * Counts of events as the reader adds them up: what is known, in part, as an estimate, or not at all.
 */
#include "counts_sample.h"

#include "output/analysis/callpaths/callpath_filter.h"
#include "output/analysis/callpaths/callpath_truncate.h"
#include "output/model/memory.h"

static void test_counts_add_up_over_threads_and_tree(void **state) {
  (void)state;
  struct builder builder;
  uint32_t threads[2];
  start_whole(&builder, HD_COUNTERS_AT_LOOP);
  struct hd_model *model = builder_read(&builder);
  expect_exact(of(model, PROGRAM, HD_NONE, false), 1);
  expect_exact(of(model, PROGRAM, HD_NONE, true), 551);
  expect_exact(of(model, REGION, HD_NONE, false), 50);
  expect_exact(of(model, REGION, HD_NONE, true), 550);
  expect_exact(of(model, LOOP, 1, false), 300);
  expect_exact(of(model, REGION, 1, true), 330);
  expect_exact(of(model, HD_NONE, 0, false), 221);
  expect_exact(count_of(model, HD_COUNT_OF_PROGRAM, 0, HD_COUNT_BUSY), 551);
  expect_exact(count_of(model, HD_COUNT_OF_PROGRAM, 0, HD_COUNT_WAITING), 12);
  expect_exact(count_of(model, HD_COUNT_OF_PROGRAM, 0, HD_COUNT_RUNTIME), 0);
  expect_exact(count_of(model, HD_COUNT_OF_PROGRAM, 0, HD_COUNT_CLASSES), 563);
  assert_int_equal(hd_model_uncounted(model, HD_COUNT_OF_PROGRAM, 0, threads), 0);
  assert_int_equal(model->notes.count, 0);
  hd_model_free(model);
  builder_free(&builder);
}

static void test_what_is_not_told_apart_is_not_known(void **state) {
  (void)state;
  struct builder builder;
  start_whole(&builder, HD_COUNTERS_AT_LOOP);
  struct hd_model *model = builder_read(&builder);
  expect_unknown(of(model, CRITICAL, HD_NONE, false)); /* it is in the loop's */
  expect_unknown(of(model, CRITICAL, HD_NONE, true));
  expect_unknown(of(model, CRITICAL, 0, false));
  expect_exact(of(model, LOOP, HD_NONE, true), 500);
  hd_model_free(model);
  builder_free(&builder);
}

static void test_at_regions_loops_are_not_known(void **state) {
  (void)state;
  struct builder builder;
  start(&builder, 1, 0, HD_COUNTERS_AT_REGION);
  count(&builder, PROGRAM, 0, 1, 0);
  count(&builder, REGION, 0, 20, 0);
  count(&builder, REGION, 1, 30, 0);
  struct hd_model *model = builder_read(&builder);
  expect_unknown(of(model, LOOP, HD_NONE, false));
  expect_unknown(of(model, LOOP, HD_NONE, true));
  expect_exact(of(model, REGION, HD_NONE, false), 50);
  expect_exact(of(model, PROGRAM, HD_NONE, true), 51);
  hd_model_free(model);
  builder_free(&builder);
}

/* Time without a record: here of the second thread in the loop. */
static void test_a_thread_without_counts_makes_them_partial(void **state) {
  (void)state;
  struct builder builder;
  uint32_t threads[4];
  start(&builder, 1, 0, HD_COUNTERS_AT_LOOP);
  count(&builder, PROGRAM, 0, 1, 0);
  count(&builder, REGION, 0, 20, 0);
  count(&builder, REGION, 1, 30, 0);
  count(&builder, LOOP, 0, 200, 0);
  struct hd_model *model = builder_read(&builder);
  expect_partial(of(model, LOOP, HD_NONE, false), 200);
  expect_unknown(of(model, LOOP, 1, false));
  expect_exact(of(model, LOOP, 0, false), 200);
  expect_exact(of(model, REGION, HD_NONE, false), 50);
  expect_partial(of(model, PROGRAM, HD_NONE, true), 251);
  expect_exact(count_of(model, (struct hd_count_of){LOOP, HD_NONE, false}, 0, HD_COUNT_WAITING), 0);
  const struct hd_count_of loop = {LOOP, HD_NONE, false};
  assert_int_equal(hd_model_uncounted(model, loop, 0, threads), 1);
  assert_int_equal(threads[0], 1);
  hd_model_free(model);
  builder_free(&builder);
}

static void test_a_thread_that_cannot_count_is_named(void **state) {
  (void)state;
  struct builder builder;
  uint32_t threads[4];
  start_whole(&builder, HD_COUNTERS_AT_LOOP);
  struct hd_thread_record *worker =
      (struct hd_thread_record *)((char *)builder.newest[HD_BLOCK_THREADS] + HD_BLOCK_HEADER_BYTES) + 1;
  worker->uncounted = ~(uint64_t)0;
  struct hd_model *model = builder_read(&builder);
  assert_int_equal(model->threads[1].uncounted, 1);
  expect_partial(of(model, LOOP, HD_NONE, false), 500); /* it counted for a while */
  expect_partial(of(model, HD_NONE, 1, false), 330);
  expect_exact(of(model, PROGRAM, HD_NONE, false), 1);
  assert_int_equal(hd_model_uncounted(model, HD_COUNT_OF_PROGRAM, 0, threads), 1);
  assert_int_equal(threads[0], 1);
  assert_string_equal(model->notes.items[0], "E0 was not counted, or not all the time, on 1 of 2 threads");
  hd_model_free(model);
  builder_free(&builder);
}

static void test_nothing_counted_anywhere_is_not_zero(void **state) {
  (void)state;
  struct builder builder;
  start(&builder, 1, 0, HD_COUNTERS_AT_LOOP);
  struct hd_model *model = builder_read(&builder);
  expect_unknown(of(model, REGION, HD_NONE, false));
  expect_unknown(of(model, PROGRAM, HD_NONE, true));
  expect_unknown(count_of(model, HD_COUNT_OF_PROGRAM, 0, HD_COUNT_BUSY));
  hd_model_free(model);
  builder_free(&builder);
}

static void test_a_failed_reading_is_missing_in_its_class_only(void **state) {
  (void)state;
  struct builder builder;
  start(&builder, 1, 0, HD_COUNTERS_AT_REGION);
  count(&builder, PROGRAM, 0, 1, 4);
  count(&builder, REGION, 0, 20, 5)->missing[HD_COUNT_WAITING] = 1;
  count(&builder, REGION, 1, 30, 6);
  struct hd_model *model = builder_read(&builder);
  expect_exact(of(model, REGION, HD_NONE, false), 50);
  expect_partial(count_of(model, (struct hd_count_of){REGION, HD_NONE, false}, 0, HD_COUNT_WAITING), 11);
  expect_partial(count_of(model, HD_COUNT_OF_PROGRAM, 0, HD_COUNT_CLASSES), 66);
  assert_non_null(strstr(model->notes.items[0], "some counts of 1 of 2 threads are missing: a reading failed"));
  hd_model_free(model);
  builder_free(&builder);
}

/* The second thread was busy in the loop when the program was killed, the first waited for it. */
static void test_a_killed_program_lacks_what_came_last(void **state) {
  (void)state;
  struct builder builder;
  start_whole(&builder, HD_COUNTERS_AT_LOOP);
  struct hd_counts_record *loop = (void *)((char *)builder.newest[HD_BLOCK_COUNTS] + HD_BLOCK_HEADER_BYTES);
  struct hd_counts_record *region = (void *)((char *)loop + 3 * builder.header->counts_record_bytes);
  struct hd_thread_record *threads = (void *)((char *)builder.newest[HD_BLOCK_THREADS] + HD_BLOCK_HEADER_BYTES);
  builder.header->flags = 0;
  threads[0].end_ticks = threads[1].end_ticks = 0;
  threads[0].counting = builder_offset(&builder, &region->missing[HD_COUNT_WAITING]);
  threads[1].counting = builder_offset(&builder, &loop->missing[HD_COUNT_BUSY]);
  struct hd_model *model = builder_read(&builder);
  expect_partial(of(model, LOOP, 1, false), 300);
  expect_exact(of(model, LOOP, 0, false), 200);
  expect_partial(of(model, LOOP, HD_NONE, false), 500);
  expect_exact(of(model, REGION, HD_NONE, false), 50);
  expect_partial(count_of(model, (struct hd_count_of){REGION, 0, false}, 0, HD_COUNT_WAITING), 0);
  expect_exact(count_of(model, (struct hd_count_of){REGION, 1, false}, 0, HD_COUNT_WAITING), 0);
  expect_partial(of(model, PROGRAM, HD_NONE, true), 551);
  assert_non_null(strstr(model->notes.items[1], "what the 2 threads then alive had counted"));
  hd_model_free(model);
  builder_free(&builder);
}

/* A worker's idling has a row of its own, and is counted with the wait before it. */
static void test_idling_without_a_record_is_not_missing(void **state) {
  (void)state;
  struct builder builder;
  start_whole(&builder, HD_COUNTERS_AT_LOOP);
  builder_cell(builder_row(&builder, PROGRAM, 1), HD_IDLE)->ticks = 10;
  struct hd_model *model = builder_read(&builder);
  expect_exact(count_of(model, HD_COUNT_OF_PROGRAM, 0, HD_COUNT_WAITING), 12);
  expect_exact(of(model, PROGRAM, HD_NONE, true), 551);
  hd_model_free(model);
  builder_free(&builder);
}

/* ---- turns ---- */

static void turns(const struct builder *builder, struct hd_counts_record *record, uint64_t first, uint64_t second) {
  builder_turns(builder, record, 1, HD_COUNT_BUSY, first);
  builder_turns(builder, record, 2, HD_COUNT_BUSY, second);
}

static void test_turns_are_scaled_up_where_they_were_taken(void **state) {
  (void)state;
  struct builder builder;
  start(&builder, 2, 2, HD_COUNTERS_AT_REGION);
  struct hd_counts_record *program = count(&builder, PROGRAM, 0, 10, 0);
  struct hd_counts_record *first = count(&builder, REGION, 0, 100, 0);
  struct hd_counts_record *second = count(&builder, REGION, 1, 300, 0);
  builder_count(second, 1, HD_COUNT_BUSY, 7);
  turns(&builder, program, 5, 0);
  turns(&builder, first, 40, 60);  /* 250 */
  turns(&builder, second, 75, 25); /* 400 */
  struct hd_model *model = builder_read(&builder);
  expect_exact(of(model, PROGRAM, HD_NONE, false), 10); /* it had all the time */
  expect_estimate(of(model, REGION, 0, false), 250, 0.4);
  expect_estimate(of(model, REGION, HD_NONE, false), 650, 0.575);
  expect_estimate(of(model, PROGRAM, HD_NONE, true), 660, 120 / 205.);
  const struct hd_count_of of_second = {PROGRAM, HD_NONE, false};
  expect_unknown(count_of(model, of_second, 1, HD_COUNT_BUSY)); /* it never had its turn there */
  expect_estimate(count_of(model, (struct hd_count_of){REGION, 1, false}, 1, HD_COUNT_BUSY), 28, 0.25);
  assert_non_null(strstr(model->notes.items[0], "took turns, and their counts are estimates: E0 / E1"));
  hd_model_free(model);
  builder_free(&builder);
}

/* What never had its turn somewhere is as the rest of the sum. */
static void test_the_rest_stands_for_what_had_no_turn(void **state) {
  (void)state;
  struct builder builder;
  start(&builder, 2, 2, HD_COUNTERS_AT_REGION);
  turns(&builder, count(&builder, PROGRAM, 0, 0, 0), 0, 100);
  turns(&builder, count(&builder, REGION, 0, 50, 0), 50, 50);
  turns(&builder, count(&builder, REGION, 1, 50, 0), 50, 50);
  struct hd_model *model = builder_read(&builder);
  expect_unknown(of(model, PROGRAM, HD_NONE, false));
  expect_estimate(of(model, REGION, HD_NONE, false), 200, 0.5);
  expect_estimate(of(model, PROGRAM, HD_NONE, true), 300, 100 / 300.);
  hd_model_free(model);
  builder_free(&builder);
}

/* ---- the tree in other shapes ---- */

/* A routine known from the stack has no counts of its own, but what lies below it. */
static void test_unwound_routines_have_inclusive_counts(void **state) {
  (void)state;
  struct builder builder;
  start_whole(&builder, HD_COUNTERS_AT_LOOP);
  const uint32_t caller = builder_profile(&builder, PROGRAM, HD_KIND_ROUTINE)->id;
  const uint32_t region = builder_profile(&builder, caller, HD_KIND_PARALLEL)->id;
  builder_cell(builder_row(&builder, region, 0), HD_BUSY)->ticks = 5;
  count(&builder, region, 0, 4000, 0);
  struct hd_model *model = builder_read(&builder);
  expect_unknown(of(model, caller, HD_NONE, false));
  expect_exact(of(model, caller, HD_NONE, true), 4000);
  expect_exact(of(model, PROGRAM, HD_NONE, true), 4551);
  hd_model_free(model);
  builder_free(&builder);
}

/* A measured routine that is not told apart has its own counts in what is around it. */
static void test_measured_routines_are_known_only_with_all(void **state) {
  (void)state;
  for (enum hd_counters_at at = HD_COUNTERS_AT_LOOP; at <= HD_COUNTERS_AT_ALL; at++) {
    struct builder builder;
    start_whole(&builder, at);
    struct hd_profile_record *routine = builder_profile(&builder, PROGRAM, HD_KIND_ROUTINE);
    const uint32_t region = builder_profile(&builder, routine->id, HD_KIND_PARALLEL)->id;
    routine->flags = HD_PROFILE_CALLED;
    builder_cell(builder_row(&builder, routine->id, 0), HD_BUSY)->ticks = 5;
    builder_cell(builder_row(&builder, region, 0), HD_BUSY)->ticks = 5;
    count(&builder, region, 0, 4000, 0);
    if (at == HD_COUNTERS_AT_ALL)
      count(&builder, routine->id, 0, 60000, 0);
    struct hd_model *model = builder_read(&builder);
    if (at == HD_COUNTERS_AT_ALL) {
      expect_exact(of(model, routine->id, HD_NONE, false), 60000);
      expect_exact(of(model, routine->id, HD_NONE, true), 64000);
    } else {
      expect_unknown(of(model, routine->id, HD_NONE, false));
      expect_unknown(of(model, routine->id, HD_NONE, true));
    }
    expect_exact(of(model, region, HD_NONE, true), 4000);
    hd_model_free(model);
    builder_free(&builder);
  }
}

/* Cut to their last site, the loop hangs under the program, and the critical section too: its counts are the loop's. */
static void test_folded_callpaths_keep_their_counts(void **state) {
  (void)state;
  struct builder builder;
  start_whole(&builder, HD_COUNTERS_AT_LOOP);
  const uint32_t other = builder_profile(&builder, PROGRAM, HD_KIND_PARALLEL)->id;
  struct hd_profile_record *again = builder_profile(&builder, other, HD_KIND_LOOP_STATIC);
  again->address = again->offset = 0x1000 + LOOP;
  builder_cell(builder_row(&builder, again->id, 0), HD_BUSY)->ticks = 5;
  count(&builder, again->id, 0, 4000, 0);
  struct hd_model *model = builder_read(&builder);
  hd_callpath_truncate(model, 1);
  uint32_t loop = 0, critical = 0, region = 0;
  for (uint32_t i = 1; i < model->node_count; i++) {
    loop = model->nodes[i].kind == HD_KIND_LOOP_STATIC ? i : loop;
    critical = model->nodes[i].kind == HD_KIND_CRITICAL ? i : critical;
    region = model->nodes[i].address == 0x1000 + REGION ? i : region;
  }
  expect_exact(of(model, loop, HD_NONE, false), 4500);
  expect_exact(of(model, loop, HD_NONE, true), 4500);
  expect_exact(of(model, loop, 0, false), 4200);
  expect_exact(of(model, region, HD_NONE, true), 50);
  expect_unknown(of(model, critical, HD_NONE, true));
  expect_exact(of(model, PROGRAM, HD_NONE, true), 4551);
  hd_model_free(model);
  builder_free(&builder);
}

/* Cut to two sites, a critical section's own path begins with another context of its loop than the one that has its
 * counts. */
static void test_folded_callpaths_do_not_claim_what_went_elsewhere(void **state) {
  (void)state;
  struct builder builder;
  start_whole(&builder, HD_COUNTERS_AT_LOOP);
  struct hd_model *model = builder_read(&builder);
  hd_callpath_truncate(model, 2);
  for (uint32_t i = 1; i < model->node_count; i++) {
    const struct hd_node *node = &model->nodes[i];
    if (node->kind == HD_KIND_LOOP_STATIC && node->depth == 1) /* only begins the critical section's path */
      expect_unknown(of(model, i, HD_NONE, true));
    if (node->kind == HD_KIND_LOOP_STATIC && node->depth == 2)
      expect_exact(of(model, i, HD_NONE, true), 500);
  }
  expect_exact(of(model, PROGRAM, HD_NONE, true), 551);
  hd_model_free(model);
  builder_free(&builder);
}

static void test_focus_drops_counts_with_their_times(void **state) {
  (void)state;
  struct builder builder;
  start_whole(&builder, HD_COUNTERS_AT_LOOP);
  struct hd_model *model = builder_read(&builder);
  const bool loop[4] = {[LOOP] = true};
  hd_callpath_filter(model, loop);
  expect_exact(of(model, PROGRAM, HD_NONE, true), 500);
  expect_exact(of(model, REGION, HD_NONE, false), 0);
  expect_exact(count_of(model, HD_COUNT_OF_PROGRAM, 0, HD_COUNT_BUSY), 551); /* the run's */
  hd_model_free(model);
  model = builder_read(&builder);
  const bool critical[4] = {[CRITICAL] = true};
  hd_callpath_filter(model, critical); /* whose counts were the loop's */
  expect_unknown(of(model, PROGRAM, HD_NONE, true));
  expect_unknown(of(model, REGION, HD_NONE, true));
  hd_model_free(model);
  builder_free(&builder);
}

static void test_all_32_events_are_read(void **state) {
  (void)state;
  struct builder builder;
  start(&builder, HD_EVENTS_MOST, HD_EVENTS_MOST, HD_COUNTERS_AT_REGION);
  struct hd_counts_record *record = builder_counts(&builder, REGION, 0);
  for (uint32_t i = 0; i < HD_EVENTS_MOST; i++) {
    builder_count(record, i, HD_COUNT_BUSY, i + 1);
    builder_turns(&builder, record, i + 1, HD_COUNT_BUSY, 2);
  }
  struct hd_model *model = builder_read(&builder);
  for (uint32_t i = 0; i < HD_EVENTS_MOST; i++)
    expect_estimate(count_of(model, (struct hd_count_of){REGION, 0, false}, i, HD_COUNT_BUSY), 32. * (i + 1), 1 / 32.);
  hd_model_free(model);
  builder_free(&builder);
}

static void test_counters_begin_at_the_load(void **state) {
  (void)state;
  struct builder builder;
  start_whole(&builder, HD_COUNTERS_AT_LOOP);
  builder.header->clock_first = (struct hd_clock_pair){1000, 3000000000};
  builder.header->begin_ns = 1000000000;
  struct hd_model *model = builder_read(&builder);
  assert_string_equal(model->notes.items[0], "counting started 2.000 s into the run, when the tool was loaded");
  expect_exact(of(model, PROGRAM, HD_NONE, false), 1);
  hd_model_free(model);
  builder_free(&builder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_counts_add_up_over_threads_and_tree),
      cmocka_unit_test(test_what_is_not_told_apart_is_not_known),
      cmocka_unit_test(test_at_regions_loops_are_not_known),
      cmocka_unit_test(test_a_thread_without_counts_makes_them_partial),
      cmocka_unit_test(test_a_thread_that_cannot_count_is_named),
      cmocka_unit_test(test_nothing_counted_anywhere_is_not_zero),
      cmocka_unit_test(test_a_failed_reading_is_missing_in_its_class_only),
      cmocka_unit_test(test_a_killed_program_lacks_what_came_last),
      cmocka_unit_test(test_idling_without_a_record_is_not_missing),
      cmocka_unit_test(test_turns_are_scaled_up_where_they_were_taken),
      cmocka_unit_test(test_the_rest_stands_for_what_had_no_turn),
      cmocka_unit_test(test_unwound_routines_have_inclusive_counts),
      cmocka_unit_test(test_measured_routines_are_known_only_with_all),
      cmocka_unit_test(test_folded_callpaths_keep_their_counts),
      cmocka_unit_test(test_folded_callpaths_do_not_claim_what_went_elsewhere),
      cmocka_unit_test(test_focus_drops_counts_with_their_times),
      cmocka_unit_test(test_all_32_events_are_read),
      cmocka_unit_test(test_counters_begin_at_the_load),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
