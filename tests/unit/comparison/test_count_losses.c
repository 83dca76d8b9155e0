/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file test_count_losses.c
 * Threads for which there was no memory: what they counted is missing wherever they may have been, and nowhere else.
 */
#include "counts_sample.h"

#include "output/analysis/callpaths/callpath_truncate.h"
#include "output/model/memory.h"

/* The region ran with a team of so many; 0: its end was not seen. */
static void run_team(struct builder *builder, uint32_t size) {
  if (size > 0)
    *builder_total(builder, REGION, size) = (struct hd_total_record){
        .profile = REGION, .team_size = size, .instances = 1, .elapsed_ticks = 40, .capacity_ticks = 40 * size};
}

/* Thread 2 has neither rows nor counts. */
static void lose_thread(struct builder *builder) {
  builder_thread(builder, HD_THREAD_WORKER, 2000, 2000)->uncounted = 1;
}

static void expect_missing(const struct hd_model *model, struct hd_count_of of, uint32_t count) {
  uint32_t threads[4];
  assert_int_equal(hd_model_uncounted(model, of, 0, threads), count);
  if (count > 0)
    assert_int_equal(threads[0], 2);
}

static void test_a_thread_without_rows_is_missing_in_its_region(void **state) {
  (void)state;
  struct builder builder;
  start_whole(&builder, HD_COUNTERS_AT_LOOP);
  run_team(&builder, 3);
  lose_thread(&builder);
  struct hd_model *model = builder_read(&builder);
  expect_partial(count_of(model, HD_COUNT_OF_PROGRAM, 0, HD_COUNT_BUSY), 551);
  expect_partial(count_of(model, HD_COUNT_OF_PROGRAM, 0, HD_COUNT_WAITING), 12);
  expect_partial(of(model, PROGRAM, HD_NONE, true), 551);
  expect_partial(of(model, REGION, HD_NONE, false), 50);
  expect_partial(of(model, LOOP, HD_NONE, false), 500); /* it may have been there */
  expect_exact(of(model, LOOP, 0, false), 200);
  expect_exact(of(model, HD_NONE, 1, true), 330);
  expect_unknown(of(model, HD_NONE, 2, true)); /* not 0 */
  expect_missing(model, HD_COUNT_OF_PROGRAM, 1);
  expect_missing(model, (struct hd_count_of){REGION, HD_NONE, false}, 1);
  expect_missing(model, (struct hd_count_of){PROGRAM, HD_NONE, true}, 1);
  expect_missing(model, (struct hd_count_of){LOOP, 0, false}, 0);
  hd_callpath_truncate(model, 1);
  expect_partial(of(model, REGION, HD_NONE, false), 50);
  hd_model_free(model);
  builder_free(&builder);
}

static void test_a_region_with_its_whole_team_lacks_nothing(void **state) {
  (void)state;
  struct builder builder;
  start_whole(&builder, HD_COUNTERS_AT_LOOP);
  run_team(&builder, 2);
  lose_thread(&builder);
  struct hd_model *model = builder_read(&builder);
  expect_partial(count_of(model, HD_COUNT_OF_PROGRAM, 0, HD_COUNT_BUSY), 551);
  expect_exact(of(model, REGION, HD_NONE, true), 550);
  expect_exact(of(model, LOOP, HD_NONE, false), 500);
  expect_missing(model, (struct hd_count_of){REGION, HD_NONE, true}, 0);
  hd_model_free(model);
  builder_free(&builder);
}

static void test_threads_that_are_not_even_listed_are_missing(void **state) {
  (void)state;
  for (uint32_t team = 0; team <= 3; team++) {
    struct builder builder;
    start_whole(&builder, HD_COUNTERS_AT_LOOP);
    run_team(&builder, team);
    builder.header->lost_threads = 1;
    struct hd_model *model = builder_read(&builder);
    const bool whole = team == 1 || team == 2;
    expect_partial(count_of(model, HD_COUNT_OF_PROGRAM, 0, HD_COUNT_BUSY), 551);
    if (whole)
      expect_exact(of(model, REGION, HD_NONE, true), 550);
    else
      expect_partial(of(model, REGION, HD_NONE, true), 550);
    expect_missing(model, HD_COUNT_OF_PROGRAM, 0); /* nobody knows which */
    hd_model_free(model);
    builder_free(&builder);
  }
}

/* The third of the team found no space for the region: what it did there is counted above. */
static void test_counts_that_went_to_the_line_above_are_missing_below(void **state) {
  (void)state;
  struct builder builder;
  start(&builder, 1, 0, HD_COUNTERS_AT_REGION);
  builder.header->flags |= HD_FILE_FULL;
  count(&builder, PROGRAM, 0, 1, 0);
  count(&builder, REGION, 0, 20, 0);
  count(&builder, REGION, 1, 20, 0);
  run_team(&builder, 3);
  struct hd_model *model = builder_read(&builder);
  expect_exact(count_of(model, HD_COUNT_OF_PROGRAM, 0, HD_COUNT_BUSY), 41);
  expect_exact(of(model, PROGRAM, HD_NONE, false), 1);
  expect_partial(of(model, REGION, HD_NONE, false), 40);
  hd_model_free(model);
  builder_free(&builder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_thread_without_rows_is_missing_in_its_region),
      cmocka_unit_test(test_a_region_with_its_whole_team_lacks_nothing),
      cmocka_unit_test(test_threads_that_are_not_even_listed_are_missing),
      cmocka_unit_test(test_counts_that_went_to_the_line_above_are_missing_below),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
