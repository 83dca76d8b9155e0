/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Routines that tell of their entries and exits: callpaths, calls, recursion, jumps. Every profile is also compared
 * with the oracle. */
#include "oracle.h"
#include "output/model/memory.h"
#include "routine_script.h"

#define C SITE(ROUTINE, 0x1300)

static void test_a_routine_has_a_profile_for_each_callpath(void **state) {
  (void)state;
  rs_begin();
  rs_enter(0x1000, 1);
  rs_enter(0x1100, 2);
  rs_enter(0x1300, 4);
  rs_leave(0x1300, 7);
  rs_leave(0x1100, 8);
  rs_enter(0x1200, 9);
  rs_enter(0x1300, 10);
  rs_leave(0x1300, 15);
  rs_leave(0x1200, 16);
  rs_leave(0x1000, 17);
  struct hd_model *model = rs_finish(20, NULL);
  const struct hd_node *node = ex_node(model, MAIN, A, C);
  assert_int_equal(model->node_count, 1 + 5);
  assert_true(model->header.flags & HD_FILE_ROUTINES);
  assert_int_equal(node->flags & (HD_PROFILE_CALLED | HD_PROFILE_BACK), HD_PROFILE_CALLED);
  assert_int_equal(node->target, node->id);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, MAIN, A, C), 3);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, MAIN, B, C), 5);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, MAIN, A), 3);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, PROGRAM), 1 + 3);
  hd_model_free(model);
}

static void test_routines_and_constructs_are_on_one_callpath(void **state) {
  (void)state;
  rs_begin();
  rs_enter(0x1000, 1);
  sc_fork(0x100, 1, 0, 1);
  sc_work_begin(ompt_work_loop_static, 0x200);
  rs_enter(0x1100, 2);
  sc_at(3);
  sc_acquire(ompt_mutex_critical, 1, 0x400);
  sc_at(5);
  sc_acquired(ompt_mutex_critical, 1, 0x400);
  rs_enter(0x1200, 6);
  rs_leave(0x1200, 8);
  sc_at(9);
  sc_released(ompt_mutex_critical, 1, 0x400);
  rs_leave(0x1100, 10);
  sc_work_end(ompt_work_loop_static, 0x200);
  sc_join(11, 11, 11);
  rs_leave(0x1000, 12);
  struct hd_model *model = rs_finish(12, NULL);
#define LOOP SITE(LOOP_STATIC, 0x200)
#define CRITICAL SITE(CRITICAL, 0x400)
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, MAIN, REGION, LOOP, A, CRITICAL, B), 2);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, MAIN, REGION, LOOP, A, CRITICAL), 2);
  assert_int_equal(ex_ticks(model, 0, HD_WAIT_CRITICAL, MAIN, REGION, LOOP, A, CRITICAL), 2);
  ex_expect_entries(model, 0, CELLS(.ss = 1), CELLS(.ss = 8), MAIN, REGION, LOOP, A); /* the wait included */
  hd_model_free(model);
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

/* ---- jumps ---- */

static void test_jump_over_routines_ends_them(void **state) {
  (void)state;
  rs_begin();
  rs_enter(0x1000, 1);
  rs_enter(0x1100, 2);
  rs_enter(0x1200, 4);
  rs_enter(0x1300, 7);
  rs_leave(0x1000, 11);
  struct hd_model *model = rs_finish(20, NULL);
  assert_int_equal(model->header.left_routines, 3);
  assert_int_equal(model->header.unmatched_routines, 0);
  ex_expect_entries(model, 0, CELLS(.ss = 1), CELLS(.ss = 9), MAIN, A);
  ex_expect_entries(model, 0, CELLS(.ss = 1), CELLS(.ss = 4), MAIN, A, B, C);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, PROGRAM), 1 + 9);
  hd_model_free(model);
}

static void test_jump_out_of_constructs(void **state) {
  (void)state;
  rs_begin();
  rs_enter(0x1100, 1);
  sc_at(2);
  sc_acquire(ompt_mutex_critical, 1, 0x400);
  sc_acquired(ompt_mutex_critical, 1, 0x400);
  rs_enter(0x1200, 3);
  rs_leave(0x1100, 6);
  struct hd_model *model = rs_finish(9, NULL);
  assert_int_equal(model->header.left_routines, 1);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, A, CRITICAL, B), 3);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, PROGRAM), 1 + 3);
  hd_model_free(model);
}

/* The construct's end ends what was begun inside; its exit, when it comes, belongs to nothing. */
static void test_construct_ends_inside_a_routine_begun_in_it(void **state) {
  (void)state;
  rs_begin();
  rs_enter(0x1000, 1);
  sc_fork(0x100, 1, 0, 1);
  sc_at(2);
  sc_work_begin(ompt_work_loop_static, 0x200);
  rs_enter(0x1100, 3);
  sc_at(5);
  sc_work_end(ompt_work_loop_static, 0x200);
  rs_leave(0x1100, 7);
  sc_join(9, 9, 9);
  rs_leave(0x1000, 10);
  struct hd_model *model = rs_finish(10, NULL);
  assert_int_equal(model->header.left_routines, 1);
  assert_int_equal(model->header.unmatched_routines, 1);
  ex_expect_entries(model, 0, CELLS(.ss = 1), CELLS(.ss = 2), MAIN, REGION, LOOP, A);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, MAIN, REGION), 1 + 4);
  hd_model_free(model);
}

static void test_a_region_and_a_task_end_the_routines_left_in_them(void **state) {
  (void)state;
  rs_begin();
  fork_two(1);
  rs_enter(0x1100, 2);
  sc_task_run(sc_task_create(0x500, ompt_task_undeferred));
  rs_enter(0x1200, 3);
  sc_at(5);
  sc_task_leave(ompt_task_complete);
  sc_at(6);
  sc_thread(1);
  rs_enter(0x1300, 4);
  arrive(1, 8);
  sc_thread(0);
  sc_join(9, 10, 11);
  struct hd_model *model = rs_finish(12, NULL);
  assert_int_equal(model->header.left_routines, 3);
  ex_expect_entries(model, 0, CELLS(.sc = 1), CELLS(.sc = 7), REGION, A);
  ex_expect_entries(model, 0, CELLS(.cc = 1), CELLS(.cc = 2), REGION, A, TASK, B);
  ex_expect_entries(model, 1, CELLS(.sc = 1), CELLS(.sc = 4), REGION, C);
  hd_model_free(model);
}

static void test_exits_without_an_entry_are_counted(void **state) {
  (void)state;
  rs_begin();
  rs_leave(0x1100, 1);
  rs_enter(0x1000, 2);
  rs_leave(0x1100, 3);
  fork_two(4);
  rs_leave(0x1000, 5); /* its entry is another task's */
  arrive(1, 5);
  sc_thread(0);
  sc_join(6, 6, 6);
  rs_leave(0x1000, 7);
  struct hd_model *model = rs_finish(8, NULL);
  assert_int_equal(model->header.unmatched_routines, 3);
  assert_int_equal(model->header.left_routines, 0);
  ex_expect_entries(model, 0, CELLS(.ss = 1), CELLS(.ss = 5), MAIN);
  hd_model_free(model);
}

/* The innermost of several: those inside it have ended, the ones around it have not. */
static void test_an_exit_ends_the_innermost_entry(void **state) {
  (void)state;
  rs_begin();
  rs_enter(0x1100, 1);
  rs_enter(0x1100, 2);
  rs_enter(0x1200, 3);
  rs_leave(0x1100, 5);
  rs_leave(0x1100, 8);
  struct hd_model *model = rs_finish(9, NULL);
  assert_int_equal(model->header.left_routines, 1);
  assert_int_equal(model->header.unmatched_routines, 0);
  ex_expect_entries(model, 0, CELLS(.ss = 1), CELLS(.ss = 7), A);
  hd_model_free(model);
}

/* ---- before the runtime ---- */

/* A program that was started with the library: its hooks come before anything else. On the real clock: there is no
 * other before the runtime is asked. */
static void test_routines_entered_before_the_runtime_starts(void **state) {
  (void)state;
  const struct fk_options options = {.real_clock = true, .late_runtime = true};
  sc_start(SC_LIBOMP_19);
  rs_enter(0x1000, 1);
  rs_enter(0x1100, 2);
  rs_leave(0x1100, 3);
  sc_at(4);
  sc_initial_begin();
  sc_fork(0x100, 1, 0, 5);
  rs_enter(0x1100, 6);
  rs_leave(0x1100, 7);
  sc_join(8, 8, 8);
  rs_leave(0x1000, 9);
  sc_at(10);
  sc_finish();
  struct hd_model *model = ex_play_with(&options);
  struct or_result *oracle = or_run(sc_script(), 0);
  const char *difference = or_count_difference(oracle, model);
  if (difference)
    fail_msg("%s", difference);
  or_free(oracle);
  assert_int_equal(ex_visits(model, 0, MAIN), 1);
  assert_int_equal(ex_visits(model, 0, MAIN, A), 1);
  assert_int_equal(ex_visits(model, 0, MAIN, REGION, A), 1);
  assert_int_equal(model->header.unmatched_routines + model->header.left_routines, 0);
  hd_model_free(model);
}

/* No OpenMP at all: the library's destructor closes the profile. */
static void test_a_program_without_a_runtime(void **state) {
  (void)state;
  const struct fk_options options = {.real_clock = true, .late_runtime = true};
  sc_start(SC_LIBOMP_19);
  rs_enter(0x1000, 1);
  rs_enter(0x1100, 2);
  rs_leave(0x1100, 3);
  rs_leave(0x1000, 4);
  struct hd_model *model;
  sc_exit(0);
  model = ex_play_with(&options);
  assert_int_equal(ex_visits(model, 0, MAIN, A), 1);
  assert_int_equal(model->thread_count, 1);
  hd_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_routine_has_a_profile_for_each_callpath),
      cmocka_unit_test(test_routines_and_constructs_are_on_one_callpath),
      cmocka_unit_test(test_jump_over_routines_ends_them),
      cmocka_unit_test(test_jump_out_of_constructs),
      cmocka_unit_test(test_construct_ends_inside_a_routine_begun_in_it),
      cmocka_unit_test(test_a_region_and_a_task_end_the_routines_left_in_them),
      cmocka_unit_test(test_exits_without_an_entry_are_counted),
      cmocka_unit_test(test_an_exit_ends_the_innermost_entry),
      cmocka_unit_test(test_routines_entered_before_the_runtime_starts),
      cmocka_unit_test(test_a_program_without_a_runtime),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
