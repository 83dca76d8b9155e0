/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Entries by the state of the program: Malony's cprof, whose cases are caller-callee S-S, S-C and C-S; and C-C, which
 * the Alliant did not know. An entry is concurrent when another thread was busy just before it. Every profile is also
 * compared with the oracle. */
#include "output/model/memory.h"
#include "routine_script.h"

static void call(uint32_t thread, uint64_t function, uint64_t from, uint64_t to) {
  sc_thread(thread);
  sc_at(from);
  sc_routine_enter(function);
  sc_at(to);
  sc_routine_exit(function);
}

static void enter(uint32_t thread, uint64_t function, uint64_t time) {
  sc_thread(thread);
  sc_at(time);
  sc_routine_enter(function);
}

static void leave(uint32_t thread, uint64_t function, uint64_t time) {
  sc_thread(thread);
  sc_at(time);
  sc_routine_exit(function);
}

static void test_sequential_caller_and_callee(void **state) {
  (void)state;
  rs_begin_in_main();
  call(0, 0x1100, 2, 5);
  call(0, 0x1100, 7, 11);
  rs_finish_in_main(12);
  struct hd_model *model = rs_play(NULL);
  ex_expect_entries(model, 0, CELLS(.ss = 1), CELLS(.ss = 11), MAIN);
  ex_expect_entries(model, 0, CELLS(.ss = 2), CELLS(.ss = 3 + 4), MAIN, A);
  assert_int_equal(ex_node(model, MAIN, A)->visits_concurrent, 0);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, MAIN), 11 - 7);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, MAIN, A), 7);
  hd_model_free(model);
}

/* main, entered sequentially, opens a region whose threads call A: S-C on both. */
static void test_sequential_caller_of_concurrent_callees(void **state) {
  (void)state;
  rs_begin_in_main();
  rs_fork_two(10);
  call(0, 0x1100, 13, 20);
  call(1, 0x1100, 14, 22);
  rs_join_two(23, 25);
  rs_finish_in_main(30);
  struct hd_model *model = rs_play(NULL);
  ex_expect_entries(model, 0, CELLS(.sc = 1), CELLS(.sc = 7), MAIN, REGION, A);
  ex_expect_entries(model, 1, CELLS(.sc = 1), CELLS(.sc = 8), MAIN, REGION, A);
  assert_int_equal(ex_node(model, MAIN, REGION, A)->visits_concurrent, 2);
  hd_model_free(model);
}

/* A's entry on thread 0 is concurrent. It calls B when thread 1 waits at the barrier already. */
static void test_concurrent_caller_of_a_sequential_callee(void **state) {
  (void)state;
  rs_begin_in_main();
  rs_fork_two(10);
  enter(0, 0x1100, 13);
  call(0, 0x1200, 25, 31);
  leave(0, 0x1100, 33);
  rs_join_two(20, 35);
  rs_finish_in_main(40);
  struct hd_model *model = rs_play(NULL);
  ex_expect_entries(model, 0, CELLS(.sc = 1), CELLS(.sc = 20), MAIN, REGION, A);
  ex_expect_entries(model, 0, CELLS(.cs = 1), CELLS(.cs = 6), MAIN, REGION, A, B);
  hd_model_free(model);
}

static void test_concurrent_caller_and_callee(void **state) {
  (void)state;
  rs_begin_in_main();
  rs_fork_two(10);
  enter(1, 0x1100, 13);
  call(1, 0x1200, 15, 16);
  call(1, 0x1200, 17, 20);
  leave(1, 0x1100, 22);
  rs_join_two(24, 35);
  rs_finish_in_main(40);
  struct hd_model *model = rs_play(NULL);
  ex_expect_entries(model, 1, CELLS(.sc = 1), CELLS(.sc = 9), MAIN, REGION, A);
  ex_expect_entries(model, 1, CELLS(.cc = 2), CELLS(.cc = 4), MAIN, REGION, A, B);
  assert_int_equal(ex_node(model, MAIN, REGION, A, B)->visits_concurrent, 2);
  hd_model_free(model);
}

/* The program's level is taken just before the entry: who starts at the same instant does not count yet, who stops then
 * still does. */
static void test_state_is_that_just_before_the_entry(void **state) {
  (void)state;
  rs_begin_in_main();
  sc_at(10);
  uint32_t region = sc_parallel_begin(0x100, 2);
  sc_implicit_begin(region, 0, 2);
  sc_thread(1);
  sc_at(15);
  sc_implicit_begin(region, 1, 2);
  call(0, 0x1100, 15, 17); /* thread 1 begins at 15 */
  call(0, 0x1100, 20, 21); /* thread 1 ends at 20 */
  call(0, 0x1100, 22, 23);
  rs_join_two(20, 30);
  rs_finish_in_main(40);
  struct hd_model *model = rs_play(NULL);
  ex_expect_entries(model, 0, CELLS(.ss = 2, .sc = 1), CELLS(.ss = 2 + 1, .sc = 1), MAIN, REGION, A);
  hd_model_free(model);
}

/* The region's caller is A, entered concurrently: what the inner team calls is called by A. */
static void test_workers_inherit_the_state_of_the_regions_caller(void **state) {
  (void)state;
  rs_begin_in_main();
  rs_fork_two(10);
  enter(1, 0x1100, 12);
  sc_at(14);
  sc_fork(0x110, 2, 2, 15);
  call(2, 0x1200, 17, 19); /* threads 0 and 1 are busy */
  sc_thread(0);
  sc_at(20);
  sc_join_begin();
  call(2, 0x1200, 22, 23); /* thread 1 is busy */
  sc_thread(2);
  sc_at(24);
  sc_join_begin();
  sc_thread(1);
  call(1, 0x1200, 25, 29); /* nobody else is */
  sc_join(30, 31, 32);
  leave(1, 0x1100, 33);
  sc_at(34);
  sc_join_begin();
  sc_thread(0);
  sc_at(35);
  sc_join_end();
  sc_parallel_end();
  rs_finish_in_main(40);
  struct hd_model *model = rs_play(NULL);
#define INNER SITE(PARALLEL, 0x110)
  ex_expect_entries(model, 2, CELLS(.cc = 2), CELLS(.cc = 2 + 1), MAIN, REGION, A, INNER, B);
  ex_expect_entries(model, 1, CELLS(.cs = 1), CELLS(.cs = 4), MAIN, REGION, A, INNER, B);
  hd_model_free(model);
}

/* The primary may have called something else meanwhile: the region's caller is who began it. */
static void test_late_workers_inherit_it_too(void **state) {
  (void)state;
  rs_begin_in_main();
  rs_fork_two(10);
  enter(0, 0x1200, 12); /* concurrent */
  sc_at(14);
  uint32_t inner = sc_parallel_begin(0x110, 2);
  sc_implicit_begin(inner, 0, 2);
  sc_thread(1);
  sc_at(15);
  sc_join_begin();
  enter(0, 0x1100, 18); /* sequential */
  sc_thread(2);
  sc_at(20);
  sc_implicit_begin(inner, 1, 2);
  call(2, 0x1100, 21, 24);
  sc_at(25);
  sc_join_begin();
  leave(0, 0x1100, 26);
  sc_join(27, 28, 29);
  leave(0, 0x1200, 30);
  sc_join(31, 32, 33);
  rs_finish_in_main(40);
  struct hd_model *model = rs_play(NULL);
  ex_expect_entries(model, 2, CELLS(.cc = 1), CELLS(.cc = 3), MAIN, REGION, B, INNER, A);
  ex_expect_entries(model, 0, CELLS(.cs = 1), CELLS(.cs = 8), MAIN, REGION, B, INNER, A);
  hd_model_free(model);
}

static void test_threads_outside_regions_are_called_by_the_program(void **state) {
  (void)state;
  rs_begin_in_main();
  sc_thread(1);
  sc_at(5);
  sc_initial_begin();
  call(1, 0x1100, 8, 12);
  rs_finish_in_main(20);
  struct hd_model *model = rs_play(NULL);
  ex_expect_entries(model, 1, CELLS(.sc = 1), CELLS(.sc = 4), A);
  hd_model_free(model);
}

/* ---- tasks ---- */

/* What a task calls is called by the task: in the state in which it began. */
static void test_tasks_call_in_their_own_state(void **state) {
  (void)state;
  rs_begin_in_main();
  rs_fork_two(10);
  enter(0, 0x1200, 11); /* S-C */
  sc_at(12);
  uint32_t task = sc_task_create(0x500, 0);
  sc_thread(1);
  sc_at(13);
  sc_join_begin();
  sc_thread(0);
  sc_at(15);
  sc_barrier_begin(ompt_sync_region_taskwait, 0x600);
  sc_at(16);
  sc_task_run(task); /* sequentially: thread 1 waits */
  call(0, 0x1100, 18, 21);
  sc_at(22);
  sc_task_leave(ompt_task_complete);
  sc_at(23);
  sc_barrier_end(ompt_sync_region_taskwait, 0x600);
  leave(0, 0x1200, 24);
  sc_join(25, 25, 25);
  rs_finish_in_main(40);
  struct hd_model *model = rs_play(NULL);
  ex_expect_entries(model, 0, CELLS(.ss = 1), CELLS(.ss = 3), MAIN, REGION, B, TASK, A);
  ex_expect_entries(model, 0, CELLS(.sc = 1), CELLS(.sc = 13), MAIN, REGION, B); /* the task ran inside */
  assert_int_equal(ex_node(model, MAIN, REGION, B, TASK)->visits_concurrent, 0);
  hd_model_free(model);
}

/* An untied task that goes on on another thread calls in the state in which it goes on. */
static void test_tasks_that_change_threads_call_in_another_state(void **state) {
  (void)state;
  rs_begin_in_main();
  rs_fork_two(10);
  sc_at(11);
  uint32_t task = sc_task_create(0x500, ompt_task_untied);
  sc_thread(1);
  sc_at(12);
  sc_join_begin();
  sc_at(14);
  sc_task_run(task); /* thread 0 is busy */
  call(1, 0x1100, 15, 17);
  sc_at(20);
  sc_task_leave(ompt_task_switch);
  sc_thread(0);
  sc_at(25);
  sc_join_begin();
  sc_at(30);
  sc_task_run(task); /* nobody is */
  call(0, 0x1100, 31, 34);
  sc_at(35);
  sc_task_leave(ompt_task_complete);
  sc_at(36);
  sc_join_end();
  sc_parallel_end();
  rs_finish_in_main(40);
  struct hd_model *model = rs_play(NULL);
  ex_expect_entries(model, 1, CELLS(.cc = 1), CELLS(.cc = 2), MAIN, REGION, TASK, A);
  ex_expect_entries(model, 0, CELLS(.ss = 1), CELLS(.ss = 3), MAIN, REGION, TASK, A);
  assert_int_equal(ex_node(model, MAIN, REGION, TASK)->visits_concurrent, 1);
  hd_model_free(model);
}

static void test_open_entries_end_with_the_profile(void **state) {
  (void)state;
  rs_begin_in_main();
  rs_fork_two(10);
  enter(1, 0x1100, 14);
  sc_thread(0);
  sc_at(20);
  sc_finalize();
  struct hd_model *model = rs_play(NULL);
  ex_expect_entries(model, 0, CELLS(.ss = 1), CELLS(.ss = 19), MAIN);
  ex_expect_entries(model, 1, CELLS(.sc = 1), CELLS(.sc = 6), MAIN, REGION, A);
  assert_int_equal(model->header.left_routines, 0);
  hd_model_free(model);
}

static void test_killed_program_has_its_open_entries(void **state) {
  (void)state;
  rs_begin_in_main();
  call(0, 0x1100, 3, 5);
  enter(0, 0x1200, 6);
  sc_at(9);
  sc_acquire(ompt_mutex_critical, 1, 0x400);
  sc_kill();
  struct hd_model *model = ex_play_killed();
  ex_expect_entries(model, 0, CELLS(.ss = 1), CELLS(.ss = 8), MAIN);
  ex_expect_entries(model, 0, CELLS(.ss = 1), CELLS(.ss = 2), MAIN, A);
  ex_expect_entries(model, 0, CELLS(.ss = 1), CELLS(.ss = 3), MAIN, B);
  hd_model_free(model);
}

/* All that happens in the pause happens at the instant at which the worker joined. */
static void test_a_region_that_ends_in_a_pause_still_called_what_its_worker_entered(void **state) {
  (void)state;
  rs_begin_in_main();
  sc_thread(2);
  sc_at(2);
  sc_initial_begin(); /* busy to the end */
  enter(0, 0x1100, 5);
  rs_fork_two(10);
  enter(1, 0x1200, 10);
  sc_pause();
  leave(1, 0x1200, 12);
  rs_join_two(15, 20);
  leave(0, 0x1100, 21);
  sc_resume();
  rs_finish_in_main(30);
  struct hd_model *model = rs_play(NULL);
  ex_expect_entries(model, 2, CELLS(.cc = 1), CELLS(.cc = 0), MAIN, A, REGION, B);
  hd_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sequential_caller_and_callee),
      cmocka_unit_test(test_sequential_caller_of_concurrent_callees),
      cmocka_unit_test(test_concurrent_caller_of_a_sequential_callee),
      cmocka_unit_test(test_concurrent_caller_and_callee),
      cmocka_unit_test(test_state_is_that_just_before_the_entry),
      cmocka_unit_test(test_workers_inherit_the_state_of_the_regions_caller),
      cmocka_unit_test(test_late_workers_inherit_it_too),
      cmocka_unit_test(test_threads_outside_regions_are_called_by_the_program),
      cmocka_unit_test(test_tasks_call_in_their_own_state),
      cmocka_unit_test(test_tasks_that_change_threads_call_in_another_state),
      cmocka_unit_test(test_a_region_that_ends_in_a_pause_still_called_what_its_worker_entered),
      cmocka_unit_test(test_open_entries_end_with_the_profile),
      cmocka_unit_test(test_killed_program_has_its_open_entries),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
