/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Why threads waited at implicit barriers: unequal work in a construct, or before it, what one thread did alone. */
#include "losses_script.h"

/* ---- implicit barriers ---- */

static void test_unequal_work_is_imbalance(void **state) {
  (void)state;
  begin();
  sc_fork(0x100, 2, 1, 0);
  worker_arrives(25);
  sc_join(60, 60, 60);
  end(60);
  expect_losses(LOSSES(REGION), 2 * 60, 60 + 25, IMBALANCE = 35);
  expect_losses(&book->program, 2 * 60, 60 + 25, IMBALANCE = 35);
}

/* Three instances: the same thread is never late twice, so only each instance on its own shows the imbalance. */
static void test_imbalance_is_that_of_each_instance(void **state) {
  (void)state;
  begin();
  for (uint64_t t = 0; t < 300; t += 100) {
    const uint64_t first = t == 100 ? 30 : 90, second = t == 100 ? 90 : 30;
    sc_at(t);
    sc_fork(0x100, 2, 1, t);
    worker_arrives(t + second);
    sc_join(t + first, t + 90, t + 90);
  }
  end(290);
  expect_losses(LOSSES(REGION), 2 * 270, 3 * (90 + 30), IMBALANCE = 3 * 60);
}

/* Where the barrier takes longer than the slowest thread's work, the rest is the runtime's. */
static void test_imbalance_of_a_loop_is_the_loops(void **state) {
  (void)state;
  begin();
  sc_fork(0x100, 2, 1, 0);
  loop_of(0, ompt_work_loop_static, 0, 80, 83);
  loop_of(1, ompt_work_loop_static, 0, 20, 83);
  worker_arrives(90);
  sc_join(90, 90, 90);
  end(90);
  expect_losses(LOSSES(REGION, LOOP), 2 * 83, 80 + 20, IMBALANCE = 60, RUNTIME = 3 + 3);
  expect_losses(LOSSES(REGION), 2 * 90, 100 + 2 * 7, IMBALANCE = 60, RUNTIME = 6);
}

static void test_reduction_is_imbalance(void **state) {
  (void)state;
  begin();
  sc_fork(0x100, 2, 1, 0);
  sc_at(30);
  sc_barrier_begin(ompt_sync_region_reduction, 0x300);
  sc_at(50);
  sc_barrier_end(ompt_sync_region_reduction, 0x300);
  worker_arrives(50);
  sc_join(50, 50, 50);
  end(50);
  expect_losses(LOSSES(REGION), 2 * 50, 50 + 30, IMBALANCE = 20);
}

/* Thread 0 does it, the other waits; both leave 2 late. */
static void test_wait_for_a_single_is_serial(void **state) {
  (void)state;
  begin();
  sc_fork(0x100, 2, 1, 0);
  loop_of(0, ompt_work_single_executor, 10, 60, 62);
  loop_of(1, ompt_work_single_other, 10, 10, 62);
  worker_arrives(70);
  sc_join(70, 70, 70);
  end(70);
  expect_losses(LOSSES(REGION, SINGLE), 2 * 52, 50, SERIAL = 50, RUNTIME = 2 + 2);
  expect_losses(LOSSES(REGION), 2 * 70, 50 + 2 * 18, SERIAL = 50, RUNTIME = 4);
  expect_losses(&book->program, 2 * 70, 50 + 2 * 18, SERIAL = 50, RUNTIME = 4);
}

static void single_without_barrier(uint32_t thread, ompt_work_t kind, uint64_t from, uint64_t to) {
  sc_thread(thread);
  sc_at(from);
  sc_work_begin(kind, 0x200);
  sc_at(to);
  sc_work_end(kind, 0x200);
}

/* It has no barrier of its own: the wait is the region's, but what it is for is the same. */
static void test_wait_for_a_single_at_the_regions_end_is_serial(void **state) {
  (void)state;
  begin();
  sc_fork(0x100, 2, 1, 0);
  single_without_barrier(0, ompt_work_single_executor, 5, 65);
  single_without_barrier(1, ompt_work_single_other, 5, 5);
  worker_arrives(15);
  sc_join(75, 75, 75);
  end(75);
  expect_losses(LOSSES(REGION), 2 * 75, 75 + 15, SERIAL = 60);
}

static void explicit_barrier(uint32_t thread, uint64_t from, uint64_t to) {
  sc_thread(thread);
  sc_at(from);
  sc_barrier_begin(ompt_sync_region_barrier_explicit, 0x300);
  sc_at(to);
  sc_barrier_end(ompt_sync_region_barrier_explicit, 0x300);
}

/* Thread 0 works alone from 0 to 50, `before` more by itself, and then at the explicit barrier both go on at once. */
static void play_masked(uint64_t before) {
  begin();
  sc_fork(0x100, 2, 1, 0);
  sc_at(0);
  sc_masked_begin(0x200);
  sc_at(50);
  sc_masked_end();
  explicit_barrier(0, 50 + before, 50 + before);
  explicit_barrier(1, 0, 50 + before);
  worker_arrives(50 + before);
  sc_join(50 + before, 50 + before, 50 + before);
  end(50 + before);
}

static void test_wait_at_a_barrier_for_who_is_masked_is_serial(void **state) {
  (void)state;
  play_masked(0);
  expect_losses(LOSSES(REGION), 2 * 50, 50, SERIAL = 50);
}

static void test_wait_at_a_barrier_for_more_than_the_masked_is_the_barriers(void **state) {
  (void)state;
  play_masked(30);
  expect_losses(LOSSES(REGION), 2 * 80, 80, SERIAL = 50, BARRIER = 30);
}

/* ---- work before a construct ---- */

/* Thread 0 works from 0 to `before`, the other not at all; then both have 20 in a loop. */
static void play_loop_after(uint64_t before) {
  loop_of(0, ompt_work_loop_static, before, before + 20, before + 21);
  loop_of(1, ompt_work_loop_static, 0, 20, before + 21);
  worker_arrives(before + 21);
  sc_join(before + 21, before + 21, before + 21);
  end(before + 21);
}

static void test_unequal_work_before_a_loop_is_imbalance(void **state) {
  (void)state;
  begin();
  sc_fork(0x100, 2, 1, 0);
  play_loop_after(50);
  expect_losses(LOSSES(REGION, LOOP), 21 + 71, 2 * 20, IMBALANCE = 50, RUNTIME = 2);
  expect_losses(LOSSES(REGION), 2 * 71, 50 + 2 * 20, IMBALANCE = 50, RUNTIME = 2);
}

static void test_single_before_a_loop_is_serial(void **state) {
  (void)state;
  begin();
  sc_fork(0x100, 2, 1, 0);
  sc_at(0);
  sc_work_begin(ompt_work_single_executor, 0x210);
  sc_at(50);
  sc_work_end(ompt_work_single_executor, 0x210);
  play_loop_after(50);
  expect_losses(LOSSES(REGION, LOOP), 21 + 71, 2 * 20, SERIAL = 50, RUNTIME = 2);
}

/* In the second region both do the same before the loop, and are late all the same: that is not their work, nor that
 * before the loop of the first. */
static void test_equal_work_before_a_loop_explains_nothing(void **state) {
  (void)state;
  begin();
  sc_fork(0x100, 2, 1, 0);
  loop_of(0, ompt_work_loop_static, 50, 70, 70);
  loop_of(1, ompt_work_loop_static, 0, 20, 70);
  worker_arrives(70);
  sc_join(70, 70, 70);
  sc_at(100);
  sc_fork(0x110, 2, 1, 100);
  loop_of(0, ompt_work_loop_static, 150, 170, 180);
  loop_of(1, ompt_work_loop_static, 150, 170, 180);
  worker_arrives(180);
  sc_join(180, 180, 180);
  end(180);
  expect_losses(LOSSES(REGION, LOOP), 20 + 70, 2 * 20, IMBALANCE = 50);
  expect_losses(LOSSES(INNER, LOOP), 2 * 30, 2 * 20, RUNTIME = 2 * 10);
}

/* Thread 0 alone works from 0 to 50, then both for 20 in a loop. */
static void test_master_before_a_loop_is_serial(void **state) {
  (void)state;
  begin();
  sc_fork(0x100, 2, 1, 0);
  sc_masked_begin(0x800);
  sc_at(50);
  sc_masked_end();
  play_loop_after(50);
  expect_losses(LOSSES(REGION, LOOP), 21 + 71, 2 * 20, SERIAL = 50, RUNTIME = 2);
  expect_losses(LOSSES(REGION), 2 * 71, 50 + 2 * 20, SERIAL = 50, RUNTIME = 2);
}

static void test_wait_for_a_master_at_the_regions_end_is_serial(void **state) {
  (void)state;
  begin();
  sc_fork(0x100, 2, 1, 0);
  sc_at(10);
  sc_masked_begin(0x800);
  sc_at(60);
  sc_masked_end();
  worker_arrives(10);
  sc_join(60, 60, 60);
  end(60);
  expect_losses(LOSSES(REGION), 2 * 60, 60 + 10, SERIAL = 50);
}

static void test_single_before_an_explicit_barrier_is_serial(void **state) {
  (void)state;
  begin();
  sc_fork(0x100, 2, 1, 0);
  single_without_barrier(0, ompt_work_single_executor, 0, 50);
  sc_barrier_begin(ompt_sync_region_barrier_explicit, 0x300);
  sc_thread(1);
  sc_at(0);
  sc_barrier_begin(ompt_sync_region_barrier_explicit, 0x300);
  for (uint32_t i = 0; i < 2; i++) {
    sc_thread(i);
    sc_at(51);
    sc_barrier_end(ompt_sync_region_barrier_explicit, 0x300);
  }
  worker_arrives(60);
  sc_join(60, 60, 60);
  end(60);
  expect_losses(LOSSES(REGION), 2 * 60, 50 + 2 * 9, SERIAL = 50, BARRIER = 2);
}

/* ---- GCC's code ---- */

/* Its `single` has no end: what thread 0 does in it from 10 to 60 is in the region's own time, and so is a task. */
static void play_single_of_gcc(bool with_task) {
  sc_start(SC_GOMP);
  sc_initial_begin();
  sc_fork(0x100, 2, 1, 0);
  sc_at(10);
  sc_work_begin(ompt_work_single_executor, 0x200);
  if (with_task) {
    sc_task_run(sc_task_create(0x500, ompt_task_undeferred));
    sc_at(40);
    sc_task_leave(ompt_task_complete);
  }
  sc_at(60);
  sc_barrier_begin(sc_work_barrier(), 0);
  sc_at(62);
  sc_barrier_end(sc_work_barrier(), 0);
  loop_of(1, ompt_work_single_other, 10, 10, 62);
  worker_arrives(70);
  sc_join(70, 70, 70);
  end(70);
}

static void test_wait_for_a_single_of_gcc_is_serial(void **state) {
  (void)state;
  play_single_of_gcc(false);
  expect_losses(LOSSES(REGION), 2 * 70, 50 + 2 * 18, SERIAL = 52 + 2);
}

static void test_wait_for_a_single_of_gcc_with_tasks_is_tasks(void **state) {
  (void)state;
  play_single_of_gcc(true);
  expect_losses(LOSSES(REGION), 2 * 70, 50 + 2 * 18, TASKS = 52 + 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(test_unequal_work_is_imbalance, forget),
      cmocka_unit_test_teardown(test_imbalance_is_that_of_each_instance, forget),
      cmocka_unit_test_teardown(test_imbalance_of_a_loop_is_the_loops, forget),
      cmocka_unit_test_teardown(test_reduction_is_imbalance, forget),
      cmocka_unit_test_teardown(test_wait_for_a_single_is_serial, forget),
      cmocka_unit_test_teardown(test_wait_for_a_single_at_the_regions_end_is_serial, forget),
      cmocka_unit_test_teardown(test_wait_at_a_barrier_for_who_is_masked_is_serial, forget),
      cmocka_unit_test_teardown(test_wait_at_a_barrier_for_more_than_the_masked_is_the_barriers, forget),
      cmocka_unit_test_teardown(test_unequal_work_before_a_loop_is_imbalance, forget),
      cmocka_unit_test_teardown(test_single_before_a_loop_is_serial, forget),
      cmocka_unit_test_teardown(test_equal_work_before_a_loop_explains_nothing, forget),
      cmocka_unit_test_teardown(test_master_before_a_loop_is_serial, forget),
      cmocka_unit_test_teardown(test_wait_for_a_master_at_the_regions_end_is_serial, forget),
      cmocka_unit_test_teardown(test_single_before_an_explicit_barrier_is_serial, forget),
      cmocka_unit_test_teardown(test_wait_for_a_single_of_gcc_is_serial, forget),
      cmocka_unit_test_teardown(test_wait_for_a_single_of_gcc_with_tasks_is_tasks, forget),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
