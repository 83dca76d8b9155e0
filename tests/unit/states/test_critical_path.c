/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The critical path: scripts whose longest chain is known, and random ones against the oracle. HEDDLE_SEEDS and
 * HEDDLE_SEED as in test_properties.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "oracle.h"
#include "output/model/memory.h"
#include "output/model/paths.h"
#include "random_program.h"
#include "script.h"

#define REGION SITE(PARALLEL, 0x100)
#define CRITICAL SITE(CRITICAL, 0x300)
#define TASK SITE(TASK, 0x400)

static const char *const follow[] = {"HEDDLE_CRITICAL_PATH=1", "HEDDLE_OVERHEAD=off", NULL};
static const struct fk_options followed = {.environment = follow};

static struct hd_model *model;

static int forget(void **state) {
  (void)state;
  hd_model_free(model);
  model = NULL;
  return 0;
}

/* Thread 0 is busy outside from 0 on. */
static void begin(void) {
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
}

static void end_apart(uint64_t time) {
  sc_at(time);
  sc_finish();
  fk_sort(sc_script());
  model = ex_play_with(&followed);
  assert_true(model->path_known);
}

/* As the oracle has it, too. */
static void end(uint64_t time) {
  end_apart(time);
  struct or_result *oracle = or_run_path(sc_script());
  const char *difference = or_path_difference(oracle, model);
  if (difference)
    fail_msg("%s", difference);
  or_free(oracle);
}

static void arrives(uint32_t thread, uint64_t time) {
  sc_thread(thread);
  sc_at(time);
  sc_join_begin();
}

static struct hd_model_path part(const struct hd_node *node) {
  const struct hd_model_path *found = hd_paths_find(model, node->id);
  return found ? *found : (struct hd_model_path){0};
}

static void expect_span(uint64_t ticks) {
  assert_int_equal(hd_paths_span(model), ticks);
}

/* ---- known answers ---- */

/* 10 before, 30 of the longest of the three, 5 behind. */
static void test_a_region_is_as_long_as_its_longest_thread(void **state) {
  (void)state;
  begin();
  sc_at(10);
  sc_fork(0x100, 3, 1, 12);
  arrives(1, 42);
  arrives(2, 20);
  sc_thread(0);
  sc_join(32, 50, 51);
  end(56);
  expect_span(10 + 30 + 5);
  assert_int_equal(part(ex_node(model, REGION)).span_ticks, 30);
  assert_int_equal(part(ex_node(model, REGION)).own_ticks, 30);
  assert_int_equal(part(&model->nodes[0]).own_ticks, 15);
}

static void barrier(uint32_t thread, uint64_t from, uint64_t to) {
  sc_thread(thread);
  sc_at(from);
  sc_barrier_begin(ompt_sync_region_barrier_explicit, 0x200);
  sc_at(to);
  sc_barrier_end(ompt_sync_region_barrier_explicit, 0x200);
}

/* One is late at the first, the other at the second: the chain changes threads. */
static void test_barriers_are_where_the_path_changes_threads(void **state) {
  (void)state;
  begin();
  sc_fork(0x100, 2, 1, 0);
  barrier(0, 10, 31);
  barrier(1, 30, 31);
  barrier(0, 71, 72);
  barrier(1, 40, 72);
  arrives(1, 80);
  sc_thread(0);
  sc_join(75, 81, 81);
  end(81);
  expect_span(30 + 40 + 8);
  assert_int_equal(part(ex_node(model, REGION)).span_ticks, 78);
}

static void section(uint32_t thread, uint64_t from, uint64_t got, uint64_t to) {
  sc_thread(thread);
  sc_at(from);
  sc_acquire(ompt_mutex_critical, 0x7000, 0x300);
  sc_at(got);
  sc_acquired(ompt_mutex_critical, 0x7000, 0x300);
  sc_at(to);
  sc_released(ompt_mutex_critical, 0x7000, 0x300);
}

/* Each of three has 10 in the section, one behind the other; the first comes at 5. */
static void test_critical_sections_run_one_after_the_other(void **state) {
  (void)state;
  begin();
  sc_fork(0x100, 3, 1, 0);
  section(0, 5, 5, 15);
  section(1, 6, 16, 26);
  section(2, 7, 27, 37);
  arrives(1, 27);
  arrives(2, 38);
  sc_thread(0);
  sc_join(16, 40, 40);
  end(40);
  expect_span(5 + 3 * 10 + 1);
  assert_int_equal(part(ex_node(model, REGION, CRITICAL)).own_ticks, 30);
}

/* The runtime tells of the release when the next one has the lock already. */
static void test_a_release_that_is_told_late_counts_up_to_the_hand_over(void **state) {
  (void)state;
  begin();
  sc_fork(0x100, 2, 1, 0);
  section(0, 5, 5, 17);
  section(1, 6, 15, 30);
  arrives(1, 31);
  sc_thread(0);
  sc_join(18, 40, 40);
  end_apart(40);
  expect_span(5 + 10 + 15 + 1);
}

/* ---- tasks ---- */

static uint32_t created(uint64_t time) {
  sc_thread(0);
  sc_at(time);
  return sc_task_create(0x400, 0);
}

static void runs(uint32_t thread, uint32_t task, uint64_t from, uint64_t to) {
  sc_thread(thread);
  sc_at(from);
  sc_task_run(task);
  sc_at(to);
  sc_task_leave(ompt_task_complete);
}

static void depends(uint32_t task, ompt_dependence_type_t type, uint64_t variable) {
  struct fk_event event = sc_event(FK_DEPENDENCES);
  event.task = task;
  event.kind = (uint32_t)type;
  event.wait_id = variable;
  sc_emit(event);
}

/* Thread 1 arrives at once and runs tasks; thread 0 creates three at 10, 20 and 30, and arrives at 40. */
static void begin_tasks(uint32_t tasks[3]) {
  begin();
  sc_fork(0x100, 2, 1, 0);
  for (uint32_t i = 0; i < 3; i++)
    tasks[i] = created(10 + 10 * i);
  arrives(1, 1);
}

static void end_tasks(uint64_t join) {
  sc_thread(0);
  sc_join(40, join, join);
}

/* One thread runs all of them: without an order between them each begins where it was created. */
static void test_tasks_go_on_from_their_creation(void **state) {
  (void)state;
  uint32_t tasks[3];
  begin_tasks(tasks);
  runs(1, tasks[0], 50, 80);
  runs(1, tasks[1], 80, 100);
  runs(1, tasks[2], 101, 106);
  end_tasks(120);
  end(120);
  expect_span(10 + 30);
  assert_int_equal(part(ex_node(model, REGION, TASK)).instances, 3);
  assert_int_equal(part(ex_node(model, REGION, TASK)).span_ticks, 30 + 20 + 5);
  assert_int_equal(part(ex_node(model, REGION, TASK)).work_ticks, 30 + 20 + 5);
}

/* The second reads what the first writes, the third writes it again: one behind the other. */
static void test_dependences_put_tasks_in_order(void **state) {
  (void)state;
  uint32_t tasks[3];
  begin();
  sc_fork(0x100, 2, 1, 0);
  static const ompt_dependence_type_t types[] = {ompt_dependence_type_out, ompt_dependence_type_in,
                                                 ompt_dependence_type_inout};
  for (uint32_t i = 0; i < 3; i++)
    depends(tasks[i] = created(10 + 10 * i), types[i], 0x5001);
  arrives(1, 1);
  runs(1, tasks[0], 50, 80);
  runs(1, tasks[1], 80, 100);
  runs(1, tasks[2], 101, 106);
  end_tasks(120);
  end_apart(120);
  expect_span(10 + 30 + 20 + 5);
}

/* Two readers, and one of another variable, wait for nothing but the writer. */
static void test_readers_are_in_no_order(void **state) {
  (void)state;
  uint32_t tasks[3];
  begin();
  sc_fork(0x100, 2, 1, 0);
  for (uint32_t i = 0; i < 3; i++) {
    tasks[i] = created(10 + 10 * i);
    depends(tasks[i], i == 0 ? ompt_dependence_type_out : ompt_dependence_type_in, i < 2 ? 0x5001 : 0x5002);
  }
  arrives(1, 1);
  runs(1, tasks[0], 50, 80);
  runs(1, tasks[1], 80, 100);
  runs(1, tasks[2], 101, 146);
  end_tasks(150);
  end_apart(150);
  expect_span(30 + 45); /* the third: created at 30 */
}

/* `taskwait depend` goes on from what it depends on alone. */
static void test_a_wait_for_a_dependence_goes_on_from_that_task(void **state) {
  (void)state;
  uint32_t tasks[2];
  begin();
  sc_fork(0x100, 2, 1, 0);
  arrives(1, 1);
  depends(tasks[0] = created(10), ompt_dependence_type_out, 0x5001);
  depends(tasks[1] = created(20), ompt_dependence_type_out, 0x5002);
  runs(1, tasks[0], 11, 31);
  runs(1, tasks[1], 32, 37);
  sc_thread(0);
  sc_at(25);
  const uint32_t wait = sc_task_create(0x500, ompt_task_taskwait);
  depends(wait, ompt_dependence_type_in, 0x5001);
  sc_at(38);
  struct fk_event over = sc_event(FK_TASK_SCHEDULE);
  over.kind = ompt_taskwait_complete;
  over.task = wait;
  sc_emit(over);
  sc_join(50, 60, 60);
  end_apart(60);
  expect_span(10 + 20 + 12); /* the first task, and the creator after its wait; by itself it would be 25 + 12 */
}

/* ---- more ---- */

/* Inner teams of 3 and 2 at the same time; each inner thread works from 12 on, primaries until 22. */
static void test_nested_regions_have_spans_of_their_own(void **state) {
  (void)state;
  sc_nested_teams(NULL);
  fk_sort(sc_script());
  model = ex_play_with(&followed);
  const struct hd_node *inner = ex_node(model, REGION, SITE(PARALLEL, 0x110));
  struct or_result *oracle = or_run_path(sc_script());
  assert_null(or_path_difference(oracle, model));
  or_free(oracle);
  assert_int_equal(part(inner).instances, 2);
  assert_int_equal(part(inner).span_ticks, 2 * (22 - 12));
  assert_int_equal(part(inner).own_ticks, 22 - 12);
}

/* One waits for 75 of its 95, the other works for 80. */
static void test_the_longest_of_several_initial_threads_is_the_path(void **state) {
  (void)state;
  begin();
  sc_thread(1);
  sc_at(10);
  sc_initial_begin();
  sc_at(90);
  sc_initial_end();
  sc_thread(0);
  sc_at(15);
  sc_barrier_begin(ompt_sync_region_taskwait, 0x200);
  sc_at(90);
  sc_barrier_end(ompt_sync_region_taskwait, 0x200);
  end(95);
  expect_span(80);
}

static void test_without_the_option_there_is_no_path(void **state) {
  (void)state;
  begin();
  sc_at(5);
  sc_finish();
  fk_sort(sc_script());
  model = ex_play();
  assert_false(model->path_known);
  assert_int_equal(model->header.path_flags, 0);
}

/* ---- random programs ---- */

static unsigned long number(const char *name, unsigned long otherwise) {
  const char *text = getenv(name);
  return text ? strtoul(text, NULL, 10) : otherwise;
}

/* No two events at the same time, and no two chains of the same length, but by chance. */
static void spread_times(struct fk_script *script, uint64_t seed) {
  uint64_t before = 0, time = 0;
  for (size_t i = 0; i < script->count; i++) {
    struct fk_event *e = &script->events[i];
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    time += (e->time - before) * 1000 + 1 + (seed >> 33) % 997;
    before = e->time;
    e->time = time;
  }
}

/* What threads hold, as the program names it, and as what it is named here. */
enum { NAMES = 4096, HELD = 64 };
struct held {
  uint64_t before;
  uint32_t name;
};
static struct held held[FK_MAX_THREADS][HELD];
static uint32_t held_count[FK_MAX_THREADS];
static bool is_taken[NAMES];

static void acquire(struct fk_event *e) {
  uint32_t *count = &held_count[e->thread], name = 0;
  while (is_taken[name])
    name++;
  assert_true(name < NAMES && *count < HELD);
  is_taken[name] = true;
  held[e->thread][(*count)++] = (struct held){e->wait_id, name};
  e->wait_id = 0x10000 + name;
}

static void release(struct fk_event *e) {
  uint32_t *count = &held_count[e->thread];
  for (uint32_t i = *count; i-- > 0;) {
    const struct held found = held[e->thread][i];
    if (found.before != e->wait_id)
      continue;
    held[e->thread][i] = held[e->thread][--*count];
    is_taken[found.name] = false;
    e->wait_id = 0x10000 + found.name;
    return;
  }
}

/* Random programs do not exclude one another from what they hold: each gets the first lock that is free at that time.
 */
static void name_locks(struct fk_script *script) {
  memset(held_count, 0, sizeof held_count);
  memset(is_taken, 0, sizeof is_taken);
  for (size_t i = 0; i < script->count; i++) {
    struct fk_event *e = &script->events[i];
    if (e->op == FK_MUTEX_ACQUIRED)
      acquire(e);
    else if (e->op == FK_MUTEX_RELEASED)
      release(e);
  }
}

static const char *check(uint64_t seed, const struct rp_options *program, const struct fk_options *options) {
  rp_generate(seed, program);
  spread_times(sc_script(), seed);
  name_locks(sc_script());
  if (getenv("HEDDLE_SEED"))
    fk_print(sc_script());
  model = ex_play_with(options);
  struct or_result *oracle = or_run_path(sc_script());
  const char *difference = or_path_difference(oracle, model);
  if (!difference)
    difference = ex_broken_levels(model);
  or_free(oracle);
  hd_model_free(model);
  model = NULL;
  return difference;
}

/* Sweeps of different sizes take turns: that say nothing of their own, and that are cut as in test_properties.c. */
static const char *const tiny[] = {"HEDDLE_CRITICAL_PATH=1", "HEDDLE_OVERHEAD=off", "HEDDLE_TEST_WINDOWS=2,1,7,5",
                                   NULL};
static const char *const small[] = {"HEDDLE_CRITICAL_PATH=1", "HEDDLE_OVERHEAD=off", "HEDDLE_TEST_WINDOWS=20,100,3,4",
                                    NULL};
static const struct fk_options sweeps[] = {{.environment = follow}, {.environment = tiny}, {.environment = small}};

static void check_seeds(const char *what, struct rp_options program) {
  const unsigned long only = number("HEDDLE_SEED", 0), last = only ? only : number("HEDDLE_SEEDS", 100);
  program.no_pauses = true;
  for (unsigned long seed = only ? only : 1; seed <= last; seed++) {
    const char *difference = check(seed, &program, &sweeps[seed % 3]);
    if (difference)
      fail_msg("%s: seed %lu: %s", what, seed, difference);
  }
}

static void test_random_programs_without_tasks_match_the_oracle(void **state) {
  (void)state;
  check_seeds("no tasks", (struct rp_options){.no_tasks = true});
  check_seeds("no tasks, recursive", (struct rp_options){.no_tasks = true, .recursive = true});
}

static void test_random_programs_match_the_oracle(void **state) {
  (void)state;
  check_seeds("tasks", (struct rp_options){0});
  check_seeds("tasks, routines", (struct rp_options){.routines = true});
  check_seeds("tasks, large", (struct rp_options){.large_teams = true, .events = 3000});
}

int main(int argc, char **argv) {
#define TEST(name) cmocka_unit_test_teardown(name, forget)
  const struct CMUnitTest tests[] = {
      TEST(test_a_region_is_as_long_as_its_longest_thread),
      TEST(test_barriers_are_where_the_path_changes_threads),
      TEST(test_critical_sections_run_one_after_the_other),
      TEST(test_a_release_that_is_told_late_counts_up_to_the_hand_over),
      TEST(test_tasks_go_on_from_their_creation),
      TEST(test_dependences_put_tasks_in_order),
      TEST(test_readers_are_in_no_order),
      TEST(test_a_wait_for_a_dependence_goes_on_from_that_task),
      TEST(test_nested_regions_have_spans_of_their_own),
      TEST(test_the_longest_of_several_initial_threads_is_the_path),
      TEST(test_without_the_option_there_is_no_path),
      TEST(test_random_programs_without_tasks_match_the_oracle),
      TEST(test_random_programs_match_the_oracle),
  };
  if (argc > 1)
    cmocka_set_test_filter(argv[1]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
