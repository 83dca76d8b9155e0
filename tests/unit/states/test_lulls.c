/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Times in which few threads were busy, found in a trace: together they are the profile's time at those levels, and
 * what threads did in them adds up. */
#include <stdlib.h>

#include "expect.h"
#include "output/model/memory.h"
#include "output/reader/open.h"
#include "output/trace/lulls.h"
#include "output/trace/walk.h"
#include "random_plays.h"
#include "script.h"
#include "traced_script.h"

static const char *const traced[] = {"HEDDLE_TRACE=16M", NULL};
static const char *const of_phase[] = {"HEDDLE_TRACE=16M", "HEDDLE_TRACE_WHEN=phase phase 1", NULL};
static const struct fk_options options = {.environment = traced};

static struct hd_lulls find(const struct hd_model *model, uint32_t busy_most, uint64_t least_ticks, uint32_t kept) {
  const struct hd_lull_condition condition = {busy_most, least_ticks};
  struct hd_lulls lulls;
  char error[300];
  if (!hd_lulls_find(model, &condition, &lulls, error, sizeof error))
    fail_msg("%s", error);
  hd_lulls_cut(&lulls, kept);
  if (!hd_lulls_look(model, &lulls, error, sizeof error))
    fail_msg("%s", error);
  return lulls;
}

/* ---- one by one ---- */

static void expect_lull(const struct hd_lull *lull, uint64_t from, uint64_t to, uint64_t busy) {
  assert_int_equal(lull->from_ticks, from);
  assert_int_equal(lull->to_ticks, to);
  assert_int_equal(lull->busy_ticks, busy);
}

static void expect_share(const struct hd_lull *lull, uint32_t thread, uint32_t state, uint32_t node, uint64_t ticks) {
  for (uint32_t i = 0; i < lull->share_count; i++) {
    const struct hd_lull_share *share = &lull->shares[i];
    if (share->thread == thread && share->place.state == state && share->place.node == node) {
      assert_int_equal(share->ticks, ticks);
      return;
    }
  }
  fail_msg("thread %u has no time in state %u", thread, state);
}

static struct hd_model *play_region(void) {
  sc_traced_region();
  return ex_play_exact(&options);
}

static void test_the_longest_comes_first(void **state) {
  (void)state;
  struct hd_model *model = play_region();
  struct hd_lulls lulls = find(model, 1, 1, 0);
  assert_int_equal(lulls.count, 2);
  assert_int_equal(lulls.ticks, 110 + 50);
  expect_lull(&lulls.items[0], 0, 110, 100);
  expect_lull(&lulls.items[1], 150, 200, 20 + 10);
  hd_lulls_free(&lulls);
  lulls = find(model, 0, 1, 0);
  assert_int_equal(lulls.count, 2);
  expect_lull(&lulls.items[0], 170, 190, 0);
  expect_lull(&lulls.items[1], 100, 110, 0);
  hd_lulls_free(&lulls);
  lulls = find(model, 2, 1, 0);
  assert_int_equal(lulls.count, 1);
  expect_lull(&lulls.items[0], 0, 200, 100 + 80 + 20 + 10);
  hd_lulls_free(&lulls);
  hd_model_free(model);
}

static void test_shorter_ones_are_left_out(void **state) {
  (void)state;
  struct hd_model *model = play_region();
  for (uint64_t least = 50; least <= 51; least++) {
    struct hd_lulls lulls = find(model, 1, least, 0);
    assert_int_equal(lulls.count, least == 50 ? 2 : 1);
    assert_int_equal(lulls.ticks, least == 50 ? 160 : 110);
    hd_lulls_free(&lulls);
  }
  struct hd_lulls lulls = find(model, 1, 1, 1);
  assert_int_equal(lulls.count, 1);
  assert_int_equal(lulls.found, 2);
  expect_lull(&lulls.items[0], 0, 110, 100);
  hd_lulls_free(&lulls);
  hd_model_free(model);
}

static void test_all_threads_say_what_they_did(void **state) {
  (void)state;
  struct hd_model *model = play_region();
  const uint32_t region = model->node_count - 1;
  struct hd_lulls lulls = find(model, 1, 1, 0);
  const struct hd_lull *last = &lulls.items[1];
  assert_int_equal(last->share_count, 6);
  expect_share(last, 0, HD_BUSY, region, 20);
  expect_share(last, 0, HD_WAIT_BARRIER_IMPLICIT, region, 10);
  expect_share(last, 0, HD_RUNTIME_FORK_JOIN, region, 10);
  expect_share(last, 0, HD_BUSY, 0, 10);
  expect_share(last, 1, HD_WAIT_BARRIER_IMPLICIT, region, 30);
  expect_share(last, 1, HD_IDLE, 0, 20);
  hd_lulls_free(&lulls);
  hd_model_free(model);
}

/* What was not traced is no lull, though nobody is seen there. */
static void test_gaps_are_not_known(void **state) {
  (void)state;
  const struct fk_options conditional = {.environment = of_phase};
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  for (uint64_t at = 100; at < 400; at += 200) {
    sc_at(at);
    sc_phase_begin(1);
    sc_at(at + 10);
    sc_acquire(ompt_mutex_lock, 1, 0x300);
    sc_at(at + 30);
    sc_acquired(ompt_mutex_lock, 1, 0x300);
    sc_released(ompt_mutex_lock, 1, 0x300);
    sc_at(at + 50);
    sc_phase_end(1);
  }
  sc_at(400);
  sc_finish();
  const struct fk_result result = fk_play(sc_script(), &conditional);
  struct hd_model *model;
  char error[300];
  if (!hd_profile_open(result.path, &model, error, sizeof error))
    fail_msg("%s", error);
  struct hd_lulls lulls = find(model, 5, 1, 0);
  assert_int_equal(lulls.count, 2);
  expect_lull(&lulls.items[0], 100, 150, 30);
  expect_lull(&lulls.items[1], 300, 350, 30);
  hd_lulls_free(&lulls);
  hd_model_free(model);
}

/* ---- random programs ---- */

struct bounds {
  uint64_t first_ticks, last_ticks;
  bool has_any;
};

static bool note(void *context, const struct hd_trace_entry *entry) {
  struct bounds *bounds = context;
  if (!bounds->has_any)
    bounds->first_ticks = entry->ticks;
  bounds->has_any = true;
  bounds->last_ticks = entry->ticks;
  return true;
}

static struct bounds bounds_of(const struct hd_model *model) {
  struct bounds bounds = {0};
  char error[300];
  if (!hd_trace_walk_changes(model, note, &bounds, error, sizeof error))
    fail_msg("%s", error);
  return bounds;
}

/* The profile's, as the sweep counted it; without the time in which no thread was traced, before and after. */
static uint64_t time_at_most(const struct hd_model *model, uint32_t busy_most) {
  const struct bounds bounds = bounds_of(model);
  uint64_t ticks = 0;
  for (uint32_t k = 0; k <= busy_most && k < model->time_at.count; k++)
    ticks += model->time_at.ticks[k];
  ticks -= bounds.first_ticks - model->header.loaded_ticks + (model->end_ticks - bounds.last_ticks);
  return busy_most > 0 ? ticks - model->before_ticks : ticks;
}

static void expect_shares(const struct hd_model *model, const struct hd_lull *lull) {
  uint64_t busy = 0, *of_threads = calloc(model->thread_count + 1, sizeof *of_threads);
  assert_non_null(of_threads);
  for (uint32_t i = 0; i < lull->share_count; i++) {
    busy += lull->shares[i].place.state == HD_BUSY ? lull->shares[i].ticks : 0;
    of_threads[lull->shares[i].thread] += lull->shares[i].ticks;
  }
  assert_int_equal(busy, lull->busy_ticks);
  for (uint32_t i = 0; i < model->thread_count; i++)
    assert_true(of_threads[i] <= hd_lull_ticks(lull));
  free(of_threads);
}

/* One that ends where another begins is not two. */
static void expect_apart(const struct hd_lulls *lulls) {
  for (uint32_t i = 0; i < lulls->count; i++)
    for (uint32_t j = 0; j < lulls->count; j++)
      assert_int_not_equal(lulls->items[i].to_ticks, lulls->items[j].from_ticks);
}

static void expect_lulls(const struct hd_model *model, uint32_t busy_most) {
  struct hd_lulls lulls = find(model, busy_most, 1, 0);
  assert_int_equal(lulls.ticks, time_at_most(model, busy_most));
  expect_apart(&lulls);
  for (uint32_t i = 0; i < lulls.count; i++) {
    assert_true(i == 0 || hd_lull_ticks(&lulls.items[i]) <= hd_lull_ticks(&lulls.items[i - 1]));
    expect_shares(model, &lulls.items[i]);
  }
  hd_lulls_free(&lulls);
}

static void test_random_programs(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 60; seed++) {
    const struct rp_options program = {.recursive = seed % 3 == 0, .large_teams = seed % 3 == 1};
    rp_generate(seed, &program);
    struct hd_model *model = ex_play_rough(&options);
    for (uint32_t busy_most = 0; busy_most <= model->thread_count; busy_most++)
      expect_lulls(model, busy_most);
    hd_model_free(model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_longest_comes_first),
      cmocka_unit_test(test_shorter_ones_are_left_out),
      cmocka_unit_test(test_all_threads_say_what_they_did),
      cmocka_unit_test(test_gaps_are_not_known),
      cmocka_unit_test(test_random_programs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
