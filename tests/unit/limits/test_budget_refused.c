/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Classes of events that are switched off and on at any time: what began while they were on is observed whole, nothing
 * else is, and all identities hold (random programs against the oracle: test_properties.c, test_switched_properties.c). */
#include <string.h>

#include "expect.h"
#include "output/model/memory.h"
#include "script.h"

static void begin(enum sc_runtime runtime) {
  sc_start(runtime);
  sc_initial_begin();
}

static struct hd_model *end(uint64_t time) {
  sc_at(time);
  sc_finish();
  return ex_play();
}

/* Of two: thread 1 arrives at 30, thread 0 at 35. */
static struct hd_model *end_team(void) {
  sc_thread(1);
  sc_at(30);
  sc_join_begin();
  sc_thread(0);
  sc_join(35, 35, 40);
  return end(45);
}

static void switch_class(enum hd_event_class event_class, bool off) {
  struct fk_event event = sc_event(FK_SWITCH);
  event.kind = event_class;
  event.endpoint = off ? ompt_scope_begin : ompt_scope_end;
  sc_emit(event);
}

static void off_at(uint64_t time, enum hd_event_class event_class) {
  sc_at(time);
  switch_class(event_class, true);
}

static void on_at(uint64_t time, enum hd_event_class event_class) {
  sc_at(time);
  switch_class(event_class, false);
}

static void acquire(uint64_t wait, uint64_t inside, uint64_t id, uint64_t code) {
  sc_at(wait);
  sc_acquire(ompt_mutex_critical, id, code);
  sc_at(inside);
  sc_acquired(ompt_mutex_critical, id, code);
}

static void release(uint64_t time, uint64_t id) {
  sc_at(time);
  sc_released(ompt_mutex_critical, id, 0);
}

/* ---- mutual exclusion ---- */

static void test_a_refused_section_does_not_end_an_observed_one(void **state) {
  (void)state;
  begin(SC_LIBOMP_19);
  acquire(10, 12, 1, 0x400);
  off_at(14, HD_CLASS_MUTEX);
  acquire(15, 18, 2, 0x410);
  release(20, 2);
  release(25, 1);
  acquire(30, 31, 3, 0x420);
  release(35, 3);
  struct hd_model *model = end(50);
  assert_int_equal(ex_ticks(model, 0, HD_WAIT_CRITICAL, SITE(CRITICAL, 0x400)), 2);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, SITE(CRITICAL, 0x400)), 13);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, PROGRAM), 50 - 15);
  assert_int_equal(model->node_count, 2);
  hd_model_free(model);
}

static void test_the_end_of_a_refused_section_ends_nothing(void **state) {
  (void)state;
  begin(SC_LIBOMP_19);
  off_at(5, HD_CLASS_MUTEX);
  acquire(10, 12, 1, 0x400);
  on_at(14, HD_CLASS_MUTEX);
  acquire(15, 18, 2, 0x410);
  release(20, 2);
  release(25, 1);
  struct hd_model *model = end(50);
  assert_int_equal(ex_ticks(model, 0, HD_WAIT_CRITICAL, SITE(CRITICAL, 0x410)), 3);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, SITE(CRITICAL, 0x410)), 2);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, PROGRAM), 50 - 5);
  assert_int_equal(model->node_count, 2);
  hd_model_free(model);
}

static void test_who_waits_when_it_goes_off_has_waited(void **state) {
  (void)state;
  begin(SC_LIBOMP_19);
  sc_at(10);
  sc_acquire(ompt_mutex_critical, 1, 0x400);
  off_at(12, HD_CLASS_MUTEX);
  sc_at(20);
  sc_acquired(ompt_mutex_critical, 1, 0x400);
  release(25, 1);
  on_at(30, HD_CLASS_MUTEX);
  sc_acquire(ompt_mutex_lock, 7, 0x500);
  off_at(31, HD_CLASS_MUTEX);
  sc_at(36);
  sc_acquired(ompt_mutex_lock, 7, 0x500);
  struct hd_model *model = end(50);
  assert_int_equal(ex_ticks(model, 0, HD_WAIT_CRITICAL, SITE(CRITICAL, 0x400)), 10);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, SITE(CRITICAL, 0x400)), 5);
  assert_int_equal(ex_ticks(model, 0, HD_WAIT_LOCK, SITE(LOCK, 0x500)), 6);
  hd_model_free(model);
}

/* libomp 14 sends a test that fails as an acquire of a lock. */
static void test_a_failed_test_of_a_lock_is_no_wait(void **state) {
  (void)state;
  begin(SC_LIBOMP_14);
  sc_at(10);
  sc_acquire(ompt_mutex_lock, 7, 0x500);
  off_at(12, HD_CLASS_MUTEX);
  sc_at(20);
  sc_acquire(ompt_mutex_lock, 8, 0x510);
  sc_at(25);
  sc_acquired(ompt_mutex_lock, 8, 0x510);
  struct hd_model *model = end(50);
  assert_int_equal(ex_ticks(model, 0, HD_WAIT_LOCK, SITE(LOCK, 0x500)), 0);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, PROGRAM), 50);
  hd_model_free(model);
}

/* ---- tasks ---- */

static void test_a_task_is_observed_whole_or_not_at_all(void **state) {
  (void)state;
  begin(SC_LIBOMP_19);
  sc_at(10);
  sc_fork(0x300, 1, 1, 10);
  sc_at(20);
  const uint32_t early = sc_task_create(0x600, ompt_task_explicit);
  const uint32_t waiting = sc_task_create(0x610, ompt_task_explicit);
  sc_task_run(early);
  off_at(22, HD_CLASS_TASK);
  const uint32_t unseen = sc_task_create(0x620, ompt_task_explicit);
  sc_at(30);
  sc_task_run(unseen);
  sc_at(35);
  sc_task_leave(ompt_task_complete);
  const uint32_t late = sc_task_create(0x630, ompt_task_explicit);
  sc_at(40);
  sc_task_leave(ompt_task_complete); /* early: it was begun before */
  on_at(45, HD_CLASS_TASK);
  sc_task_run(waiting); /* created when tasks were on, but the last time */
  sc_at(50);
  sc_task_leave(ompt_task_complete);
  sc_task_run(late);
  sc_at(55);
  sc_task_leave(ompt_task_complete);
  const uint32_t seen = sc_task_create(0x640, ompt_task_explicit);
  sc_at(60);
  sc_task_run(seen);
  sc_at(67);
  sc_task_leave(ompt_task_complete);
  sc_join(70, 70, 75);
  struct hd_model *model = end(80);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, SITE(PARALLEL, 0x300), SITE(TASK, 0x600)), 20);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, SITE(PARALLEL, 0x300), SITE(TASK, 0x640)), 7);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, SITE(PARALLEL, 0x300)), 60 - 27);
  assert_false(ex_has_node(model, SITE(PARALLEL, 0x300), SITE(TASK, 0x600), SITE(TASK, 0x620)));
  assert_int_equal(ex_visits(model, 0, SITE(PARALLEL, 0x300), SITE(TASK, 0x610)), 0);
  hd_model_free(model);
}

static void test_a_wait_in_which_unseen_tasks_run_is_busy_from_then_on(void **state) {
  (void)state;
  begin(SC_LIBOMP_19);
  sc_fork(0x300, 1, 1, 0);
  off_at(5, HD_CLASS_TASK);
  const uint32_t first = sc_task_create(0x600, ompt_task_explicit);
  const uint32_t second = sc_task_create(0x610, ompt_task_explicit);
  sc_at(10);
  sc_barrier_begin(ompt_sync_region_taskwait, 0x700);
  sc_at(13);
  sc_task_run(first);
  sc_at(20);
  sc_task_leave(ompt_task_complete);
  sc_task_run(second);
  sc_barrier_begin(ompt_sync_region_taskwait, 0x710); /* in the task that nobody sees */
  sc_at(24);
  sc_barrier_end(ompt_sync_region_taskwait, 0x710);
  sc_at(27);
  sc_task_leave(ompt_task_complete);
  sc_at(30);
  sc_barrier_end(ompt_sync_region_taskwait, 0x700);
  sc_join(40, 40, 45);
  struct hd_model *model = end(50);
  assert_int_equal(ex_ticks(model, 0, HD_WAIT_TASKWAIT, SITE(PARALLEL, 0x300), SITE(TASKWAIT, 0x700)), 3);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, SITE(PARALLEL, 0x300), SITE(TASKWAIT, 0x700)), 17 - 4);
  assert_int_equal(
      ex_ticks(model, 0, HD_WAIT_TASKWAIT, SITE(PARALLEL, 0x300), SITE(TASKWAIT, 0x700), SITE(TASKWAIT, 0x710)), 4);
  hd_model_free(model);
}

/* ---- waits ---- */

/* The task inside waits, too, and its wait is not the outer one's. */
static void test_the_end_of_a_refused_wait_does_not_end_an_observed_one(void **state) {
  (void)state;
  begin(SC_LIBOMP_19);
  sc_fork(0x300, 1, 1, 0);
  off_at(5, HD_CLASS_TASK);
  const uint32_t task = sc_task_create(0x600, ompt_task_explicit);
  sc_at(10);
  sc_barrier_begin(ompt_sync_region_taskwait, 0x700);
  sc_at(15);
  sc_task_run(task);
  off_at(17, HD_CLASS_SYNC);
  sc_barrier_begin(ompt_sync_region_taskwait, 0x710);
  sc_at(20);
  sc_barrier_end(ompt_sync_region_taskwait, 0x710);
  sc_at(25);
  sc_task_leave(ompt_task_complete);
  sc_at(30);
  sc_barrier_end(ompt_sync_region_taskwait, 0x700);
  sc_at(33);
  sc_barrier_begin(ompt_sync_region_barrier_explicit, 0x720);
  sc_at(36);
  sc_barrier_end(ompt_sync_region_barrier_explicit, 0x720);
  sc_join(40, 40, 45);
  struct hd_model *model = end(50);
  assert_int_equal(ex_ticks(model, 0, HD_WAIT_TASKWAIT, SITE(PARALLEL, 0x300), SITE(TASKWAIT, 0x700)), 5);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, SITE(PARALLEL, 0x300), SITE(TASKWAIT, 0x700)), 15);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, SITE(PARALLEL, 0x300)), 20);
  assert_int_equal(model->node_count, 3);
  hd_model_free(model);
}

/* ---- loops ---- */

static void begin_loop(uint64_t time, uint64_t code) {
  sc_at(time);
  sc_work_begin(ompt_work_loop_static, code);
}

static void end_loop(uint64_t time, uint64_t code) {
  sc_at(time);
  sc_work_end(ompt_work_loop_static, code);
}

static void close_loop(uint64_t from, uint64_t until, uint64_t code) {
  sc_at(from);
  sc_barrier_begin(sc_work_barrier(), code);
  sc_at(until);
  sc_barrier_end(sc_work_barrier(), code);
}

static void test_the_barrier_of_a_refused_loop_is_the_regions(void **state) {
  (void)state;
  begin(SC_LIBOMP_19);
  sc_fork(0x300, 2, 1, 10);
  begin_loop(12, 0x500); /* without a barrier */
  end_loop(15, 0x500);
  off_at(16, HD_CLASS_WORK);
  begin_loop(20, 0x510);
  end_loop(30, 0x510);
  close_loop(30, 36, 0x510);
  sc_join(50, 50, 55);
  sc_thread(1);
  sc_at(40);
  sc_join_begin();
  sc_thread(0);
  struct hd_model *model = end(60);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, SITE(PARALLEL, 0x300), SITE(LOOP_STATIC, 0x500)), 3);
  assert_int_equal(ex_ticks(model, 0, HD_WAIT_BARRIER_IMPLICIT, SITE(PARALLEL, 0x300), SITE(BARRIER_IMPLICIT, 0x510)),
                   6);
  assert_false(ex_has_node(model, SITE(PARALLEL, 0x300), SITE(LOOP_STATIC, 0x510)));
  assert_int_equal(ex_node(model, SITE(PARALLEL, 0x300))->team.instances, 1);
  hd_model_free(model);
}

/* Thread 0 was not told of it, so nobody counts it. */
static void test_a_loop_that_part_of_the_team_observes_has_no_totals(void **state) {
  (void)state;
  for (int refused = 0; refused < 2; refused++) {
    begin(SC_LIBOMP_19);
    sc_fork(0x300, 2, 1, 10);
    sc_thread(refused == 0 ? 1 : 0);
    begin_loop(11, 0x500);
    sc_thread(0);
    off_at(12, HD_CLASS_WORK);
    sc_thread(refused == 0 ? 0 : 1);
    begin_loop(13, 0x500);
    end_loop(20, 0x500);
    sc_at(20);
    sc_barrier_begin(sc_work_barrier(), 0x500);
    sc_thread(refused == 0 ? 1 : 0);
    end_loop(25, 0x500);
    sc_barrier_begin(sc_work_barrier(), 0x500);
    for (uint32_t i = 0; i < 2; i++) {
      sc_thread(i);
      sc_at(25);
      sc_barrier_end(sc_work_barrier(), 0x500);
    }
    struct hd_model *model = end_team();
    const struct hd_node *node = ex_node(model, SITE(PARALLEL, 0x300), SITE(LOOP_STATIC, 0x500));
    assert_int_equal(ex_ticks(model, refused == 0 ? 1 : 0, HD_BUSY, SITE(PARALLEL, 0x300), SITE(LOOP_STATIC, 0x500)),
                     14);
    assert_int_equal(node->team.instances, refused);
    assert_int_equal(node->team.busy_ticks, refused ? 14 : 0);
    assert_int_equal(node->team.busy_max_ticks, refused ? 2 * 14 : 0);
    hd_model_free(model);
  }
}

/* A team stays in step: a barrier that part of it was not told of is counted by all. */
static void test_barriers_that_are_off_are_counted(void **state) {
  (void)state;
  begin(SC_LIBOMP_19);
  sc_fork(0x300, 2, 1, 10);
  sc_at(12);
  sc_barrier_begin(ompt_sync_region_barrier_explicit, 0x700);
  off_at(13, HD_CLASS_SYNC);
  sc_thread(1);
  sc_at(14);
  sc_barrier_begin(ompt_sync_region_barrier_explicit, 0x700);
  for (uint32_t i = 0; i < 2; i++) {
    sc_thread(i);
    sc_at(14);
    sc_barrier_end(ompt_sync_region_barrier_explicit, 0x700);
  }
  sc_thread(0);
  on_at(15, HD_CLASS_SYNC);
  for (uint32_t i = 0; i < 2; i++) {
    sc_thread(i);
    begin_loop(16, 0x500);
    end_loop(i == 0 ? 20 : 25, 0x500);
    sc_barrier_begin(sc_work_barrier(), 0x500);
    sc_at(25);
    sc_barrier_end(sc_work_barrier(), 0x500);
  }
  struct hd_model *model = end_team();
  const struct hd_node *node = ex_node(model, SITE(PARALLEL, 0x300), SITE(LOOP_STATIC, 0x500));
  assert_int_equal(ex_ticks(model, 0, HD_WAIT_BARRIER_EXPLICIT, SITE(PARALLEL, 0x300), SITE(BARRIER_EXPLICIT, 0x700)),
                   2);
  assert_int_equal(node->team.instances, 1);
  assert_int_equal(node->team.busy_ticks, 4 + 9);
  assert_int_equal(node->team.busy_max_ticks, 2 * 9);
  hd_model_free(model);
}

/* ---- routines ---- */

static void test_a_refused_routine_does_not_end_its_caller(void **state) {
  (void)state;
  begin(SC_LIBOMP_19);
  sc_at(1);
  sc_routine_enter(0xf00);
  off_at(5, HD_CLASS_CALL);
  sc_routine_enter(0xf00); /* recursive */
  sc_routine_enter(0xf10);
  sc_at(8);
  sc_routine_exit(0xf10);
  on_at(9, HD_CLASS_CALL);
  sc_routine_enter(0xf20);
  sc_at(12);
  sc_routine_exit(0xf20);
  sc_at(14);
  sc_routine_exit(0xf00);
  sc_at(20);
  sc_routine_exit(0xf00);
  struct hd_model *model = end(30);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, SITE(ROUTINE, 0xf00)), 19 - 3);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, SITE(ROUTINE, 0xf00), SITE(ROUTINE, 0xf20)), 3);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, PROGRAM), 30 - 19);
  assert_int_equal(ex_visits(model, 0, SITE(ROUTINE, 0xf00)), 1);
  assert_int_equal(model->header.unmatched_routines, 0);
  assert_int_equal(model->node_count, 3);
  hd_model_free(model);
}

static void test_exits_of_routines_entered_before_are_not_unmatched(void **state) {
  (void)state;
  begin(SC_LIBOMP_19);
  off_at(1, HD_CLASS_CALL);
  sc_routine_enter(0xf00);
  sc_at(5);
  sc_routine_enter(0xf10);
  on_at(6, HD_CLASS_CALL);
  sc_at(8);
  sc_routine_exit(0xf10);
  sc_routine_exit(0xf00);
  struct hd_model *model = end(30);
  assert_int_equal(model->header.unmatched_routines, 0);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, PROGRAM), 30);
  hd_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_refused_section_does_not_end_an_observed_one),
      cmocka_unit_test(test_the_end_of_a_refused_section_ends_nothing),
      cmocka_unit_test(test_who_waits_when_it_goes_off_has_waited),
      cmocka_unit_test(test_a_failed_test_of_a_lock_is_no_wait),
      cmocka_unit_test(test_a_task_is_observed_whole_or_not_at_all),
      cmocka_unit_test(test_a_wait_in_which_unseen_tasks_run_is_busy_from_then_on),
      cmocka_unit_test(test_the_end_of_a_refused_wait_does_not_end_an_observed_one),
      cmocka_unit_test(test_the_barrier_of_a_refused_loop_is_the_regions),
      cmocka_unit_test(test_a_loop_that_part_of_the_team_observes_has_no_totals),
      cmocka_unit_test(test_barriers_that_are_off_are_counted),
      cmocka_unit_test(test_a_refused_routine_does_not_end_its_caller),
      cmocka_unit_test(test_exits_of_routines_entered_before_are_not_unmatched),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
