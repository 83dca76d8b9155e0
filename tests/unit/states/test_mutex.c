/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Critical sections, locks, ordered and atomic: who waits, who works, and where. */
#include <math.h>

#include "expect.h"
#include "output/model/memory.h"
#include "script.h"

/* An initial thread at time 0. */
static void begin(enum sc_runtime runtime) {
  sc_start(runtime);
  sc_initial_begin();
}

static struct hd_model *end(uint64_t time) {
  sc_at(time);
  sc_finish();
  return ex_play();
}

/* Waits 3..8, inside to 14. */
static void play_section(ompt_mutex_t kind, uint64_t released_code) {
  sc_at(3);
  sc_acquire(kind, 0x9000, 0x400);
  sc_at(8);
  sc_acquired(kind, 0x9000, 0x400);
  sc_at(14);
  sc_released(kind, 0x9000, released_code);
}

static void test_critical_waits_and_then_works_in_its_row(void **state) {
  (void)state;
  begin(SC_LIBOMP_19);
  play_section(ompt_mutex_critical, 0x440);
  struct hd_model *model = end(20);
  assert_int_equal(ex_ticks(model, 0, HD_WAIT_CRITICAL, SITE(CRITICAL, 0x400)), 5);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, SITE(CRITICAL, 0x400)), 6);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, PROGRAM), 3 + 6);
  assert_int_equal(ex_visits(model, 0, SITE(CRITICAL, 0x400)), 1);
  assert_true(hd_node_held_ticks(ex_node(model, SITE(CRITICAL, 0x400))) == 6);
  assert_true(isnan(hd_node_held_ticks(&model->nodes[0])));
  hd_model_free(model);
}

/* A taskwait in the section is part of the time for which it is held. */
static void test_a_section_is_held_while_its_thread_waits(void **state) {
  (void)state;
  begin(SC_LIBOMP_19);
  sc_acquire(ompt_mutex_critical, 1, 0x400);
  sc_at(2);
  sc_acquired(ompt_mutex_critical, 1, 0x400);
  sc_at(5);
  sc_barrier_begin(ompt_sync_region_taskwait, 0x420);
  sc_at(9);
  sc_barrier_end(ompt_sync_region_taskwait, 0x420);
  sc_at(10);
  sc_released(ompt_mutex_critical, 1, 0x450);
  struct hd_model *model = end(20);
  assert_true(hd_node_held_ticks(ex_node(model, SITE(CRITICAL, 0x400))) == 8);
  hd_model_free(model);
}

/* libomp gives mutex_released another thread's return address, or NULL. */
static void test_release_address_is_not_used(void **state) {
  (void)state;
  begin(SC_LIBOMP_19);
  play_section(ompt_mutex_critical, 0);
  struct hd_model *model = end(20);
  assert_int_equal(model->node_count, 2);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, SITE(CRITICAL, 0x400)), 6);
  hd_model_free(model);
}

static void test_ordered_waits_as_ordered(void **state) {
  (void)state;
  begin(SC_LIBOMP_14);
  play_section(ompt_mutex_ordered, 0x440);
  struct hd_model *model = end(20);
  assert_int_equal(ex_ticks(model, 0, HD_WAIT_ORDERED, SITE(ORDERED, 0x400)), 5);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, SITE(ORDERED, 0x400)), 6);
  hd_model_free(model);
}

static void test_atomic_waits_as_atomic(void **state) {
  (void)state;
  begin(SC_LIBOMP_19);
  play_section(ompt_mutex_atomic, 0);
  struct hd_model *model = end(20);
  assert_int_equal(ex_ticks(model, 0, HD_WAIT_ATOMIC, SITE(ATOMIC, 0x400)), 5);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, SITE(ATOMIC, 0x400)), 6);
  hd_model_free(model);
}

static void test_lock_waits_in_its_row_and_is_held_in_the_enclosing_one(void **state) {
  (void)state;
  begin(SC_LIBOMP_19);
  play_section(ompt_mutex_lock, 0x440);
  struct hd_model *model = end(20);
  assert_int_equal(ex_ticks(model, 0, HD_WAIT_LOCK, SITE(LOCK, 0x400)), 5);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, SITE(LOCK, 0x400)), 0);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, PROGRAM), 3 + 12);
  hd_model_free(model);
}

static void test_nested_sections_nest_their_rows(void **state) {
  (void)state;
  begin(SC_LIBOMP_19);
  sc_acquire(ompt_mutex_critical, 1, 0x400);
  sc_at(1);
  sc_acquired(ompt_mutex_critical, 1, 0x400);
  sc_at(3);
  sc_acquire(ompt_mutex_critical, 2, 0x410);
  sc_at(6);
  sc_acquired(ompt_mutex_critical, 2, 0x410);
  sc_at(10);
  sc_released(ompt_mutex_critical, 2, 0x450);
  sc_at(11);
  sc_released(ompt_mutex_critical, 1, 0x450);
  struct hd_model *model = end(11);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, SITE(CRITICAL, 0x400)), 2 + 1);
  assert_int_equal(ex_ticks(model, 0, HD_WAIT_CRITICAL, SITE(CRITICAL, 0x400), SITE(CRITICAL, 0x410)), 3);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, SITE(CRITICAL, 0x400), SITE(CRITICAL, 0x410)), 4);
  hd_model_free(model);
}

static void test_locks_may_be_released_in_any_order(void **state) {
  (void)state;
  begin(SC_LIBOMP_19);
  for (uint64_t i = 0; i < 2; i++) {
    sc_at(10 * i);
    sc_acquire(ompt_mutex_lock, i, 0x400);
    sc_at(10 * i + 4);
    sc_acquired(ompt_mutex_lock, i, 0x400);
  }
  sc_at(20);
  sc_released(ompt_mutex_lock, 0, 0x440);
  sc_released(ompt_mutex_lock, 1, 0x440);
  struct hd_model *model = end(25);
  assert_int_equal(ex_ticks(model, 0, HD_WAIT_LOCK, SITE(LOCK, 0x400)), 8);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, PROGRAM), 6 + 11);
  hd_model_free(model);
}

static void test_lock_released_by_another_thread_changes_nothing(void **state) {
  (void)state;
  begin(SC_LIBOMP_19);
  sc_acquire(ompt_mutex_lock, 7, 0x400);
  sc_acquired(ompt_mutex_lock, 7, 0x400);
  sc_thread(1);
  sc_at(2);
  sc_initial_begin();
  sc_at(5);
  sc_released(ompt_mutex_lock, 7, 0x440); /* nothing of it on this thread */
  struct hd_model *model = end(9);
  assert_int_equal(ex_ticks(model, 1, HD_BUSY, PROGRAM), 7);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, PROGRAM), 9);
  hd_model_free(model);
}

static void test_failed_test_of_a_lock_is_no_wait(void **state) {
  (void)state;
  begin(SC_LIBOMP_19);
  sc_at(2);
  sc_acquire(ompt_mutex_test_lock, 7, 0x400);
  sc_at(9);
  sc_acquire(ompt_mutex_test_lock, 7, 0x400);
  struct hd_model *model = end(12);
  assert_int_equal(ex_ticks(model, 0, HD_WAIT_LOCK, SITE(LOCK, 0x400)), 0);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, PROGRAM), 12);
  hd_model_free(model);
}

/* Before libomp 17 it looks like a lock that is waited for, until something else happens. */
static void test_failed_test_of_a_lock_on_libomp_14_is_no_wait(void **state) {
  (void)state;
  begin(SC_LIBOMP_14);
  sc_at(2);
  sc_acquire(ompt_mutex_lock, 7, 0x400);
  play_section(ompt_mutex_critical, 0x440);
  struct hd_model *model = end(20);
  assert_int_equal(ex_ticks(model, 0, HD_WAIT_LOCK, SITE(LOCK, 0x400)), 0);
  assert_int_equal(ex_ticks(model, 0, HD_WAIT_CRITICAL, SITE(CRITICAL, 0x400)), 5);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, PROGRAM), 3 + 6);
  hd_model_free(model);
}

static void test_task_after_a_failed_test_is_not_the_locks_child(void **state) {
  (void)state;
  begin(SC_LIBOMP_14);
  sc_acquire(ompt_mutex_lock, 7, 0x400);
  sc_at(2);
  uint32_t task = sc_task_create(0x500, ompt_task_undeferred);
  sc_task_run(task);
  sc_at(5);
  sc_task_leave(ompt_task_complete);
  struct hd_model *model = end(6);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, SITE(TASK, 0x500)), 3);
  assert_int_equal(ex_ticks(model, 0, HD_WAIT_LOCK, SITE(LOCK, 0x400)), 0);
  hd_model_free(model);
}

static void test_successful_test_of_a_lock_is_no_wait(void **state) {
  (void)state;
  begin(SC_LIBOMP_19);
  sc_at(2);
  sc_acquire(ompt_mutex_test_lock, 7, 0x400);
  sc_acquired(ompt_mutex_test_lock, 7, 0x400);
  sc_at(9);
  sc_released(ompt_mutex_lock, 7, 0x440);
  struct hd_model *model = end(12);
  assert_int_equal(ex_visits(model, 0, SITE(LOCK, 0x400)), 1);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, PROGRAM), 12);
  hd_model_free(model);
}

/* The owner takes a nested lock again: an acquire, then nest_lock instead of acquired. */
static void test_nested_lock_held_again_is_no_wait(void **state) {
  (void)state;
  begin(SC_LIBOMP_19);
  sc_acquire(ompt_mutex_nest_lock, 7, 0x400);
  sc_at(3);
  sc_acquired(ompt_mutex_nest_lock, 7, 0x400);
  sc_at(5);
  sc_acquire(ompt_mutex_nest_lock, 7, 0x410);
  struct fk_event again = sc_event(FK_NEST_LOCK);
  again.endpoint = ompt_scope_begin;
  sc_emit(again);
  sc_at(8);
  sc_released(ompt_mutex_nest_lock, 7, 0x440);
  struct hd_model *model = end(10);
  assert_int_equal(ex_ticks(model, 0, HD_WAIT_LOCK, SITE(LOCK, 0x400)), 3);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, PROGRAM), 7);
  hd_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_critical_waits_and_then_works_in_its_row),
      cmocka_unit_test(test_a_section_is_held_while_its_thread_waits),
      cmocka_unit_test(test_release_address_is_not_used),
      cmocka_unit_test(test_ordered_waits_as_ordered),
      cmocka_unit_test(test_atomic_waits_as_atomic),
      cmocka_unit_test(test_lock_waits_in_its_row_and_is_held_in_the_enclosing_one),
      cmocka_unit_test(test_nested_sections_nest_their_rows),
      cmocka_unit_test(test_locks_may_be_released_in_any_order),
      cmocka_unit_test(test_lock_released_by_another_thread_changes_nothing),
      cmocka_unit_test(test_failed_test_of_a_lock_is_no_wait),
      cmocka_unit_test(test_failed_test_of_a_lock_on_libomp_14_is_no_wait),
      cmocka_unit_test(test_task_after_a_failed_test_is_not_the_locks_child),
      cmocka_unit_test(test_successful_test_of_a_lock_is_no_wait),
      cmocka_unit_test(test_nested_lock_held_again_is_no_wait),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
