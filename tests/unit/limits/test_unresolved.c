/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Unresolved time: from the first begin that was refused to the thread's next change of state
 * (ompt/thread/unresolved.h). Random programs: test_budget_random.c. */
#include <string.h>

#include "expect.h"
#include "output/model/lazy_rows.h"
#include "output/model/memory.h"
#include "output/model/watched.h"
#include "script.h"

static void switch_at(uint64_t time, enum hd_event_class event_class, bool off) {
  sc_at(time);
  struct fk_event event = sc_event(FK_SWITCH);
  event.kind = event_class;
  event.endpoint = off ? ompt_scope_begin : ompt_scope_end;
  sc_emit(event);
}

static void section(uint64_t wait, uint64_t inside, uint64_t end) {
  sc_at(wait);
  sc_acquire(ompt_mutex_critical, 1, 0x400);
  sc_at(inside);
  sc_acquired(ompt_mutex_critical, 1, 0x400);
  sc_at(end);
  sc_released(ompt_mutex_critical, 1, 0x400);
}

static void begin(void) {
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  sc_fork(0x300, 2, 1, 0);
}

/* Thread 1 has arrived; thread 0 arrives 5 before the join, and the program ends 10 after it. */
static struct hd_model *end(uint64_t join) {
  sc_thread(0);
  sc_join(join - 5, join, join + 5);
  sc_at(join + 10);
  sc_finish();
  return ex_play();
}

static void thread_1_arrives(uint64_t time) {
  sc_thread(1);
  sc_at(time);
  sc_join_begin();
}

#define UNRESOLVED(model, thread, ...) unresolved(model, thread, ex_node(model, __VA_ARGS__))
static uint64_t unresolved(const struct hd_model *model, uint32_t thread, const struct hd_node *node) {
  const struct hd_row *row = hd_model_row(model, node->id, thread);
  return row ? row->unresolved.ticks : 0;
}

static void test_it_lasts_from_the_first_refusal_to_the_next_event(void **state) {
  (void)state;
  begin();
  switch_at(5, HD_CLASS_MUTEX, true);
  section(10, 12, 14);
  section(20, 25, 26);
  switch_at(28, HD_CLASS_MUTEX, false);
  section(30, 33, 34);
  thread_1_arrives(40);
  struct hd_model *model = end(60);
  assert_int_equal(UNRESOLVED(model, 0, SITE(PARALLEL, 0x300)), 20);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, SITE(PARALLEL, 0x300)), 55 - 4);
  assert_int_equal(UNRESOLVED(model, 1, SITE(PARALLEL, 0x300)), 0);
  assert_int_equal(ex_node(model, SITE(PARALLEL, 0x300))->unresolved.ticks, 20);
  assert_int_equal(model->nodes[0].unresolved.ticks, 0);
  assert_int_equal(model->nodes[0].unresolved_inclusive.ticks, 20);
  assert_int_equal(model->threads[0].unresolved.ticks, 20);
  assert_int_equal(model->unresolved.ticks, 20);
  hd_model_free(model);
}

static void expect_note(uint64_t join, bool expected) {
  bool found = false;
  begin();
  switch_at(5, HD_CLASS_MUTEX, true);
  section(10, 12, 14);
  section(20, 25, 26);
  switch_at(28, HD_CLASS_MUTEX, false);
  section(30, 33, 34);
  thread_1_arrives(40);
  struct hd_model *model = end(join);
  assert_int_equal(model->unresolved.ticks, 20);
  for (size_t i = 0; i < model->notes.count; i++)
    found = found || strstr(model->notes.items[i], "is not known (unresolved)");
  assert_int_equal(found, expected);
  hd_model_free(model);
}

static void test_a_note_says_how_much_unless_that_is_next_to_nothing(void **state) {
  (void)state;
  expect_note(60, true);
  expect_note(60000, false);
}

static void test_nothing_is_unresolved_where_nothing_was_refused(void **state) {
  (void)state;
  begin();
  switch_at(5, HD_CLASS_TASK, true);
  section(10, 12, 14);
  thread_1_arrives(40);
  struct hd_model *model = end(60);
  assert_int_equal(model->unresolved.ticks, 0);
  hd_model_free(model);
}

/* It is busy from then on. */
static void test_a_wait_in_which_a_task_is_refused_is_unresolved_from_then_on(void **state) {
  (void)state;
  begin();
  switch_at(5, HD_CLASS_TASK, true);
  const uint32_t task = sc_task_create(0x600, ompt_task_explicit);
  sc_at(10);
  sc_barrier_begin(ompt_sync_region_taskwait, 0x700);
  sc_at(13);
  sc_task_run(task);
  sc_at(20);
  sc_task_leave(ompt_task_complete);
  sc_at(30);
  sc_barrier_end(ompt_sync_region_taskwait, 0x700);
  thread_1_arrives(40);
  struct hd_model *model = end(60);
  assert_int_equal(UNRESOLVED(model, 0, SITE(PARALLEL, 0x300)), 5);
  assert_int_equal(UNRESOLVED(model, 0, SITE(PARALLEL, 0x300), SITE(TASKWAIT, 0x700)), 17);
  assert_int_equal(ex_ticks(model, 0, HD_WAIT_TASKWAIT, SITE(PARALLEL, 0x300), SITE(TASKWAIT, 0x700)), 3);
  hd_model_free(model);
}

/* libomp 14 sends a test that fails as an acquire of a lock: no frame of it is left for the wait to be counted on. */
static void test_it_goes_on_in_a_refused_wait_after_a_failed_test_of_a_lock(void **state) {
  (void)state;
  sc_start(SC_LIBOMP_14);
  sc_initial_begin();
  sc_fork(0x300, 2, 1, 0);
  switch_at(5, HD_CLASS_SYNC, true);
  const uint32_t task = sc_task_create(0x600, ompt_task_explicit);
  sc_at(10);
  sc_acquire(ompt_mutex_lock, 7, 0x500);
  sc_at(12);
  sc_barrier_begin(ompt_sync_region_taskwait, 0x700);
  sc_at(15);
  sc_task_run(task);
  sc_at(20);
  sc_task_leave(ompt_task_complete);
  sc_at(30);
  sc_barrier_end(ompt_sync_region_taskwait, 0x700);
  thread_1_arrives(40);
  struct hd_model *model = end(60);
  assert_int_equal(UNRESOLVED(model, 0, SITE(PARALLEL, 0x300)), (15 - 12) + (55 - 20));
  assert_int_equal(UNRESOLVED(model, 0, SITE(PARALLEL, 0x300), SITE(TASK, 0x600)), 0);
  hd_model_free(model);
}

/* Outside all regions, too: a wait there is not the end of the task, nor of the entry point that it runs in. */
static void test_it_goes_on_after_a_wait_in_a_refused_entry_point_outside_all_regions(void **state) {
  (void)state;
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  switch_at(5, HD_CLASS_ENTRY, true);
  switch_at(5, HD_CLASS_TASK, true);
  sc_at(10);
  sc_entry_begin(HEDDLE_ENTRY_TASK_CREATION);
  const uint32_t task = sc_task_create(0x600, ompt_task_explicit | ompt_task_undeferred);
  sc_at(15);
  sc_task_run(task);
  section(20, 22, 25);
  sc_at(30);
  sc_task_leave(ompt_task_complete);
  sc_at(40);
  sc_entry_end(HEDDLE_ENTRY_TASK_CREATION, 0);
  sc_at(50);
  sc_finish();
  struct hd_model *model = ex_play();
  assert_int_equal(UNRESOLVED(model, 0, PROGRAM), (20 - 10) + (50 - 25));
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, PROGRAM), 50 - 5);
  hd_model_free(model);
}

/* Two tasks, which run while their threads wait for the region's end. What comes after the join is idle time, whatever
 * the worker did before. */
static void run_at_end(bool second_is_observed) {
  begin();
  switch_at(5, HD_CLASS_TASK, true);
  const uint32_t refused = sc_task_create(0x600, ompt_task_explicit);
  const uint32_t mine = sc_task_create(0x600, ompt_task_explicit);
  switch_at(6, HD_CLASS_TASK, !second_is_observed);
  const uint32_t second = sc_task_create(0x610, ompt_task_explicit);
  thread_1_arrives(10);
  sc_at(12);
  sc_task_run(refused);
  sc_at(20);
  sc_task_leave(ompt_task_complete);
  sc_at(24);
  sc_task_run(second);
  sc_at(27);
  sc_task_leave(ompt_task_complete);
  sc_thread(0);
  sc_at(30);
  sc_join_begin();
  sc_at(31);
  sc_task_run(mine);
  sc_at(38);
  sc_task_leave(ompt_task_complete);
  sc_at(40);
  sc_join_end();
  sc_at(45);
  sc_parallel_end();
}

static void test_at_a_regions_end_it_is_part_of_the_wait_up_to_the_join(void **state) {
  (void)state;
  run_at_end(false);
  sc_fork(0x310, 2, 1, 70);
  thread_1_arrives(75);
  struct hd_model *model = end(90);
  assert_int_equal(ex_ticks(model, 1, HD_WAIT_BARRIER_IMPLICIT, SITE(PARALLEL, 0x300)), 30);
  assert_int_equal(UNRESOLVED(model, 1, SITE(PARALLEL, 0x300)), 40 - 12);
  assert_int_equal(ex_ticks(model, 0, HD_WAIT_BARRIER_IMPLICIT, SITE(PARALLEL, 0x300)), 10);
  assert_int_equal(UNRESOLVED(model, 0, SITE(PARALLEL, 0x300)), 25 + 40 - 31);
  assert_int_equal(UNRESOLVED(model, 1, SITE(PARALLEL, 0x310)), 0);
  hd_model_free(model);
}

static void test_what_comes_after_an_observed_task_is_known(void **state) {
  (void)state;
  run_at_end(true);
  sc_at(60);
  sc_finish();
  struct hd_model *model = ex_play();
  assert_int_equal(ex_ticks(model, 1, HD_WAIT_BARRIER_IMPLICIT, SITE(PARALLEL, 0x300)), 30 - 3);
  assert_int_equal(UNRESOLVED(model, 1, SITE(PARALLEL, 0x300)), 24 - 12);
  hd_model_free(model);
}

/* The window opens while it is in an entry point that was refused, and a loop begins there, which is observed. */
static void test_what_goes_on_unresolved_in_a_window_is_not_watched(void **state) {
  (void)state;
  begin();
  switch_at(5, HD_CLASS_ENTRY, true);
  switch_at(5, HD_CLASS_WORK, true);
  sc_at(10);
  sc_entry_begin(HEDDLE_ENTRY_SCHEDULING);
  switch_at(100, HD_CLASS_COUNT + HD_CLASS_ENTRY, false);
  switch_at(100, HD_CLASS_COUNT + HD_CLASS_WORK, false);
  sc_at(110);
  sc_work_begin(ompt_work_loop_dynamic, 0x500);
  sc_at(120);
  sc_entry_end(HEDDLE_ENTRY_SCHEDULING, 1);
  sc_at(150);
  sc_work_end(ompt_work_loop_dynamic, 0x500);
  switch_at(160, HD_CLASS_COUNT + HD_CLASS_ENTRY, true);
  switch_at(160, HD_CLASS_COUNT + HD_CLASS_WORK, true);
  thread_1_arrives(170);
  struct hd_model *model = end(200);
  uint64_t watched = 0;
  for (uint32_t i = 0; i < model->watched_count; i++)
    for (int as = 0; as < HD_STATE_COUNT; as++)
      watched += model->watched[i].ticks[as];
  assert_true(watched <= 160 - 100);
  hd_model_free(model);
}

static void test_a_killed_program_says_what_it_knew(void **state) {
  (void)state;
  begin();
  switch_at(5, HD_CLASS_MUTEX, true);
  section(10, 12, 14);
  thread_1_arrives(50);
  sc_at(51);
  sc_kill();
  struct hd_model *model = ex_play_killed();
  assert_int_equal(UNRESOLVED(model, 0, SITE(PARALLEL, 0x300)), 40);
  assert_int_equal(UNRESOLVED(model, 1, SITE(PARALLEL, 0x300)), 0);
  hd_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_it_lasts_from_the_first_refusal_to_the_next_event),
      cmocka_unit_test(test_a_note_says_how_much_unless_that_is_next_to_nothing),
      cmocka_unit_test(test_nothing_is_unresolved_where_nothing_was_refused),
      cmocka_unit_test(test_a_wait_in_which_a_task_is_refused_is_unresolved_from_then_on),
      cmocka_unit_test(test_it_goes_on_in_a_refused_wait_after_a_failed_test_of_a_lock),
      cmocka_unit_test(test_it_goes_on_after_a_wait_in_a_refused_entry_point_outside_all_regions),
      cmocka_unit_test(test_at_a_regions_end_it_is_part_of_the_wait_up_to_the_join),
      cmocka_unit_test(test_what_comes_after_an_observed_task_is_known),
      cmocka_unit_test(test_what_goes_on_unresolved_in_a_window_is_not_watched),
      cmocka_unit_test(test_a_killed_program_says_what_it_knew),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
