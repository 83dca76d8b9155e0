/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Regions in time: exact in every bucket, whatever lies between two ends of buckets; and which regions have a history.
 */
#include "expect.h"
#include "output/model/histories.h"
#include "output/model/memory.h"
#include "script.h"
#include "sweep/histories.h"

#define NARROWEST (UINT64_C(1) << 20)
#define ADDRESS(i) (0x1000 + 0x40 * (uint64_t)(i))

/* A region of two threads from `begin` to `end`, of which thread 1 works until `worked`. */
static void region(uint64_t address, uint64_t begin, uint64_t worked, uint64_t end) {
  sc_at(begin);
  sc_fork(address, 2, 1, begin);
  sc_thread(1);
  sc_at(worked);
  sc_join_begin();
  sc_thread(0);
  sc_at(end);
  sc_join(end, end, end);
}

static void expect_bucket(const struct hd_model *model, uint32_t number, uint32_t i, uint64_t elapsed, uint64_t busy) {
  assert_in_range(number, 0, model->history_count - 1);
  assert_int_equal(model->histories[number].buckets[i].elapsed_ticks, elapsed);
  assert_int_equal(model->histories[number].buckets[i].busy_ticks, busy);
}

/* ---- where buckets end ---- */

static void test_ends_follow_from_the_time_alone(void **state) {
  (void)state;
  const uint64_t full = HD_HISTORY_BUCKETS * NARROWEST;
  assert_int_equal(hd_history_end(5, 5), 5 + NARROWEST);
  assert_int_equal(hd_history_end(5, 4 + NARROWEST), 5 + NARROWEST);
  assert_int_equal(hd_history_end(5, 5 + NARROWEST), 5 + 2 * NARROWEST);
  assert_int_equal(hd_history_begin(5, 5 + NARROWEST), 5 + NARROWEST);
  assert_int_equal(hd_history_end(0, full - 1), full);
  assert_int_equal(hd_history_end(0, full), full + 2 * NARROWEST);
  assert_int_equal(hd_history_width(0, full), NARROWEST);
  assert_int_equal(hd_history_width(0, full + 1), 2 * NARROWEST);
  assert_int_equal(hd_history_end(5, 4), UINT64_MAX);
  assert_int_equal(hd_history_end(5, UINT64_MAX / 4), UINT64_MAX);
}

/* ---- what is in buckets ---- */

static void test_one_region_is_exact_to_the_tick(void **state) {
  (void)state;
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  region(ADDRESS(0), 10, NARROWEST + 7, 3 * NARROWEST + 1);
  sc_at(5 * NARROWEST);
  sc_finish();
  struct hd_model *model = ex_play_exact(NULL);
  assert_int_equal(model->history_count, 1);
  assert_int_equal(model->history_width_ticks, NARROWEST);
  assert_int_equal(hd_history_buckets_in_use(model), 5);
  assert_int_equal(model->histories[0].since_ticks, 0);
  expect_bucket(model, 0, 0, NARROWEST - 10, 2 * (NARROWEST - 10));
  expect_bucket(model, 0, 1, NARROWEST, NARROWEST + 7);
  expect_bucket(model, 0, 2, NARROWEST, NARROWEST);
  expect_bucket(model, 0, 3, 1, 1);
  expect_bucket(model, 0, 4, 0, 0);
  hd_model_free(model);
}

/* Nothing happens for a thousand buckets: they are folded, and each has its part. */
static void test_a_long_silence_is_spread_evenly(void **state) {
  (void)state;
  const uint64_t length = 1000 * NARROWEST, width = 16 * NARROWEST;
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  region(ADDRESS(0), 3, length / 2 + 5, length);
  sc_finish();
  struct hd_model *model = ex_play_exact(NULL);
  assert_int_equal(model->history_width_ticks, width);
  assert_int_equal(hd_history_buckets_in_use(model), 63);
  expect_bucket(model, 0, 0, width - 3, 2 * (width - 3));
  for (uint32_t i = 1; i < 31; i++)
    expect_bucket(model, 0, i, width, 2 * width);
  expect_bucket(model, 0, 31, width, width + 500 * NARROWEST + 5 - 31 * width);
  for (uint32_t i = 32; i < 62; i++)
    expect_bucket(model, 0, i, width, width);
  expect_bucket(model, 0, 62, length - 62 * width, length - 62 * width);
  hd_model_free(model);
}

/* Two regions in turn, one bucket each, for so long that buckets are folded twice. */
static void test_regions_in_turn_are_told_apart(void **state) {
  (void)state;
  const uint32_t turns = 240;
  uint64_t sums[2][HD_HISTORY_BUCKETS][2] = {0};
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  for (uint32_t i = 0; i < turns; i++) {
    const uint64_t begin = i * NARROWEST + i, worked = begin + 1000 * i, end = begin + 3 * NARROWEST / 4;
    region(ADDRESS(i % 2), begin, worked, end);
    sums[i % 2][begin / (2 * NARROWEST)][0] += end - begin;
    sums[i % 2][begin / (2 * NARROWEST)][1] += end - begin + worked - begin;
  }
  sc_at(turns * NARROWEST);
  sc_finish();
  struct hd_model *model = ex_play_exact(NULL);
  assert_int_equal(model->history_count, 2);
  assert_int_equal(model->history_width_ticks, 2 * NARROWEST);
  for (uint32_t number = 0; number < 2; number++)
    for (uint32_t i = 0; i < HD_HISTORY_BUCKETS; i++)
      expect_bucket(model, number, i, sums[number][i][0], sums[number][i][1]);
  hd_model_free(model);
}

static void test_a_part_of_a_bucket_is_in_proportion(void **state) {
  (void)state;
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  region(ADDRESS(0), 0, NARROWEST, 2 * NARROWEST);
  sc_at(4 * NARROWEST);
  sc_finish();
  struct hd_model *model = ex_play_exact(NULL);
  const double half = (double)NARROWEST / 2;
  const struct hd_history_part part = hd_history_part_of(model, &model->histories[0], half, 3 * half);
  assert_true(part.elapsed_ticks == (double)NARROWEST);
  assert_true(part.busy_ticks == 3 * half);
  hd_model_free(model);
}

/* ---- which regions ---- */

/* One more than there is room for begins when all others have had their time; it takes the place of one of these when
 * it has more than twice that. */
static void test_a_large_newcomer_takes_the_place_of_a_small_one(void **state) {
  (void)state;
  const uint64_t step = 2 * NARROWEST, small = NARROWEST / 2;
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  for (uint32_t i = 0; i < HD_HISTORIES_MOST; i++)
    region(ADDRESS(i), i * step, i * step + small, i * step + small + (i != 7));
  const uint64_t late = HD_HISTORIES_MOST * step;
  region(ADDRESS(HD_HISTORIES_MOST), late, late + 4 * late, late + 4 * late);
  sc_finish();
  struct hd_model *model = ex_play_exact(NULL);
  assert_int_equal(model->history_count, HD_HISTORIES_MOST);
  uint32_t unknown = 0;
  for (uint32_t i = 0; i < model->history_count; i++)
    unknown += model->histories[i].since_ticks > 0;
  assert_int_equal(unknown, 1);
  const struct hd_history *last = &model->histories[HD_HISTORIES_MOST - 1];
  assert_in_range(last->since_ticks, late + small, 3 * late);
  assert_int_equal(last->node, model->node_count - 1);
  hd_model_free(model);
}

/* ---- killed ---- */

static void test_killed_run_has_histories(void **state) {
  (void)state;
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  for (uint32_t i = 0; i < 5000; i++) /* enough to be swept */
    region(ADDRESS(0), i * NARROWEST / 8, i * NARROWEST / 8 + 100, i * NARROWEST / 8 + 200);
  sc_kill();
  struct hd_model *model = ex_play_killed();
  assert_int_equal(model->history_count, 1);
  assert_int_equal(model->histories[0].since_ticks, 0);
  assert_int_equal(model->history_width_ticks, 8 * NARROWEST);
  for (uint32_t i = 0; i < 78; i++)
    expect_bucket(model, 0, i, 64 * 200, 64 * 300);
  hd_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ends_follow_from_the_time_alone),
      cmocka_unit_test(test_one_region_is_exact_to_the_tick),
      cmocka_unit_test(test_a_long_silence_is_spread_evenly),
      cmocka_unit_test(test_regions_in_turn_are_told_apart),
      cmocka_unit_test(test_a_part_of_a_bucket_is_in_proportion),
      cmocka_unit_test(test_a_large_newcomer_takes_the_place_of_a_small_one),
      cmocka_unit_test(test_killed_run_has_histories),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
