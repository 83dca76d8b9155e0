/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where a run's thread time went: scripts whose losses by cause are known to the tick. */
#include "losses_script.h"

/* ---- outside of regions, and around teams ---- */

/* One thread works, the other is not there or idle. */
static void test_time_outside_regions_is_serial(void **state) {
  (void)state;
  begin();
  for (uint64_t t = 100; t < 300; t += 100) { /* regions from 100 to 150 and from 200 to 250 */
    sc_at(t);
    sc_fork(0x100, 2, 1, t);
    worker_arrives(t + 50);
    sc_join(t + 50, t + 50, t + 50);
  }
  end(300);
  assert_int_equal(book->threads, 2);
  assert_int_equal(book->alive_threads, 2);
  assert_int_equal(book->asked_threads, 0);
  expect_losses(&book->program, 2 * 300, 200 + 2 * 100, SERIAL = 200);
  expect_losses(LOSSES(REGION), 2 * 100, 2 * 100, 0);
}

static void test_threads_that_were_asked_for_and_never_came_are_lost(void **state) {
  (void)state;
  begin();
  sc_at(100);
  sc_fork(0x100, 2, 1, 100);
  worker_arrives(150);
  sc_join(150, 150, 150);
  end_asked(200, ASKED(4));
  assert_int_equal(book->threads, 4);
  assert_int_equal(book->asked_threads, 4);
  assert_int_equal(book->alive_threads, 2);
  expect_losses(&book->program, 4 * 200, 150 + 2 * 50, SERIAL = 4 * 200 - 250);
  expect_losses(LOSSES(REGION), 4 * 50, 2 * 50, SERIAL = 2 * 50);
}

static void test_more_threads_than_asked_for_count(void **state) {
  (void)state;
  begin();
  sc_fork(0x100, 3, 1, 0);
  for (uint32_t i = 1; i < 3; i++) {
    sc_thread(i);
    sc_at(40);
    sc_join_begin();
  }
  sc_thread(0);
  sc_join(40, 40, 40);
  end_asked(40, ASKED(2));
  assert_int_equal(book->threads, 3);
  expect_losses(&book->program, 3 * 40, 3 * 40, 0);
}

/* A smaller team: those that are not in it had no work. */
static void test_threads_that_a_team_lacks_are_serial(void **state) {
  (void)state;
  begin();
  sc_fork(0x110, 3, 1, 0);
  for (uint32_t i = 1; i < 3; i++) {
    sc_thread(i);
    sc_at(10);
    sc_join_begin();
  }
  sc_thread(0);
  sc_join(10, 10, 10);
  sc_at(20);
  sc_fork(0x100, 2, 1, 20);
  worker_arrives(60);
  sc_join(60, 60, 60);
  end(60);
  expect_losses(LOSSES(INNER), 3 * 10, 3 * 10, 0);
  expect_losses(LOSSES(REGION), 3 * 40, 2 * 40, SERIAL = 40);
  expect_losses(&book->program, 3 * 60, 30 + 10 + 80, SERIAL = 2 * 10 + 40);
}

static void test_fork_and_join_and_late_threads_are_the_runtimes(void **state) {
  (void)state;
  begin();
  sc_at(100);
  uint32_t region = sc_parallel_begin(0x100, 2);
  sc_at(107);
  sc_implicit_begin(region, 0, 2);
  sc_thread(1);
  sc_at(130);
  sc_implicit_begin(region, 1, 2);
  worker_arrives(160);
  sc_join(137, 163, 168); /* both worked 30: that thread 0 waited 26 is because the other came late, and slowly left */
  end(200);
  expect_losses(LOSSES(REGION), 2 * 68, 30 + 30, RUNTIME = 7 + 26 + 5 + 30 + 3 + 5);
  expect_losses(&book->program, 2 * 200, 132 + 60, SERIAL = 132, RUNTIME = 76);
}

static void test_region_of_one_thread_loses_nothing_but_fork_and_join(void **state) {
  (void)state;
  begin();
  sc_at(5);
  uint32_t region = sc_parallel_begin(0x100, 1);
  sc_at(7);
  sc_implicit_begin(region, 0, 1);
  sc_at(8);
  sc_work_begin(ompt_work_loop_static, 0x200);
  sc_at(16);
  sc_work_end(ompt_work_loop_static, 0x200);
  sc_join(17, 17, 18);
  end_asked(20, ASKED(1));
  assert_int_equal(book->threads, 1);
  expect_losses(LOSSES(REGION), 13, 10, RUNTIME = 3);
  expect_losses(LOSSES(REGION, LOOP), 8, 8, 0);
  expect_losses(&book->program, 20, 17, RUNTIME = 3);
}

/* ---- what is named by the program ---- */

static void wait_for(ompt_mutex_t kind, uint64_t from, uint64_t to, uint64_t until) {
  sc_at(from);
  sc_acquire(kind, 1, 0x400);
  sc_at(to);
  sc_acquired(kind, 1, 0x400);
  sc_at(until);
  sc_released(kind, 1, 0x400);
}

static void test_waits_for_mutexes_are_locks(void **state) {
  (void)state;
  static const ompt_mutex_t kinds[] = {ompt_mutex_critical, ompt_mutex_ordered, ompt_mutex_atomic, ompt_mutex_lock};
  for (int i = 0; i < 4; i++) {
    begin();
    sc_fork(0x100, 2, 1, 0);
    wait_for(kinds[i], 10, 35, 40);
    worker_arrives(50);
    sc_join(50, 50, 50);
    end(50);
    expect_losses(LOSSES(REGION), 2 * 50, 100 - 25, LOCKS = 25);
    expect_losses(&book->program, 2 * 50, 100 - 25, LOCKS = 25);
    forget(NULL);
  }
}

/* Both work 40, one after the other: the second waits 30 for the lock and so makes the first wait 30 at the end. */
static void test_threads_late_because_of_a_lock_are_locks(void **state) {
  (void)state;
  begin();
  sc_fork(0x100, 2, 1, 0);
  wait_for(ompt_mutex_critical, 10, 10, 40);
  sc_thread(1);
  wait_for(ompt_mutex_critical, 10, 40, 70);
  worker_arrives(70);
  sc_join(40, 70, 70);
  end(70);
  expect_losses(LOSSES(REGION), 2 * 70, 40 + 40, LOCKS = 30 + 30);
}

static void test_explicit_barriers_are_barriers(void **state) {
  (void)state;
  begin();
  sc_fork(0x100, 2, 1, 0);
  sc_at(10);
  sc_barrier_begin(ompt_sync_region_barrier_explicit, 0x300);
  sc_thread(1);
  sc_at(45);
  sc_barrier_begin(ompt_sync_region_barrier_explicit, 0x300);
  for (uint32_t i = 0; i < 2; i++) {
    sc_thread(i);
    sc_at(47);
    sc_barrier_end(ompt_sync_region_barrier_explicit, 0x300);
  }
  worker_arrives(60);
  sc_join(60, 60, 60);
  end(60);
  expect_losses(LOSSES(REGION), 2 * 60, 23 + 58, BARRIER = 37 + 2);
}

/* One task for two threads: nothing to run at the barrier but that. */
static void test_waits_at_barriers_with_tasks_are_tasks(void **state) {
  (void)state;
  begin();
  sc_fork(0x100, 2, 1, 0);
  sc_at(5);
  uint32_t task = sc_task_create(0x500, 0);
  sc_thread(1);
  sc_at(5);
  sc_join_begin();
  sc_at(8);
  sc_task_run(task);
  sc_at(50);
  sc_task_leave(ompt_task_complete);
  sc_thread(0);
  sc_join(5, 50, 50);
  end(50);
  expect_losses(LOSSES(REGION), 2 * 50, 2 * 5 + 42, TASKS = 45 + 3);
}

static void test_taskwaits_and_taskgroups_are_tasks(void **state) {
  (void)state;
  begin();
  sc_fork(0x100, 2, 1, 0);
  sc_at(10);
  sc_barrier_begin(ompt_sync_region_taskwait, 0x600);
  sc_at(25);
  sc_barrier_end(ompt_sync_region_taskwait, 0x600);
  sc_taskgroup_begin(0x700);
  sc_at(40);
  sc_taskgroup_wait(0x700);
  sc_at(47);
  sc_taskgroup_end(0x700);
  worker_arrives(50);
  sc_join(50, 50, 50);
  end(50);
  expect_losses(LOSSES(REGION), 2 * 50, 50 + 50 - 15 - 7, TASKS = 15 + 7);
}

/* ---- regions in regions, several initial threads, kills ---- */

/* Team of two; thread 0 opens an inner team with thread 2, from 20 to 60, that arrives at 30: 30 lost. Thread 1 is done
 * at 40. */
static void test_nested_regions_losses_are_those_around_too(void **state) {
  (void)state;
  begin();
  sc_fork(0x100, 2, 1, 0);
  sc_at(20);
  sc_fork(0x110, 2, 2, 20);
  sc_thread(2);
  sc_at(30);
  sc_join_begin();
  sc_thread(0);
  sc_join(60, 60, 60);
  worker_arrives(40);
  sc_join(100, 100, 100);
  end(100);
  assert_int_equal(book->threads, 3);
  assert_int_equal(book->place[ex_node(model, REGION)->id], HD_PLACE_REGION);
  assert_int_equal(book->place[ex_node(model, REGION, INNER)->id], HD_PLACE_NESTED);
  expect_losses(LOSSES(REGION, INNER), 2 * 40, 40 + 10, IMBALANCE = 30);
  /* The third thread had no work but in the inner team; thread 1 waited 60 for thread 0's work, the inner included. */
  expect_losses(LOSSES(REGION), 3 * 100, 100 + 10 + 40, SERIAL = 60, IMBALANCE = 30 + 60);
  expect_losses(&book->program, 3 * 100, 150, SERIAL = 60, IMBALANCE = 90);
}

/* Thread 1 begins 40 late, and so thread 0 waits for it at the end: not for the lock that a thread of thread 0's inner
 * team waited for. */
static void test_locks_of_a_nested_team_keep_nobody_else_waiting(void **state) {
  (void)state;
  begin();
  const uint32_t region = sc_parallel_begin(0x100, 2);
  sc_implicit_begin(region, 0, 2);
  sc_fork(0x110, 2, 2, 0);
  sc_thread(2);
  wait_for(ompt_mutex_lock, 0, 20, 30);
  sc_join_begin();
  sc_thread(0);
  sc_join(30, 30, 30);
  sc_thread(1);
  sc_at(40);
  sc_implicit_begin(region, 1, 2);
  worker_arrives(80);
  sc_join(40, 80, 80);
  end(80);
  expect_losses(LOSSES(REGION), 3 * 80, 40 + 10 + 40, LOCKS = 20, RUNTIME = 40 + 40, SERIAL = 50);
}

/* Two threads open a region each at the same time; of the four threads each region has two. */
static void test_regions_of_two_initial_threads(void **state) {
  (void)state;
  begin();
  sc_thread(1);
  sc_initial_begin();
  sc_thread(0);
  sc_fork(0x100, 2, 2, 0);
  sc_thread(1);
  sc_fork(0x110, 2, 3, 0);
  sc_thread(2);
  sc_at(30);
  sc_join_begin();
  sc_thread(3);
  sc_at(70);
  sc_join_begin();
  sc_thread(0);
  sc_join(50, 50, 50);
  sc_thread(1);
  sc_join(70, 70, 70);
  end(100);
  assert_int_equal(book->threads, 4);
  expect_losses(LOSSES(REGION), 4 * 50, 50 + 30, SERIAL = 2 * 50, IMBALANCE = 20);
  expect_losses(LOSSES(INNER), 4 * 70, 2 * 70, SERIAL = 2 * 70);
  /* Thread 0 alone is busy to 100 and thread 1; the workers to 30 and 70. Idle: 2 from 50, 3 from 70. */
  expect_losses(&book->program, 4 * 100, 100 + 100 + 30 + 70, SERIAL = 50 + 30, IMBALANCE = 20);
}

/* In its one region, from 10 on; the worker waits since 30, both others are busy until the last event at 80. */
static void test_program_killed_in_its_region(void **state) {
  (void)state;
  begin();
  sc_at(10);
  sc_fork(0x100, 3, 1, 10);
  worker_arrives(30);
  sc_thread(2);
  sc_at(80);
  sc_barrier_begin(ompt_sync_region_taskwait, 0x600);
  sc_thread(0);
  sc_kill();
  fk_sort(sc_script());
  model = ex_play_killed();
  assert_int_equal(model->elapsed_ticks, 80);
  book = book_of(model);
  expect_losses(LOSSES(REGION), 3 * 70, 70 + 20 + 70, IMBALANCE = 50);
  expect_losses(&book->program, 3 * 80, 80 + 20 + 70, SERIAL = 2 * 10, IMBALANCE = 50);
}

/* The team's size is known, but none of its workers has come. */
static void test_program_killed_before_its_threads_came(void **state) {
  (void)state;
  begin();
  sc_at(10);
  const uint32_t region = sc_parallel_begin(0x100, 4);
  sc_at(20);
  sc_implicit_begin(region, 0, 4);
  sc_at(50);
  sc_barrier_begin(ompt_sync_region_taskwait, 0x600);
  sc_kill();
  model = ex_play_killed();
  book = book_of(model);
  assert_int_equal(book->threads, 4);
  assert_int_equal(book->alive_threads, 1);
  expect_losses(LOSSES(REGION), 4 * 40, 30, RUNTIME = 10 + 3 * 40);
  expect_losses(&book->program, 4 * 50, 40, SERIAL = 3 * 10, RUNTIME = 10 + 3 * 40);
}

/* Threads 0 and 1 each open a team with thread 2, which joins the other's at 50, ten ticks before its first one is
 * over: these ten are in the idle time of the first team, and busy in the second. They are counted once. */
static void test_thread_that_changes_teams_is_counted_once(void **state) {
  (void)state;
  begin();
  sc_fork(0x100, 2, 1, 0);
  sc_fork(0x110, 2, 2, 0);
  sc_thread(2);
  sc_at(50);
  sc_join_begin();
  sc_thread(0);
  sc_join(50, 50, 60);
  sc_thread(1);
  sc_at(50);
  sc_fork(0x120, 2, 2, 50);
  sc_thread(2);
  sc_at(100);
  sc_join_begin();
  sc_thread(1);
  sc_join(100, 100, 100);
  worker_arrives(100);
  sc_join(100, 100, 100);
  end(100);
  expect_losses(LOSSES(REGION, INNER), 2 * 60, 2 * 50, RUNTIME = 10 + 10);
  expect_losses(LOSSES(REGION), 3 * 100, 300 - 10, RUNTIME = 10);
}

/* Routine 0x8000 opens a region in which both threads call it again, and so does thread 0 with another region: that
 * folds into the first call, outside of regions. All time is there, once. */
static void test_recursion_through_a_region_counts_nothing_twice(void **state) {
  (void)state;
  begin();
  sc_routine_enter(0x8000);
  sc_fork(0x100, 2, 1, 0);
  sc_routine_enter(0x8000);
  sc_at(10);
  sc_fork(0x110, 2, 2, 10);
  sc_thread(2);
  sc_at(40);
  sc_join_begin();
  sc_thread(0);
  sc_join(40, 40, 40);
  sc_routine_exit(0x8000);
  sc_thread(1);
  sc_at(0);
  sc_routine_enter(0x8000);
  sc_at(50);
  sc_routine_exit(0x8000);
  worker_arrives(50);
  sc_join(50, 50, 50);
  sc_routine_exit(0x8000);
  end(50);
  assert_true(book->recursive);
  for (uint32_t i = 0; i < model->node_count; i++)
    assert_int_not_equal(book->place[i], HD_PLACE_REGION);
  expect_losses(&book->program, 3 * 50, 50 + 50 + 30, SERIAL = 20);
}

/* ---- names ---- */

static void test_losses_have_names(void **state) {
  (void)state;
  static const char *const ids[] = {"serial", "imbalance", "barrier_explicit", "locks",
                                    "tasks",  "runtime",   "scheduling",       "task_creation",
                                    "mpi",    "other",     "work_inflation"};
  for (int i = 0; i < HD_LOSS_COUNT; i++) {
    assert_string_equal(hd_loss_id((enum hd_loss)i), ids[i]);
    assert_in_range(strlen(hd_loss_words((enum hd_loss)i)), 1, 13);
  }
}

/* A word of reports means one thing: what a thread does, or why time was lost. Scheduling is both. */
static void test_no_cause_has_the_name_of_a_state(void **state) {
  (void)state;
  for (int i = 0; i < HD_LOSS_COUNT; i++)
    for (int j = 0; j < HD_STATE_COUNT && i != HD_LOSS_SCHEDULING; j++)
      assert_string_not_equal(hd_loss_words((enum hd_loss)i), hd_state_words((enum hd_state)j));
  assert_string_equal(hd_state_words(HD_RUNTIME_FORK_JOIN), "fork/join");
  assert_string_equal(hd_loss_words(HD_LOSS_RUNTIME), "fork/barrier");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(test_time_outside_regions_is_serial, forget),
      cmocka_unit_test_teardown(test_threads_that_were_asked_for_and_never_came_are_lost, forget),
      cmocka_unit_test_teardown(test_more_threads_than_asked_for_count, forget),
      cmocka_unit_test_teardown(test_threads_that_a_team_lacks_are_serial, forget),
      cmocka_unit_test_teardown(test_fork_and_join_and_late_threads_are_the_runtimes, forget),
      cmocka_unit_test_teardown(test_region_of_one_thread_loses_nothing_but_fork_and_join, forget),
      cmocka_unit_test_teardown(test_waits_for_mutexes_are_locks, forget),
      cmocka_unit_test_teardown(test_threads_late_because_of_a_lock_are_locks, forget),
      cmocka_unit_test_teardown(test_explicit_barriers_are_barriers, forget),
      cmocka_unit_test_teardown(test_waits_at_barriers_with_tasks_are_tasks, forget),
      cmocka_unit_test_teardown(test_taskwaits_and_taskgroups_are_tasks, forget),
      cmocka_unit_test_teardown(test_nested_regions_losses_are_those_around_too, forget),
      cmocka_unit_test_teardown(test_locks_of_a_nested_team_keep_nobody_else_waiting, forget),
      cmocka_unit_test_teardown(test_regions_of_two_initial_threads, forget),
      cmocka_unit_test_teardown(test_program_killed_in_its_region, forget),
      cmocka_unit_test_teardown(test_program_killed_before_its_threads_came, forget),
      cmocka_unit_test_teardown(test_thread_that_changes_teams_is_counted_once, forget),
      cmocka_unit_test_teardown(test_recursion_through_a_region_counts_nothing_twice, forget),
      cmocka_unit_test(test_losses_have_names),
      cmocka_unit_test(test_no_cause_has_the_name_of_a_state),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
