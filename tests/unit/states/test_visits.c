/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Visits of constructs by the state of the program: concurrent when another thread was busy just before. Every profile
 * is also compared with the oracle. */
#include "output/model/memory.h"
#include "routine_script.h"

static void test_concurrent_visits_of_constructs(void **state) {
  (void)state;
  rs_begin_in_main();
  rs_fork_two(10);
  for (uint32_t i = 0; i < 2; i++) {
    sc_thread(i);
    sc_at(12 + 10 * i);
    sc_work_begin(ompt_work_loop_static, 0x200);
    sc_at(13 + 10 * i);
    sc_acquire(ompt_mutex_critical, 1, 0x400);
    sc_acquired(ompt_mutex_critical, 1, 0x400);
    sc_at(14 + 10 * i);
    sc_released(ompt_mutex_critical, 1, 0x400);
    sc_work_end(ompt_work_loop_static, 0x200);
    sc_barrier_begin(ompt_sync_region_barrier_implicit_workshare, 0x300);
  }
  for (uint32_t i = 0; i < 2; i++) {
    sc_thread(i);
    sc_at(30);
    sc_barrier_end(ompt_sync_region_barrier_implicit_workshare, 0x300);
  }
  rs_join_two(31, 32);
  rs_finish_in_main(40);
  struct hd_model *model = rs_play(NULL);
#define LOOP SITE(LOOP_STATIC, 0x200)
  assert_int_equal(ex_node(model, MAIN, REGION)->visits_concurrent, 0);
  assert_int_equal(ex_node(model, MAIN, REGION, LOOP)->visits, 2);
  assert_int_equal(ex_node(model, MAIN, REGION, LOOP)->visits_concurrent, 1); /* thread 0's: thread 1 came last */
  assert_int_equal(ex_node(model, MAIN, REGION, LOOP, SITE(CRITICAL, 0x400))->visits_concurrent, 1);
  hd_model_free(model);
}

static void test_concurrent_visits_of_nested_regions(void **state) {
  (void)state;
  rs_begin_in_main();
  rs_fork_two(10);
  sc_at(12);
  sc_fork(0x110, 1, 0, 12);
  sc_join(14, 14, 14);
  rs_join_two(11, 20); /* thread 1 waits since 11 */
  rs_fork_two(21);
  sc_at(22);
  sc_fork(0x110, 1, 0, 22);
  sc_join(24, 24, 24);
  rs_join_two(25, 30);
  rs_finish_in_main(40);
  struct hd_model *model = rs_play(NULL);
  assert_int_equal(ex_node(model, MAIN, REGION, SITE(PARALLEL, 0x110))->visits, 2);
  assert_int_equal(ex_node(model, MAIN, REGION, SITE(PARALLEL, 0x110))->visits_concurrent, 1);
  hd_model_free(model);
}

static void test_concurrent_visits_of_tasks_and_waits(void **state) {
  (void)state;
  rs_begin_in_main();
  rs_fork_two(10);
  sc_at(11);
  uint32_t task = sc_task_create(0x500, 0); /* no entry yet */
  sc_at(12);
  sc_barrier_begin(ompt_sync_region_taskwait, 0x600); /* concurrent */
  sc_thread(1);
  sc_at(13);
  sc_barrier_begin(ompt_sync_region_taskwait, 0x600); /* sequential: thread 0 waits */
  sc_at(14);
  sc_barrier_end(ompt_sync_region_taskwait, 0x600);
  sc_thread(0);
  sc_at(15);
  sc_task_run(task); /* concurrent: thread 1 is back */
  sc_at(16);
  sc_task_leave(ompt_task_complete);
  sc_barrier_end(ompt_sync_region_taskwait, 0x600);
  rs_join_two(20, 21);
  rs_finish_in_main(40);
  struct hd_model *model = rs_play(NULL);
  assert_int_equal(ex_node(model, MAIN, REGION, SITE(TASKWAIT, 0x600))->visits, 2);
  assert_int_equal(ex_node(model, MAIN, REGION, SITE(TASKWAIT, 0x600))->visits_concurrent, 1);
  assert_int_equal(ex_node(model, MAIN, REGION, TASK)->visits_concurrent, 1);
  hd_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_concurrent_visits_of_constructs),
      cmocka_unit_test(test_concurrent_visits_of_nested_regions),
      cmocka_unit_test(test_concurrent_visits_of_tasks_and_waits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
