/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where a run's thread time went: scripts whose losses by cause are known to the tick. */
#include "losses_expect.h"
#include "script.h"

#define REGION SITE(PARALLEL, 0x100)
#define INNER SITE(PARALLEL, 0x110)
#define LOOP SITE(LOOP_STATIC, 0x200)
#define SINGLE SITE(SINGLE, 0x200)
#define ASKED(threads) (&(struct fk_options){.environment = (const char *const[]){"OMP_NUM_THREADS=" #threads, NULL}})

static struct hd_model *model;
static struct hd_loss_book *book;

static int forget(void **state) {
  (void)state;
  hd_loss_book_free(book);
  hd_model_free(model);
  book = NULL;
  model = NULL;
  return 0;
}

static void begin(void) {
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
}

/* Plays the program, which ends at `time`. */
static void end_asked(uint64_t time, const struct fk_options *options) {
  sc_at(time);
  sc_finish();
  fk_sort(sc_script());
  model = ex_play_with(options);
  assert_int_equal(model->elapsed_ticks, time);
  book = book_of(model);
}

static void end(uint64_t time) {
  end_asked(time, NULL);
}

#define LOSSES(...) (&book->inclusive[ex_node(model, __VA_ARGS__)->id])

/* The worker (of a team of two) arrives at the region's end; thread 0 is current again. */
static void worker_arrives(uint64_t time) {
  sc_thread(1);
  sc_at(time);
  sc_join_begin();
  sc_thread(0);
}

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

/* ---- implicit barriers ---- */

static void test_unequal_work_is_imbalance(void **state) {
  (void)state;
  begin();
  sc_fork(0x100, 2, 1, 0);
  worker_arrives(25);
  sc_join(60, 60, 60);
  end(60);
  expect_losses(LOSSES(REGION), 2 * 60, 60 + 25, IMBALANCE = 35);
  expect_losses(&book->program, 2 * 60, 60 + 25, IMBALANCE = 35);
}

/* Three instances: the same thread is never late twice, so only each instance on its own shows the imbalance. */
static void test_imbalance_is_that_of_each_instance(void **state) {
  (void)state;
  begin();
  for (uint64_t t = 0; t < 300; t += 100) {
    const uint64_t first = t == 100 ? 30 : 90, second = t == 100 ? 90 : 30;
    sc_at(t);
    sc_fork(0x100, 2, 1, t);
    worker_arrives(t + second);
    sc_join(t + first, t + 90, t + 90);
  }
  end(290);
  expect_losses(LOSSES(REGION), 2 * 270, 3 * (90 + 30), IMBALANCE = 3 * 60);
}

static void loop_of(uint32_t thread, ompt_work_t kind, uint64_t from, uint64_t to, uint64_t leaves) {
  sc_thread(thread);
  sc_at(from);
  sc_work_begin(kind, 0x200);
  sc_at(to);
  sc_work_end(kind, 0x200);
  sc_barrier_begin(sc_work_barrier(), 0x240);
  sc_at(leaves);
  sc_barrier_end(sc_work_barrier(), 0x240);
}

/* Where the barrier takes longer than the slowest thread's work, the rest is the runtime's. */
static void test_imbalance_of_a_loop_is_the_loops(void **state) {
  (void)state;
  begin();
  sc_fork(0x100, 2, 1, 0);
  loop_of(0, ompt_work_loop_static, 0, 80, 83);
  loop_of(1, ompt_work_loop_static, 0, 20, 83);
  worker_arrives(90);
  sc_join(90, 90, 90);
  end(90);
  expect_losses(LOSSES(REGION, LOOP), 2 * 83, 80 + 20, IMBALANCE = 60, RUNTIME = 3 + 3);
  expect_losses(LOSSES(REGION), 2 * 90, 100 + 2 * 7, IMBALANCE = 60, RUNTIME = 6);
}

static void test_reduction_is_imbalance(void **state) {
  (void)state;
  begin();
  sc_fork(0x100, 2, 1, 0);
  sc_at(30);
  sc_barrier_begin(ompt_sync_region_reduction, 0x300);
  sc_at(50);
  sc_barrier_end(ompt_sync_region_reduction, 0x300);
  worker_arrives(50);
  sc_join(50, 50, 50);
  end(50);
  expect_losses(LOSSES(REGION), 2 * 50, 50 + 30, IMBALANCE = 20);
}

/* Thread 0 does it, the other waits; both leave 2 late. */
static void test_wait_for_a_single_is_serial(void **state) {
  (void)state;
  begin();
  sc_fork(0x100, 2, 1, 0);
  loop_of(0, ompt_work_single_executor, 10, 60, 62);
  loop_of(1, ompt_work_single_other, 10, 10, 62);
  worker_arrives(70);
  sc_join(70, 70, 70);
  end(70);
  expect_losses(LOSSES(REGION, SINGLE), 2 * 52, 50, SERIAL = 50, RUNTIME = 2 + 2);
  expect_losses(LOSSES(REGION), 2 * 70, 50 + 2 * 18, SERIAL = 50, RUNTIME = 4);
  expect_losses(&book->program, 2 * 70, 50 + 2 * 18, SERIAL = 50, RUNTIME = 4);
}

static void single_without_barrier(uint32_t thread, ompt_work_t kind, uint64_t from, uint64_t to) {
  sc_thread(thread);
  sc_at(from);
  sc_work_begin(kind, 0x200);
  sc_at(to);
  sc_work_end(kind, 0x200);
}

/* It has no barrier of its own: the wait is the region's, but what it is for is the same. */
static void test_wait_for_a_single_at_the_regions_end_is_serial(void **state) {
  (void)state;
  begin();
  sc_fork(0x100, 2, 1, 0);
  single_without_barrier(0, ompt_work_single_executor, 5, 65);
  single_without_barrier(1, ompt_work_single_other, 5, 5);
  worker_arrives(15);
  sc_join(75, 75, 75);
  end(75);
  expect_losses(LOSSES(REGION), 2 * 75, 75 + 15, SERIAL = 60);
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

/* ---- GCC's code ---- */

/* Its `single` has no end: what was done in it is in the region's own time. */
static void test_wait_for_a_single_of_gcc_is_serial(void **state) {
  (void)state;
  sc_start(SC_GOMP);
  sc_initial_begin();
  sc_fork(0x100, 2, 1, 0);
  sc_at(10);
  sc_work_begin(ompt_work_single_executor, 0x200);
  sc_at(60);
  sc_barrier_begin(sc_work_barrier(), 0);
  sc_at(62);
  sc_barrier_end(sc_work_barrier(), 0);
  loop_of(1, ompt_work_single_other, 10, 10, 62);
  worker_arrives(70);
  sc_join(70, 70, 70);
  end(70);
  const struct hd_losses *losses = LOSSES(REGION);
  assert_int_equal(losses->capacity, 2 * 70);
  assert_int_equal(losses->busy, 50 + 2 * 18);
  assert_true(losses->lost[HD_LOSS_SERIAL] >= 50);
  assert_int_equal(losses->lost[HD_LOSS_SERIAL] + losses->lost[HD_LOSS_RUNTIME], 52 + 2);
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

/* ---- names ---- */

static void test_losses_have_names(void **state) {
  (void)state;
  static const char *const ids[] = {"serial",  "imbalance", "barrier_explicit", "locks", "tasks",
                                    "runtime", "other",     "work_inflation"};
  for (int i = 0; i < HD_LOSS_COUNT; i++) {
    assert_string_equal(hd_loss_id(i), ids[i]);
    assert_in_range(strlen(hd_loss_words(i)), 1, 13);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(test_time_outside_regions_is_serial, forget),
      cmocka_unit_test_teardown(test_threads_that_were_asked_for_and_never_came_are_lost, forget),
      cmocka_unit_test_teardown(test_more_threads_than_asked_for_count, forget),
      cmocka_unit_test_teardown(test_threads_that_a_team_lacks_are_serial, forget),
      cmocka_unit_test_teardown(test_fork_and_join_and_late_threads_are_the_runtimes, forget),
      cmocka_unit_test_teardown(test_region_of_one_thread_loses_nothing_but_fork_and_join, forget),
      cmocka_unit_test_teardown(test_unequal_work_is_imbalance, forget),
      cmocka_unit_test_teardown(test_imbalance_is_that_of_each_instance, forget),
      cmocka_unit_test_teardown(test_imbalance_of_a_loop_is_the_loops, forget),
      cmocka_unit_test_teardown(test_reduction_is_imbalance, forget),
      cmocka_unit_test_teardown(test_wait_for_a_single_is_serial, forget),
      cmocka_unit_test_teardown(test_wait_for_a_single_at_the_regions_end_is_serial, forget),
      cmocka_unit_test_teardown(test_waits_for_mutexes_are_locks, forget),
      cmocka_unit_test_teardown(test_threads_late_because_of_a_lock_are_locks, forget),
      cmocka_unit_test_teardown(test_explicit_barriers_are_barriers, forget),
      cmocka_unit_test_teardown(test_waits_at_barriers_with_tasks_are_tasks, forget),
      cmocka_unit_test_teardown(test_taskwaits_and_taskgroups_are_tasks, forget),
      cmocka_unit_test_teardown(test_wait_for_a_single_of_gcc_is_serial, forget),
      cmocka_unit_test_teardown(test_nested_regions_losses_are_those_around_too, forget),
      cmocka_unit_test_teardown(test_regions_of_two_initial_threads, forget),
      cmocka_unit_test_teardown(test_program_killed_in_its_region, forget),
      cmocka_unit_test(test_losses_have_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
