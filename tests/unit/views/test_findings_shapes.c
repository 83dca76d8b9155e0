/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The same flaws in other shapes of programs: whose the time is where the runtime tells less, or tells it elsewhere. */
#include "found.h"

#define LOOP SITE(LOOP_STATIC, 0x200)
#define SINGLE SITE(SINGLE, 0x200)
#define SECTIONS SITE(SECTIONS, 0x200)
#define TASK SITE(TASK, 0x500)

static void work(uint32_t thread, ompt_work_t kind, uint64_t until) {
  as(thread, 0);
  sc_work_begin(kind, 0x200);
  sc_at(until);
  sc_work_end(kind, 0x200);
}

static void barrier(ompt_sync_region_t kind, uint64_t until) {
  sc_barrier_begin(kind, 0x208);
  sc_at(until);
  sc_barrier_end(kind, 0x208);
}

/* libomp has no barrier at the single's end then, but two of the kind that ends a reduction. */
static void test_the_barrier_of_a_copyprivate_is_the_singles(void **state) {
  (void)state;
  begin();
  work(0, ompt_work_single_executor, 60);
  barrier(ompt_sync_region_barrier_implementation, 60);
  work(1, ompt_work_single_other, 0);
  barrier(ompt_sync_region_barrier_implementation, 60);
  join_at(80, 80);
  end(80);
  expect_found(SERIAL_IN_REGION, 30, REGION, SINGLE);
  expect_count(1);
}

/* One iteration of 80 in the loop: the barrier that combines its reduction waits for it. */
static void test_a_loop_waits_for_its_longest_part_in_its_reduction(void **state) {
  (void)state;
  begin();
  for (uint32_t thread = 0; thread < 2; thread++) {
    work(thread, ompt_work_loop_static, thread == 0 ? 80 : 20);
    barrier(ompt_sync_region_barrier_implementation, 80);
    barrier(sc_work_barrier(), 80);
  }
  join_at(90, 90);
  end(90);
  expect_found(IMBALANCE, 30, REGION, LOOP);
  expect_count(1);
}

/* `parallel sections`: the region's end waits for the longest. */
static void test_sections_without_a_barrier_are_serial_in_the_region(void **state) {
  (void)state;
  begin();
  work(1, ompt_work_sections, 20);
  work(0, ompt_work_sections, 80);
  join_at(80, 20);
  end(80);
  expect_found(SERIAL_IN_REGION, 30, REGION, SECTIONS);
  expect_count(1);
}

/* The outer team is one thread, but its work is done by a nested one, where a thread waits. */
static void test_a_small_team_whose_threads_open_larger_ones_is_not_serial(void **state) {
  (void)state;
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  const uint32_t outer = sc_parallel_begin(0x100, 1);
  sc_implicit_begin(outer, 0, 1);
  sc_fork(0x110, 2, 1, 0);
  join_at(80, 20);
  sc_join(80, 80, 80);
  end(80);
  expect_found(IMBALANCE, 30, REGION, INNER);
  expect_count(1);
}

/* ---- reductions ---- */

static void wait_for_critical(void) {
  begin();
  for (uint32_t thread = 0; thread < 2; thread++) {
    as(thread, 10);
    sc_acquire(ompt_mutex_critical, 1, 0x400);
    sc_at(thread == 0 ? 10 : 40);
    sc_acquired(ompt_mutex_critical, 1, 0x400);
    sc_at(thread == 0 ? 40 : 70);
    sc_released(ompt_mutex_critical, 1, 0x400);
  }
  join_at(40, 70);
  end(70);
}

static void name(const struct hd_node *node, uint32_t line) {
  model->nodes[node->id].name = (struct hd_name){.function = "work", .file = "work.c", .line = line};
}

/* A few threads' copies are combined in a critical section, at the line of the directive. */
static void test_a_critical_section_of_the_directive_combines_a_reduction(void **state) {
  (void)state;
  wait_for_critical();
  name(ex_node(model, REGION), 7);
  name(ex_node(model, REGION, SITE(CRITICAL, 0x400)), 9);
  look();
  expect_found(CRITICAL, 30, REGION, SITE(CRITICAL, 0x400));
  name(ex_node(model, REGION, SITE(CRITICAL, 0x400)), 7);
  look();
  expect_found(REDUCTION, 30, REGION);
  expect_count(1);
}

/* ---- tasks ---- */

/* Thread 0 makes eight tasks at 0, which the other one runs one after the other, for 10 each. */
static void play_chain(bool depend) {
  uint32_t made[8];
  begin();
  sc_work_begin(ompt_work_single_executor, 0x200);
  for (int i = 0; i < 8; i++)
    made[i] = depend ? sc_task_create_dependent(0x500) : sc_task_create(0x500, 0);
  sc_work_end(ompt_work_single_executor, 0x200);
  work(1, ompt_work_single_other, 0);
  sc_barrier_begin(sc_work_barrier(), 0x208);
  for (uint64_t i = 0; i < 8; i++) {
    sc_task_run(made[i]);
    sc_at((i + 1) * 10);
    sc_task_leave(ompt_task_complete);
  }
  sc_barrier_end(sc_work_barrier(), 0x208);
  as(0, 0);
  barrier(sc_work_barrier(), 80);
  join_at(80, 80);
  end(80);
}

static void test_tasks_that_wait_for_each_other_are_dependent(void **state) {
  (void)state;
  play_chain(true);
  expect_found(TASK_DEPENDENCES, 40, REGION, SINGLE, TASK);
  expect_count(1);
  forget(NULL);
  play_chain(false);
  expect_found(IMBALANCE, 40, REGION, SINGLE, TASK);
}

/* One thread makes all eight in the region itself, as it asks for its number, or as GCC's code does not tell of a
 * single: 8 * 9 of other work, while the other one waits for all but 8 of it. */
static void test_one_thread_that_creates_all_tasks_needs_no_single(void **state) {
  (void)state;
  uint32_t made[8];
  begin();
  for (uint64_t i = 0; i < 8; i++) {
    sc_at((i + 1) * 10);
    made[i] = sc_task_create(0x500, 0);
  }
  as(1, 0);
  sc_join_begin();
  for (uint64_t i = 0; i < 8; i++) {
    sc_at((i + 1) * 10);
    sc_task_run(made[i]);
    sc_at((i + 1) * 10 + 1);
    sc_task_leave(ompt_task_complete);
  }
  sc_thread(0);
  sc_join(80, 81, 81);
  end(81);
  expect_found(TASK_CREATION, (81 - 8 + 1) / 2.0, REGION, TASK);
  expect_count(1);
}

/* GCC's code does not tell whether a barrier ends a loop: threads that take turns would not wait without it. */
static void test_a_barrier_of_gccs_is_blamed_if_no_thread_has_more_to_do(void **state) {
  (void)state;
  for (int turns = 0; turns < 2; turns++) {
    sc_start(SC_GOMP);
    sc_initial_begin();
    sc_fork(0x100, 2, 1, 0);
    for (uint64_t time = 0; time < 160; time += 40)
      for (uint32_t thread = 0; thread < 2; thread++) {
        as(thread, time + (thread == (turns ? time / 40 % 2 : 0) ? 40 : 10));
        sc_barrier_begin(ompt_sync_region_barrier_implementation, 0x300);
        sc_at(time + 40);
        sc_barrier_end(ompt_sync_region_barrier_implementation, 0x300);
      }
    join_at(160, 160);
    end(160);
    expect_found_at(turns ? HD_CAUSE_BARRIER : HD_CAUSE_IMBALANCE, ex_node(model, REGION, SITE(BARRIER, 0x300)), 4 * 15,
                    __FILE__, __LINE__);
    expect_count(1);
    forget(NULL);
  }
}

/* Whoever makes fewer tasks saves their events, as far as the region took time that was no work: of 80 ticks of work
 * 20 are Heddle's, and 40 are charged. */
static void heddles_work_in(uint64_t elapsed_ticks, double own_ticks) {
  play_chain(false);
  struct hd_node *region = &model->nodes[ex_node(model, REGION)->id];
  region->team.mean_ticks = (double)elapsed_ticks;
  region->team.capacity_ticks = 2 * elapsed_ticks;
  model->nodes[ex_node(model, REGION, SINGLE, TASK)->id].ticks[HD_RUNTIME_TASK_CREATION] = 80;
  region->intrusion_inclusive.ticks[0] = 20;
  model->threads[0].late_ticks = 20;
  model->cost_ticks = 20;
  look();
  const struct hd_finding *small = finding_of(HD_CAUSE_TASK_GRANULARITY, ex_node(model, REGION, SINGLE, TASK));
  assert_non_null(small);
  if (fabs(small->own_ticks - own_ticks) >= 1e-9)
    fail_msg("%f of %f, not %f", small->own_ticks, small->gain_ticks, own_ticks);
  assert_true(small->gain_ticks > small->own_ticks && small->low_ticks <= small->gain_ticks - own_ticks);
  assert_non_null(finding_of(HD_CAUSE_MEASUREMENT, ex_node(model, REGION)));
  forget(NULL);
}

static void test_heddles_work_for_small_tasks_is_saved_with_them(void **state) {
  (void)state;
  heddles_work_in(200, 20);
  heddles_work_in((80 - 20) / 2 + 40 + 5, 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(test_the_barrier_of_a_copyprivate_is_the_singles, forget),
      cmocka_unit_test_teardown(test_a_loop_waits_for_its_longest_part_in_its_reduction, forget),
      cmocka_unit_test_teardown(test_sections_without_a_barrier_are_serial_in_the_region, forget),
      cmocka_unit_test_teardown(test_a_small_team_whose_threads_open_larger_ones_is_not_serial, forget),
      cmocka_unit_test_teardown(test_a_critical_section_of_the_directive_combines_a_reduction, forget),
      cmocka_unit_test_teardown(test_tasks_that_wait_for_each_other_are_dependent, forget),
      cmocka_unit_test_teardown(test_one_thread_that_creates_all_tasks_needs_no_single, forget),
      cmocka_unit_test_teardown(test_a_barrier_of_gccs_is_blamed_if_no_thread_has_more_to_do, forget),
      cmocka_unit_test_teardown(test_heddles_work_for_small_tasks_is_saved_with_them, forget),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
