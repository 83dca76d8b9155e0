/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which state a thread is in at any instant, and in whose row its time lands. */
#include "expect.h"
#include "output/model/memory.h"
#include "script.h"

/* Thread 0: serial to 10, fork to 12, busy to 40, waits to 50, join to 53, serial to 60. Worker: busy from 14 to 45. */
static uint32_t play_one_region(enum sc_runtime runtime) {
  sc_start(runtime);
  sc_initial_begin();
  sc_at(10);
  uint32_t region = sc_parallel_begin(0x100, 2);
  sc_at(12);
  sc_implicit_begin(region, 0, 2);
  sc_thread(1);
  sc_at(14);
  sc_implicit_begin(region, 1, 2);
  sc_thread(0);
  sc_at(40);
  sc_join_begin();
  sc_thread(1);
  sc_at(45);
  sc_join_begin();
  return region;
}

static void end_one_region(void) {
  sc_thread(0);
  sc_at(50);
  sc_join_end();
  sc_at(53);
  sc_parallel_end();
  sc_at(60);
}

static void test_initial_thread_outside_regions_is_busy_in_the_program(void **state) {
  (void)state;
  sc_start(SC_LIBOMP_19);
  sc_at(5);
  sc_initial_begin();
  sc_at(42);
  sc_finish();
  struct hd_model *model = ex_play();
  assert_int_equal(model->thread_count, 1);
  assert_int_equal(model->threads[0].kind, HD_THREAD_INITIAL);
  assert_int_equal(model->threads[0].lifetime_ticks, 37);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, PROGRAM), 37);
  hd_model_free(model);
}

static void check_primary(const struct hd_model *model) {
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, PROGRAM), 10 + 7);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, SITE(PARALLEL, 0x100)), 28);
  assert_int_equal(ex_ticks(model, 0, HD_WAIT_BARRIER_IMPLICIT, SITE(PARALLEL, 0x100)), 10);
  assert_int_equal(ex_ticks(model, 0, HD_RUNTIME_FORK_JOIN, SITE(PARALLEL, 0x100)), 2 + 3);
  assert_int_equal(model->threads[0].lifetime_ticks, 60);
}

/* Its wait ends at the join, 50, whatever its own events say. */
static void check_worker(const struct hd_model *model, uint64_t idle) {
  assert_int_equal(ex_ticks(model, 1, HD_BUSY, SITE(PARALLEL, 0x100)), 31);
  assert_int_equal(ex_ticks(model, 1, HD_WAIT_BARRIER_IMPLICIT, SITE(PARALLEL, 0x100)), 5);
  assert_int_equal(ex_ticks(model, 1, HD_RUNTIME_FORK_JOIN, SITE(PARALLEL, 0x100)), 0);
  assert_int_equal(ex_ticks(model, 1, HD_IDLE, PROGRAM), idle);
  assert_int_equal(model->threads[1].kind, HD_THREAD_WORKER);
  assert_int_equal(model->threads[1].lifetime_ticks, 36 + idle);
}

/* Fork and join are the primary's runtime, and the worker waits until the join, whenever its own end comes. */
static const struct way {
  enum sc_runtime runtime;
  uint64_t worker_end; /* 0: with its thread_end, at 60 */
} ways[] = {
    {SC_LIBOMP_19, 0},  {SC_LIBOMP_19, 52},
    {SC_LIBOMP_19, 47}, /* it entered the release wait before the primary had seen everybody arrive */
    {SC_LIBOMP_14, 0},  {SC_GOMP, 0},
};

static void end_worker(uint64_t time) {
  sc_thread(1);
  sc_at(time);
  sc_worker_end();
}

static void test_region_gives_the_same_numbers_on_each_runtime(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    play_one_region(ways[i].runtime);
    if (ways[i].worker_end && ways[i].worker_end < 50)
      end_worker(ways[i].worker_end);
    end_one_region();
    if (ways[i].worker_end > 50)
      end_worker(ways[i].worker_end);
    sc_at(60);
    sc_finish();
    struct hd_model *model = ex_play();
    check_primary(model);
    check_worker(model, 10);
    hd_model_free(model);
  }
}

static void test_worker_between_regions_is_idle_in_the_program(void **state) {
  (void)state;
  play_one_region(SC_LIBOMP_19);
  end_one_region(); /* joined at 50 */
  sc_fork(0x200, 2, 1, 65);
  sc_thread(1);
  sc_at(70);
  sc_join_begin();
  sc_thread(0);
  sc_join(72, 75, 80);
  sc_finish();
  struct hd_model *model = ex_play();
  assert_int_equal(ex_ticks(model, 1, HD_IDLE, PROGRAM), (65 - 50) + (80 - 75));
  assert_int_equal(ex_ticks(model, 1, HD_BUSY, SITE(PARALLEL, 0x200)), 5);
  assert_int_equal(ex_ticks(model, 1, HD_WAIT_BARRIER_IMPLICIT, SITE(PARALLEL, 0x200)), 5);
  hd_model_free(model);
}

static void test_worker_before_its_first_region_is_idle(void **state) {
  (void)state;
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  sc_at(10);
  uint32_t region = sc_parallel_begin(0x100, 2);
  sc_implicit_begin(region, 0, 2);
  sc_thread(1);
  sc_at(11);
  sc_worker_begin();
  sc_at(18);
  sc_implicit_begin(region, 1, 2);
  sc_at(20);
  sc_join_begin();
  sc_thread(0);
  sc_join(20, 20, 20);
  sc_finish();
  struct hd_model *model = ex_play();
  assert_int_equal(ex_ticks(model, 1, HD_IDLE, PROGRAM), 7);
  assert_int_equal(model->threads[1].begin_ticks, 11);
  hd_model_free(model);
}

/* Explicit, reduction and implicit barriers of one team, 2 ticks each after 10 of work. */
static void play_barrier(ompt_sync_region_t kind, uint64_t code) {
  uint32_t count = 2;
  for (uint32_t i = 0; i < count; i++) {
    sc_thread(i);
    sc_barrier_begin(kind, code);
  }
}

static void end_barrier(ompt_sync_region_t kind, uint64_t code) {
  for (uint32_t i = 0; i < 2; i++) {
    sc_thread(1 - i);
    sc_barrier_end(kind, code);
  }
}

static void test_explicit_barrier_waits_in_its_own_row(void **state) {
  (void)state;
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  sc_fork(0x100, 2, 1, 0);
  sc_at(10);
  play_barrier(ompt_sync_region_barrier_explicit, 0x150);
  sc_at(13);
  end_barrier(ompt_sync_region_barrier_explicit, 0x150);
  sc_thread(1);
  sc_join_begin();
  sc_thread(0);
  sc_join(13, 13, 13);
  sc_finish();
  struct hd_model *model = ex_play();
  for (uint32_t i = 0; i < 2; i++) {
    assert_int_equal(ex_ticks(model, i, HD_WAIT_BARRIER_EXPLICIT, SITE(PARALLEL, 0x100), SITE(BARRIER_EXPLICIT, 0x150)),
                     3);
    assert_int_equal(ex_visits(model, i, SITE(PARALLEL, 0x100), SITE(BARRIER_EXPLICIT, 0x150)), 1);
    assert_int_equal(ex_ticks(model, i, HD_BUSY, SITE(PARALLEL, 0x100)), 10);
  }
  hd_model_free(model);
}

static void test_barrier_of_gomp_without_a_construct_is_told_apart(void **state) {
  (void)state;
  sc_start(SC_GOMP);
  sc_initial_begin();
  sc_fork(0x100, 2, 1, 0);
  sc_at(10);
  play_barrier(ompt_sync_region_barrier_implementation, 0); /* a static loop's, or an explicit one */
  sc_at(13);
  end_barrier(ompt_sync_region_barrier_implementation, 0);
  sc_thread(1);
  sc_join_begin();
  sc_thread(0);
  sc_join(13, 13, 13);
  sc_finish();
  struct hd_model *model = ex_play();
  assert_int_equal(ex_ticks(model, 1, HD_WAIT_OTHER, SITE(PARALLEL, 0x100), SITE(BARRIER, 0)), 3);
  assert_int_equal(ex_ticks(model, 1, HD_WAIT_BARRIER_IMPLICIT, SITE(PARALLEL, 0x100)), 0);
  hd_model_free(model);
}

static void test_reduction_outside_a_construct_waits_in_its_own_row(void **state) {
  (void)state;
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  sc_fork(0x100, 2, 1, 0);
  sc_at(10);
  play_barrier(ompt_sync_region_barrier_implementation, 0x160);
  sc_at(14);
  end_barrier(ompt_sync_region_barrier_implementation, 0x160);
  sc_thread(1);
  sc_join_begin();
  sc_thread(0);
  sc_join(14, 14, 14);
  sc_finish();
  struct hd_model *model = ex_play();
  assert_int_equal(ex_ticks(model, 0, HD_WAIT_REDUCTION, SITE(PARALLEL, 0x100), SITE(REDUCTION, 0x160)), 4);
  hd_model_free(model);
}

static void test_thread_end_ends_the_lifetime(void **state) {
  (void)state;
  play_one_region(SC_LIBOMP_19);
  end_one_region();
  sc_thread(1);
  sc_at(57);
  sc_worker_thread_end();
  sc_at(80);
  sc_finish();
  struct hd_model *model = ex_play();
  assert_int_equal(model->threads[1].end_ticks, 57);
  assert_int_equal(model->threads[1].lifetime_ticks, 57 - 14);
  assert_int_equal(model->elapsed_ticks, 80);
  assert_false(model->threads[1].alive);
  hd_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_initial_thread_outside_regions_is_busy_in_the_program),
      cmocka_unit_test(test_region_gives_the_same_numbers_on_each_runtime),
      cmocka_unit_test(test_worker_between_regions_is_idle_in_the_program),
      cmocka_unit_test(test_worker_before_its_first_region_is_idle),
      cmocka_unit_test(test_explicit_barrier_waits_in_its_own_row),
      cmocka_unit_test(test_barrier_of_gomp_without_a_construct_is_told_apart),
      cmocka_unit_test(test_reduction_outside_a_construct_waits_in_its_own_row),
      cmocka_unit_test(test_thread_end_ends_the_lifetime),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
