/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Visits of constructs by the state of the program: concurrent when another thread was busy just before. Every profile
 * is also compared with the oracle. */
#include "expect.h"
#include "script.h"

#define MAIN SITE(ROUTINE, 0x1000)
#define REGION SITE(PARALLEL, 0x100)
#define TASK SITE(TASK, 0x500)

static void begin(void) {
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  sc_at(1);
  sc_routine_enter(0x1000);
}

static void finish(uint64_t time) {
  sc_at(time);
  sc_thread(0);
  sc_routine_exit(0x1000);
  sc_finish();
}

/* A team of threads 0 and 1, both busy from `time` on; and its end. */
static void fork_two(uint64_t time) {
  sc_thread(0);
  sc_at(time);
  sc_fork(0x100, 2, 1, time);
}

static void join_two(uint64_t worker_arrives, uint64_t time) {
  sc_thread(1);
  sc_at(worker_arrives);
  sc_join_begin();
  sc_thread(0);
  sc_join(time, time, time);
}

static struct hd_model *play(void) {
  fk_sort(sc_script());
  return ex_play_exact(NULL);
}

static void test_concurrent_visits_of_constructs(void **state) {
  (void)state;
  begin();
  fork_two(10);
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
  join_two(31, 32);
  finish(40);
  struct hd_model *model = play();
#define LOOP SITE(LOOP_STATIC, 0x200)
  assert_int_equal(ex_node(model, MAIN, REGION)->visits_concurrent, 0);
  assert_int_equal(ex_node(model, MAIN, REGION, LOOP)->visits, 2);
  assert_int_equal(ex_node(model, MAIN, REGION, LOOP)->visits_concurrent, 1); /* thread 0's: thread 1 came last */
  assert_int_equal(ex_node(model, MAIN, REGION, LOOP, SITE(CRITICAL, 0x400))->visits_concurrent, 1);
  ex_expect_entries(model, 0, CELLS(.sc = 1), CELLS(0), MAIN, REGION, LOOP);
  ex_expect_entries(model, 1, CELLS(0), CELLS(0), MAIN, REGION, LOOP);
  hd_model_free(model);
}

static void test_concurrent_visits_of_nested_regions(void **state) {
  (void)state;
  begin();
  fork_two(10);
  sc_at(12);
  sc_fork(0x110, 1, 0, 12);
  sc_join(14, 14, 14);
  join_two(11, 20); /* thread 1 waits since 11 */
  fork_two(21);
  sc_at(22);
  sc_fork(0x110, 1, 0, 22);
  sc_join(24, 24, 24);
  join_two(25, 30);
  finish(40);
  struct hd_model *model = play();
  assert_int_equal(ex_node(model, MAIN, REGION, SITE(PARALLEL, 0x110))->visits, 2);
  assert_int_equal(ex_node(model, MAIN, REGION, SITE(PARALLEL, 0x110))->visits_concurrent, 1);
  hd_model_free(model);
}

static void test_concurrent_visits_of_tasks_and_waits(void **state) {
  (void)state;
  begin();
  fork_two(10);
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
  join_two(20, 21);
  finish(40);
  struct hd_model *model = play();
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
