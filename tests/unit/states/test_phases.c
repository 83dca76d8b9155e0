/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a program says through heddle.h and omp_control_tool: phases, pauses, the end. Every profile is also compared
 * with the oracle. */
#include <sys/wait.h>

#include "expect.h"
#include "output/model/memory.h"
#include "script.h"

#define MAIN SITE(ROUTINE, 0x1000)
#define A SITE(ROUTINE, 0x1100)
#define BEGINNER SITE(ROUTINE, 0x2100)
#define ENDER SITE(ROUTINE, 0x2200)
#define REGION SITE(PARALLEL, 0x100)
#define CRITICAL SITE(CRITICAL, 0x400)

static void begin(void) {
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  sc_at(1);
  sc_routine_enter(0x1000);
}

static struct hd_model *finish(uint64_t time) {
  sc_at(time);
  sc_thread(0);
  sc_routine_exit(0x1000);
  sc_finish();
  fk_sort(sc_script());
  return ex_play_exact(NULL);
}

static void call(uint64_t function, uint64_t from, uint64_t to) {
  sc_at(from);
  sc_routine_enter(function);
  sc_at(to);
  sc_routine_exit(function);
}

static void phase_begin(uint32_t number, uint64_t time) {
  sc_at(time);
  sc_phase_begin(number);
}

static void phase_end(uint32_t number, uint64_t time) {
  sc_at(time);
  sc_phase_end(number);
}

/* ---- phases ---- */

static void test_a_phase_is_a_place_on_the_callpath(void **state) {
  (void)state;
  begin();
  for (uint64_t time = 2; time < 20; time += 10) {
    phase_begin(7, time);
    call(0x1100, time + 2, time + 5);
    phase_end(7, time + 6);
  }
  phase_begin(8, 30);
  phase_end(8, 31);
  struct hd_model *model = finish(40);
#define PHASE(number) SITE(PHASE, number)
  assert_int_equal(ex_visits(model, 0, MAIN, PHASE(7)), 2);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, MAIN, PHASE(7)), 2 * 3);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, MAIN, PHASE(7), A), 2 * 3);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, MAIN, PHASE(8)), 1);
  assert_string_equal(ex_node(model, MAIN, PHASE(8))->name.function, "phase 8");
  assert_int_equal(model->header.unmatched_phases, 0);
  hd_model_free(model);
}

/* Other threads are in it as far as they run its regions. */
static void test_a_phases_regions_lie_below_it(void **state) {
  (void)state;
  begin();
  phase_begin(7, 2);
  sc_at(3);
  sc_fork(0x100, 2, 1, 3);
  phase_begin(9, 4);
  phase_end(9, 6);
  sc_thread(1);
  sc_at(8);
  sc_join_begin();
  sc_thread(0);
  sc_join(9, 9, 9);
  phase_end(7, 11);
  struct hd_model *model = finish(20);
  assert_int_equal(ex_ticks(model, 1, HD_BUSY, MAIN, PHASE(7), REGION), 5);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, MAIN, PHASE(7), REGION, PHASE(9)), 2);
  assert_int_equal(ex_node(model, MAIN, PHASE(7), REGION, PHASE(9))->visits_concurrent, 1);
  hd_model_free(model);
}

/* A routine that begins a phase, or ends one, for its caller. */
static void test_a_phase_survives_the_routine_that_began_it(void **state) {
  (void)state;
  begin();
  sc_at(2);
  sc_routine_enter(0x2100);
  phase_begin(7, 3);
  sc_at(5);
  sc_routine_exit(0x2100);
  call(0x1100, 8, 12);
  sc_at(13);
  sc_routine_enter(0x2200);
  phase_end(7, 15);
  sc_at(18);
  sc_routine_exit(0x2200);
  struct hd_model *model = finish(20);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, MAIN), 1 + 2);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, MAIN, BEGINNER), 1);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, MAIN, BEGINNER, PHASE(7)), 2 + 3 + 1);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, MAIN, BEGINNER, PHASE(7), A), 4);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, MAIN, BEGINNER, PHASE(7), ENDER), 5);
  ex_expect_entries(model, 0, CELLS(.ss = 1), CELLS(.ss = 3), MAIN, BEGINNER);
  ex_expect_entries(model, 0, CELLS(.ss = 1), CELLS(.ss = 5), MAIN, BEGINNER, PHASE(7), ENDER);
  assert_int_equal(model->header.unmatched_phases + model->header.left_routines, 0);
  hd_model_free(model);
}

static void test_phases_nest(void **state) {
  (void)state;
  begin();
  phase_begin(7, 2);
  phase_begin(8, 3);
  phase_begin(7, 5); /* in itself: on the path already */
  phase_end(0, 8);   /* the innermost */
  phase_end(8, 9);
  phase_end(7, 10);
  struct hd_model *model = finish(20);
  assert_int_equal(ex_visits(model, 0, MAIN, PHASE(7)), 2);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, MAIN, PHASE(7)), 1 + 3 + 1);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, MAIN, PHASE(7), PHASE(8)), 2 + 1);
  assert_int_equal(model->header.unmatched_phases, 0);
  hd_model_free(model);
}

static void test_unmatched_phases_are_counted(void **state) {
  (void)state;
  begin();
  phase_end(7, 2); /* never begun */
  phase_end(0, 2);
  phase_begin(7, 3);
  phase_begin(8, 4); /* ends with 7 */
  phase_end(7, 6);
  phase_end(8, 7); /* has ended */
  sc_at(8);
  sc_acquire(ompt_mutex_critical, 1, 0x400);
  sc_acquired(ompt_mutex_critical, 1, 0x400);
  phase_begin(9, 9); /* ends with the critical section */
  sc_at(11);
  sc_released(ompt_mutex_critical, 1, 0x400);
  struct hd_model *model = finish(20);
  assert_int_equal(model->header.unmatched_phases, 5);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, MAIN), 2 + 2 + 9);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, MAIN, CRITICAL, PHASE(9)), 2);
  hd_model_free(model);
}

static void test_phases_that_are_open_at_the_end(void **state) {
  (void)state;
  begin();
  phase_begin(7, 2);
  sc_at(10);
  sc_finalize();
  struct hd_model *model = ex_play_exact(NULL);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, MAIN, PHASE(7)), 8);
  hd_model_free(model);
}

/* ---- pauses ---- */

static void test_a_pause_is_in_no_number(void **state) {
  (void)state;
  begin();
  call(0x1100, 2, 4);
  sc_at(5);
  sc_pause();
  call(0x1100, 7, 9);
  sc_at(10);
  sc_resume();
  call(0x1100, 12, 15);
  struct hd_model *model = finish(20);
  assert_int_equal(model->header.pauses, 1);
  assert_int_equal(model->header.paused_ticks, 5);
  assert_int_equal(model->elapsed_ticks, 15);
  assert_int_equal(ex_visits(model, 0, MAIN, A), 2);
  ex_expect_entries(model, 0, CELLS(.ss = 2), CELLS(.ss = 2 + 3), MAIN, A);
  ex_expect_entries(model, 0, CELLS(.ss = 1), CELLS(.ss = 14), MAIN);
  hd_model_free(model);
}

/* What is entered in a pause is no entry, but where the time is spent that comes after it. */
static void test_routines_across_a_pause(void **state) {
  (void)state;
  begin();
  sc_at(2);
  sc_routine_enter(0x1100);
  sc_at(4);
  sc_pause();
  sc_at(6);
  sc_routine_exit(0x1100); /* half of it */
  sc_at(7);
  sc_routine_enter(0x2100);
  sc_at(10);
  sc_resume();
  sc_at(13);
  sc_routine_exit(0x2100);
  struct hd_model *model = finish(20);
  ex_expect_entries(model, 0, CELLS(.ss = 1), CELLS(.ss = 2), MAIN, A);
  ex_expect_entries(model, 0, CELLS(0), CELLS(.ss = 3), MAIN, BEGINNER);
  assert_int_equal(ex_visits(model, 0, MAIN, BEGINNER), 0);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, MAIN, BEGINNER), 3);
  hd_model_free(model);
}

static void test_pauses_do_not_nest(void **state) {
  (void)state;
  begin();
  sc_at(2);
  sc_resume(); /* it runs */
  sc_at(4);
  sc_pause();
  sc_at(5);
  sc_pause();
  sc_at(8);
  sc_resume();
  sc_at(9);
  sc_resume();
  sc_at(12);
  sc_control(2);
  sc_at(13);
  sc_resume();
  struct hd_model *model = finish(20);
  assert_int_equal(model->header.pauses, 2);
  assert_int_equal(model->header.paused_ticks, 4 + 1);
  assert_int_equal(model->elapsed_ticks, 15);
  hd_model_free(model);
}

/* All threads' clocks stop, whatever they do: one works, one waits. A region that begins in a pause is not counted. */
static void test_pause_in_regions(void **state) {
  (void)state;
  begin();
  sc_at(2);
  sc_fork(0x100, 2, 1, 2);
  sc_thread(1);
  sc_at(6);
  sc_join_begin();
  sc_thread(0);
  sc_at(8);
  sc_pause();
  sc_join(18, 19, 20);
  sc_at(21);
  sc_fork(0x110, 1, 0, 21);
  sc_at(28);
  sc_resume();
  sc_join(30, 30, 30);
  struct hd_model *model = finish(35);
  const struct hd_node *node = ex_node(model, MAIN, REGION);
  assert_int_equal(node->team.elapsed_ticks, 6);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, MAIN, REGION), 6);
  assert_int_equal(ex_ticks(model, 1, HD_BUSY, MAIN, REGION), 4);
  assert_int_equal(ex_ticks(model, 1, HD_WAIT_BARRIER_IMPLICIT, MAIN, REGION), 2);
  assert_int_equal(ex_node(model, MAIN, SITE(PARALLEL, 0x110))->visits, 0);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, MAIN, SITE(PARALLEL, 0x110)), 2);
  hd_model_free(model);
}

static void test_program_that_ends_in_a_pause(void **state) {
  (void)state;
  begin();
  sc_at(5);
  sc_pause();
  struct hd_model *model = finish(20);
  assert_int_equal(model->elapsed_ticks, 5);
  assert_int_equal(model->header.pauses, 1);
  assert_int_equal(model->header.paused_ticks, 15);
  hd_model_free(model);
}

/* ---- omp_control_tool ---- */

enum { START = 1, PAUSE = 2, FLUSH = 3, END = 4, SUCCESS = 0, IGNORED = 1 };

static void control(uint64_t time, uint32_t command) {
  sc_at(time);
  sc_control(command);
}

static void expect_controls(const int *expected, uint32_t count) {
  struct fk_result result = fk_play(sc_script(), NULL);
  assert_true(WIFEXITED(result.status));
  assert_int_equal(WEXITSTATUS(result.status), 0);
  assert_true(result.registered[ompt_callback_control_tool]);
  assert_int_equal(result.control_count, count);
  for (uint32_t i = 0; i < count; i++)
    if (result.controls[i] != expected[i])
      fail_msg("answer %u is %d, not %d", i, result.controls[i], expected[i]);
}

static void test_answers_of_control_tool(void **state) {
  (void)state;
  static const int expected[] = {SUCCESS, SUCCESS, SUCCESS, SUCCESS, SUCCESS,
                                 SUCCESS, IGNORED, IGNORED, SUCCESS, IGNORED};
  begin();
  control(2, START); /* it is on: success all the same */
  control(3, PAUSE);
  control(4, PAUSE);
  control(5, FLUSH);
  control(6, START);
  control(7, FLUSH);
  control(8, 0);
  control(9, 77);
  control(10, END);
  control(11, START); /* off for good */
  sc_at(20);
  sc_finalize();
  expect_controls(expected, sizeof expected / sizeof *expected);
}

static void test_control_tool_pauses_and_starts(void **state) {
  (void)state;
  begin();
  control(5, PAUSE);
  call(0x1100, 6, 8);
  control(9, START);
  call(0x1100, 10, 12);
  struct hd_model *model = finish(20);
  assert_int_equal(model->header.paused_ticks, 4);
  ex_expect_entries(model, 0, CELLS(.ss = 1), CELLS(.ss = 2), MAIN, A);
  hd_model_free(model);
}

/* The profile is complete from then on; what comes is ignored. */
static void test_control_tool_ends_the_profile(void **state) {
  (void)state;
  begin();
  sc_at(2);
  sc_routine_enter(0x1100);
  control(5, END);
  call(0x2100, 6, 8);
  sc_at(9);
  sc_fork(0x100, 2, 1, 9);
  sc_thread(1);
  sc_at(10);
  sc_join_begin();
  sc_thread(0);
  sc_join(11, 11, 11);
  phase_begin(7, 12);
  control(13, PAUSE);
  sc_at(14);
  sc_routine_exit(0x1100);
  struct hd_model *model = finish(20);
  assert_int_equal(model->elapsed_ticks, 5);
  assert_int_equal(model->thread_count, 1);
  ex_expect_entries(model, 0, CELLS(.ss = 1), CELLS(.ss = 3), MAIN, A);
  assert_false(ex_has_node(model, MAIN, A, BEGINNER));
  hd_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_phase_is_a_place_on_the_callpath),
      cmocka_unit_test(test_a_phases_regions_lie_below_it),
      cmocka_unit_test(test_a_phase_survives_the_routine_that_began_it),
      cmocka_unit_test(test_phases_nest),
      cmocka_unit_test(test_unmatched_phases_are_counted),
      cmocka_unit_test(test_phases_that_are_open_at_the_end),
      cmocka_unit_test(test_a_pause_is_in_no_number),
      cmocka_unit_test(test_routines_across_a_pause),
      cmocka_unit_test(test_pauses_do_not_nest),
      cmocka_unit_test(test_pause_in_regions),
      cmocka_unit_test(test_program_that_ends_in_a_pause),
      cmocka_unit_test(test_answers_of_control_tool),
      cmocka_unit_test(test_control_tool_pauses_and_starts),
      cmocka_unit_test(test_control_tool_ends_the_profile),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
