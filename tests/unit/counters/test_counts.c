/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is counted where: working, waiting and in the runtime, and what is told apart. Random programs:
 * test_counts_properties.c. */
#include "counted.h"
#include "output/model/memory.h"

/* ---- working, waiting, runtime ---- */

static void test_region_is_counted_while_busy_waiting_and_in_the_runtime(void **state) {
  (void)state;
  const struct fk_options *levels[] = {&at_region, &at_loop, &at_all};
  for (int i = 0; i < 3; i++) {
    begin();
    one_region();
    struct hd_model *model = end(60, levels[i]);
    assert_int_equal(model->header.counters_at, HD_COUNTERS_AT_REGION + i);
    assert_string_equal(model->events[0].name, "STUB_CLOCK");
    expect_counts(model, 0, 28, 10, 5, REGION);
    expect_counts(model, 0, 17, 0, 0, PROGRAM);
    hd_model_free(model);
  }
}

/* The worker's end is told at 60, with its thread's. */
static void test_worker_that_idles_after_a_region_counts_as_waiting_there(void **state) {
  (void)state;
  begin();
  one_region();
  struct hd_model *model = end(60, &at_all);
  expect_counts(model, 1, 31, 15, 0, REGION);
  expect_counts(model, 1, 0, 0, 0, PROGRAM);
  assert_int_equal(ex_ticks(model, 1, HD_IDLE, PROGRAM), 10);
  hd_model_free(model);
}

/* Told at once, at 55: that does not change where it counts. */
static void test_promptly_told_end_counts_alike(void **state) {
  (void)state;
  begin();
  one_region();
  sc_thread(1);
  sc_at(55);
  sc_worker_end();
  sc_thread(0);
  struct hd_model *model = end(60, &at_all);
  expect_counts(model, 1, 31, 15, 0, REGION);
  expect_counts(model, 1, 0, 0, 0, PROGRAM);
  hd_model_free(model);
}

static void test_worker_before_its_first_region_waits_in_the_program(void **state) {
  (void)state;
  begin();
  sc_thread(1);
  sc_at(4);
  sc_worker_begin();
  sc_thread(0);
  one_region();
  struct hd_model *model = end(60, &at_all);
  expect_counts(model, 1, 0, 10, 0, PROGRAM);
  hd_model_free(model);
}

/* ---- what is told apart ---- */

/* In a region's loop from 10 to 60: a critical section is waited for from 20 to 25 and held to 32; a taskwait from 40
 * to 43. */
static void play_inside(void) {
  begin();
  sc_fork(0x100, 1, 1, 0);
  sc_at(10);
  sc_work_begin(ompt_work_loop_static, 0x200);
  sc_at(20);
  sc_acquire(ompt_mutex_critical, 1, 0x400);
  sc_at(25);
  sc_acquired(ompt_mutex_critical, 1, 0x400);
  sc_at(32);
  sc_released(ompt_mutex_critical, 1, 0x400);
  sc_at(40);
  sc_barrier_begin(ompt_sync_region_taskwait, 0x500);
  sc_at(43);
  sc_barrier_end(ompt_sync_region_taskwait, 0x500);
  sc_at(60);
  sc_work_end(ompt_work_loop_static, 0x200);
  sc_join(70, 70, 70);
}

static void test_all_constructs_are_told_apart(void **state) {
  (void)state;
  play_inside();
  struct hd_model *model = end(80, &at_all);
  expect_counts(model, 0, 20, 0, 0, REGION);
  expect_counts(model, 0, 35, 0, 0, REGION, LOOP);
  expect_counts(model, 0, 7, 5, 0, REGION, LOOP, SITE(CRITICAL, 0x400));
  expect_counts(model, 0, 0, 3, 0, REGION, LOOP, SITE(TASKWAIT, 0x500));
  hd_model_free(model);
}

/* Waiting for a critical section is then the loop's work, for tasks it is not. */
static void test_loops_are_told_apart(void **state) {
  (void)state;
  play_inside();
  struct hd_model *model = end(80, &at_loop);
  expect_counts(model, 0, 20, 0, 0, REGION);
  expect_counts(model, 0, 47, 3, 0, REGION, LOOP);
  assert_null(counts_at(model, 0, EX_SITES(REGION, LOOP, SITE(CRITICAL, 0x400))));
  hd_model_free(model);
}

static void test_regions_are_told_apart(void **state) {
  (void)state;
  play_inside();
  struct hd_model *model = end(80, &at_region);
  expect_counts(model, 0, 67, 3, 0, REGION);
  assert_null(counts_at(model, 0, EX_SITES(REGION, LOOP)));
  hd_model_free(model);
}

/* A barrier of a reduction and one that GCC's code waits at are waited at, whatever is told apart. */
static void test_waiting_at_any_barrier_is_waiting(void **state) {
  (void)state;
  begin();
  sc_fork(0x100, 1, 1, 0);
  sc_at(10);
  sc_barrier_begin(ompt_sync_region_barrier_implementation, 0x300);
  sc_at(16);
  sc_barrier_end(ompt_sync_region_barrier_implementation, 0x300);
  sc_join(20, 20, 20);
  struct hd_model *model = end(20, &at_region);
  expect_counts(model, 0, 14, 6, 0, REGION);
  hd_model_free(model);
}

static void test_phases_are_told_apart_and_routines_only_with_all(void **state) {
  (void)state;
  const struct fk_options *levels[] = {&at_region, &at_all};
  for (int i = 0; i < 2; i++) {
    begin();
    sc_at(5);
    sc_phase_begin(7);
    sc_at(9);
    sc_routine_enter(0xa00);
    sc_at(20);
    sc_routine_exit(0xa00);
    sc_phase_end(7);
    struct hd_model *model = end(24, levels[i]);
    expect_counts(model, 0, 9, 0, 0, PROGRAM);
    expect_counts(model, 0, i ? 4 : 15, 0, 0, SITE(PHASE, 7));
    expect_counts(model, 0, i ? 11 : 0, 0, 0, SITE(PHASE, 7), SITE(ROUTINE, 0xa00));
    hd_model_free(model);
  }
}

/* f calls itself: all is counted where f is, nothing where it leads back. */
static void test_recursive_calls_are_counted_once(void **state) {
  (void)state;
  begin();
  for (int depth = 0; depth < 3; depth++) {
    sc_at((uint64_t)(10 * depth + 5));
    sc_routine_enter(0xa00);
  }
  sc_at(40);
  for (int depth = 0; depth < 3; depth++)
    sc_routine_exit(0xa00);
  struct hd_model *model = end(50, &at_all);
  expect_counts(model, 0, 35, 0, 0, SITE(ROUTINE, 0xa00));
  assert_null(counts_at(model, 0, EX_SITES(SITE(ROUTINE, 0xa00), SITE(ROUTINE, 0xa00))));
  hd_model_free(model);
}

/* From 20 to 26 in the region's last barrier, which lasts from 15 to 30. */
static void test_task_in_a_barrier_is_no_waiting(void **state) {
  (void)state;
  begin();
  sc_fork(0x100, 1, 1, 0);
  const uint32_t task = sc_task_create(0x700, ompt_task_explicit);
  sc_at(15);
  sc_barrier_begin(ompt_sync_region_barrier_explicit, 0x300);
  sc_at(20);
  sc_task_run(task);
  sc_at(26);
  sc_task_leave(ompt_task_complete);
  sc_at(30);
  sc_barrier_end(ompt_sync_region_barrier_explicit, 0x300);
  sc_join(30, 30, 30);
  struct hd_model *model = end(30, &at_loop);
  expect_counts(model, 0, 15, 9, 0, REGION);
  expect_counts(model, 0, 6, 0, 0, REGION, SITE(TASK, 0x700));
  hd_model_free(model);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_region_is_counted_while_busy_waiting_and_in_the_runtime),
      cmocka_unit_test(test_worker_that_idles_after_a_region_counts_as_waiting_there),
      cmocka_unit_test(test_promptly_told_end_counts_alike),
      cmocka_unit_test(test_worker_before_its_first_region_waits_in_the_program),
      cmocka_unit_test(test_all_constructs_are_told_apart),
      cmocka_unit_test(test_loops_are_told_apart),
      cmocka_unit_test(test_regions_are_told_apart),
      cmocka_unit_test(test_waiting_at_any_barrier_is_waiting),
      cmocka_unit_test(test_phases_are_told_apart_and_routines_only_with_all),
      cmocka_unit_test(test_recursive_calls_are_counted_once),
      cmocka_unit_test(test_task_in_a_barrier_is_no_waiting),
  };
  if (argc > 1)
    cmocka_set_test_filter(argv[1]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
