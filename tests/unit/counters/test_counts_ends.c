/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counts of threads that pause, end or are killed, of several events, and on real threads. */
#include <math.h>

#include "count_of.h"
#include "counted.h"
#include "output/model/memory.h"
#include "random_program.h"

/* ---- pauses ---- */

static void test_own_pause_takes_nothing_but_itself_away(void **state) {
  (void)state;
  begin();
  sc_at(10);
  sc_pause();
  sc_at(100);
  sc_resume();
  struct hd_model *model = end(130, &at_all);
  expect_counts(model, 0, 40, 0, 0, PROGRAM);
  assert_int_equal(missing_at(model, 0, PROGRAM), 0);
  hd_model_free(model);
}

/* The worker is busy from 0 to 90, waits to 100. Nobody knows what it counted in the pause, from 20 to 60. */
static void test_pause_of_another_thread_leaves_a_mark(void **state) {
  (void)state;
  begin();
  sc_fork(0x100, 2, 1, 0);
  sc_at(20);
  sc_pause();
  sc_at(60);
  sc_resume();
  sc_thread(1);
  sc_at(90);
  sc_join_begin();
  sc_thread(0);
  sc_join(95, 100, 100);
  struct hd_model *model = end(100, &at_all);
  expect_counts(model, 0, 20 + 35, 5, 0, REGION);
  assert_int_equal(missing_at(model, 0, REGION), 0);
  expect_counts(model, 1, 0, 10, 0, REGION);
  assert_int_equal(missing_at(model, 1, REGION), BUSY);
  const struct hd_count busy =
      count_of(model, (struct hd_count_of){.node = ex_node(model, REGION)->id, .thread = HD_NONE}, 0, HD_COUNT_BUSY);
  assert_true(busy.known && busy.partial && busy.value == 55);
  hd_model_free(model);
}

/* The clock goes on for the thread that resumes; the one that paused was working, unknown how long, meanwhile. */
static void test_resume_by_another_thread_leaves_a_mark(void **state) {
  (void)state;
  begin();
  sc_fork(0x100, 2, 1, 0);
  sc_at(20);
  sc_pause();
  sc_thread(1);
  sc_at(60);
  sc_resume();
  sc_at(90);
  sc_join_begin();
  sc_thread(0);
  sc_join(95, 100, 100);
  struct hd_model *model = end(100, &at_all);
  expect_counts(model, 0, 20, 5, 0, REGION);
  expect_counts(model, 1, 30, 10, 0, REGION);
  assert_int_equal(missing_at(model, 0, REGION), BUSY);
  assert_int_equal(missing_at(model, 1, REGION), BUSY);
  hd_model_free(model);
}

/* omp_test_lock's failure is not told: that it never waited shows at the thread's next event, be it a pause. */
static void test_pause_after_a_failed_lock_test_counts_no_waiting(void **state) {
  (void)state;
  begin();
  sc_at(10);
  sc_acquire(ompt_mutex_lock, 1, 0x400);
  sc_at(15);
  sc_pause();
  sc_at(20);
  sc_resume();
  sc_phase_begin(1);
  sc_phase_end(1);
  struct hd_model *model = end(30, &at_all);
  expect_counts(model, 0, 25, 0, 0, PROGRAM);
  hd_model_free(model);
}

/* ---- ends ---- */

static void test_killed_program_keeps_what_was_read(void **state) {
  (void)state;
  begin();
  sc_at(4);
  sc_fork(0x100, 2, 1, 10);
  sc_thread(1);
  sc_at(20);
  sc_join_begin();
  sc_thread(0);
  sc_at(30);
  sc_work_begin(ompt_work_loop_static, 0x200);
  sc_at(40);
  sc_kill();
  struct hd_model *model = play_killed(&at_loop);
  expect_counts(model, 0, 20, 0, 6, REGION);
  expect_counts(model, 0, 0, 0, 0, REGION, LOOP);
  expect_counts(model, 1, 10, 0, 0, REGION);
  assert_int_equal(missing_at(model, 0, REGION, LOOP), BUSY);
  assert_int_equal(missing_at(model, 1, REGION), WAITING);
  hd_model_free(model);
}

/* exit() reads the calling thread's; the worker's last interval is lost, and is said to be. */
static void test_exit_counts_the_calling_thread_up_to_the_end(void **state) {
  (void)state;
  begin();
  sc_at(4);
  sc_fork(0x100, 2, 1, 10);
  sc_thread(1);
  sc_at(20);
  sc_work_begin(ompt_work_loop_static, 0x200);
  sc_thread(0);
  sc_at(35);
  sc_exit(0);
  struct hd_model *model = play_rough(&at_loop);
  expect_counts(model, 0, 25, 0, 6, REGION);
  expect_counts(model, 1, 10, 0, 0, REGION);
  expect_counts(model, 1, 0, 0, 0, REGION, LOOP);
  assert_int_equal(missing_at(model, 0, REGION), 0);
  assert_int_equal(missing_at(model, 1, REGION, LOOP) & BUSY, BUSY);
  hd_model_free(model);
}

static void test_thread_counts_to_its_end(void **state) {
  (void)state;
  begin();
  sc_thread(1);
  sc_at(5);
  sc_initial_begin();
  sc_at(25);
  sc_initial_end();
  sc_thread(0);
  struct hd_model *model = end(60, &at_all);
  expect_counts(model, 1, 20, 0, 0, PROGRAM);
  expect_counts(model, 0, 60, 0, 0, PROGRAM);
  hd_model_free(model);
}

static void test_forked_child_leaves_the_counts_alone(void **state) {
  (void)state;
  begin();
  sc_at(5);
  sc_emit(sc_event(FK_FORK));
  one_region();
  struct hd_model *model = end(60, &at_all);
  expect_counts(model, 0, 28, 10, 5, REGION);
  expect_counts(model, 0, 17, 0, 0, PROGRAM);
  assert_int_equal(model->thread_count, 2);
  hd_model_free(model);
}

/* ---- many events, and on real threads ---- */

static void test_events_are_counted_side_by_side(void **state) {
  (void)state;
  const struct fk_options options = {.counters = "STUB_CLOCK,STUB_CLOCK_2,STUB_CLOCK_5", .counters_at = "all"};
  begin();
  one_region();
  struct hd_model *model = end(60, &options);
  const struct hd_counts *counts = counts_at(model, 0, EX_SITES(REGION));
  assert_int_equal(model->header.event_count, 3);
  for (uint32_t event = 0; event < 3; event++) {
    const uint64_t rate = event == 0 ? 1 : event == 1 ? 2 : 5;
    assert_int_equal(counts->counts[event * HD_COUNT_CLASSES + HD_COUNT_BUSY], 28 * rate);
    assert_int_equal(counts->counts[event * HD_COUNT_CLASSES + HD_COUNT_WAITING], 10 * rate);
    assert_int_equal(counts->counts[event * HD_COUNT_CLASSES + HD_COUNT_RUNTIME], 5 * rate);
  }
  hd_model_free(model);
}

static void test_real_threads_count_alike(void **state) {
  (void)state;
  const struct fk_options options = {.counters = "STUB_CLOCK", .counters_at = "all", .pthreads = true};
  begin();
  one_region();
  struct hd_model *model = end(60, &options);
  expect_counts(model, 0, 28, 10, 5, REGION);
  expect_counts(model, 1, 31, 15, 0, REGION);
  hd_model_free(model);
}

static void test_random_programs_on_real_threads_count_alike(void **state) {
  (void)state;
  const char *const levels[] = {"all", "loop", "region"};
  for (uint64_t seed = 1; seed <= 24; seed++) {
    const struct fk_options options = {.counters = "STUB_CLOCK", .counters_at = levels[seed % 3], .pthreads = true};
    rp_generate(seed, &(struct rp_options){.routines = true});
    hd_model_free(play(&options));
  }
}

/* By how much a thread counted more than its life, for the thread where that is most. */
static double longest_excess(const struct hd_model *model) {
  double most = 0;
  for (uint32_t thread = 0; thread < model->thread_count; thread++) {
    uint64_t count = 0;
    for (uint32_t i = 0; i < model->counts_count; i++)
      for (int c = 0; c < HD_COUNT_CLASSES && model->counts[i].thread == thread; c++) {
        assert_int_equal(model->counts[i].missing[c], 0);
        count += model->counts[i].counts[c];
      }
    const double life =
        1e9 * hd_model_seconds(model, model->threads[thread].lifetime_ticks - model->threads[thread].before_ticks);
    assert_true(count > 0 || life < 1e5);
    if ((double)count - 1.01 * life > most)
      most = (double)count - 1.01 * life;
  }
  return most;
}

/* In real time. Heddle's own work is left out: a thread counts at most its life. One that loses its processor between
 * the clock's reading and the counter's counts more; that does not happen at the same place five times. */
static void test_threads_running_freely_count_their_lives(void **state) {
  (void)state;
  const struct fk_options options = {
      .counters = "STUB_CLOCK", .counters_at = "all", .pthreads = true, .real_clock = true, .free_running = true};
  for (uint64_t seed = 1; seed <= 24; seed++) {
    double excess = HUGE_VAL;
    rp_generate(seed, &(struct rp_options){.routines = true, .no_pauses = true});
    for (int attempt = 0; attempt < 5 && excess > 1e4; attempt++) {
      struct hd_model *model = ex_play_with(&options);
      excess = longest_excess(model);
      hd_model_free(model);
    }
    assert_true(excess <= 1e4);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_own_pause_takes_nothing_but_itself_away),
      cmocka_unit_test(test_pause_of_another_thread_leaves_a_mark),
      cmocka_unit_test(test_resume_by_another_thread_leaves_a_mark),
      cmocka_unit_test(test_pause_after_a_failed_lock_test_counts_no_waiting),
      cmocka_unit_test(test_killed_program_keeps_what_was_read),
      cmocka_unit_test(test_exit_counts_the_calling_thread_up_to_the_end),
      cmocka_unit_test(test_thread_counts_to_its_end),
      cmocka_unit_test(test_forked_child_leaves_the_counts_alone),
      cmocka_unit_test(test_events_are_counted_side_by_side),
      cmocka_unit_test(test_real_threads_count_alike),
      cmocka_unit_test(test_random_programs_on_real_threads_count_alike),
      cmocka_unit_test(test_threads_running_freely_count_their_lives),
  };
  if (argc > 1)
    cmocka_set_test_filter(argv[1]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
