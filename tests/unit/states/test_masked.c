/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* `masked` and `master`: what one thread of a team does, and only that one hears of it. Every profile is also compared
 * with the oracle; random programs have masked blocks, too: test_properties.c. */
#include "counted.h"
#include "output/model/format_names.h"
#include "output/model/memory.h"

#define MASKED SITE(MASKED, 0x400)

/* A region of `size` threads from 10 on; all are in it at 12. */
static void team(uint32_t size) {
  sc_at(10);
  sc_fork(0x100, size, 1, 12);
}

static void arrive(uint32_t thread, uint64_t time) {
  sc_thread(thread);
  sc_at(time);
  sc_join_begin();
}

static void masked(uint32_t thread, uint64_t from, uint64_t to) {
  sc_thread(thread);
  sc_at(from);
  sc_masked_begin(0x400);
  sc_at(to);
  sc_masked_end();
}

/* The script's events were not made in the order of time. */
static struct hd_model *finish(uint64_t time) {
  sc_thread(0);
  sc_at(time);
  sc_finish();
  fk_sort(sc_script());
  return ex_play_exact(NULL);
}

static void join(uint64_t arrival, uint64_t time) {
  sc_thread(0);
  sc_join(arrival, time, time);
}

/* ---- which thread, and how long ---- */

static void test_one_thread_works_in_it_and_the_others_wait(void **state) {
  (void)state;
  const enum sc_runtime runtimes[] = {SC_LIBOMP_14, SC_LIBOMP_19};
  for (int i = 0; i < 2; i++) {
    sc_start(runtimes[i]);
    sc_initial_begin();
    team(3);
    arrive(1, 15);
    arrive(2, 17);
    masked(0, 15, 40);
    join(42, 42);
    struct hd_model *model = finish(50);
    const struct hd_node *node = ex_node(model, REGION, MASKED);
    assert_string_equal(hd_kind_id(node->kind), "masked");
    assert_string_equal(hd_kind_words(node->kind), "masked");
    assert_int_equal(node->visits, 1);
    assert_int_equal(ex_visits(model, 0, REGION, MASKED), 1);
    assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION, MASKED), 25);
    assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION), 3 + 2);
    assert_int_equal(node->row_count, 1);
    assert_int_equal(ex_ticks(model, 1, HD_WAIT_BARRIER_IMPLICIT, REGION), 27);
    assert_int_equal(node->team.instances, 0); /* nobody waits at its end */
    assert_int_equal(ex_node(model, REGION)->team.busy_ticks, 30 + 3 + 5);
    assert_int_equal(model->node_count, 3); /* the end's address makes no place */
    hd_model_free(model);
  }
}

/* masked filter(n): any thread of the team, and several when they compute n differently. */
static void test_any_threads_may_be_the_masked_ones(void **state) {
  (void)state;
  begin();
  team(3);
  masked(2, 14, 20);
  arrive(2, 20);
  masked(1, 16, 30);
  masked(1, 30, 31);
  arrive(1, 33);
  join(13, 33);
  struct hd_model *model = finish(40);
  assert_int_equal(ex_node(model, REGION, MASKED)->visits, 3);
  assert_int_equal(ex_visits(model, 0, REGION, MASKED), 0);
  assert_int_equal(ex_visits(model, 1, REGION, MASKED), 2);
  assert_int_equal(ex_ticks(model, 1, HD_BUSY, REGION, MASKED), 14 + 1);
  assert_int_equal(ex_ticks(model, 2, HD_BUSY, REGION, MASKED), 6);
  ex_expect_levels(&ex_node(model, REGION, MASKED)->busy_at, 0, 11, 6 + 4);
  assert_int_equal(ex_node(model, REGION, MASKED)->visits_concurrent, 2); /* the third began while all others waited */
  hd_model_free(model);
}

static void test_team_of_one_and_outside_of_regions(void **state) {
  (void)state;
  begin();
  masked(0, 2, 5);
  team(1);
  masked(0, 14, 20);
  join(22, 22);
  masked(0, 22, 24);
  struct hd_model *model = finish(30);
  assert_int_equal(ex_visits(model, 0, MASKED), 2);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, MASKED), 3 + 2);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION, MASKED), 6);
  hd_model_free(model);
}

/* ---- what is in it, and what it is in ---- */

static void test_what_is_done_in_it_hangs_below_it(void **state) {
  (void)state;
  begin();
  team(1);
  sc_work_begin(ompt_work_sections, 0x210); /* by a function called there */
  sc_at(14);
  sc_masked_begin(0x400);
  sc_at(16);
  sc_acquire(ompt_mutex_critical, 1, 0x500);
  sc_at(17);
  sc_acquired(ompt_mutex_critical, 1, 0x500);
  sc_at(20);
  sc_released(ompt_mutex_critical, 1, 0x540);
  sc_fork(0x110, 1, 0, 20);
  sc_at(21);
  sc_masked_begin(0x410);
  sc_at(25);
  sc_masked_end();
  sc_join(26, 26, 26);
  const uint32_t task = sc_task_create(0x600, ompt_task_undeferred);
  sc_task_run(task);
  sc_at(29);
  sc_task_leave(ompt_task_complete);
  sc_at(30);
  sc_masked_end();
  sc_at(31);
  sc_work_end(ompt_work_sections, 0x210);
  join(33, 33);
  struct hd_model *model = finish(40);
#define SECTIONS SITE(SECTIONS, 0x210)
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION, SECTIONS), 2 + 1);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION, SECTIONS, MASKED), 2 + 1);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION, SECTIONS, MASKED, SITE(CRITICAL, 0x500)), 3);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION, SECTIONS, MASKED, SITE(PARALLEL, 0x110), SITE(MASKED, 0x410)),
                   4);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION, SECTIONS, MASKED, SITE(TASK, 0x600)), 3);
  hd_model_free(model);
}

/* A deferred task runs elsewhere, later, and is still called from there. */
static void test_tasks_created_in_it_are_called_from_it(void **state) {
  (void)state;
  begin();
  team(2);
  sc_thread(0);
  sc_at(14);
  sc_masked_begin(0x400);
  const uint32_t task = sc_task_create(0x600, 0);
  sc_at(18);
  sc_masked_end();
  arrive(1, 16);
  sc_at(19);
  sc_task_run(task);
  sc_at(30);
  sc_task_leave(ompt_task_complete);
  join(18, 31);
  struct hd_model *model = finish(40);
  assert_int_equal(ex_ticks(model, 1, HD_BUSY, REGION, MASKED, SITE(TASK, 0x600)), 11);
  assert_int_equal(ex_visits(model, 1, REGION, MASKED), 0);
  hd_model_free(model);
}

/* A loop without a barrier, a masked block, then a construct with one: that barrier is the latter's. */
static void test_between_worksharing_constructs(void **state) {
  (void)state;
  begin();
  team(2);
  for (uint32_t i = 2; i-- > 0;) {
    sc_thread(i);
    sc_at(13);
    sc_work_begin(ompt_work_loop_static, 0x200);
    sc_at(15);
    sc_work_end(ompt_work_loop_static, 0x200);
    if (i == 0)
      masked(0, 16, 20);
    sc_work_begin(ompt_work_sections, 0x210);
    sc_at(i ? 18 : 22);
    sc_work_end(ompt_work_sections, 0x210);
    sc_barrier_begin(sc_work_barrier(), 0x310);
    sc_at(23);
    sc_barrier_end(sc_work_barrier(), 0x310);
    if (i == 1)
      sc_join_begin();
  }
  join(24, 24);
  struct hd_model *model = finish(30);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION, MASKED), 4);
  assert_int_equal(ex_ticks(model, 0, HD_WAIT_BARRIER_IMPLICIT, REGION, SECTIONS), 1);
  assert_int_equal(ex_ticks(model, 1, HD_WAIT_BARRIER_IMPLICIT, REGION, SECTIONS), 5);
  assert_int_equal(ex_node(model, REGION, SECTIONS)->team.instances, 1);
  hd_model_free(model);
}

/* ---- pauses ---- */

static void test_pause_is_not_its_time(void **state) {
  (void)state;
  begin();
  team(1);
  sc_at(14);
  sc_masked_begin(0x400);
  sc_at(16);
  sc_pause();
  sc_at(26);
  sc_resume();
  sc_at(29);
  sc_masked_end();
  sc_pause();
  sc_at(31);
  sc_masked_begin(0x400); /* no entry, but its time counts when the clock runs */
  sc_at(35);
  sc_resume();
  sc_at(36);
  sc_masked_end();
  join(40, 40);
  struct hd_model *model = finish(50);
  assert_int_equal(ex_visits(model, 0, REGION, MASKED), 1);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION, MASKED), 2 + 3 + 1);
  hd_model_free(model);
}

/* ---- ends that are not told, or of nothing ---- */

static void test_killed_in_it(void **state) {
  (void)state;
  begin();
  team(2);
  arrive(1, 15);
  sc_thread(0);
  sc_at(16);
  sc_masked_begin(0x400);
  sc_at(30);
  sc_acquire(ompt_mutex_critical, 1, 0x500);
  sc_kill();
  struct hd_model *model = ex_play_killed();
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION, MASKED), 14);
  assert_int_equal(ex_visits(model, 0, REGION, MASKED), 1);
  assert_int_equal(ex_node(model, REGION)->team.open_instances, 1);
  hd_model_free(model);
}

static void test_exit_in_it_completes_the_profile(void **state) {
  (void)state;
  begin();
  team(2);
  arrive(1, 15);
  sc_thread(0);
  sc_at(16);
  sc_masked_begin(0x400);
  sc_at(27);
  sc_exit(0);
  struct hd_model *model = ex_play_exact_rough(NULL);
  assert_true(model->header.flags & HD_FILE_COMPLETE);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION, MASKED), 11);
  assert_int_equal(model->header.unmatched_events, 0);
  hd_model_free(model);
}

/* A jump out of it: it lasts until the region ends, and the next block is a new entry. */
static void test_left_without_a_word(void **state) {
  (void)state;
  begin();
  team(2);
  arrive(1, 15);
  sc_thread(0);
  sc_at(16);
  sc_masked_begin(0x400);
  join(20, 22);
  sc_at(30);
  sc_fork(0x100, 1, 0, 30);
  masked(0, 31, 33);
  join(34, 34);
  struct hd_model *model = finish(50);
  assert_int_equal(ex_visits(model, 0, REGION, MASKED), 2);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION, MASKED), 4 + 2);
  assert_int_equal(ex_ticks(model, 0, HD_WAIT_BARRIER_IMPLICIT, REGION), 2);
  assert_int_equal(model->header.unmatched_events, 0);
  hd_model_free(model);
}

/* The tool was not yet listening, say. What the thread is in goes on, also if that lies around a task. */
static void test_end_without_a_begin_changes_nothing(void **state) {
  (void)state;
  begin();
  sc_at(3);
  sc_masked_end();
  team(1);
  sc_at(14);
  sc_masked_begin(0x400);
  sc_task_run(sc_task_create(0x600, ompt_task_undeferred));
  sc_at(17);
  sc_masked_end(); /* not the task's */
  sc_at(20);
  sc_task_leave(ompt_task_complete);
  sc_at(22);
  sc_masked_end();
  join(23, 23);
  sc_at(30);
  sc_finish();
  struct hd_model *model = ex_play_rough(NULL);
  assert_int_equal(model->header.unmatched_events, 2);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, PROGRAM), 10 + 7);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION, MASKED, SITE(TASK, 0x600)), 6);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION, MASKED), 2);
  hd_model_free(model);
}

static void test_runtime_that_does_not_tell_is_noted(void **state) {
  (void)state;
  const struct fk_options silent[] = {{.failing = ompt_callback_masked}, {.never = ompt_callback_masked}};
  for (int i = 0; i < 2; i++) {
    begin();
    team(1);
    masked(0, 14, 20);
    join(22, 22);
    sc_finish();
    struct hd_model *model = ex_play_rough(&silent[i]);
    assert_int_equal(__builtin_popcountll(model->header.lost_callbacks), 1);
    assert_true(model->notes.count > 0);
    assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION), 10);
    assert_int_equal(model->node_count, 2);
    hd_model_free(model);
  }
}

/* ---- counters ---- */

/* As with a critical section: told apart only where all is. */
static void test_counts(void **state) {
  (void)state;
  const struct fk_options *levels[] = {&at_region, &at_loop, &at_all};
  for (int i = 0; i < 3; i++) {
    begin();
    team(1);
    masked(0, 14, 20);
    join(22, 22);
    struct hd_model *model = end(30, levels[i]);
    expect_counts(model, 0, i == 2 ? 4 : 10, 0, 2, REGION);
    expect_counts(model, 0, i == 2 ? 6 : 0, 0, 0, REGION, MASKED);
    assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION, MASKED), 6);
    hd_model_free(model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_thread_works_in_it_and_the_others_wait),
      cmocka_unit_test(test_any_threads_may_be_the_masked_ones),
      cmocka_unit_test(test_team_of_one_and_outside_of_regions),
      cmocka_unit_test(test_what_is_done_in_it_hangs_below_it),
      cmocka_unit_test(test_tasks_created_in_it_are_called_from_it),
      cmocka_unit_test(test_between_worksharing_constructs),
      cmocka_unit_test(test_pause_is_not_its_time),
      cmocka_unit_test(test_killed_in_it),
      cmocka_unit_test(test_exit_in_it_completes_the_profile),
      cmocka_unit_test(test_left_without_a_word),
      cmocka_unit_test(test_end_without_a_begin_changes_nothing),
      cmocka_unit_test(test_runtime_that_does_not_tell_is_noted),
      cmocka_unit_test(test_counts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
