/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The run in time: a fixed number of buckets, folded when it grows longer than they hold. */
#include "expect.h"
#include "output/model/levels.h"
#include "output/model/memory.h"
#include "script.h"

#define NARROWEST 1024u
#define MOST_UNFOLDED ((uint64_t)HD_TIMELINE_BUCKETS * NARROWEST)

/* Thread 0 alone until `length`, both threads of a team until twice that, nobody until three times, alone again. */
static struct hd_model *play_phases(uint64_t length) {
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  sc_at(length);
  sc_fork(0x100, 2, 1, length);
  sc_thread(1);
  sc_at(2 * length);
  sc_join_begin();
  sc_thread(0);
  sc_join(2 * length, 3 * length, 3 * length);
  sc_at(4 * length);
  sc_finish();
  return ex_play_exact(NULL);
}

static void expect_stretch(const struct hd_model *model, uint64_t from, uint64_t to, uint64_t none, uint64_t sequential,
                           uint64_t busy) {
  struct hd_run_stretch stretch;
  assert_true(hd_model_stretch(model, (double)from, (double)to, &stretch));
  assert_true(stretch.none_ticks == (double)none);
  assert_true(stretch.sequential_ticks == (double)sequential);
  assert_true(stretch.busy_ticks == (double)busy);
}

static void expect_phases(const struct hd_model *model, uint64_t length) {
  expect_stretch(model, 0, length, 0, length, length);
  expect_stretch(model, length, 2 * length, 0, 0, 2 * length);
  expect_stretch(model, 2 * length, 3 * length, length, 0, 0);
  expect_stretch(model, 3 * length, 4 * length, 0, length, length);
  expect_stretch(model, 0, 4 * length, length, 2 * length, 4 * length);
}

static void test_short_run_is_not_folded(void **state) {
  (void)state;
  struct hd_model *model = play_phases(MOST_UNFOLDED / 4);
  assert_int_equal(model->timeline->width_ticks, NARROWEST);
  expect_phases(model, MOST_UNFOLDED / 4);
  hd_model_free(model);
}

static void test_one_tick_more_folds_it(void **state) {
  (void)state;
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  sc_at(MOST_UNFOLDED + 1);
  sc_finish();
  struct hd_model *model = ex_play_exact(NULL);
  assert_int_equal(model->timeline->width_ticks, 2 * NARROWEST);
  assert_int_equal(model->timeline->buckets[0].sequential_ticks, 2 * NARROWEST);
  assert_int_equal(model->timeline->buckets[HD_TIMELINE_BUCKETS / 2].sequential_ticks, 1);
  assert_int_equal(model->timeline->buckets[HD_TIMELINE_BUCKETS / 2 + 1].busy_ticks, 0);
  hd_model_free(model);
}

static void test_long_run_is_folded_exactly(void **state) {
  (void)state;
  for (uint32_t shift = 0; shift < 40; shift += 8) {
    struct hd_model *model = play_phases(MOST_UNFOLDED << shift);
    assert_int_equal(model->timeline->width_ticks, (uint64_t)4 * NARROWEST << shift);
    expect_phases(model, MOST_UNFOLDED << shift);
    hd_model_free(model);
  }
}

/* No two phases end at a bucket's bound. */
static void test_run_of_odd_length_adds_up(void **state) {
  (void)state;
  for (uint64_t length = 1; length < (uint64_t)1 << 50; length = 7 * length + 3)
    hd_model_free(play_phases(length)); /* compared with the oracle in every bucket */
}

static void test_stretch_within_a_bucket_is_in_proportion(void **state) {
  (void)state;
  struct hd_run_stretch stretch;
  struct hd_model *model = play_phases(NARROWEST / 2); /* alone and together, then nobody and alone */
  assert_true(hd_model_stretch(model, 0, NARROWEST / 4.0, &stretch));
  assert_true(stretch.sequential_ticks == NARROWEST / 8.0);
  assert_true(stretch.busy_ticks == NARROWEST / 8.0 + NARROWEST / 4.0);
  assert_true(stretch.none_ticks == 0);
  hd_model_free(model);
}

static void test_killed_run_has_a_timeline(void **state) {
  (void)state;
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  sc_at(2 * MOST_UNFOLDED);
  sc_acquire(ompt_mutex_critical, 1, 0x400);
  sc_at(4 * MOST_UNFOLDED);
  sc_acquired(ompt_mutex_critical, 1, 0x400);
  sc_kill();
  struct hd_model *model = ex_play_killed();
  expect_stretch(model, 0, 2 * MOST_UNFOLDED, 0, 2 * MOST_UNFOLDED, 2 * MOST_UNFOLDED);
  expect_stretch(model, 2 * MOST_UNFOLDED, 4 * MOST_UNFOLDED, 2 * MOST_UNFOLDED, 0, 0);
  hd_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_short_run_is_not_folded),
      cmocka_unit_test(test_one_tick_more_folds_it),
      cmocka_unit_test(test_long_run_is_folded_exactly),
      cmocka_unit_test(test_run_of_odd_length_adds_up),
      cmocka_unit_test(test_stretch_within_a_bucket_is_in_proportion),
      cmocka_unit_test(test_killed_run_has_a_timeline),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
