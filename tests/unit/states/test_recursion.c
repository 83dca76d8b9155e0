/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Recursive routines: a routine's time counts once for each outermost entry and thread. Direct and mutual recursion,
 * and the situations of cprof's figures 7 and 8, where calls enter and leave on several threads. Every profile is also
 * compared with the oracle. */
#include "output/model/memory.h"
#include "routine_script.h"

static const struct hd_node *target_of(const struct hd_model *model, const struct hd_node *node) {
  assert_true(node->flags & HD_PROFILE_BACK);
  return &model->nodes[node->target];
}

/* A team of threads 0 and 1 from `time` on. */
static void fork_two(uint64_t time) {
  sc_at(time);
  sc_fork(0x100, 2, 1, time);
}

static void arrive(uint32_t thread, uint64_t time) {
  sc_thread(thread);
  sc_at(time);
  sc_join_begin();
}

static void test_direct_recursion(void **state) {
  (void)state;
  rs_begin();
  rs_enter(0x1100, 1);
  rs_enter(0x1100, 3);
  rs_enter(0x1100, 6);
  rs_leave(0x1100, 7);
  rs_leave(0x1100, 10);
  rs_enter(0x1100, 11);
  rs_leave(0x1100, 12);
  rs_leave(0x1100, 15);
  struct hd_model *model = rs_finish(20, NULL);
  assert_int_equal(model->node_count, 3);
  assert_int_equal(ex_visits(model, 0, A), 1);
  assert_int_equal(ex_visits(model, 0, A, A), 3);
  assert_ptr_equal(target_of(model, ex_node(model, A, A)), ex_node(model, A));
  assert_true(ex_node(model, A)->flags & HD_PROFILE_RECURSIVE);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, A), 14);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, A, A), 0);
  ex_expect_entries(model, 0, CELLS(.ss = 1), CELLS(.ss = 14), A);
  ex_expect_entries(model, 0, CELLS(.ss = 3), CELLS(0), A, A);
  hd_model_free(model);
}

static void test_mutual_recursion(void **state) {
  (void)state;
  rs_begin();
  rs_enter(0x1100, 1);
  rs_enter(0x1200, 2);
  rs_enter(0x1100, 4); /* back to A */
  rs_enter(0x1200, 7); /* the same B below the same A */
  rs_leave(0x1200, 8);
  rs_leave(0x1100, 10);
  rs_leave(0x1200, 15);
  rs_leave(0x1100, 17);
  struct hd_model *model = rs_finish(20, NULL);
  assert_int_equal(model->node_count, 4);
  assert_int_equal(ex_visits(model, 0, A), 1);
  assert_int_equal(ex_visits(model, 0, A, B), 2);
  assert_int_equal(ex_visits(model, 0, A, B, A), 1);
  assert_ptr_equal(target_of(model, ex_node(model, A, B, A)), ex_node(model, A));
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, A), 1 + 3 + 2 + 2);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, A, B), 2 + 1 + 5);
  ex_expect_entries(model, 0, CELLS(.ss = 1), CELLS(.ss = 16), A);
  ex_expect_entries(model, 0, CELLS(.ss = 2), CELLS(.ss = 13), A, B); /* the inner one lies inside */
  hd_model_free(model);
}

static void test_cycle_limit_2_tells_the_second_round_apart(void **state) {
  (void)state;
  const struct fk_options options = {.cycle_limit = "2"};
  rs_begin();
  rs_enter(0x1100, 1);
  rs_enter(0x1200, 2);
  rs_enter(0x1100, 4);
  rs_enter(0x1200, 7); /* A, B were on the path before */
  rs_leave(0x1200, 8);
  rs_leave(0x1100, 10);
  rs_leave(0x1200, 15);
  rs_leave(0x1100, 17);
  struct hd_model *model = rs_finish(20, &options);
  assert_int_equal(model->header.cycle_limit, 2);
  assert_int_equal(ex_visits(model, 0, A, B, A), 1);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, A, B, A), 3 + 2);
  assert_ptr_equal(target_of(model, ex_node(model, A, B, A, B)), ex_node(model, A, B));
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, A, B), 2 + 1 + 5);
  hd_model_free(model);
}

static void test_bounded_depth_has_no_ways_back(void **state) {
  (void)state;
  const struct fk_options options = {.depth = "1"};
  rs_begin();
  rs_enter(0x1100, 1);
  rs_enter(0x1200, 2);
  rs_enter(0x1100, 4);
  rs_leave(0x1100, 10);
  rs_leave(0x1200, 15);
  rs_leave(0x1100, 17);
  struct hd_model *model = rs_finish(20, &options);
  assert_int_equal(model->node_count, 3);
  assert_int_equal(ex_visits(model, 0, A), 2);
  ex_expect_entries(model, 0, CELLS(.ss = 2), CELLS(.ss = 16), A);
  hd_model_free(model);
}

/* cprof, figure 7: entered sequentially, it calls itself on several threads. */
static void test_sequential_entry_recurs_on_several_threads(void **state) {
  (void)state;
  rs_begin();
  rs_enter(0x1100, 1);
  fork_two(5);
  rs_enter(0x1100, 7);
  rs_leave(0x1100, 11);
  sc_thread(1);
  rs_enter(0x1100, 8);
  rs_leave(0x1100, 13);
  arrive(1, 14);
  sc_thread(0);
  sc_join(15, 15, 15);
  rs_leave(0x1100, 20);
  struct hd_model *model = rs_finish(20, NULL);
  assert_ptr_equal(target_of(model, ex_node(model, A, REGION, A)), ex_node(model, A));
  ex_expect_entries(model, 0, CELLS(.ss = 1), CELLS(.ss = 19), A);
  ex_expect_entries(model, 0, CELLS(.sc = 1), CELLS(0), A, REGION, A);
  ex_expect_entries(model, 1, CELLS(.sc = 1), CELLS(0), A, REGION, A);
  ex_expect_entries(model, 1, CELLS(0), CELLS(.sc = 5), A); /* this thread's outermost */
  hd_model_free(model);
}

/* Entered concurrently, it calls itself on its own thread, now with and now without the other one. */
static void test_concurrent_entry_recurs_on_its_thread(void **state) {
  (void)state;
  rs_begin();
  rs_enter(0x1000, 1);
  fork_two(5);
  rs_enter(0x1100, 7);
  rs_enter(0x1100, 9);
  rs_leave(0x1100, 10);
  arrive(1, 12);
  sc_thread(0);
  rs_enter(0x1100, 13);
  rs_leave(0x1100, 16);
  rs_leave(0x1100, 18);
  sc_join(20, 20, 20);
  rs_leave(0x1000, 21);
  struct hd_model *model = rs_finish(22, NULL);
  ex_expect_entries(model, 0, CELLS(.sc = 1), CELLS(.sc = 11), MAIN, REGION, A);
  ex_expect_entries(model, 0, CELLS(.cs = 1, .cc = 1), CELLS(0), MAIN, REGION, A, A);
  hd_model_free(model);
}

/* It is entered on thread 0, recurs on both, and leaves thread 0 while thread 1 is still inside. */
static void test_recursive_exit_while_others_are_inside(void **state) {
  (void)state;
  rs_begin();
  fork_two(1);
  rs_enter(0x1100, 2);
  sc_thread(1);
  rs_enter(0x1100, 3);
  sc_thread(0);
  rs_enter(0x1100, 4);
  sc_thread(1);
  rs_enter(0x1100, 5);
  sc_thread(0);
  rs_leave(0x1100, 6);
  rs_leave(0x1100, 7);
  sc_thread(1);
  rs_leave(0x1100, 10);
  rs_leave(0x1100, 12);
  arrive(1, 13);
  sc_thread(0);
  sc_join(14, 14, 14);
  struct hd_model *model = rs_finish(20, NULL);
  ex_expect_entries(model, 0, CELLS(.sc = 1), CELLS(.sc = 5), REGION, A);
  ex_expect_entries(model, 1, CELLS(.sc = 1), CELLS(.sc = 9), REGION, A);
  ex_expect_entries(model, 0, CELLS(.cc = 1), CELLS(0), REGION, A, A);
  ex_expect_entries(model, 1, CELLS(.cc = 1), CELLS(0), REGION, A, A);
  hd_model_free(model);
}

/* Figure 8: recursive calls leave on other threads than the first. The region's worker is the last to leave A, and the
 * caller's own call, made first, has ended on thread 0 by then. */
static void test_recursion_leaves_on_another_thread(void **state) {
  (void)state;
  rs_begin();
  fork_two(1);
  rs_enter(0x1100, 2);
  uint32_t task = sc_task_create(0x500, 0);
  arrive(1, 3);
  sc_at(4);
  sc_task_run(task);
  rs_enter(0x1100, 5);
  sc_thread(0);
  rs_leave(0x1100, 8);
  sc_thread(1);
  rs_enter(0x1100, 9); /* nobody else is busy */
  rs_leave(0x1100, 11);
  rs_leave(0x1100, 13);
  sc_task_leave(ompt_task_complete);
  arrive(0, 8);
  sc_join(14, 14, 14);
  struct hd_model *model = rs_finish(22, NULL);
  assert_ptr_equal(target_of(model, ex_node(model, REGION, A, TASK, A)), ex_node(model, REGION, A));
  ex_expect_entries(model, 0, CELLS(.sc = 1), CELLS(.sc = 6), REGION, A);
  ex_expect_entries(model, 1, CELLS(.cc = 1), CELLS(0), REGION, A, TASK, A);
  ex_expect_entries(model, 1, CELLS(.cs = 1), CELLS(0), REGION, A, A);
  ex_expect_entries(model, 1, CELLS(0), CELLS(.cc = 8), REGION, A);
  hd_model_free(model);
}

/* The runtime switches an untied task out only where its own body was cut, not inside what it has called. If that
 * happens all the same, the routine was left. */
static void test_a_task_cannot_stop_inside_a_routine(void **state) {
  (void)state;
  rs_begin();
  fork_two(1);
  uint32_t task = sc_task_create(0x500, ompt_task_untied);
  arrive(1, 2);
  sc_at(3);
  sc_task_run(task);
  rs_enter(0x1100, 5);
  sc_at(9);
  sc_task_leave(ompt_task_switch);
  arrive(0, 10);
  sc_at(12);
  sc_task_run(task);
  rs_leave(0x1100, 15);
  sc_at(16);
  sc_task_leave(ompt_task_complete);
  sc_join_end();
  sc_parallel_end();
  struct hd_model *model = rs_finish(22, NULL);
  assert_int_equal(model->header.left_routines, 1);
  assert_int_equal(model->header.unmatched_routines, 1);
  ex_expect_entries(model, 1, CELLS(.cc = 1), CELLS(.cc = 4), REGION, TASK, A);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION, TASK), 4);
  hd_model_free(model);
}

/* A task calls the routine that made it, on the thread that waits inside that routine and on the other one. */
static void test_tasks_recur_into_the_routine_that_made_them(void **state) {
  (void)state;
  rs_begin();
  fork_two(1);
  rs_enter(0x1100, 2);
  uint32_t first = sc_task_create(0x500, 0);
  uint32_t second = sc_task_create(0x500, 0);
  sc_at(3);
  sc_barrier_begin(ompt_sync_region_taskwait, 0x600);
  sc_at(4);
  sc_task_run(first);
  rs_enter(0x1100, 5);
  rs_leave(0x1100, 8);
  sc_task_leave(ompt_task_complete);
  arrive(1, 4);
  sc_at(5);
  sc_task_run(second);
  rs_enter(0x1100, 6);
  rs_leave(0x1100, 10);
  sc_task_leave(ompt_task_complete);
  sc_thread(0);
  sc_at(11);
  sc_barrier_end(ompt_sync_region_taskwait, 0x600);
  rs_leave(0x1100, 12);
  sc_join(13, 13, 13);
  struct hd_model *model = rs_finish(20, NULL);
  assert_int_equal(ex_node(model, REGION, A, TASK, A)->visits, 2);
  ex_expect_entries(model, 0, CELLS(.sc = 1), CELLS(.sc = 10), REGION, A);
  ex_expect_entries(model, 1, CELLS(0), CELLS(.cc = 4), REGION, A);
  hd_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_direct_recursion),
      cmocka_unit_test(test_mutual_recursion),
      cmocka_unit_test(test_cycle_limit_2_tells_the_second_round_apart),
      cmocka_unit_test(test_bounded_depth_has_no_ways_back),
      cmocka_unit_test(test_sequential_entry_recurs_on_several_threads),
      cmocka_unit_test(test_concurrent_entry_recurs_on_its_thread),
      cmocka_unit_test(test_recursive_exit_while_others_are_inside),
      cmocka_unit_test(test_recursion_leaves_on_another_thread),
      cmocka_unit_test(test_a_task_cannot_stop_inside_a_routine),
      cmocka_unit_test(test_tasks_recur_into_the_routine_that_made_them),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
