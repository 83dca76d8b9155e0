/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is observed around what is not: tasks that run unobserved, blocks and barriers that were refused. */
#include "expect.h"
#include "output/model/lazy_rows.h"
#include "output/model/memory.h"
#include "script.h"

static void switch_at(uint64_t time, enum hd_event_class event_class, bool off) {
  sc_at(time);
  struct fk_event event = sc_event(FK_SWITCH);
  event.kind = event_class;
  event.endpoint = off ? ompt_scope_begin : ompt_scope_end;
  sc_emit(event);
}

static void begin(enum sc_runtime runtime) {
  sc_start(runtime);
  sc_initial_begin();
  sc_fork(0x300, 2, 1, 0);
}

static struct hd_model *end(uint64_t time) {
  sc_thread(1);
  sc_at(time - 20);
  sc_join_begin();
  sc_thread(0);
  sc_join(time - 15, time - 10, time - 5);
  sc_at(time);
  sc_finish();
  return ex_play();
}

static void barrier(uint64_t from, uint64_t until, ompt_sync_region_t kind, uint64_t code) {
  sc_at(from);
  sc_barrier_begin(kind, code);
  sc_at(until);
  sc_barrier_end(kind, code);
}

/* ---- tasks ---- */

/* Another thread switches tasks off when the creator's event has just found that they are on. The task begins while
 * they are off; when they are on again and it goes on, after one that ran on top of it, it must not look like a new
 * one. */
static void test_a_task_created_as_its_class_goes_off_is_not_taken_up_later(void **state) {
  (void)state;
  begin(SC_LIBOMP_19);
  sc_at(5);
  const uint32_t unseen = sc_task_create(0x600, ompt_task_explicit);
  sc_script()->events[sc_script()->count - 1].habit |= FK_OFF_MEANWHILE;
  sc_at(10);
  sc_task_run(unseen);
  sc_at(12);
  sc_barrier_begin(ompt_sync_region_taskwait, 0x700);
  sc_thread(1);
  switch_at(15, HD_CLASS_TASK, false);
  const uint32_t seen = sc_task_create(0x610, ompt_task_explicit);
  sc_thread(0);
  sc_at(20);
  sc_task_run(seen);
  sc_at(30);
  sc_task_leave(ompt_task_complete);
  sc_at(40);
  sc_barrier_end(ompt_sync_region_taskwait, 0x700);
  sc_at(45);
  sc_task_leave(ompt_task_complete);
  struct hd_model *model = end(80);
  assert_int_equal(ex_ticks(model, 0, HD_WAIT_TASKWAIT, SITE(PARALLEL, 0x300), SITE(TASKWAIT, 0x700)), 8 + 10);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, SITE(PARALLEL, 0x300), SITE(TASK, 0x610)), 10);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, SITE(PARALLEL, 0x300)), 12 + 65 - 40);
  assert_int_equal(ex_visits(model, 0, SITE(PARALLEL, 0x300), SITE(TASK, 0x600)), 0);
  hd_model_free(model);
}

/* A task that waits to begin has a few bits of the number of times that tasks went off. */
static void test_a_task_is_unseen_however_often_tasks_went_off_while_it_waited(void **state) {
  (void)state;
  begin(SC_LIBOMP_19);
  const uint32_t task = sc_task_create(0x600, ompt_task_explicit);
  for (uint64_t i = 1; i <= 16; i++) {
    switch_at(2 * i, HD_CLASS_TASK, true);
    switch_at(2 * i + 1, HD_CLASS_TASK, false);
  }
  sc_at(40);
  sc_task_run(task);
  sc_at(50);
  sc_task_leave(ompt_task_complete);
  struct hd_model *model = end(80);
  assert_int_equal(ex_visits(model, 0, SITE(PARALLEL, 0x300), SITE(TASK, 0x600)), 0);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, SITE(PARALLEL, 0x300)), 65);
  hd_model_free(model);
}

/* It was created while they were off. */
static void test_a_wait_in_which_an_unseen_task_begins_is_busy_though_tasks_are_on(void **state) {
  (void)state;
  begin(SC_LIBOMP_19);
  switch_at(5, HD_CLASS_TASK, true);
  const uint32_t unseen = sc_task_create(0x600, ompt_task_explicit);
  switch_at(6, HD_CLASS_TASK, false);
  sc_at(10);
  sc_barrier_begin(ompt_sync_region_taskwait, 0x700);
  sc_at(13);
  sc_task_run(unseen);
  sc_at(20);
  sc_task_leave(ompt_task_complete);
  sc_at(30);
  sc_barrier_end(ompt_sync_region_taskwait, 0x700);
  struct hd_model *model = end(80);
  assert_int_equal(ex_ticks(model, 0, HD_WAIT_TASKWAIT, SITE(PARALLEL, 0x300), SITE(TASKWAIT, 0x700)), 3);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, SITE(PARALLEL, 0x300), SITE(TASKWAIT, 0x700)), 17);
  hd_model_free(model);
}

/* At the region's end, where the thread waits on when the task has ended; and in a barrier of GCC-built code. */
static void test_what_an_unseen_task_leaves_open_ends_with_it(void **state) {
  (void)state;
  begin(SC_GOMP);
  switch_at(5, HD_CLASS_TASK, true);
  const uint32_t first = sc_task_create(0x600, ompt_task_explicit);
  const uint32_t second = sc_task_create(0x610, ompt_task_explicit);
  sc_at(10);
  sc_barrier_begin(ompt_sync_region_barrier_implementation, 0x700);
  sc_at(12);
  sc_task_run(first);
  sc_routine_enter(0xf00);
  sc_at(16);
  sc_task_leave(ompt_task_complete);
  sc_at(20);
  sc_barrier_end(ompt_sync_region_barrier_implementation, 0x700);
  sc_thread(1);
  sc_at(30);
  sc_join_begin();
  sc_at(32);
  sc_task_run(second);
  sc_routine_enter(0xf00);
  sc_at(35);
  sc_task_leave(ompt_task_complete);
  sc_thread(0);
  sc_join(50, 50, 55);
  sc_at(60);
  sc_finish();
  struct hd_model *model = ex_play();
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, SITE(PARALLEL, 0x300), SITE(BARRIER, 0x700), SITE(ROUTINE, 0xf00)), 4);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, SITE(PARALLEL, 0x300), SITE(BARRIER, 0x700)), 4);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, SITE(PARALLEL, 0x300)), 10 + 30);
  assert_int_equal(ex_ticks(model, 1, HD_BUSY, SITE(PARALLEL, 0x300), SITE(ROUTINE, 0xf00)), 3);
  assert_int_equal(ex_ticks(model, 1, HD_WAIT_BARRIER_IMPLICIT, SITE(PARALLEL, 0x300)), 2 + 15);
  assert_int_equal(ex_node(model, SITE(PARALLEL, 0x300))->team.busy_ticks, 48 + 33);
  assert_int_equal(model->header.left_routines, 2);
  hd_model_free(model);
}

/* In recursion each task waits for its own: the outermost wait is open all the time. */
static void test_the_waits_of_unseen_tasks_cost_nothing(void **state) {
  (void)state;
  begin(SC_LIBOMP_19);
  switch_at(5, HD_CLASS_TASK, true);
  const uint32_t unseen = sc_task_create(0x600, ompt_task_explicit);
  sc_at(10);
  sc_barrier_begin(ompt_sync_region_taskwait, 0x700);
  switch_at(12, HD_CLASS_SYNC, true);
  sc_at(13);
  sc_task_run(unseen);
  for (uint64_t time = 20; time < 120; time += 2)
    barrier(time, time + 1, ompt_sync_region_taskwait, 0x710);
  sc_at(150);
  sc_task_leave(ompt_task_complete);
  sc_at(160);
  sc_barrier_end(ompt_sync_region_taskwait, 0x700);
  struct hd_model *model = end(200);
  assert_int_equal(model->cost_of[HD_EVENT_WAIT_BEGIN].count, 1 + 2); /* the region's last barrier */
  assert_int_equal(model->cost_of[HD_EVENT_WAIT_END].count, 1 + 1);
  assert_int_equal(ex_ticks(model, 0, HD_WAIT_TASKWAIT, SITE(PARALLEL, 0x300), SITE(TASKWAIT, 0x700)), 3);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, SITE(PARALLEL, 0x300), SITE(TASKWAIT, 0x700)), 160 - 13);
  hd_model_free(model);
}

/* A worker is late by its events in a barrier, each 10 ticks. A task that is not observed begins there, after which it
 * counts as busy to the barrier's end: what it was late by is part of its wait all the same. */
static void test_a_barrier_takes_the_delay_out_of_the_wait_not_out_of_an_unseen_task(void **state) {
  (void)state;
  const char *const environment[] = {"HEDDLE_OVERHEAD=off", "HEDDLE_TEST_DELAY=10", NULL};
  const struct fk_options options = {.environment = environment};
  begin(SC_LIBOMP_19);
  sc_at(1000);
  const uint32_t seen = sc_task_create(0x600, ompt_task_explicit);
  sc_thread(1);
  sc_at(2000);
  sc_barrier_begin(ompt_sync_region_barrier_explicit, 0x700);
  sc_at(3000);
  sc_task_run(seen);
  sc_at(3500);
  sc_task_leave(ompt_task_complete);
  switch_at(4000, HD_CLASS_TASK, true);
  sc_thread(0);
  sc_at(4500);
  const uint32_t unseen = sc_task_create(0x610, ompt_task_explicit);
  sc_thread(1);
  sc_at(5000);
  sc_task_run(unseen);
  sc_at(5500);
  sc_task_leave(ompt_task_complete);
  sc_thread(0);
  sc_at(6000);
  sc_barrier_begin(ompt_sync_region_barrier_explicit, 0x700);
  sc_at(7000);
  sc_barrier_end(ompt_sync_region_barrier_explicit, 0x700);
  sc_thread(1);
  sc_at(7001);
  sc_barrier_end(ompt_sync_region_barrier_explicit, 0x700);
  sc_at(8000);
  sc_join_begin();
  sc_thread(0);
  sc_join(8100, 8200, 8300);
  sc_at(9000);
  sc_finish();
  struct hd_model *model = ex_play_with(&options);
  const struct hd_node *barrier = ex_node(model, SITE(PARALLEL, 0x300), SITE(BARRIER_EXPLICIT, 0x700));
  const int64_t *worker = hd_model_row(model, barrier->id, 1)->intrusion.ticks;
  assert_true(ex_ticks(model, 1, HD_BUSY, SITE(PARALLEL, 0x300), SITE(BARRIER_EXPLICIT, 0x700)) > 1000);
  assert_true(worker[HD_INTRUSION_BUSY] >= 0);
  assert_true(worker[HD_INTRUSION_WAITING] < 0);
  hd_model_free(model);
}

/* ---- blocks and barriers ---- */

static void test_the_end_of_a_refused_masked_block_does_not_end_the_one_around_it(void **state) {
  (void)state;
  begin(SC_LIBOMP_19);
  sc_at(10);
  sc_masked_begin(0xe00);
  switch_at(12, HD_CLASS_WORK, true);
  sc_masked_begin(0xe10);
  switch_at(13, HD_CLASS_WORK, false);
  sc_masked_begin(0xe20);
  sc_at(15);
  sc_masked_end();
  sc_at(18);
  sc_masked_end();
  sc_at(25);
  sc_masked_end();
  struct hd_model *model = end(80);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, SITE(PARALLEL, 0x300), SITE(MASKED, 0xe00)), 13);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, SITE(PARALLEL, 0x300), SITE(MASKED, 0xe00), SITE(MASKED, 0xe20)), 2);
  hd_model_free(model);
}

static void work(uint32_t thread, uint64_t from, uint64_t until, uint64_t code) {
  sc_thread(thread);
  sc_at(from);
  sc_work_begin(ompt_work_loop_static, code);
  sc_at(until);
  sc_work_end(ompt_work_loop_static, code);
}

static void test_the_barrier_after_a_refused_reduction_is_the_loops(void **state) {
  (void)state;
  begin(SC_LIBOMP_19);
  work(0, 10, 20, 0x500);
  switch_at(20, HD_CLASS_SYNC, true);
  barrier(20, 24, ompt_sync_region_barrier_implementation, 0x510);
  switch_at(24, HD_CLASS_SYNC, false);
  barrier(24, 30, sc_work_barrier(), 0x520);
  struct hd_model *model = end(80);
  assert_int_equal(ex_ticks(model, 0, HD_WAIT_BARRIER_IMPLICIT, SITE(PARALLEL, 0x300), SITE(LOOP_STATIC, 0x500)), 6);
  hd_model_free(model);
}

/* Both threads, `busy[i]` long. */
static void loop(uint64_t from, const uint64_t busy[2], uint64_t until, uint64_t code, bool closed) {
  for (uint32_t i = 0; i < 2; i++) {
    work(i, from, from + busy[i], code);
    if (closed)
      sc_barrier_begin(sc_work_barrier(), code);
  }
  for (uint32_t i = 0; closed && i < 2; i++) {
    sc_thread(i);
    sc_at(until);
    sc_barrier_end(sc_work_barrier(), code);
  }
  sc_thread(0);
}

static void plain_barrier(uint64_t time) {
  for (uint32_t i = 0; i < 2; i++) {
    sc_thread(i);
    sc_at(time);
    sc_barrier_begin(ompt_sync_region_barrier_explicit, 0x710);
  }
  for (uint32_t i = 0; i < 2; i++) {
    sc_thread(i);
    sc_barrier_end(ompt_sync_region_barrier_explicit, 0x710);
  }
  sc_thread(0);
}

/* Thread 0 finds the busiest at its next barriers: those that it does not observe do not come between. */
static void test_the_busiest_thread_is_found_though_barriers_are_off_then(void **state) {
  (void)state;
  for (uint64_t skipped = 1; skipped <= 5; skipped++) {
    begin(SC_LIBOMP_19);
    loop(10, (const uint64_t[]){4, 9}, 20, 0x500, true);
    switch_at(21, HD_CLASS_SYNC, true);
    for (uint64_t i = 0; i < skipped; i++)
      plain_barrier(22 + i);
    switch_at(29, HD_CLASS_SYNC, false);
    loop(30, (const uint64_t[]){7, 2}, 40, 0x510, true);
    plain_barrier(45);
    struct hd_model *model = end(80);
    assert_int_equal(ex_node(model, SITE(PARALLEL, 0x300), SITE(LOOP_STATIC, 0x500))->team.busy_max_ticks, 2 * 9);
    assert_int_equal(ex_node(model, SITE(PARALLEL, 0x300), SITE(LOOP_STATIC, 0x510))->team.busy_max_ticks, 2 * 7);
    hd_model_free(model);
  }
}

/* What a thread left in an earlier instance of the region says nothing of a barrier that it does not observe. */
static void test_an_earlier_regions_barriers_do_not_stand_for_refused_ones(void **state) {
  (void)state;
  begin(SC_LIBOMP_19);
  for (uint64_t at = 0; at < 80; at += 40) { /* two, because the memory of the last one may still be in use */
    loop(at + 10, (const uint64_t[]){4, 9}, at + 20, 0x500, true);
    sc_thread(1);
    sc_at(at + 30);
    sc_join_begin();
    sc_thread(0);
    sc_join(at + 30, at + 30, at + 35);
    sc_fork(0x300, 2, 1, at + 40);
  }
  loop(90, (const uint64_t[]){5, 6}, 0, 0x500, false);
  sc_thread(1);
  sc_at(96);
  sc_barrier_begin(sc_work_barrier(), 0x500);
  sc_thread(0);
  switch_at(97, HD_CLASS_SYNC, true);
  sc_barrier_begin(sc_work_barrier(), 0x500);
  for (uint32_t i = 0; i < 2; i++) {
    sc_thread(i);
    sc_at(98);
    sc_barrier_end(sc_work_barrier(), 0x500);
  }
  struct hd_model *model = end(130);
  const struct hd_node *node = ex_node(model, SITE(PARALLEL, 0x300), SITE(LOOP_STATIC, 0x500));
  assert_int_equal(node->team.instances, 2);
  assert_int_equal(node->team.busy_ticks, 2 * (4 + 9));
  assert_int_equal(node->team.capacity_ticks, 2 * 2 * 10);
  hd_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_task_created_as_its_class_goes_off_is_not_taken_up_later),
      cmocka_unit_test(test_a_task_is_unseen_however_often_tasks_went_off_while_it_waited),
      cmocka_unit_test(test_a_wait_in_which_an_unseen_task_begins_is_busy_though_tasks_are_on),
      cmocka_unit_test(test_what_an_unseen_task_leaves_open_ends_with_it),
      cmocka_unit_test(test_the_waits_of_unseen_tasks_cost_nothing),
      cmocka_unit_test(test_a_barrier_takes_the_delay_out_of_the_wait_not_out_of_an_unseen_task),
      cmocka_unit_test(test_the_end_of_a_refused_masked_block_does_not_end_the_one_around_it),
      cmocka_unit_test(test_the_barrier_after_a_refused_reduction_is_the_loops),
      cmocka_unit_test(test_the_busiest_thread_is_found_though_barriers_are_off_then),
      cmocka_unit_test(test_an_earlier_regions_barriers_do_not_stand_for_refused_ones),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
