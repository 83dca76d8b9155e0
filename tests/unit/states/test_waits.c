/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Everything that changes who is busy changes the level: each kind of wait, failed lock tests, teams, cancellation. */
#include "expect.h"
#include "output/model/memory.h"
#include "script.h"

#define REGION SITE(PARALLEL, 0x100)

/* A region of two from 0 to 100; thread 1 is busy all the time, thread 0 is current. */
static void begin(enum sc_runtime runtime) {
  sc_start(runtime);
  sc_initial_begin();
  sc_fork(0x100, 2, 1, 0);
  sc_thread(1);
  sc_at(100);
  sc_join_begin();
  sc_thread(0);
  sc_at(0);
}

/* Thread 0 has waited for `waited` of the 100 ticks. */
static void expect_wait(uint64_t waited) {
  sc_thread(0);
  sc_join(100, 100, 100);
  sc_finish();
  fk_sort(sc_script());
  struct hd_model *model = ex_play_exact(NULL);
  ex_expect_levels(&model->time_at, 0, waited, 100 - waited);
  ex_expect_levels(&ex_node(model, REGION)->elapsed_at, 0, waited, 100 - waited);
  hd_model_free(model);
}

static void test_wait_of_any_barrier_is_not_busy(void **state) {
  (void)state;
  static const ompt_sync_region_t kinds[] = {
      ompt_sync_region_barrier_explicit, ompt_sync_region_barrier_implicit_workshare,
      ompt_sync_region_taskwait,         ompt_sync_region_barrier_implementation,
      ompt_sync_region_reduction,
  };
  begin(SC_LIBOMP_19);
  for (uint32_t i = 0; i < 5; i++) {
    sc_at(10 * i + 2);
    sc_barrier_begin(kinds[i], 0x300 + i);
    sc_at(10 * i + 9);
    sc_barrier_end(kinds[i], 0x300 + i);
  }
  expect_wait(5 * 7);
}

static void test_wait_of_any_mutex_is_not_busy(void **state) {
  (void)state;
  static const ompt_mutex_t kinds[] = {ompt_mutex_critical, ompt_mutex_ordered, ompt_mutex_atomic, ompt_mutex_lock,
                                       ompt_mutex_nest_lock};
  begin(SC_LIBOMP_19);
  for (uint32_t i = 0; i < 5; i++) {
    sc_at(10 * i + 2);
    sc_acquire(kinds[i], 1 + i, 0x400 + i);
    sc_at(10 * i + 5);
    sc_acquired(kinds[i], 1 + i, 0x400 + i);
    sc_at(10 * i + 9);
    sc_released(kinds[i], 1 + i, 0x400 + i);
  }
  expect_wait(5 * 3);
}

/* Held already: it is acquired again without a wait. */
static void test_nested_lock_taken_again_is_busy(void **state) {
  (void)state;
  begin(SC_LIBOMP_19);
  sc_at(10);
  sc_acquire(ompt_mutex_nest_lock, 1, 0x400);
  sc_at(14);
  sc_acquired(ompt_mutex_nest_lock, 1, 0x400);
  struct fk_event again = sc_event(FK_NEST_LOCK);
  sc_at(20);
  again.endpoint = ompt_scope_begin;
  sc_emit(again);
  sc_at(30);
  again.endpoint = ompt_scope_end;
  sc_emit(again);
  sc_released(ompt_mutex_nest_lock, 1, 0x440);
  expect_wait(4);
}

static void test_body_of_a_taskgroup_is_busy_its_end_is_not(void **state) {
  (void)state;
  begin(SC_LIBOMP_19);
  sc_at(10);
  sc_taskgroup_begin(0x700);
  sc_at(40);
  sc_taskgroup_wait(0x700);
  sc_at(46);
  sc_taskgroup_end(0x700);
  expect_wait(6);
}

static void test_tasks_of_a_taskloop_are_busy(void **state) {
  (void)state;
  begin(SC_LIBOMP_19);
  sc_at(10);
  sc_taskgroup_begin(0x700);
  sc_work_begin(ompt_work_taskloop, 0x200);
  uint32_t task = sc_task_create(0x500, 0);
  sc_work_end(ompt_work_taskloop, 0x200);
  sc_at(12);
  sc_taskgroup_wait(0x700);
  sc_at(15);
  sc_task_run(task);
  sc_at(25);
  sc_task_leave(ompt_task_complete);
  sc_at(26);
  sc_taskgroup_end(0x700);
  expect_wait(3 + 1);
}

/* "taskwait depend": a task that is never run, from its creation to its "complete"; another runs meanwhile. */
static void test_wait_for_dependences_is_not_busy(void **state) {
  (void)state;
  begin(SC_LIBOMP_19);
  uint32_t task = sc_task_create(0x500, 0);
  sc_at(10);
  uint32_t wait = sc_task_create(0x600, ompt_task_taskwait | ompt_task_undeferred | ompt_task_mergeable);
  sc_at(15);
  sc_task_run(task);
  sc_at(40);
  sc_task_leave(ompt_task_complete);
  sc_at(42);
  struct fk_event complete = sc_event(FK_TASK_SCHEDULE);
  complete.kind = ompt_taskwait_complete;
  complete.task = wait;
  complete.next = sc_current_task();
  sc_emit(complete);
  expect_wait(5 + 2);
}

/* In the second of two loops an iteration has waited for another one. Is known of it that waits are missing? */
static bool is_marked_after(void (*events)(void), bool second) {
  begin(SC_LIBOMP_19);
  sc_at(5);
  for (uint32_t i = 0; i < 2; i++) {
    sc_work_begin(ompt_work_loop_static, 0x200 + i);
    sc_at(20 * i + 20);
    if (i == 1)
      events();
    sc_work_end(ompt_work_loop_static, 0x200 + i);
  }
  sc_thread(0);
  sc_join(100, 100, 100);
  sc_finish();
  fk_sort(sc_script());
  struct hd_model *model = ex_play_exact(NULL);
  const struct hd_node *loop = ex_node(model, REGION, SITE(LOOP_STATIC, second ? 0x201 : 0x200));
  const bool marked = loop->refused & HD_REFUSED_SINKS;
  assert_int_equal(marked, (loop->marks[HD_MARKS_OF_CALLPATHS] & HD_MARK_SINKS) != 0);
  hd_model_free(model);
  return marked;
}

static void sinks(void) {
  sc_dependence(ompt_dependence_type_source);
  sc_dependence(ompt_dependence_type_sink);
  sc_dependence(ompt_dependence_type_sink);
}

static void dependent_tasks(void) {
  sc_dependence(ompt_dependence_type_in);
  sc_dependence(ompt_dependence_type_inout);
}

static void sink_in_pause(void) {
  sc_pause();
  sc_dependence(ompt_dependence_type_sink);
  sc_resume();
}

static void test_a_doacross_loop_is_known_by_its_waits(void **state) {
  (void)state;
  assert_true(is_marked_after(sinks, true));
  assert_false(is_marked_after(sinks, false));
  assert_false(is_marked_after(dependent_tasks, true));
  assert_false(is_marked_after(sink_in_pause, true));
}

static void test_cancelled_task_stops_being_busy(void **state) {
  (void)state;
  begin(SC_LIBOMP_19);
  uint32_t task = sc_task_create(0x500, 0);
  sc_at(10);
  sc_barrier_begin(ompt_sync_region_taskwait, 0x600);
  sc_at(12);
  sc_task_run(task);
  sc_at(20);
  sc_cancel(ompt_cancel_taskgroup | ompt_cancel_activated, 0x900);
  sc_task_leave(ompt_task_cancel);
  sc_at(25);
  sc_barrier_end(ompt_sync_region_taskwait, 0x600);
  expect_wait(2 + 5);
}

/* libomp 14: an acquire that is not followed by an "acquired". */
static void test_failed_lock_test_is_busy_after_all(void **state) {
  (void)state;
  begin(SC_LIBOMP_14);
  sc_at(10);
  sc_acquire(ompt_mutex_lock, 1, 0x400);
  sc_at(60);
  sc_acquire(ompt_mutex_critical, 2, 0x410); /* the first that is heard of the thread since */
  sc_at(65);
  sc_acquired(ompt_mutex_critical, 2, 0x410);
  sc_released(ompt_mutex_critical, 2, 0x410);
  expect_wait(5);
}

/* Meanwhile the ring of the other thread, which is half full then, is not emptied. */
static void test_failed_lock_test_holds_the_sweep_back(void **state) {
  (void)state;
  begin(SC_LIBOMP_14);
  sc_at(10);
  sc_acquire(ompt_mutex_lock, 1, 0x400);
  sc_thread(1);
  sc_at(20);
  for (int i = 0; i < 150; i++) { /* less than a ring holds */
    sc_acquire(ompt_mutex_critical, 2, 0x410);
    sc_acquired(ompt_mutex_critical, 2, 0x410);
    sc_released(ompt_mutex_critical, 2, 0x410);
  }
  sc_thread(0);
  sc_at(60);
  sc_work_begin(ompt_work_loop_static, 0x200);
  sc_work_end(ompt_work_loop_static, 0x200);
  expect_wait(0);
}

/* Two tests, both fail, then a wait that is one. */
static void test_lock_wait_after_failed_tests_is_not_busy(void **state) {
  (void)state;
  begin(SC_LIBOMP_14);
  for (uint32_t i = 0; i < 3; i++) {
    sc_at(10 * (i + 1));
    sc_acquire(ompt_mutex_lock, 1, 0x400);
  }
  sc_at(38);
  sc_acquired(ompt_mutex_lock, 1, 0x400);
  expect_wait(8);
}

static void test_league_of_teams_has_levels(void **state) {
  (void)state;
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  uint32_t league = sc_teams_begin(0x100, 2);
  sc_implicit_begin(league, 0, 2);
  sc_thread(1);
  sc_at(3);
  sc_implicit_begin(league, 1, 2);
  sc_at(20);
  sc_join_begin();
  sc_thread(0);
  sc_join(25, 30, 30);
  sc_finish();
  fk_sort(sc_script());
  struct hd_model *model = ex_play_exact(NULL);
  ex_expect_levels(&model->time_at, 5, 3 + 5, 17);
  ex_expect_levels(&ex_node(model, SITE(TEAMS, 0x100))->elapsed_at, 5, 3 + 5, 17);
  hd_model_free(model);
}

/* Its end comes late, early or promptly: from its arrival on it is not busy. */
static void test_worker_is_not_busy_from_its_arrival_on(void **state) {
  (void)state;
  for (int habit = 0; habit < 3; habit++) {
    sc_start(SC_LIBOMP_19);
    sc_initial_begin();
    sc_fork(0x100, 2, 1, 0);
    sc_thread(1);
    sc_at(10);
    sc_join_begin();
    sc_at(habit == 1 ? 15 : 22);
    if (habit)
      sc_worker_end();
    sc_thread(0);
    sc_join(20, 20, 20);
    sc_at(50);
    sc_finish();
    fk_sort(sc_script());
    struct hd_model *model = ex_play_exact(NULL);
    ex_expect_levels(&model->time_at, 0, 10 + 30, 10);
    ex_expect_levels(&ex_node(model, REGION)->elapsed_at, 0, 10, 10);
    hd_model_free(model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_wait_of_any_barrier_is_not_busy),
      cmocka_unit_test(test_wait_of_any_mutex_is_not_busy),
      cmocka_unit_test(test_nested_lock_taken_again_is_busy),
      cmocka_unit_test(test_body_of_a_taskgroup_is_busy_its_end_is_not),
      cmocka_unit_test(test_tasks_of_a_taskloop_are_busy),
      cmocka_unit_test(test_wait_for_dependences_is_not_busy),
      cmocka_unit_test(test_a_doacross_loop_is_known_by_its_waits),
      cmocka_unit_test(test_cancelled_task_stops_being_busy),
      cmocka_unit_test(test_failed_lock_test_is_busy_after_all),
      cmocka_unit_test(test_failed_lock_test_holds_the_sweep_back),
      cmocka_unit_test(test_lock_wait_after_failed_tests_is_not_busy),
      cmocka_unit_test(test_league_of_teams_has_levels),
      cmocka_unit_test(test_worker_is_not_busy_from_its_arrival_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
