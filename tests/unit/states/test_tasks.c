/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Explicit tasks: whose time they are and what becomes of the wait in which they run. */
#include "expect.h"
#include "output/model/memory.h"
#include "script.h"

#define REGION SITE(PARALLEL, 0x100)
#define TASK SITE(TASK, 0x500)

/* A region of two at time 0; thread 0 is current. */
static void begin(void) {
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  sc_fork(0x100, 2, 1, 0);
}

/* Both threads reach the region's end by `time`, where the team joins. */
static struct hd_model *end(uint64_t time) {
  sc_thread(1);
  sc_at(time);
  sc_join_begin();
  sc_thread(0);
  sc_join(time, time, time);
  sc_finish();
  fk_sort(sc_script());
  return ex_play();
}

/* OpenMP 6.0's transparent tasks: flags that headers before it lack say how they depend on others. */
static void test_importing_and_exporting_tasks_are_tasks(void **state) {
  (void)state;
  enum { IMPORTING = 0x02000000, EXPORTING = 0x04000000 };
  begin();
  sc_at(2);
  uint32_t task = sc_task_create(0x500, ompt_task_explicit | IMPORTING | EXPORTING);
  sc_task_run(task);
  sc_at(12);
  sc_task_leave(ompt_task_complete);
  struct hd_model *model = end(20);
  assert_int_equal(model->header.unknown_events, 0);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION, TASK), 10);
  hd_model_free(model);
}

static void test_task_in_a_barrier_is_busy_and_then_waits_again(void **state) {
  (void)state;
  begin();
  sc_at(2);
  uint32_t task = sc_task_create(0x500, 0);
  sc_thread(1);
  sc_barrier_begin(ompt_sync_region_barrier_explicit, 0x150);
  sc_at(5);
  sc_task_run(task);
  sc_at(12);
  sc_task_leave(ompt_task_complete);
  sc_at(15);
  sc_barrier_end(ompt_sync_region_barrier_explicit, 0x150);
  sc_thread(0);
  sc_at(14);
  sc_barrier_begin(ompt_sync_region_barrier_explicit, 0x150);
  sc_at(15);
  sc_barrier_end(ompt_sync_region_barrier_explicit, 0x150);
  struct hd_model *model = end(20);
  assert_int_equal(ex_ticks(model, 1, HD_BUSY, REGION, TASK), 7);
  assert_int_equal(ex_visits(model, 1, REGION, TASK), 1);
  assert_int_equal(ex_ticks(model, 1, HD_WAIT_BARRIER_EXPLICIT, REGION, SITE(BARRIER_EXPLICIT, 0x150)), 3 + 3);
  assert_false(ex_has_node(model, REGION, SITE(BARRIER_EXPLICIT, 0x150), TASK)); /* the creator's child */
  hd_model_free(model);
}

static void test_task_in_the_regions_last_barrier_is_busy(void **state) {
  (void)state;
  begin();
  sc_at(2);
  uint32_t task = sc_task_create(0x500, 0);
  sc_thread(1);
  sc_at(3);
  sc_join_begin();
  sc_at(4);
  sc_task_run(task);
  sc_at(9);
  sc_task_leave(ompt_task_complete);
  sc_thread(0);
  sc_join(6, 11, 12);
  sc_at(20);
  sc_finish();
  fk_sort(sc_script());
  struct hd_model *model = ex_play();
  assert_int_equal(ex_ticks(model, 1, HD_BUSY, REGION, TASK), 5);
  assert_int_equal(ex_ticks(model, 1, HD_WAIT_BARRIER_IMPLICIT, REGION), 1 + 2);
  assert_int_equal(ex_ticks(model, 1, HD_IDLE, PROGRAM), 20 - 11);
  assert_int_equal(ex_node(model, REGION)->team.busy_ticks, 6 + 3 + 5);
  hd_model_free(model);
}

static void test_task_in_a_taskwait_is_busy_and_then_waits_again(void **state) {
  (void)state;
  begin();
  uint32_t task = sc_task_create(0x500, 0);
  sc_at(4);
  sc_barrier_begin(ompt_sync_region_taskwait, 0x600);
  sc_at(5);
  sc_task_run(task);
  sc_at(8);
  sc_task_leave(ompt_task_complete);
  sc_at(10);
  sc_barrier_end(ompt_sync_region_taskwait, 0x600);
  struct hd_model *model = end(20);
  assert_int_equal(ex_ticks(model, 0, HD_WAIT_TASKWAIT, REGION, SITE(TASKWAIT, 0x600)), 1 + 2);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION, TASK), 3);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION), 4 + 10);
  hd_model_free(model);
}

static void test_task_is_a_child_of_the_construct_that_created_it(void **state) {
  (void)state;
  begin();
  sc_work_begin(ompt_work_single_executor, 0x200);
  uint32_t task = sc_task_create(0x500, 0);
  sc_at(3);
  sc_work_end(ompt_work_single_executor, 0x200);
  sc_at(4);
  sc_join_begin();
  sc_task_run(task); /* long after the construct has ended */
  sc_at(9);
  sc_task_leave(ompt_task_complete);
  sc_thread(1);
  sc_join_begin();
  sc_thread(0);
  sc_join_end();
  sc_parallel_end();
  sc_finish();
  struct hd_model *model = ex_play();
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION, SITE(SINGLE, 0x200), TASK), 5);
  hd_model_free(model);
}

static void test_task_of_a_task_is_its_child_on_any_thread(void **state) {
  (void)state;
  begin();
  uint32_t outer = sc_task_create(0x500, 0);
  sc_barrier_begin(ompt_sync_region_taskwait, 0x600);
  sc_at(1);
  sc_task_run(outer);
  uint32_t inner = sc_task_create(0x510, 0);
  sc_at(5);
  sc_task_leave(ompt_task_complete);
  sc_barrier_end(ompt_sync_region_taskwait, 0x600);
  sc_thread(1);
  sc_at(6);
  sc_barrier_begin(ompt_sync_region_taskwait, 0x600);
  sc_task_run(inner);
  sc_at(13);
  sc_task_leave(ompt_task_complete);
  sc_barrier_end(ompt_sync_region_taskwait, 0x600);
  struct hd_model *model = end(20);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION, TASK), 4);
  assert_int_equal(ex_ticks(model, 1, HD_BUSY, REGION, TASK, SITE(TASK, 0x510)), 7);
  hd_model_free(model);
}

static void test_waiting_task_runs_another_inside_its_wait(void **state) {
  (void)state;
  begin();
  uint32_t first = sc_task_create(0x500, 0);
  uint32_t second = sc_task_create(0x520, 0);
  sc_barrier_begin(ompt_sync_region_taskwait, 0x600);
  sc_task_run(first);
  sc_at(2);
  sc_barrier_begin(ompt_sync_region_taskwait, 0x610);
  sc_at(3);
  sc_task_run(second);
  sc_at(8);
  sc_task_leave(ompt_task_complete);
  sc_at(10);
  sc_barrier_end(ompt_sync_region_taskwait, 0x610);
  sc_at(11);
  sc_task_leave(ompt_task_complete);
  sc_barrier_end(ompt_sync_region_taskwait, 0x600);
  struct hd_model *model = end(11);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION, TASK), 2 + 1);
  assert_int_equal(ex_ticks(model, 0, HD_WAIT_TASKWAIT, REGION, TASK, SITE(TASKWAIT, 0x610)), 1 + 2);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION, SITE(TASK, 0x520)), 5);
  hd_model_free(model);
}

static void test_undeferred_task_interrupts_its_creator(void **state) {
  (void)state;
  begin();
  sc_at(2);
  sc_task_run(sc_task_create(0x500, ompt_task_undeferred));
  sc_at(7);
  sc_task_leave(ompt_task_complete);
  struct hd_model *model = end(10);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION, TASK), 5);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION), 2 + 3);
  hd_model_free(model);
}

static void test_task_outside_regions_is_a_child_of_the_program(void **state) {
  (void)state;
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  sc_at(2);
  sc_task_run(sc_task_create(0x500, ompt_task_undeferred));
  sc_at(7);
  sc_task_leave(ompt_task_complete);
  sc_at(8);
  sc_finish();
  struct hd_model *model = ex_play();
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, TASK), 5);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, PROGRAM), 3);
  hd_model_free(model);
}

static void test_untied_task_is_charged_to_the_thread_that_runs_it(void **state) {
  (void)state;
  begin();
  uint32_t task = sc_task_create(0x500, ompt_task_untied);
  for (uint32_t i = 0; i < 2; i++) {
    sc_thread(i);
    sc_at(0);
    sc_barrier_begin(ompt_sync_region_barrier_explicit, 0x150);
  }
  for (uint32_t i = 0; i < 2; i++) {
    sc_thread(i);
    sc_at(2 + 10 * i);
    sc_task_run(task);
    sc_at(5 + 10 * i + i);
    sc_task_leave(i ? ompt_task_complete : ompt_task_switch);
  }
  for (uint32_t i = 0; i < 2; i++) {
    sc_thread(i);
    sc_at(20);
    sc_barrier_end(ompt_sync_region_barrier_explicit, 0x150);
  }
  struct hd_model *model = end(20);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION, TASK), 3);
  assert_int_equal(ex_ticks(model, 1, HD_BUSY, REGION, TASK), 4);
  assert_int_equal(ex_visits(model, 0, REGION, TASK) + ex_visits(model, 1, REGION, TASK), 1);
  assert_int_equal(ex_ticks(model, 0, HD_WAIT_BARRIER_EXPLICIT, REGION, SITE(BARRIER_EXPLICIT, 0x150)), 17);
  hd_model_free(model);
}

/* It begins a taskgroup on thread 0 and ends it on thread 1. */
static void test_untied_task_takes_its_open_taskgroup_along(void **state) {
  (void)state;
  begin();
  uint32_t task = sc_task_create(0x500, ompt_task_untied);
  sc_barrier_begin(ompt_sync_region_taskwait, 0x600);
  sc_task_run(task);
  sc_at(2);
  sc_taskgroup_begin(0x700);
  sc_at(4);
  sc_task_leave(ompt_task_switch);
  sc_thread(1);
  sc_at(6);
  sc_barrier_begin(ompt_sync_region_barrier_explicit, 0x150);
  sc_task_run(task);
  sc_at(9);
  sc_taskgroup_wait(0x700);
  sc_at(12);
  sc_taskgroup_end(0x700);
  sc_at(14);
  sc_task_leave(ompt_task_complete);
  sc_barrier_end(ompt_sync_region_barrier_explicit, 0x150);
  sc_thread(0);
  sc_barrier_end(ompt_sync_region_taskwait, 0x600);
  struct hd_model *model = end(14);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION, TASK), 4);
  assert_int_equal(ex_ticks(model, 1, HD_BUSY, REGION, TASK), 3 + 2);
  assert_int_equal(ex_ticks(model, 1, HD_WAIT_TASKGROUP, REGION, TASK, SITE(TASKGROUP, 0x700)), 3);
  hd_model_free(model);
}

static void test_taskgroup_waits_only_at_its_end(void **state) {
  (void)state;
  begin();
  sc_at(1);
  sc_taskgroup_begin(0x700);
  uint32_t task = sc_task_create(0x500, 0);
  sc_at(4);
  sc_taskgroup_wait(0x700);
  sc_at(6);
  sc_task_run(task);
  sc_at(9);
  sc_task_leave(ompt_task_complete);
  sc_at(10);
  sc_taskgroup_end(0x700);
  struct hd_model *model = end(12);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION), 4 + 2);
  assert_int_equal(ex_ticks(model, 0, HD_WAIT_TASKGROUP, REGION, SITE(TASKGROUP, 0x700)), 2 + 1);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION, TASK), 3);
  hd_model_free(model);
}

static void test_tasks_of_a_taskloop_are_its_children(void **state) {
  (void)state;
  begin();
  sc_taskgroup_begin(0x700);
  sc_work_begin(ompt_work_taskloop, 0x710);
  uint32_t task = sc_task_create(0x710, 0);
  sc_at(2);
  sc_work_end(ompt_work_taskloop, 0x710);
  sc_taskgroup_wait(0x700);
  sc_task_run(task);
  sc_at(8);
  sc_task_leave(ompt_task_complete);
  sc_taskgroup_end(0x700);
  struct hd_model *model = end(8);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION, SITE(TASKLOOP, 0x710)), 2);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION, SITE(TASKLOOP, 0x710), SITE(TASK, 0x710)), 6);
  hd_model_free(model);
}

static void test_cancelled_task_ends(void **state) {
  (void)state;
  begin();
  uint32_t task = sc_task_create(0x500, 0);
  sc_barrier_begin(ompt_sync_region_taskwait, 0x600);
  sc_task_run(task);
  sc_at(3);
  sc_cancel(ompt_cancel_taskgroup | ompt_cancel_activated, 0x550);
  sc_task_leave(ompt_task_cancel);
  sc_at(5);
  sc_barrier_end(ompt_sync_region_taskwait, 0x600);
  struct hd_model *model = end(5);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION, TASK), 3);
  assert_int_equal(ex_ticks(model, 0, HD_WAIT_TASKWAIT, REGION, SITE(TASKWAIT, 0x600)), 2);
  hd_model_free(model);
}

/* The body ends, the task does not: it is completed by an event, from any thread. */
static void test_detached_task_ends_with_its_body(void **state) {
  (void)state;
  begin();
  uint32_t task = sc_task_create(0x500, 0);
  sc_barrier_begin(ompt_sync_region_taskwait, 0x600);
  sc_task_run(task);
  sc_at(3);
  sc_task_leave(ompt_task_detach);
  sc_at(5);
  struct fk_event fulfil = sc_event(FK_TASK_SCHEDULE);
  fulfil.task = task;
  fulfil.kind = ompt_task_late_fulfill;
  sc_emit(fulfil);
  sc_at(6);
  sc_barrier_end(ompt_sync_region_taskwait, 0x600);
  struct hd_model *model = end(6);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION, TASK), 3);
  assert_int_equal(ex_ticks(model, 0, HD_WAIT_TASKWAIT, REGION, SITE(TASKWAIT, 0x600)), 3);
  hd_model_free(model);
}

static void test_region_inside_a_task_in_a_barrier_returns_to_the_wait(void **state) {
  (void)state;
  begin();
  uint32_t task = sc_task_create(0x500, 0);
  sc_thread(1);
  sc_join_begin();
  sc_task_run(task);
  sc_at(2);
  sc_fork(0x120, 2, 2, 2);
  sc_thread(2);
  sc_at(6);
  sc_join_begin();
  sc_thread(1);
  sc_join(6, 6, 6);
  sc_at(8);
  sc_task_leave(ompt_task_complete);
  sc_thread(0);
  sc_join(0, 10, 10);
  sc_finish();
  fk_sort(sc_script());
  struct hd_model *model = ex_play();
  assert_int_equal(ex_ticks(model, 1, HD_BUSY, REGION, TASK), 2 + 2);
  assert_int_equal(ex_ticks(model, 1, HD_BUSY, REGION, TASK, SITE(PARALLEL, 0x120)), 4);
  assert_int_equal(ex_ticks(model, 1, HD_WAIT_BARRIER_IMPLICIT, REGION), 2);
  hd_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_importing_and_exporting_tasks_are_tasks),
      cmocka_unit_test(test_task_in_a_barrier_is_busy_and_then_waits_again),
      cmocka_unit_test(test_task_in_the_regions_last_barrier_is_busy),
      cmocka_unit_test(test_task_in_a_taskwait_is_busy_and_then_waits_again),
      cmocka_unit_test(test_task_is_a_child_of_the_construct_that_created_it),
      cmocka_unit_test(test_task_of_a_task_is_its_child_on_any_thread),
      cmocka_unit_test(test_waiting_task_runs_another_inside_its_wait),
      cmocka_unit_test(test_undeferred_task_interrupts_its_creator),
      cmocka_unit_test(test_task_outside_regions_is_a_child_of_the_program),
      cmocka_unit_test(test_untied_task_is_charged_to_the_thread_that_runs_it),
      cmocka_unit_test(test_untied_task_takes_its_open_taskgroup_along),
      cmocka_unit_test(test_taskgroup_waits_only_at_its_end),
      cmocka_unit_test(test_tasks_of_a_taskloop_are_its_children),
      cmocka_unit_test(test_cancelled_task_ends),
      cmocka_unit_test(test_detached_task_ends_with_its_body),
      cmocka_unit_test(test_region_inside_a_task_in_a_barrier_returns_to_the_wait),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
