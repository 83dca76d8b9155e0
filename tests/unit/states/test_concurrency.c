/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How long how many threads were busy: programs whose levels can be worked out on paper. */
#include <math.h>

#include "expect.h"
#include "output/model/memory.h"
#include "script.h"

#define REGION SITE(PARALLEL, 0x100)
#define INNER SITE(PARALLEL, 0x110)
#define CRITICAL SITE(CRITICAL, 0x400)
#define TASK SITE(TASK, 0x500)

static void begin(void) {
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
}

/* The events are in the order of threads, not of time. */
static struct hd_model *end(uint64_t time) {
  sc_thread(0);
  sc_at(time);
  sc_finish();
  fk_sort(sc_script());
  return ex_play_exact(NULL);
}

/* A thread arrives at its region's end. */
static void arrive(uint32_t thread, uint64_t time) {
  sc_thread(thread);
  sc_at(time);
  sc_join_begin();
}

static void test_staircase_has_the_same_time_at_every_level(void **state) {
  (void)state;
  begin();
  sc_fork(0x100, 4, 1, 0);
  for (uint32_t i = 1; i < 4; i++)
    arrive(i, 10 * (i + 1));
  sc_thread(0);
  sc_join(10, 40, 40);
  struct hd_model *model = end(40);
  const struct hd_node *region = ex_node(model, REGION);
  ex_expect_levels(&model->time_at, 0, 10, 10, 10, 10);
  ex_expect_levels(&region->elapsed_at, 0, 10, 10, 10, 10);
  ex_expect_levels(&region->busy_at, 0, 10, 20, 30, 40);
  assert_true(fabs(region->wall_share_ticks - 40) < 1e-9);
  assert_int_equal(region->active_ticks, 40);
  hd_model_free(model);
}

static void test_critical_section_is_held_by_one_at_a_time(void **state) {
  (void)state;
  begin();
  sc_fork(0x100, 3, 1, 0);
  for (uint32_t i = 0; i < 3; i++) {
    sc_thread(i);
    sc_at(0);
    sc_acquire(ompt_mutex_critical, 1, 0x400);
    sc_at(10 * i);
    sc_acquired(ompt_mutex_critical, 1, 0x400);
    sc_at(10 * i + 8);
    sc_released(ompt_mutex_critical, 1, 0x400);
    sc_join_begin();
  }
  sc_thread(0);
  sc_at(30);
  sc_join_end();
  sc_parallel_end();
  struct hd_model *model = end(30);
  ex_expect_levels(&model->time_at, 3 * 2, 3 * 8);
  ex_expect_levels(&ex_node(model, REGION, CRITICAL)->busy_at, 0, 24);
  ex_expect_levels(&ex_node(model, REGION)->busy_at, 0);
  ex_expect_levels(&ex_node(model, REGION)->busy_at_inclusive, 0, 24);
  ex_expect_levels(&ex_node(model, REGION, CRITICAL)->elapsed_at, 0); /* it is no region */
  hd_model_free(model);
}

/* Thread 1 waits in a barrier until 14 and runs a task from 4 to 14, thread 0 the other in its taskwait from 6 to 10.
 */
static void test_tasks_inside_a_barrier_and_a_taskwait_are_busy(void **state) {
  (void)state;
  begin();
  sc_fork(0x100, 2, 1, 0);
  sc_at(2);
  uint32_t first = sc_task_create(0x500, 0);
  uint32_t second = sc_task_create(0x500, 0);
  sc_at(6);
  sc_barrier_begin(ompt_sync_region_taskwait, 0x600);
  sc_task_run(second);
  sc_at(10);
  sc_task_leave(ompt_task_complete);
  sc_at(14);
  sc_barrier_end(ompt_sync_region_taskwait, 0x600);
  sc_barrier_begin(ompt_sync_region_barrier_explicit, 0x300);
  sc_barrier_end(ompt_sync_region_barrier_explicit, 0x300);
  sc_thread(1);
  sc_at(0);
  sc_barrier_begin(ompt_sync_region_barrier_explicit, 0x300);
  sc_at(4);
  sc_task_run(first);
  sc_at(14);
  sc_task_leave(ompt_task_complete);
  sc_barrier_end(ompt_sync_region_barrier_explicit, 0x300);
  arrive(1, 20);
  sc_thread(0);
  sc_join(20, 20, 20);
  struct hd_model *model = end(20);
  const struct hd_node *task = ex_node(model, REGION, TASK);
  ex_expect_levels(&model->time_at, 0, 4 + 4, 2 + 4 + 6);
  ex_expect_levels(&task->busy_at, 0, 4, 2 + 4 + 4);
  ex_expect_levels(&ex_node(model, REGION)->busy_at, 0, 4, 2 + 2 * 6);
  assert_int_equal(task->active_ticks, 10);
  assert_int_equal(ex_overlap(model, task, ex_node(model, REGION)), 2);
  hd_model_free(model);
}

static void test_untied_task_is_busy_on_whatever_thread_runs_it(void **state) {
  (void)state;
  begin();
  sc_fork(0x100, 2, 1, 0);
  uint32_t task = sc_task_create(0x500, ompt_task_untied);
  for (uint32_t i = 0; i < 2; i++) {
    sc_thread(i);
    sc_at(0);
    sc_barrier_begin(ompt_sync_region_barrier_explicit, 0x300);
    sc_at(i ? 12 : 5);
    sc_task_run(task);
    sc_at(i ? 20 : 10);
    sc_task_leave(i ? ompt_task_complete : ompt_task_switch);
    sc_at(22);
    sc_barrier_end(ompt_sync_region_barrier_explicit, 0x300);
    sc_join_begin();
  }
  sc_thread(0);
  sc_join_end();
  sc_parallel_end();
  struct hd_model *model = end(22);
  ex_expect_levels(&model->time_at, 5 + 2 + 2, 5 + 8);
  ex_expect_levels(&ex_node(model, REGION, TASK)->busy_at, 0, 13);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION, TASK), 5);
  assert_int_equal(ex_ticks(model, 1, HD_BUSY, REGION, TASK), 8);
  hd_model_free(model);
}

/* Thread 1 of the outer team forks at 10 and is back at 32; its inner team works from 12 to 20 and 30. */
static struct hd_model *play_nested_region(void) {
  begin();
  sc_fork(0x100, 2, 1, 0);
  sc_thread(1);
  sc_at(10);
  sc_fork(0x110, 2, 2, 12);
  arrive(2, 30);
  sc_thread(1);
  sc_join(20, 30, 32);
  arrive(1, 40);
  sc_thread(0);
  sc_join(25, 40, 40);
  return end(40);
}

static void test_nested_region_has_levels_of_its_own(void **state) {
  (void)state;
  struct hd_model *model = play_nested_region();
  const struct hd_node *inner = ex_node(model, REGION, INNER);
  const struct hd_node *outer = ex_node(model, REGION);
  ex_expect_levels(&model->time_at, 2, 2 + 5 + 8, 10 + 5, 8);
  ex_expect_levels(&inner->elapsed_at, 2, 2 + 5, 5, 8);
  ex_expect_levels(&inner->busy_at, 0, 5, 5, 2 * 8);
  ex_expect_levels(&outer->elapsed_at, 2, 2 + 5 + 8, 10 + 5, 8);
  ex_expect_levels(&outer->busy_at, 0, 2 + 8, 20 + 5, 8);
  ex_expect_levels(&outer->busy_at_inclusive, 0, 15, 30, 24);
  assert_int_equal(ex_overlap(model, inner, outer), 8 + 5);
  hd_model_free(model);
}

static void test_serialised_region_is_sequential(void **state) {
  (void)state;
  begin();
  sc_at(5);
  uint32_t region = sc_parallel_begin(0x100, 1);
  sc_at(7);
  sc_implicit_begin(region, 0, 1);
  sc_join(17, 17, 18);
  struct hd_model *model = end(20);
  ex_expect_levels(&model->time_at, 2 + 1, 5 + 10 + 2);
  ex_expect_levels(&ex_node(model, REGION)->elapsed_at, 3, 10);
  ex_expect_levels(&ex_node(model, PROGRAM)->busy_at, 0, 7);
  hd_model_free(model);
}

/* Instances of one region, from 0 to 20 and from 10 to 30, opened by threads 0 and 1. */
static void test_regions_of_two_initial_threads_add_up(void **state) {
  (void)state;
  begin();
  sc_fork(0x100, 2, 2, 0);
  arrive(2, 20);
  sc_thread(0);
  sc_join(20, 20, 20);
  sc_thread(1);
  sc_at(5);
  sc_initial_begin();
  sc_at(10);
  sc_fork(0x100, 2, 3, 10);
  arrive(3, 30);
  sc_thread(1);
  sc_join(30, 30, 30);
  struct hd_model *model = end(30);
  ex_expect_levels(&model->time_at, 0, 0, 5, 5 + 10, 10);
  ex_expect_levels(&ex_node(model, REGION)->elapsed_at, 0, 0, 5, 5 + 10, 2 * 10);
  ex_expect_levels(&ex_node(model, REGION)->busy_at, 0, 0, 10, 10 + 20, 40);
  ex_expect_levels(&ex_node(model, PROGRAM)->busy_at, 0, 0, 0, 5 + 10);
  hd_model_free(model);
}

static void test_team_that_shrinks_has_fewer_levels(void **state) {
  (void)state;
  begin();
  for (uint32_t team = 3; team > 1; team--) {
    uint64_t from = team == 3 ? 0 : 20;
    sc_at(from);
    sc_fork(0x100, team, 1, from);
    for (uint32_t i = 1; i < team; i++)
      arrive(i, from + 10);
    sc_thread(0);
    sc_join(from + 10, from + 10, from + 10);
  }
  struct hd_model *model = end(30);
  ex_expect_levels(&model->time_at, 0, 10, 10, 10);
  ex_expect_levels(&ex_node(model, REGION)->elapsed_at, 0, 0, 10, 10);
  hd_model_free(model);
}

static void test_recursive_region_is_not_counted_twice(void **state) {
  (void)state;
  begin();
  sc_fork(0x100, 2, 1, 0);
  sc_at(10);
  sc_fork(0x100, 2, 2, 10);
  arrive(2, 20);
  sc_thread(0);
  sc_join(20, 20, 20);
  arrive(1, 30);
  sc_thread(0);
  sc_join(30, 30, 30);
  struct hd_model *model = end(30);
  ex_expect_levels(&ex_node(model, REGION)->elapsed_at, 0, 0, 20, 10);
  ex_expect_levels(&ex_node(model, REGION)->busy_at, 0, 0, 40, 30);
  hd_model_free(model);
}

static void test_killed_region_is_counted_until_the_kill(void **state) {
  (void)state;
  begin();
  sc_at(10);
  sc_fork(0x100, 2, 1, 12);
  sc_at(30);
  sc_acquire(ompt_mutex_critical, 1, 0x400);
  sc_kill();
  struct hd_model *model = ex_play_killed();
  ex_expect_levels(&model->time_at, 2, 10, 18);
  ex_expect_levels(&ex_node(model, REGION)->elapsed_at, 2, 0, 18);
  ex_expect_levels(&ex_node(model, REGION)->busy_at, 0, 0, 36);
  hd_model_free(model);
}

/* 10 ticks alone, 20 ticks with two others, 6 ticks in which all wait. */
static void test_wall_shares_and_time_at_none_are_the_elapsed_time(void **state) {
  (void)state;
  begin();
  sc_at(10);
  sc_fork(0x100, 3, 1, 10);
  for (uint32_t i = 0; i < 3; i++) {
    sc_thread(i);
    sc_at(15);
    if (i == 2)
      sc_work_begin(ompt_work_loop_static, 0x200);
    sc_at(30);
    if (i == 2)
      sc_work_end(ompt_work_loop_static, 0x200);
    if (i > 0)
      sc_join_begin();
  }
  sc_thread(0);
  sc_join(30, 36, 36);
  struct hd_model *model = end(36);
  ex_expect_levels(&model->time_at, 6, 10, 0, 20);
  assert_true(fabs(ex_node(model, PROGRAM)->wall_share_ticks - 10) < 1e-9);
  assert_true(fabs(ex_node(model, REGION)->wall_share_ticks - 45 / 3.0) < 1e-9);
  assert_true(fabs(ex_node(model, REGION, SITE(LOOP_STATIC, 0x200))->wall_share_ticks - 15 / 3.0) < 1e-9);
  assert_true(fabs(ex_node(model, REGION)->wall_share_inclusive_ticks - 20) < 1e-9);
  assert_true(fabs(ex_node(model, PROGRAM)->wall_share_inclusive_ticks - 30) < 1e-9);
  hd_model_free(model);
}

static void test_thread_that_has_ended_is_not_busy(void **state) {
  (void)state;
  begin();
  sc_thread(1);
  sc_at(5);
  sc_initial_begin();
  sc_at(20);
  sc_initial_end();
  sc_thread(2);
  sc_at(22);
  sc_initial_begin();
  sc_at(25);
  sc_initial_end();
  struct hd_model *model = end(30);
  ex_expect_levels(&model->time_at, 0, 5 + 2 + 5, 15 + 3);
  hd_model_free(model);
}

static void test_nobody_is_busy_at_none(void **state) {
  (void)state;
  begin();
  sc_acquire(ompt_mutex_critical, 1, 0x400);
  struct hd_model *model = end(30);
  ex_expect_levels(&model->time_at, 30);
  ex_expect_levels(&ex_node(model, PROGRAM)->elapsed_at, 30);
  assert_int_equal(ex_node(model, CRITICAL)->active_ticks, 0);
  assert_true(ex_node(model, PROGRAM)->wall_share_inclusive_ticks < 1e-9);
  hd_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_staircase_has_the_same_time_at_every_level),
      cmocka_unit_test(test_critical_section_is_held_by_one_at_a_time),
      cmocka_unit_test(test_tasks_inside_a_barrier_and_a_taskwait_are_busy),
      cmocka_unit_test(test_untied_task_is_busy_on_whatever_thread_runs_it),
      cmocka_unit_test(test_nested_region_has_levels_of_its_own),
      cmocka_unit_test(test_serialised_region_is_sequential),
      cmocka_unit_test(test_regions_of_two_initial_threads_add_up),
      cmocka_unit_test(test_team_that_shrinks_has_fewer_levels),
      cmocka_unit_test(test_recursive_region_is_not_counted_twice),
      cmocka_unit_test(test_killed_region_is_counted_until_the_kill),
      cmocka_unit_test(test_wall_shares_and_time_at_none_are_the_elapsed_time),
      cmocka_unit_test(test_thread_that_has_ended_is_not_busy),
      cmocka_unit_test(test_nobody_is_busy_at_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
