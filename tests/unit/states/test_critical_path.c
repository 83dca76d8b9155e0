/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The critical path of scripts whose longest chain is known. */
#include "expect.h"
#include "oracle.h"
#include "output/model/memory.h"
#include "output/model/paths.h"
#include "script.h"

#define REGION SITE(PARALLEL, 0x100)
#define CRITICAL SITE(CRITICAL, 0x300)
#define TASK SITE(TASK, 0x400)
#define PHASE(number) SITE(PHASE, number)

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

static struct hd_model_step step(const struct hd_node *from, const struct hd_node *to) {
  for (uint32_t i = 0; i < model->step_count; i++)
    if (model->steps[i].from == (from ? from->id : HD_NONE) && model->steps[i].to == to->id)
      return model->steps[i];
  return (struct hd_model_step){0};
}

static void expect_step(const struct hd_node *from, const struct hd_node *to, uint64_t count, uint64_t changes,
                        uint64_t ticks) {
  const struct hd_model_step found = step(from, to);
  assert_int_equal(found.count, count);
  assert_int_equal(found.changes, changes);
  assert_int_equal(found.ticks, ticks);
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
  assert_int_equal(model->step_count, 3);
  expect_step(NULL, &model->nodes[0], 1, 0, 10);
  expect_step(&model->nodes[0], ex_node(model, REGION), 1, 1, 30);
  expect_step(ex_node(model, REGION), &model->nodes[0], 1, 1, 5);
}

static void expect_times(const struct hd_node *node, uint64_t earliest, uint64_t slack) {
  const struct hd_model_path found = part(node);
  assert_int_equal(found.earliest_ticks, earliest);
  assert_int_equal(found.slack_ticks, slack);
}

static void phase(uint32_t thread, uint32_t number, uint64_t from, uint64_t to) {
  sc_thread(thread);
  sc_at(from);
  sc_phase_begin(number);
  sc_at(to);
  sc_phase_end(number);
}

/* Thread 1's phase could last longer by the 20 that it comes before the others, thread 2's by 5; both begin 10 after
 * the program. They do so twice, and the second time thread 1's could last longer by 8 only. */
static void test_what_is_not_on_the_path_has_slack(void **state) {
  (void)state;
  begin();
  for (uint32_t i = 0; i < 2; i++) {
    const uint64_t from = 10 + 100 * i;
    sc_thread(0);
    sc_at(from);
    sc_fork(0x100, 3, 1, from);
    phase(0, 1, from, from + 40);
    phase(1, 2, from, from + (i ? 32 : 20));
    phase(2, 3, from, from + 35);
    arrives(1, from + (i ? 32 : 20));
    arrives(2, from + 35);
    sc_thread(0);
    sc_join(from + 40, from + 50, from + 50);
  }
  end(160);
  expect_span(10 + 40 + 50 + 40);
  expect_times(ex_node(model, REGION, PHASE(1)), 10, 0);
  expect_times(ex_node(model, REGION, PHASE(2)), 10, 8);
  expect_times(ex_node(model, REGION, PHASE(3)), 10, 5);
  expect_times(&model->nodes[0], 0, 0);
}

/* It has no barrier: what its task has done is on the path behind it all the same. */
static void test_a_region_of_one_ends_with_its_task(void **state) {
  (void)state;
  begin();
  sc_at(5);
  sc_fork(0x100, 1, 1, 5);
  sc_at(10);
  const uint32_t task = sc_task_create(0x400, 0);
  sc_at(12);
  sc_task_run(task);
  sc_at(42);
  sc_task_leave(ompt_task_complete);
  sc_join(44, 44, 44);
  end(50);
  expect_span(5 + 5 + 30 + 6);
  assert_int_equal(part(ex_node(model, REGION)).span_ticks, 5 + 30);
  assert_int_equal(part(ex_node(model, REGION, TASK)).own_ticks, 30);
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
  assert_int_equal(model->step_count, 2);
  expect_step(NULL, ex_node(model, REGION), 1, 0, 30);
  expect_step(ex_node(model, REGION), ex_node(model, REGION), 2, 2, 40 + 8);
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

/* The runtime tells of each release when the next one has the lock already. */
static void test_a_release_that_is_told_late_counts_up_to_the_hand_over(void **state) {
  (void)state;
  begin();
  sc_fork(0x100, 3, 1, 0);
  section(0, 5, 5, 17);
  section(1, 6, 15, 32);
  section(2, 7, 30, 42);
  arrives(1, 33);
  arrives(2, 43);
  sc_thread(0);
  sc_join(18, 50, 50);
  end_apart(50);
  expect_span(5 + 10 + 15 + 12 + 1);
}

/* ---- tasks ---- */

static uint32_t created_by(uint32_t thread, uint64_t time) {
  sc_thread(thread);
  sc_at(time);
  return sc_task_create(0x400, 0);
}

static uint32_t created(uint64_t time) {
  return created_by(0, time);
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

/* The first to hold a section creates a task at the instant at which the next one gets it: its log is read up to there
 * for that one, and the creation is still to be taken. */
static void holder_creates_a_task(uint32_t first, uint32_t next) {
  begin();
  sc_fork(0x100, 3, 1, 0);
  section(first, 5, 5, 18);
  section(next, 6, 15, 25);
  const uint32_t task = created_by(first, 15);
  arrives(1, 26);
  runs(1, task, 30, 60);
  arrives(2, 26);
  sc_thread(0);
  sc_join(26, 70, 70);
  end_apart(70);
  expect_span(15 + 30);
  assert_int_equal(part(ex_node(model, REGION, CRITICAL, TASK)).span_ticks, 30);
  forget(NULL);
}

static void test_what_a_holder_does_when_the_next_one_gets_the_lock_is_followed(void **state) {
  (void)state;
  holder_creates_a_task(2, 0);
  holder_creates_a_task(0, 2);
}

/* Thread 1's first phase leads to its second one, with which it comes to the end 20 before thread 0, and to a task that
 * ends 25 before that: it could last longer by 20. */
static void test_what_leads_to_several_has_the_least_slack_of_these(void **state) {
  (void)state;
  begin();
  sc_fork(0x100, 3, 1, 0);
  phase(0, 1, 0, 50);
  phase(1, 2, 0, 20);
  const uint32_t task = created_by(1, 20);
  phase(1, 3, 20, 30);
  arrives(1, 30);
  arrives(2, 0);
  runs(2, task, 30, 35);
  sc_thread(0);
  sc_join(50, 60, 60);
  end(60);
  expect_times(ex_node(model, REGION, PHASE(1)), 0, 0);
  expect_times(ex_node(model, REGION, PHASE(2)), 0, 20);
  expect_times(ex_node(model, REGION, PHASE(3)), 20, 20);
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
  end(120);
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
  end(150);
  expect_span(30 + 45); /* the third: created at 30 */
}

/* Two of a mutexinoutset take turns, as they happened to: the one created last had it first. */
static void test_tasks_that_exclude_one_another_go_on_as_they_ran(void **state) {
  (void)state;
  uint32_t tasks[3];
  begin();
  sc_fork(0x100, 3, 1, 0);
  for (uint32_t i = 0; i < 3; i++)
    depends(tasks[i] = created(10 + 10 * i), i < 2 ? ompt_dependence_type_mutexinoutset : ompt_dependence_type_in,
            0x5001);
  arrives(1, 1);
  arrives(2, 1);
  runs(1, tasks[1], 50, 80);
  runs(2, tasks[0], 85, 90);
  runs(1, tasks[2], 91, 98);
  end_tasks(120);
  end(120);
  expect_span(20 + 30 + 5 + 7);
}

/* Those of an inoutset are in no order; whoever reads what they wrote waits for all. */
static void test_tasks_of_an_inoutset_are_in_no_order(void **state) {
  (void)state;
  uint32_t tasks[3];
  begin();
  sc_fork(0x100, 2, 1, 0);
  for (uint32_t i = 0; i < 3; i++)
    depends(tasks[i] = created(10 + 10 * i), i < 2 ? ompt_dependence_type_inoutset : ompt_dependence_type_in, 0x5001);
  arrives(1, 1);
  runs(1, tasks[1], 50, 80);
  runs(1, tasks[0], 85, 90);
  runs(1, tasks[2], 91, 98);
  end_tasks(120);
  end(120);
  expect_span(20 + 30 + 7);
}

/* One that depends on all memory waits for what was told before, and is waited for by what comes later. */
static void test_a_dependence_on_all_memory_is_one_on_every_variable(void **state) {
  (void)state;
  uint32_t tasks[3];
  static const ompt_dependence_type_t types[] = {ompt_dependence_type_out, ompt_dependence_type_out_all_memory,
                                                 ompt_dependence_type_in};
  begin();
  sc_fork(0x100, 2, 1, 0);
  for (uint32_t i = 0; i < 3; i++)
    depends(tasks[i] = created(10 + 10 * i), types[i], 0x5001 + i);
  arrives(1, 1);
  runs(1, tasks[0], 50, 80);
  runs(1, tasks[1], 85, 90);
  runs(1, tasks[2], 91, 98);
  end_tasks(120);
  end(120);
  expect_span(10 + 30 + 5 + 7);
}

static void test_dependences_on_all_memory_alone_put_tasks_in_order(void **state) {
  (void)state;
  uint32_t tasks[3];
  begin();
  sc_fork(0x100, 2, 1, 0);
  for (uint32_t i = 0; i < 3; i++)
    depends(tasks[i] = created(10 + 10 * i), ompt_dependence_type_inout_all_memory, 0);
  arrives(1, 1);
  runs(1, tasks[0], 50, 80);
  runs(1, tasks[1], 85, 90);
  runs(1, tasks[2], 91, 98);
  end_tasks(120);
  end(120);
  expect_span(10 + 30 + 5 + 7);
}

/* A task that ran in one barrier is on the path behind the next one, too, where no thread does anything between. */
static void test_what_ran_in_a_barrier_is_before_the_next(void **state) {
  (void)state;
  begin();
  sc_fork(0x100, 2, 1, 0);
  const uint32_t task = created(10);
  sc_thread(0);
  sc_at(35);
  sc_barrier_begin(ompt_sync_region_barrier_explicit, 0x200);
  sc_thread(1);
  sc_at(1);
  sc_barrier_begin(ompt_sync_region_barrier_explicit, 0x200);
  runs(1, task, 50, 80);
  sc_barrier_end(ompt_sync_region_barrier_explicit, 0x200);
  arrives(1, 80);
  sc_thread(0);
  sc_at(80);
  sc_barrier_end(ompt_sync_region_barrier_explicit, 0x200);
  sc_join(80, 80, 80);
  end(80);
  expect_span(10 + 30);
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
  end(60);
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

/* One waits for 75 of its 95, the other works for 80: by 60 more than the first, whose phase nobody waits for. */
static void test_the_longest_of_several_initial_threads_is_the_path(void **state) {
  (void)state;
  begin();
  phase(0, 1, 2, 9);
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
  expect_times(ex_node(model, PHASE(1)), 2, 60);
}

/* Thread 1 is outside the region in which thread 2 gets its lock: in the region's span it is not, and that is said. */
static void test_a_lock_of_another_team_is_not_followed(void **state) {
  (void)state;
  begin();
  sc_thread(1);
  sc_at(0);
  sc_initial_begin();
  section(1, 2, 2, 50);
  sc_at(58);
  sc_initial_end();
  sc_thread(0);
  sc_at(5);
  sc_fork(0x100, 2, 2, 5);
  section(2, 10, 51, 55);
  arrives(2, 57);
  sc_thread(0);
  sc_join(20, 60, 60);
  end_apart(60);
  assert_int_equal(model->header.path_flags & HD_PATH_TEAMS, HD_PATH_TEAMS);
  assert_int_equal(part(ex_node(model, REGION)).span_ticks, 20 - 5);
}

/* ---- memory ---- */

/* A region of two with a lock, a group of tasks that depend on one another, and a barrier. */
static void play_round(uint64_t now) {
  sc_at(now);
  sc_fork(0x100, 2, 1, now);
  section(1, now + 1, now + 1, now + 2);
  arrives(1, now + 3);
  section(0, now + 2, now + 2, now + 4);
  sc_taskgroup_begin(0x600);
  uint32_t tasks[3];
  static const ompt_dependence_type_t types[] = {ompt_dependence_type_mutexinoutset, ompt_dependence_type_in,
                                                 ompt_dependence_type_out_all_memory};
  for (uint32_t i = 0; i < 3; i++)
    depends(tasks[i] = created(now + 5), types[i], 0x5000 + now % 1000 * 8);
  sc_taskgroup_wait(0x600);
  for (uint32_t i = 0; i < 3; i++)
    runs(1, tasks[i], now + 6 + 2 * i, now + 7 + 2 * i);
  sc_thread(0);
  sc_at(now + 13);
  sc_taskgroup_end(0x600);
  sc_join(now + 14, now + 15, now + 16);
}

static uint64_t memory_of(uint32_t rounds, const struct fk_options *options) {
  begin();
  for (uint32_t i = 0; i < rounds; i++)
    play_round(20 * i);
  sc_at(20 * rounds);
  sc_finish();
  fk_sort(sc_script());
  model = ex_play_with(options);
  const uint64_t bytes = model->header.memory_bytes;
  forget(NULL);
  return bytes;
}

/* Nothing of what is over is kept: neither teams nor tasks, nor what they depended on, nor locks' chains. */
static void test_memory_does_not_grow_with_the_run(void **state) {
  (void)state;
  static const char *const none[] = {"HEDDLE_OVERHEAD=off", NULL};
  static const struct fk_options apart = {.environment = none};
  enum { FEW = 200, MANY = 3000, ALLOWED = 16 << 10 };
  const uint64_t few = memory_of(FEW, &followed), few_without = memory_of(FEW, &apart);
  const uint64_t many = memory_of(MANY, &followed), many_without = memory_of(MANY, &apart);
  assert_in_range(many - many_without, 0, few - few_without + ALLOWED);
}

/* Of many tasks that exist at once: the rest of the profile is as good as ever. */
static void test_a_path_without_room_is_given_up(void **state) {
  (void)state;
  static const char *const little[] = {"HEDDLE_CRITICAL_PATH=1", "HEDDLE_OVERHEAD=off", "HEDDLE_MEMORY=1M", NULL};
  enum { TASKS = 20000 };
  static uint32_t tasks[TASKS];
  begin();
  sc_fork(0x100, 2, 1, 0);
  for (uint32_t i = 0; i < TASKS; i++)
    tasks[i] = created(10 + i);
  arrives(1, 1);
  for (uint32_t i = 0; i < TASKS; i++)
    runs(1, tasks[i], 2 * TASKS + 2 * i, 2 * TASKS + 2 * i + 1);
  sc_thread(0);
  sc_join(2 * TASKS, 5 * TASKS, 5 * TASKS);
  sc_at(5 * TASKS);
  sc_finish();
  fk_sort(sc_script());
  model = ex_play_with(&(struct fk_options){.environment = little});
  assert_false(model->path_known);
  assert_int_equal(model->header.path_flags, HD_PATH_ASKED | HD_PATH_NO_ROOM);
}

/* Each continues the rows of the one before, which has ended. */
static void test_a_thread_that_has_ended_may_have_been_the_path(void **state) {
  (void)state;
  static const char *const together[] = {"HEDDLE_CRITICAL_PATH=1", "HEDDLE_OVERHEAD=off", "HEDDLE_THREADS_APART=1",
                                         NULL};
  begin();
  sc_at(1);
  sc_barrier_begin(ompt_sync_region_taskwait, 0x200);
  for (uint32_t i = 0; i < 3; i++) {
    sc_thread(1 + i);
    sc_at(10 + 100 * i);
    sc_initial_begin();
    sc_at(10 + 100 * i + (i == 1 ? 50 : 20));
    sc_initial_end();
  }
  sc_thread(0);
  sc_at(300);
  sc_barrier_end(ompt_sync_region_taskwait, 0x200);
  sc_finish();
  fk_sort(sc_script());
  model = ex_play_with(&(struct fk_options){.environment = together});
  assert_true(model->path_known);
  expect_span(50);
}

/* One says nothing from its begin on; the other one, which waited, ends the program. */
static void test_a_thread_that_is_busy_is_so_until_the_end(void **state) {
  (void)state;
  begin();
  sc_thread(1);
  sc_at(10);
  sc_initial_begin();
  sc_at(30);
  sc_barrier_begin(ompt_sync_region_taskwait, 0x200);
  sc_at(90);
  sc_barrier_end(ompt_sync_region_taskwait, 0x200);
  sc_at(95);
  sc_exit(0);
  fk_sort(sc_script());
  model = ex_play_with(&followed);
  assert_true(model->path_known);
  expect_span(95);
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

int main(int argc, char **argv) {
#define TEST(name) cmocka_unit_test_teardown(name, forget)
  const struct CMUnitTest tests[] = {
      TEST(test_a_region_is_as_long_as_its_longest_thread),
      TEST(test_what_is_not_on_the_path_has_slack),
      TEST(test_a_region_of_one_ends_with_its_task),
      TEST(test_barriers_are_where_the_path_changes_threads),
      TEST(test_critical_sections_run_one_after_the_other),
      TEST(test_a_release_that_is_told_late_counts_up_to_the_hand_over),
      TEST(test_tasks_go_on_from_their_creation),
      TEST(test_what_a_holder_does_when_the_next_one_gets_the_lock_is_followed),
      TEST(test_what_leads_to_several_has_the_least_slack_of_these),
      TEST(test_dependences_put_tasks_in_order),
      TEST(test_readers_are_in_no_order),
      TEST(test_tasks_that_exclude_one_another_go_on_as_they_ran),
      TEST(test_tasks_of_an_inoutset_are_in_no_order),
      TEST(test_a_dependence_on_all_memory_is_one_on_every_variable),
      TEST(test_dependences_on_all_memory_alone_put_tasks_in_order),
      TEST(test_what_ran_in_a_barrier_is_before_the_next),
      TEST(test_a_wait_for_a_dependence_goes_on_from_that_task),
      TEST(test_nested_regions_have_spans_of_their_own),
      TEST(test_the_longest_of_several_initial_threads_is_the_path),
      TEST(test_a_thread_that_has_ended_may_have_been_the_path),
      TEST(test_a_thread_that_is_busy_is_so_until_the_end),
      TEST(test_a_lock_of_another_team_is_not_followed),
      TEST(test_memory_does_not_grow_with_the_run),
      TEST(test_a_path_without_room_is_given_up),
      TEST(test_without_the_option_there_is_no_path),
  };
  if (argc > 1)
    cmocka_set_test_filter(argv[1]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
