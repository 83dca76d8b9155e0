/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The runtime's own work in entry points that libheddle-entry.so stands in front of: whose time it is, by cause. */
#include "expect.h"
#include "heddle-events.h"
#include "output/model/memory.h"
#include "script.h"

#define REGION SITE(PARALLEL, 0x100)
#define LOOP SITE(LOOP_DYNAMIC, 0x500)
#define TASK SITE(TASK, 0x600)
#define SCHEDULING HEDDLE_ENTRY_SCHEDULING
#define CREATION HEDDLE_ENTRY_TASK_CREATION

/* A region of two at time 0; thread 0 is current. */
static void begin(void) {
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  sc_fork(0x100, 2, 1, 0);
}

/* Thread 1 arrives at once, thread 0 at `time`, where the team joins. */
static void end(uint64_t time) {
  sc_thread(1);
  sc_at(1);
  sc_join_begin();
  sc_thread(0);
  sc_join(time, time, time);
  sc_finish();
  fk_sort(sc_script());
}

static void go_in(uint64_t time, enum heddle_entry entry) {
  sc_at(time);
  sc_entry_begin(entry);
}

static void come_out(uint64_t time, enum heddle_entry entry) {
  sc_at(time);
  sc_entry_end(entry, 0);
}

/* Ready at 2 (the loop begins at 4) to 5, a chunk from 5 to 8, worked until 18, another until 19 and 25, none until 29;
 * the loop ends at 28. */
static void play_loop(void) {
  go_in(2, SCHEDULING);
  sc_at(4);
  sc_work_begin(ompt_work_loop_dynamic, 0x500);
  come_out(5, SCHEDULING);
  go_in(5, SCHEDULING);
  come_out(8, SCHEDULING);
  go_in(18, SCHEDULING);
  come_out(19, SCHEDULING);
  go_in(25, SCHEDULING);
  sc_at(28);
  sc_work_end(ompt_work_loop_dynamic, 0x500);
  come_out(29, SCHEDULING);
}

static void test_chunks_are_handed_out_in_the_runtimes_time(void **state) {
  (void)state;
  begin();
  play_loop();
  end(40);
  struct hd_model *model = ex_play();
  assert_int_equal(ex_ticks(model, 0, HD_RUNTIME_SCHEDULING, REGION, LOOP), 1 + 3 + 1 + 3);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION, LOOP), 10 + 6);
  assert_int_equal(ex_ticks(model, 0, HD_RUNTIME_SCHEDULING, REGION), 2 + 1);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION), 2 + 11);
  assert_int_equal(model->ticks[HD_RUNTIME_SCHEDULING], 11);
  assert_int_equal(model->ticks[HD_RUNTIME_TASK_CREATION], 0);
  /* Thread 1 is busy from 0 to 1. */
  ex_expect_levels(&model->time_at, 11, 40 - 11 - 1, 1);
  hd_model_free(model);
}

/* Allocated from 2 to 3, queued from 4 to 9. */
static void test_a_task_is_created_in_the_runtimes_time(void **state) {
  (void)state;
  begin();
  go_in(2, CREATION);
  come_out(3, CREATION);
  go_in(4, CREATION);
  sc_at(6);
  uint32_t task = sc_task_create(0x600, ompt_task_explicit);
  come_out(9, CREATION);
  sc_at(10);
  sc_task_run(task);
  sc_at(17);
  sc_task_leave(ompt_task_complete);
  end(20);
  struct hd_model *model = ex_play();
  assert_int_equal(ex_ticks(model, 0, HD_RUNTIME_TASK_CREATION, REGION), 1 + 5);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION, TASK), 7);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION), 20 - 6 - 7);
  hd_model_free(model);
}

/* The queue is full: `__kmpc_omp_task` runs the task, which itself creates one. */
static void test_a_task_that_runs_while_it_is_created_is_busy(void **state) {
  (void)state;
  begin();
  go_in(2, CREATION);
  sc_at(3);
  uint32_t task = sc_task_create(0x600, ompt_task_explicit | ompt_task_undeferred);
  sc_at(4);
  sc_task_run(task);
  go_in(10, CREATION);
  come_out(12, CREATION);
  sc_at(15);
  sc_task_leave(ompt_task_complete);
  come_out(16, CREATION);
  end(20);
  struct hd_model *model = ex_play();
  assert_int_equal(ex_ticks(model, 0, HD_RUNTIME_TASK_CREATION, REGION), 2 + 1);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION, TASK), 6 + 3);
  assert_int_equal(ex_ticks(model, 0, HD_RUNTIME_TASK_CREATION, REGION, TASK), 2);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION), 2 + 4);
  hd_model_free(model);
}

/* A taskloop waits for its tasks in its own entry point. */
static void test_waits_in_an_entry_point_are_waits(void **state) {
  (void)state;
  begin();
  go_in(2, CREATION);
  sc_work_begin(ompt_work_taskloop, 0x500);
  sc_at(5);
  uint32_t task = sc_task_create(0x600, ompt_task_explicit);
  sc_at(6);
  sc_taskgroup_begin(0x500);
  sc_taskgroup_wait(0x500);
  sc_at(7);
  sc_task_run(task);
  sc_at(9);
  sc_task_leave(ompt_task_complete);
  sc_at(13);
  sc_taskgroup_end(0x500);
  sc_at(14);
  sc_work_end(ompt_work_taskloop, 0x500);
  come_out(15, CREATION);
  end(20);
  struct hd_model *model = ex_play();
  const struct ex_site path[] = {REGION, SITE(TASKLOOP, 0x500), SITE(TASKGROUP, 0x500)};
  assert_int_equal(ex_ticks_at(model, 0, HD_WAIT_TASKGROUP, path, 3), 1 + 4);
  assert_int_equal(ex_ticks_at(model, 0, HD_RUNTIME_TASK_CREATION, path, 2), 4 + 1);
  assert_int_equal(ex_ticks_at(model, 0, HD_RUNTIME_TASK_CREATION, path, 1), 1);
  assert_int_equal(ex_ticks_at(model, 0, HD_BUSY, path, 2), 0);
  hd_model_free(model);
}

/* libomp's GOMP_task calls __kmpc_omp_task. */
static void test_entry_points_that_call_each_other_are_one(void **state) {
  (void)state;
  begin();
  go_in(2, CREATION);
  go_in(5, SCHEDULING);
  come_out(6, SCHEDULING);
  come_out(9, CREATION);
  end(20);
  struct hd_model *model = ex_play();
  assert_int_equal(ex_ticks(model, 0, HD_RUNTIME_TASK_CREATION, REGION), 7);
  assert_int_equal(ex_ticks(model, 0, HD_RUNTIME_SCHEDULING, REGION), 0);
  hd_model_free(model);
}

static void switch_entries(bool off) {
  struct fk_event event = sc_event(FK_SWITCH);
  event.kind = HD_CLASS_ENTRY;
  event.endpoint = off ? ompt_scope_begin : ompt_scope_end;
  sc_emit(event);
}

static void test_an_entry_point_that_is_refused_is_busy_and_an_open_one_ends(void **state) {
  (void)state;
  begin();
  go_in(2, CREATION);
  sc_at(3);
  switch_entries(true);
  come_out(5, CREATION);
  go_in(7, CREATION);
  sc_at(8);
  switch_entries(false);
  come_out(9, CREATION);
  end(20);
  struct hd_model *model = ex_play();
  assert_int_equal(ex_ticks(model, 0, HD_RUNTIME_TASK_CREATION, REGION), 3);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION), 2 + 15);
  hd_model_free(model);
}

/* A thread that nobody has heard of goes in; its first event comes inside. */
static void test_a_new_thread_is_first_heard_of_inside(void **state) {
  (void)state;
  sc_start(SC_LIBOMP_19);
  sc_at(1);
  sc_entry_begin(SCHEDULING);
  sc_at(2);
  sc_initial_begin();
  sc_at(5);
  sc_entry_end(SCHEDULING, 0);
  sc_at(10);
  sc_finish();
  struct hd_model *model = ex_play();
  assert_int_equal(ex_ticks(model, 0, HD_RUNTIME_SCHEDULING, PROGRAM), 0);
  hd_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_chunks_are_handed_out_in_the_runtimes_time),
      cmocka_unit_test(test_a_task_is_created_in_the_runtimes_time),
      cmocka_unit_test(test_a_task_that_runs_while_it_is_created_is_busy),
      cmocka_unit_test(test_waits_in_an_entry_point_are_waits),
      cmocka_unit_test(test_entry_points_that_call_each_other_are_one),
      cmocka_unit_test(test_an_entry_point_that_is_refused_is_busy_and_an_open_one_ends),
      cmocka_unit_test(test_a_new_thread_is_first_heard_of_inside),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
