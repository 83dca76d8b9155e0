/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counts of callpaths on the fake runtime: the stub libpapi counts the script's time, so that every count is known.
 * Random programs: test_properties.c. */
#include <string.h>
#include <sys/wait.h>

#include "expect.h"
#include "oracle.h"
#include "output/counts.h"
#include "random_program.h"
#include "script.h"

#define REGION SITE(PARALLEL, 0x100)
#define LOOP SITE(LOOP_STATIC, 0x200)

static const struct fk_options at_all = {.counters = "STUB_CLOCK", .counters_at = "all"};
static const struct fk_options at_loop = {.counters = "STUB_CLOCK"}; /* the default */
static const struct fk_options at_region = {.counters = "STUB_CLOCK", .counters_at = "region"};

static const struct hd_counts *counts_at(const struct hd_model *model, uint32_t thread, const struct ex_site *path,
                                         size_t count) {
  const struct hd_node *node = ex_node_at(model, true, path, count);
  for (uint32_t i = 0; i < model->counts_count; i++)
    if (model->counts[i].node == node->id && model->counts[i].thread == thread)
      return &model->counts[i];
  return NULL;
}

/* Fails unless the first event's counts, while busy, waiting and in the runtime, are these. */
#define expect_counts(model, thread, busy, waiting, runtime, ...)                                                      \
  expect_counts_at(model, thread, (const uint64_t[]){busy, waiting, runtime}, EX_SITES(__VA_ARGS__), __FILE__, __LINE__)
static void expect_counts_at(const struct hd_model *model, uint32_t thread, const uint64_t expected[HD_COUNT_CLASSES],
                             const struct ex_site *path, size_t count, const char *file, int line) {
  static const uint64_t none[HD_COUNT_CLASSES];
  const struct hd_counts *counts = counts_at(model, thread, path, count);
  const uint64_t *found = counts ? counts->counts : none;
  if (!memcmp(found, expected, sizeof none))
    return;
  print_error("busy, waiting, runtime: expected %lu %lu %lu, found %lu %lu %lu\n", expected[0], expected[1],
              expected[2], found[0], found[1], found[2]);
  _fail(file, line);
}

/* Which classes lack some of the first event: bit i, class i. */
#define missing_at(model, thread, ...) missing_bits(counts_at(model, thread, EX_SITES(__VA_ARGS__)))
static unsigned missing_bits(const struct hd_counts *counts) {
  unsigned bits = 0;
  for (int c = 0; counts && c < HD_COUNT_CLASSES; c++)
    bits |= (unsigned)(counts->missing[c] & 1) << c;
  return bits;
}
enum { BUSY = 1 << HD_COUNT_BUSY, WAITING = 1 << HD_COUNT_WAITING };

static struct hd_model *compared(struct hd_model *model) {
  struct or_result *oracle = or_run(sc_script(), 0);
  const char *difference = or_counts_difference(oracle, model);
  if (difference)
    fail_msg("%s", difference);
  or_free(oracle);
  return model;
}

static struct hd_model *play(const struct fk_options *options) {
  return compared(ex_play_exact(options));
}

static struct hd_model *play_rough(const struct fk_options *options) {
  return compared(ex_play_exact_rough(options));
}

static struct hd_model *play_killed(const struct fk_options *options) {
  const struct fk_result result = fk_play(sc_script(), options);
  struct hd_model *model = NULL;
  char error[300] = "";
  assert_true(WIFSIGNALED(result.status));
  if (!hd_profile_open(result.path, &model, error, sizeof error))
    fail_msg("%s", error);
  return compared(model);
}

static void begin(void) {
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
}

static struct hd_model *end(uint64_t time, const struct fk_options *options) {
  sc_at(time);
  sc_finish();
  return play(options);
}

/* Thread 0: program to 10, fork to 12, busy to 40, waits to 50, joins to 53. Worker: busy from 14 to 45. */
static void one_region(void) {
  sc_at(10);
  const uint32_t region = sc_parallel_begin(0x100, 2);
  sc_at(12);
  sc_implicit_begin(region, 0, 2);
  sc_thread(1);
  sc_at(14);
  sc_implicit_begin(region, 1, 2);
  sc_thread(0);
  sc_at(40);
  sc_join_begin();
  sc_thread(1);
  sc_at(45);
  sc_join_begin();
  sc_thread(0);
  sc_at(50);
  sc_join_end();
  sc_at(53);
  sc_parallel_end();
}

/* ---- working, waiting, runtime ---- */

static void test_region_is_counted_while_busy_waiting_and_in_the_runtime(void **state) {
  (void)state;
  const struct fk_options *levels[] = {&at_region, &at_loop, &at_all};
  for (int i = 0; i < 3; i++) {
    begin();
    one_region();
    struct hd_model *model = end(60, levels[i]);
    assert_int_equal(model->header.counters_at, HD_COUNTERS_AT_REGION + i);
    assert_string_equal(model->events[0].name, "STUB_CLOCK");
    expect_counts(model, 0, 28, 10, 5, REGION);
    expect_counts(model, 0, 17, 0, 0, PROGRAM);
    hd_model_free(model);
  }
}

/* The worker's end is told at 60, with its thread's. */
static void test_worker_that_idles_after_a_region_counts_as_waiting_there(void **state) {
  (void)state;
  begin();
  one_region();
  struct hd_model *model = end(60, &at_all);
  expect_counts(model, 1, 31, 15, 0, REGION);
  expect_counts(model, 1, 0, 0, 0, PROGRAM);
  assert_int_equal(ex_ticks(model, 1, HD_IDLE, PROGRAM), 10);
  hd_model_free(model);
}

/* Told at once, at 55: that does not change where it counts. */
static void test_promptly_told_end_counts_alike(void **state) {
  (void)state;
  begin();
  one_region();
  sc_thread(1);
  sc_at(55);
  sc_worker_end();
  sc_thread(0);
  struct hd_model *model = end(60, &at_all);
  expect_counts(model, 1, 31, 15, 0, REGION);
  expect_counts(model, 1, 0, 0, 0, PROGRAM);
  hd_model_free(model);
}

static void test_worker_before_its_first_region_waits_in_the_program(void **state) {
  (void)state;
  begin();
  sc_thread(1);
  sc_at(4);
  sc_worker_begin();
  sc_thread(0);
  one_region();
  struct hd_model *model = end(60, &at_all);
  expect_counts(model, 1, 0, 10, 0, PROGRAM);
  hd_model_free(model);
}

/* ---- what is told apart ---- */

/* In a region's loop from 10 to 60: a critical section is waited for from 20 to 25 and held to 32; a taskwait from 40
 * to 43. */
static void play_inside(void) {
  begin();
  sc_fork(0x100, 1, 1, 0);
  sc_at(10);
  sc_work_begin(ompt_work_loop_static, 0x200);
  sc_at(20);
  sc_acquire(ompt_mutex_critical, 1, 0x400);
  sc_at(25);
  sc_acquired(ompt_mutex_critical, 1, 0x400);
  sc_at(32);
  sc_released(ompt_mutex_critical, 1, 0x400);
  sc_at(40);
  sc_barrier_begin(ompt_sync_region_taskwait, 0x500);
  sc_at(43);
  sc_barrier_end(ompt_sync_region_taskwait, 0x500);
  sc_at(60);
  sc_work_end(ompt_work_loop_static, 0x200);
  sc_join(70, 70, 70);
}

static void test_all_constructs_are_told_apart(void **state) {
  (void)state;
  play_inside();
  struct hd_model *model = end(80, &at_all);
  expect_counts(model, 0, 20, 0, 0, REGION);
  expect_counts(model, 0, 35, 0, 0, REGION, LOOP);
  expect_counts(model, 0, 7, 5, 0, REGION, LOOP, SITE(CRITICAL, 0x400));
  expect_counts(model, 0, 0, 3, 0, REGION, LOOP, SITE(TASKWAIT, 0x500));
  hd_model_free(model);
}

/* Waiting for a critical section is then the loop's work, for tasks it is not. */
static void test_loops_are_told_apart(void **state) {
  (void)state;
  play_inside();
  struct hd_model *model = end(80, &at_loop);
  expect_counts(model, 0, 20, 0, 0, REGION);
  expect_counts(model, 0, 47, 3, 0, REGION, LOOP);
  assert_null(counts_at(model, 0, EX_SITES(REGION, LOOP, SITE(CRITICAL, 0x400))));
  hd_model_free(model);
}

static void test_regions_are_told_apart(void **state) {
  (void)state;
  play_inside();
  struct hd_model *model = end(80, &at_region);
  expect_counts(model, 0, 67, 3, 0, REGION);
  assert_null(counts_at(model, 0, EX_SITES(REGION, LOOP)));
  hd_model_free(model);
}

/* A barrier of a reduction and one that GCC's code waits at are waited at, whatever is told apart. */
static void test_waiting_at_any_barrier_is_waiting(void **state) {
  (void)state;
  begin();
  sc_fork(0x100, 1, 1, 0);
  sc_at(10);
  sc_barrier_begin(ompt_sync_region_barrier_implementation, 0x300);
  sc_at(16);
  sc_barrier_end(ompt_sync_region_barrier_implementation, 0x300);
  sc_join(20, 20, 20);
  struct hd_model *model = end(20, &at_region);
  expect_counts(model, 0, 14, 6, 0, REGION);
  hd_model_free(model);
}

static void test_phases_are_told_apart_and_routines_only_with_all(void **state) {
  (void)state;
  const struct fk_options *levels[] = {&at_region, &at_all};
  for (int i = 0; i < 2; i++) {
    begin();
    sc_at(5);
    sc_phase_begin(7);
    sc_at(9);
    sc_routine_enter(0xa00);
    sc_at(20);
    sc_routine_exit(0xa00);
    sc_phase_end(7);
    struct hd_model *model = end(24, levels[i]);
    expect_counts(model, 0, 9, 0, 0, PROGRAM);
    expect_counts(model, 0, i ? 4 : 15, 0, 0, SITE(PHASE, 7));
    expect_counts(model, 0, i ? 11 : 0, 0, 0, SITE(PHASE, 7), SITE(ROUTINE, 0xa00));
    hd_model_free(model);
  }
}

/* f calls itself: all is counted where f is, nothing where it leads back. */
static void test_recursive_calls_are_counted_once(void **state) {
  (void)state;
  begin();
  for (int depth = 0; depth < 3; depth++) {
    sc_at((uint64_t)(10 * depth + 5));
    sc_routine_enter(0xa00);
  }
  sc_at(40);
  for (int depth = 0; depth < 3; depth++)
    sc_routine_exit(0xa00);
  struct hd_model *model = end(50, &at_all);
  expect_counts(model, 0, 35, 0, 0, SITE(ROUTINE, 0xa00));
  assert_null(counts_at(model, 0, EX_SITES(SITE(ROUTINE, 0xa00), SITE(ROUTINE, 0xa00))));
  hd_model_free(model);
}

/* From 20 to 26 in the region's last barrier, which lasts from 15 to 30. */
static void test_task_in_a_barrier_is_no_waiting(void **state) {
  (void)state;
  begin();
  sc_fork(0x100, 1, 1, 0);
  const uint32_t task = sc_task_create(0x700, ompt_task_explicit);
  sc_at(15);
  sc_barrier_begin(ompt_sync_region_barrier_explicit, 0x300);
  sc_at(20);
  sc_task_run(task);
  sc_at(26);
  sc_task_leave(ompt_task_complete);
  sc_at(30);
  sc_barrier_end(ompt_sync_region_barrier_explicit, 0x300);
  sc_join(30, 30, 30);
  struct hd_model *model = end(30, &at_loop);
  expect_counts(model, 0, 15, 9, 0, REGION);
  expect_counts(model, 0, 6, 0, 0, REGION, SITE(TASK, 0x700));
  hd_model_free(model);
}

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
  const struct hd_count busy = hd_model_count(
      model, (struct hd_count_of){.node = ex_node(model, REGION)->id, .thread = HD_NONE}, 0, HD_COUNT_BUSY);
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

/* In real time. Heddle's own work is left out: a thread counts at most its life. */
static void test_threads_running_freely_count_their_lives(void **state) {
  (void)state;
  const struct fk_options options = {
      .counters = "STUB_CLOCK", .counters_at = "all", .pthreads = true, .real_clock = true, .free_running = true};
  for (uint64_t seed = 1; seed <= 24; seed++) {
    rp_generate(seed, &(struct rp_options){.routines = true, .no_pauses = true});
    struct hd_model *model = ex_play_with(&options);
    for (uint32_t thread = 0; thread < model->thread_count; thread++) {
      uint64_t count = 0;
      for (uint32_t i = 0; i < model->counts_count; i++)
        for (int c = 0; c < HD_COUNT_CLASSES && model->counts[i].thread == thread; c++) {
          assert_int_equal(model->counts[i].missing[c], 0);
          count += model->counts[i].counts[c];
        }
      const double life =
          1e9 * hd_model_seconds(model, model->threads[thread].lifetime_ticks - model->threads[thread].before_ticks);
      assert_true((double)count <= 1.01 * life + 1e4);
      assert_true(count > 0 || life < 1e5);
    }
    hd_model_free(model);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_region_is_counted_while_busy_waiting_and_in_the_runtime),
      cmocka_unit_test(test_worker_that_idles_after_a_region_counts_as_waiting_there),
      cmocka_unit_test(test_promptly_told_end_counts_alike),
      cmocka_unit_test(test_worker_before_its_first_region_waits_in_the_program),
      cmocka_unit_test(test_all_constructs_are_told_apart),
      cmocka_unit_test(test_loops_are_told_apart),
      cmocka_unit_test(test_regions_are_told_apart),
      cmocka_unit_test(test_waiting_at_any_barrier_is_waiting),
      cmocka_unit_test(test_phases_are_told_apart_and_routines_only_with_all),
      cmocka_unit_test(test_recursive_calls_are_counted_once),
      cmocka_unit_test(test_task_in_a_barrier_is_no_waiting),
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
