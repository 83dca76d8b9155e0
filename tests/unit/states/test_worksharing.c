/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Worksharing constructs: rows, the barrier that closes them, totals over the team. */
#include "expect.h"
#include "output/model/format_names.h"
#include "output/model/memory.h"
#include "script.h"

#define REGION SITE(PARALLEL, 0x100)
#define LOOP SITE(LOOP_STATIC, 0x200)

/* A static loop: begins at 2, ends at 10 and 4, barrier until 12. */
static void play_loop(enum sc_runtime runtime, ompt_work_t kind) {
  sc_start(runtime);
  sc_initial_begin();
  sc_fork(0x100, 2, 1, 0);
  for (uint32_t i = 0; i < 2; i++) {
    sc_thread(i);
    sc_at(2);
    sc_work_begin(kind, 0x200);
    sc_at(i ? 4 : 10);
    sc_work_end(kind, 0x200);
    sc_barrier_begin(sc_work_barrier(), 0x300);
    sc_at(12);
    sc_barrier_end(sc_work_barrier(), 0x300);
    sc_at(15);
    sc_join_begin();
  }
  sc_thread(0);
  sc_join_end();
  sc_parallel_end();
  sc_finish();
  fk_sort(sc_script());
}

static void test_wait_at_a_constructs_barrier_is_its_own(void **state) {
  (void)state;
  play_loop(SC_LIBOMP_19, ompt_work_loop_static);
  struct hd_model *model = ex_play();
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION, LOOP), 8);
  assert_int_equal(ex_ticks(model, 1, HD_BUSY, REGION, LOOP), 2);
  assert_int_equal(ex_ticks(model, 0, HD_WAIT_BARRIER_IMPLICIT, REGION, LOOP), 2);
  assert_int_equal(ex_ticks(model, 1, HD_WAIT_BARRIER_IMPLICIT, REGION, LOOP), 8);
  assert_int_equal(ex_ticks(model, 1, HD_WAIT_BARRIER_IMPLICIT, REGION), 0);
  assert_int_equal(ex_visits(model, 1, REGION, LOOP), 1);
  hd_model_free(model);
}

/* OpenMP 6.0's kind, whose number headers before it lack. */
static void test_workdistribute_has_its_name(void **state) {
  (void)state;
  play_loop(SC_LIBOMP_19, (ompt_work_t)9);
  struct hd_model *model = ex_play();
  assert_int_equal(model->header.unknown_events, 0);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION, SITE(WORKDISTRIBUTE, 0x200)), 8);
  assert_string_equal(hd_kind_id(HD_KIND_WORKDISTRIBUTE), "workdistribute");
  hd_model_free(model);
}

static void test_construct_totals_are_exact(void **state) {
  (void)state;
  play_loop(SC_LIBOMP_19, ompt_work_loop_static);
  struct hd_model *model = ex_play();
  const struct hd_team_totals *team = &ex_node(model, REGION, LOOP)->team;
  assert_int_equal(team->instances, 1);
  assert_int_equal(team->elapsed_ticks, 10);
  assert_int_equal(team->capacity_ticks, 20);
  assert_int_equal(team->busy_ticks, 10);
  assert_int_equal(team->busy_max_ticks, 2 * 8);
  hd_model_free(model);
}

static void test_loop_of_libomp_14_has_no_schedule(void **state) {
  (void)state;
  play_loop(SC_LIBOMP_14, ompt_work_loop);
  struct hd_model *model = ex_play();
  assert_int_equal(ex_ticks(model, 1, HD_WAIT_BARRIER_IMPLICIT, REGION, SITE(LOOP, 0x200)), 8);
  assert_int_equal(ex_node(model, REGION, SITE(LOOP, 0x200))->team.busy_ticks, 10);
  hd_model_free(model);
}

static void run_loop(ompt_work_t told, uint64_t code, uint64_t end) {
  sc_work_begin(told, code);
  sc_at(end);
  sc_work_end(told, code);
}

/* libomp tells what it has chosen by the loop's length and the team's size. */
static void test_loop_whose_schedule_changes_is_one_node(void **state) {
  (void)state;
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  uint32_t region = sc_parallel_begin(0x100, 1);
  sc_implicit_begin(region, 0, 1);
  run_loop(ompt_work_loop_guided, 0x200, 1);
  run_loop(ompt_work_loop_static, 0x200, 2);
  run_loop(ompt_work_loop_guided, 0x200, 3);
  run_loop(ompt_work_loop_guided, 0x300, 4);
  run_loop(ompt_work_loop_guided, 0x300, 5);
  sc_join(8, 8, 8);
  sc_finish();
  struct hd_model *model = ex_play();
  assert_int_equal(ex_node(model, REGION, SITE(LOOP, 0x200))->visits, 3);
  assert_int_equal(ex_node(model, REGION, SITE(LOOP_GUIDED, 0x300))->visits, 2);
  assert_int_equal(model->node_count, 4);
  hd_model_free(model);
}

static void test_dynamic_loop_of_gomp_owns_the_barrier_after_it(void **state) {
  (void)state;
  play_loop(SC_GOMP, ompt_work_loop_dynamic);
  struct hd_model *model = ex_play();
  assert_int_equal(ex_ticks(model, 1, HD_WAIT_BARRIER_IMPLICIT, REGION, SITE(LOOP_DYNAMIC, 0x200)), 8);
  hd_model_free(model);
}

/* A worker reaches the loop's barrier before the primary has begun its own implicit task. */
static void test_construct_of_a_worker_ahead_of_the_primary_counts(void **state) {
  (void)state;
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  uint32_t region = sc_parallel_begin(0x100, 2);
  for (uint32_t i = 2; i-- > 0;) {
    sc_thread(i);
    sc_at(i ? 1 : 10);
    sc_implicit_begin(region, i, 2);
    sc_work_begin(ompt_work_loop_static, 0x200);
    sc_at(i ? 4 : 12);
    sc_work_end(ompt_work_loop_static, 0x200);
    sc_barrier_begin(ompt_sync_region_barrier_implicit_workshare, 0x300);
  }
  sc_barrier_end(ompt_sync_region_barrier_implicit_workshare, 0x300);
  sc_thread(1);
  sc_barrier_end(ompt_sync_region_barrier_implicit_workshare, 0x300);
  sc_join_begin();
  sc_thread(0);
  sc_join(12, 12, 12);
  sc_finish();
  struct hd_model *model = ex_play();
  assert_int_equal(ex_node(model, REGION, LOOP)->team.busy_ticks, 3 + 2);
  assert_int_equal(ex_node(model, REGION, LOOP)->team.capacity_ticks, 11 + 2);
  hd_model_free(model);
}

static void test_construct_without_barrier_has_no_team_totals(void **state) {
  (void)state;
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  sc_fork(0x100, 2, 1, 0);
  for (uint32_t i = 2; i-- > 0;) {
    sc_thread(i);
    sc_at(3);
    sc_work_begin(ompt_work_loop_static, 0x200);
    sc_at(9);
    sc_work_end(ompt_work_loop_static, 0x200);
    sc_join_begin();
  }
  sc_at(10);
  sc_join_end();
  sc_parallel_end();
  sc_finish();
  fk_sort(sc_script());
  struct hd_model *model = ex_play();
  assert_int_equal(ex_ticks(model, 1, HD_BUSY, REGION, LOOP), 6);
  assert_int_equal(ex_ticks(model, 1, HD_WAIT_BARRIER_IMPLICIT, REGION), 1);
  assert_int_equal(ex_node(model, REGION, LOOP)->team.instances, 0);
  hd_model_free(model);
}

static void test_reduction_of_a_loop_waits_in_the_loops_row(void **state) {
  (void)state;
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  uint32_t region = sc_parallel_begin(0x100, 1);
  sc_implicit_begin(region, 0, 1);
  sc_work_begin(ompt_work_loop_dynamic, 0x200);
  sc_at(5);
  sc_work_end(ompt_work_loop_dynamic, 0x200);
  sc_barrier_begin(ompt_sync_region_barrier_implementation, 0x290);
  sc_at(7);
  sc_barrier_end(ompt_sync_region_barrier_implementation, 0x290);
  sc_barrier_begin(ompt_sync_region_barrier_implicit_workshare, 0x300);
  sc_at(8);
  sc_barrier_end(ompt_sync_region_barrier_implicit_workshare, 0x300);
  sc_join(8, 8, 8);
  sc_finish();
  struct hd_model *model = ex_play();
  assert_int_equal(ex_ticks(model, 0, HD_WAIT_REDUCTION, REGION, SITE(LOOP_DYNAMIC, 0x200)), 2);
  assert_int_equal(ex_ticks(model, 0, HD_WAIT_BARRIER_IMPLICIT, REGION, SITE(LOOP_DYNAMIC, 0x200)), 1);
  hd_model_free(model);
}

/* GCC-built code: single_executor begins and never ends. */
static void test_endless_single_of_gomp_owns_its_barrier_only(void **state) {
  (void)state;
  sc_start(SC_GOMP);
  sc_initial_begin();
  sc_fork(0x100, 2, 1, 0);
  for (uint32_t i = 2; i-- > 0;) {
    sc_thread(i);
    sc_at(2);
    sc_work_begin(i ? ompt_work_single_other : ompt_work_single_executor, 0x200);
    if (i)
      sc_work_end(ompt_work_single_other, 0x200);
    sc_at(5);
    if (i == 0) { /* the block may hold anything */
      sc_acquire(ompt_mutex_critical, 1, 0x400);
      sc_acquired(ompt_mutex_critical, 1, 0x400);
      sc_released(ompt_mutex_critical, 1, 0x440);
    }
    sc_at(i ? 2 : 9);
    sc_barrier_begin(ompt_sync_region_barrier_implementation, 0x300);
    sc_at(10);
    sc_barrier_end(ompt_sync_region_barrier_implementation, 0x300);
    sc_join_begin();
  }
  sc_join_end();
  sc_parallel_end();
  sc_finish();
  fk_sort(sc_script());
  struct hd_model *model = ex_play();
  assert_int_equal(ex_visits(model, 0, REGION, SITE(SINGLE, 0x200)), 1);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION), 9);
  assert_int_equal(ex_ticks(model, 0, HD_WAIT_BARRIER_IMPLICIT, REGION, SITE(SINGLE, 0x200)), 1);
  assert_int_equal(ex_ticks(model, 1, HD_WAIT_BARRIER_IMPLICIT, REGION, SITE(SINGLE, 0x200)), 8);
  hd_model_free(model);
}

/* single, one thread creates a task, the other runs it in the single's barrier. */
static void test_tasks_in_a_constructs_barrier_are_busy_time_of_the_construct(void **state) {
  (void)state;
  uint32_t task = 0;
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  sc_fork(0x100, 2, 1, 0);
  for (uint32_t i = 0; i < 2; i++) {
    sc_thread(i);
    sc_at(0);
    sc_work_begin(i ? ompt_work_single_other : ompt_work_single_executor, 0x200);
    sc_at(i ? 0 : 4);
    if (i == 0)
      task = sc_task_create(0x500, 0);
    sc_work_end(i ? ompt_work_single_other : ompt_work_single_executor, 0x200);
    sc_barrier_begin(ompt_sync_region_barrier_implicit_workshare, 0x300);
  }
  sc_at(5);
  sc_task_run(task);
  sc_at(15);
  sc_task_leave(ompt_task_complete);
  for (uint32_t i = 2; i-- > 0;) {
    sc_thread(i);
    sc_at(16);
    sc_barrier_end(ompt_sync_region_barrier_implicit_workshare, 0x300);
    sc_join_begin();
  }
  sc_join_end();
  sc_parallel_end();
  sc_finish();
  fk_sort(sc_script());
  struct hd_model *model = ex_play();
  const struct hd_team_totals *team = &ex_node(model, REGION, SITE(SINGLE, 0x200))->team;
  assert_int_equal(team->capacity_ticks, 2 * 16);
  assert_int_equal(team->busy_ticks, 4 + 10);
  assert_int_equal(team->busy_max_ticks, 2 * 10);
  assert_int_equal(ex_ticks(model, 1, HD_WAIT_BARRIER_IMPLICIT, REGION, SITE(SINGLE, 0x200)), 5 + 1);
  hd_model_free(model);
}

/* Only the barrier that follows a construct directly is its own. */
static void test_barrier_long_after_a_construct_is_not_its_own(void **state) {
  (void)state;
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  uint32_t region = sc_parallel_begin(0x100, 1);
  sc_implicit_begin(region, 0, 1);
  sc_work_begin(ompt_work_loop_static, 0x200); /* nowait */
  sc_at(5);
  sc_work_end(ompt_work_loop_static, 0x200);
  sc_barrier_begin(ompt_sync_region_barrier_explicit, 0x310);
  sc_at(6);
  sc_barrier_end(ompt_sync_region_barrier_explicit, 0x310);
  sc_at(9);
  sc_barrier_begin(ompt_sync_region_barrier_implementation, 0x320); /* the region's own reduction */
  sc_at(12);
  sc_barrier_end(ompt_sync_region_barrier_implementation, 0x320);
  sc_join(12, 12, 12);
  sc_finish();
  struct hd_model *model = ex_play();
  assert_int_equal(ex_ticks(model, 0, HD_WAIT_REDUCTION, REGION, LOOP), 0);
  assert_int_equal(ex_ticks(model, 0, HD_WAIT_REDUCTION, REGION, SITE(REDUCTION, 0x320)), 3);
  hd_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_wait_at_a_constructs_barrier_is_its_own),
      cmocka_unit_test(test_workdistribute_has_its_name),
      cmocka_unit_test(test_construct_totals_are_exact),
      cmocka_unit_test(test_loop_of_libomp_14_has_no_schedule),
      cmocka_unit_test(test_loop_whose_schedule_changes_is_one_node),
      cmocka_unit_test(test_dynamic_loop_of_gomp_owns_the_barrier_after_it),
      cmocka_unit_test(test_construct_of_a_worker_ahead_of_the_primary_counts),
      cmocka_unit_test(test_construct_without_barrier_has_no_team_totals),
      cmocka_unit_test(test_reduction_of_a_loop_waits_in_the_loops_row),
      cmocka_unit_test(test_endless_single_of_gomp_owns_its_barrier_only),
      cmocka_unit_test(test_tasks_in_a_constructs_barrier_are_busy_time_of_the_construct),
      cmocka_unit_test(test_barrier_long_after_a_construct_is_not_its_own),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
