/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is found in runs with one flaw each, and what its cure would save: half of the thread time that two threads
 * lose. */
#include "found.h"

#include <stdlib.h>
#include <string.h>

#define LOOP SITE(LOOP_STATIC, 0x200)
#define SECOND SITE(LOOP_STATIC, 0x210)

/* Thread's part in a construct with a barrier: it works in it `from` .. `to`, and leaves the barrier at `leaves`. */
static void construct(uint32_t thread, ompt_work_t kind, uint64_t code, uint64_t from, uint64_t to, uint64_t leaves) {
  as(thread, from);
  sc_work_begin(kind, code);
  sc_at(to);
  sc_work_end(kind, code);
  sc_barrier_begin(sc_work_barrier(), code + 8);
  sc_at(leaves);
  sc_barrier_end(sc_work_barrier(), code + 8);
}

static void test_even_work_has_no_findings(void **state) {
  (void)state;
  begin();
  construct(0, ompt_work_loop_static, 0x200, 0, 50, 50);
  construct(1, ompt_work_loop_static, 0x200, 0, 50, 50);
  join_at(60, 60);
  end(60);
  expect_count(0);
  assert_true(found->unexplained_ticks == 0);
}

/* ---- serial ---- */

static void test_time_outside_regions_is_serial(void **state) {
  (void)state;
  begin();
  join_at(50, 50);
  end(250);
  expect_found(SERIAL, 100, PROGRAM);
  expect_count(1);
}

/* The second region has one thread; the first shows that there could be two. */
static void test_a_region_of_fewer_threads_is_serial(void **state) {
  (void)state;
  begin();
  join_at(10, 10);
  const uint32_t region = sc_parallel_begin(0x110, 1);
  sc_implicit_begin(region, 0, 1);
  sc_join(50, 50, 50);
  end(50);
  expect_found(SERIAL, 20, INNER);
  expect_count(1);
}

static void test_the_routine_with_most_time_is_the_place(void **state) {
  (void)state;
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  sc_routine_enter(0x1000);
  sc_at(10);
  sc_routine_enter(0x1100);
  sc_at(90);
  sc_routine_exit(0x1100);
  sc_fork(0x100, 2, 1, 90);
  join_at(100, 100);
  sc_routine_exit(0x1000);
  end(100);
  expect_found(SERIAL, 45, SITE(ROUTINE, 0x1000), SITE(ROUTINE, 0x1100));
}

/* One of them had events switched off. */
static void test_a_finding_of_two_callpaths_is_as_sure_as_the_less_sure_one(void **state) {
  (void)state;
  begin();
  join_at(40, 10);
  as(0, 50);
  sc_routine_enter(0x1000);
  sc_fork(0x100, 2, 1, 50);
  join_at(90, 70);
  sc_routine_exit(0x1000);
  end(100);
  const uint32_t nodes[] = {ex_node(model, REGION)->id, ex_node(model, SITE(ROUTINE, 0x1000), REGION)->id};
  for (int i = 0; i < 2; i++) {
    uint32_t *marks = &model->nodes[nodes[i]].marks[HD_MARKS_OF_CALLPATHS];
    *marks |= HD_MARK_QUEUES;
    look();
    expect_found(IMBALANCE, 25, REGION);
    assert_int_equal(found->items[0].basis, HD_BASIS_ESTIMATED);
    *marks &= ~(uint32_t)HD_MARK_QUEUES;
  }
  look();
  assert_int_equal(found->items[0].basis, HD_BASIS_MEASURED);
}

/* Of 200 outside the region samples cover 180: all but what a loop of the region has. */
static void test_samples_name_the_functions_of_serial_time(void **state) {
  (void)state;
  begin();
  join_at(50, 50);
  end(250);
  const struct hd_model_sample samples[] = {
      {.state = HD_BUSY, .module = HD_NONE, .count = 9, .taken = 9, .name = {"read_input", "/src/input.c", 17, false}},
      {.state = HD_BUSY,
       .module = HD_NONE,
       .count = 3,
       .taken = 3,
       .name = {"next", "a.h", 3, false},
       .inlined_into = "read_input"},
      {.state = HD_BUSY, .module = HD_NONE, .count = 6, .taken = 6, .name = {.function = "hash"}},
      {.state = HD_BUSY, .module = HD_NONE, .count = 90, .taken = 90, .node = 1, .name = {"work", "work.c", 5, false}}};
  model->sample_count = sizeof samples / sizeof *samples;
  model->samples = hd_model_allocate(model, sizeof samples);
  assert_non_null(model->samples);
  memcpy(model->samples, samples, sizeof samples);
  model->header.sample_period_ns = 10;
  look();
  assert_string_equal(found->items[0].evidence[1],
                      "samples: 67 % in read_input (most at input.c:17), 33 % in hash (?)");
  model->header.sample_period_ns = 5; /* half of it was before there were any */
  look();
  assert_string_equal(found->items[0].evidence[1], "");
}

static void single(uint64_t end_of_single, bool barrier) {
  begin();
  for (uint32_t thread = 0; thread < 2; thread++) {
    const ompt_work_t kind = thread == 0 ? ompt_work_single_executor : ompt_work_single_other;
    as(thread, 10);
    sc_work_begin(kind, 0x200);
    sc_at(thread == 0 ? end_of_single : 10);
    sc_work_end(kind, 0x200);
    if (!barrier)
      continue;
    sc_barrier_begin(sc_work_barrier(), 0x240);
    sc_at(end_of_single);
    sc_barrier_end(sc_work_barrier(), 0x240);
  }
}

static void test_wait_for_a_single_is_its(void **state) {
  (void)state;
  for (int barrier = 0; barrier < 2; barrier++) {
    single(60, barrier);
    join_at(70, barrier ? 70 : 20);
    end(70);
    expect_found(SERIAL_IN_REGION, 25, REGION, SITE(SINGLE, 0x200));
    expect_count(1);
    forget(NULL);
  }
}

static void test_wait_for_a_masked_is_its(void **state) {
  (void)state;
  begin();
  sc_at(0);
  sc_masked_begin(0x200);
  sc_at(50);
  sc_masked_end();
  join_at(60, 10);
  end(60);
  expect_found(SERIAL_IN_REGION, 25, REGION, SITE(MASKED, 0x200));
  expect_count(1);
}

static void test_uneven_sections_are_serial_in_the_region(void **state) {
  (void)state;
  begin();
  construct(0, ompt_work_sections, 0x200, 0, 80, 80);
  construct(1, ompt_work_sections, 0x200, 0, 20, 80);
  join_at(90, 90);
  end(90);
  expect_found(SERIAL_IN_REGION, 30, REGION, SITE(SECTIONS, 0x200));
  expect_count(1);
}

/* ---- uneven work and barriers ---- */

static void test_uneven_loop_is_imbalance(void **state) {
  (void)state;
  begin();
  construct(0, ompt_work_loop_static, 0x200, 0, 80, 80);
  construct(1, ompt_work_loop_static, 0x200, 0, 20, 80);
  join_at(90, 90);
  end(90);
  expect_found(IMBALANCE, 30, REGION, LOOP);
  expect_count(1);
}

static void test_uneven_region_is_imbalance(void **state) {
  (void)state;
  begin();
  join_at(60, 20);
  end(60);
  expect_found(IMBALANCE, 20, REGION);
  expect_count(1);
}

/* Uneven loops that add up to even work: what their barriers cost. */
static void test_loops_that_are_even_together_need_no_barriers(void **state) {
  (void)state;
  begin();
  for (uint32_t thread = 0; thread < 2; thread++) {
    construct(thread, ompt_work_loop_static, 0x200, 0, thread == 0 ? 40 : 10, 40);
    construct(thread, ompt_work_loop_static, 0x210, 40, thread == 0 ? 50 : 80, 80);
  }
  join_at(80, 80);
  end(80);
  expect_found(BARRIER, 15, REGION, LOOP);
  expect_found(BARRIER, 15, REGION, SECOND);
  expect_count(2);
}

static void explicit_barrier(uint32_t thread, uint64_t from, uint64_t to) {
  as(thread, from);
  sc_barrier_begin(ompt_sync_region_barrier_explicit, 0x300);
  sc_at(to);
  sc_barrier_end(ompt_sync_region_barrier_explicit, 0x300);
}

static void test_threads_that_take_turns_need_no_barrier(void **state) {
  (void)state;
  begin();
  for (uint64_t time = 0; time < 160; time += 40)
    for (uint32_t thread = 0; thread < 2; thread++)
      explicit_barrier(thread, time + (thread == time / 40 % 2 ? 40 : 10), time + 40);
  join_at(160, 160);
  end(160);
  expect_found(BARRIER, 4 * 15, REGION, SITE(BARRIER_EXPLICIT, 0x300));
  expect_count(1);
}

static void test_barriers_do_no_harm_where_one_thread_always_has_more_to_do(void **state) {
  (void)state;
  begin();
  for (uint64_t time = 0; time < 160; time += 40)
    for (uint32_t thread = 0; thread < 2; thread++)
      explicit_barrier(thread, time + (thread == 0 ? 40 : 10), time + 40);
  join_at(160, 160);
  end(160);
  expect_found(IMBALANCE, 4 * 15, REGION);
  expect_count(1);
}

/* Both work 20, then combine until 30. */
static void test_combining_is_the_reductions(void **state) {
  (void)state;
  begin();
  for (uint32_t thread = 0; thread < 2; thread++) {
    as(thread, 20);
    sc_barrier_begin(ompt_sync_region_reduction, 0x300);
    sc_at(30);
    sc_barrier_end(ompt_sync_region_reduction, 0x300);
  }
  join_at(30, 30);
  end(30);
  expect_found(REDUCTION, 10, REGION, SITE(REDUCTION, 0x300));
  expect_count(1);
}

/* ---- mutual exclusion ---- */

static void test_waits_for_each_kind_of_mutex_are_told_apart(void **state) {
  (void)state;
  static const struct {
    ompt_mutex_t mutex;
    enum hd_kind kind;
    enum hd_cause cause;
  } kinds[] = {{ompt_mutex_critical, HD_KIND_CRITICAL, HD_CAUSE_CRITICAL},
               {ompt_mutex_ordered, HD_KIND_ORDERED, HD_CAUSE_ORDERED},
               {ompt_mutex_atomic, HD_KIND_ATOMIC, HD_CAUSE_ATOMIC},
               {ompt_mutex_lock, HD_KIND_LOCK, HD_CAUSE_LOCK}};
  for (int i = 0; i < 4; i++) {
    begin();
    sc_at(10);
    sc_acquire(kinds[i].mutex, 1, 0x400);
    sc_at(30);
    sc_acquired(kinds[i].mutex, 1, 0x400);
    sc_at(40);
    sc_released(kinds[i].mutex, 1, 0x400);
    join_at(50, 50);
    end(50);
    expect_found_at(kinds[i].cause, ex_node(model, REGION, {kinds[i].kind, 0x400}), 10, __FILE__, __LINE__);
    expect_count(1);
    forget(NULL);
  }
}

/* Thread 1 waits 3 for the section, and thread 0 at the end for thread 1. */
static void two_in_a_section(uint64_t unit) {
  begin();
  for (uint32_t thread = 0; thread < 2; thread++) {
    as(thread, unit);
    sc_acquire(ompt_mutex_critical, 1, 0x400);
    sc_at(thread == 0 ? unit : 4 * unit);
    sc_acquired(ompt_mutex_critical, 1, 0x400);
    sc_at(thread == 0 ? 4 * unit : 7 * unit);
    sc_released(ompt_mutex_critical, 1, 0x400);
  }
  join_at(4 * unit, 7 * unit);
  end(7 * unit);
}

static void test_what_a_mutex_makes_others_wait_is_its(void **state) {
  (void)state;
  two_in_a_section(10);
  expect_found(CRITICAL, 30, REGION, SITE(CRITICAL, 0x400));
  expect_count(1);
}

/* Two microseconds for each of two entries, shared by two threads; of very small ones all that the region took. */
static void test_entering_a_section_costs_its_own_thread_too(void **state) {
  (void)state;
  two_in_a_section(100000);
  assert_true(found->items[0].gain_ticks == 300000 && found->items[0].high_ticks == 302000);
  assert_string_equal(found->items[0].evidence[1], "");
  forget(NULL);
  two_in_a_section(10);
  assert_true(found->items[0].high_ticks == 70);
  assert_string_equal(found->items[0].evidence[1],
                      "what each costs its own thread counts as work: with that it may be up to 0.070 us");
}

/* ---- the runtime ---- */

/* Fork to 20, the worker comes at 25, both work until 30. */
static void open_region(uint64_t time, uint64_t worker, uint64_t until) {
  as(0, time);
  const uint32_t region = sc_parallel_begin(0x100, 2);
  sc_at(time + 10);
  sc_implicit_begin(region, 0, 2);
  as(1, time + worker);
  sc_implicit_begin(region, 1, 2);
  join_at(time + until, time + until);
}

static void test_small_regions_lose_to_fork_and_join(void **state) {
  (void)state;
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  open_region(0, 15, 20);
  open_region(20, 15, 20);
  end(40);
  expect_found(FORK_JOIN, (10 + 15) / 2.0, REGION);
  expect_count(1);
}

/* Thread 0 works from 10 to 1010, thread 1 from 410 on: that is more than fork and join explain, which is thrice the
 * fork for either, but for one of the two instances. */
static void test_workers_that_slept_come_late(void **state) {
  (void)state;
  static const char *const passive[] = {"OMP_WAIT_POLICY=passive", NULL};
  const struct fk_options options = {.environment = passive};
  for (int sleeps = 0; sleeps < 2; sleeps++) {
    sc_start(SC_LIBOMP_19);
    sc_initial_begin();
    open_region(0, 410, 1010);
    open_region(1010, 410, 1010);
    play(2020, 2, sleeps ? &options : &(struct fk_options){0});
    if (sleeps)
      expect_found(WAKE_UP, (10 + 410) / 2.0, REGION);
    else
      expect_found(FORK_JOIN, 3 * 10, REGION);
    expect_count(1);
    assert_true(fabs(found->unexplained_ticks - (sleeps ? 210 : 390)) < 1e-9);
    forget(NULL);
  }
}

static void test_one_region_is_not_too_small_because_it_creates_the_threads(void **state) {
  (void)state;
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  open_region(0, 410, 1010);
  play(1010, 2, &(struct fk_options){0});
  expect_count(0);
}

/* Each thread gets its chunk after 10 of 40. */
static void test_handing_out_chunks_is_scheduling(void **state) {
  (void)state;
  begin();
  for (uint32_t thread = 0; thread < 2; thread++) {
    as(thread, 0);
    sc_work_begin(ompt_work_loop_dynamic, 0x500);
    sc_entry_begin(HEDDLE_ENTRY_SCHEDULING);
    sc_at(10);
    sc_entry_end(HEDDLE_ENTRY_SCHEDULING, 1);
    sc_at(40);
    sc_work_end(ompt_work_loop_dynamic, 0x500);
  }
  join_at(40, 40);
  end(40);
  expect_found(SCHEDULING, 10, REGION, SITE(LOOP_DYNAMIC, 0x500));
  expect_count(1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(test_even_work_has_no_findings, forget),
      cmocka_unit_test_teardown(test_time_outside_regions_is_serial, forget),
      cmocka_unit_test_teardown(test_a_region_of_fewer_threads_is_serial, forget),
      cmocka_unit_test_teardown(test_the_routine_with_most_time_is_the_place, forget),
      cmocka_unit_test_teardown(test_a_finding_of_two_callpaths_is_as_sure_as_the_less_sure_one, forget),
      cmocka_unit_test_teardown(test_samples_name_the_functions_of_serial_time, forget),
      cmocka_unit_test_teardown(test_wait_for_a_single_is_its, forget),
      cmocka_unit_test_teardown(test_wait_for_a_masked_is_its, forget),
      cmocka_unit_test_teardown(test_uneven_sections_are_serial_in_the_region, forget),
      cmocka_unit_test_teardown(test_uneven_loop_is_imbalance, forget),
      cmocka_unit_test_teardown(test_uneven_region_is_imbalance, forget),
      cmocka_unit_test_teardown(test_loops_that_are_even_together_need_no_barriers, forget),
      cmocka_unit_test_teardown(test_threads_that_take_turns_need_no_barrier, forget),
      cmocka_unit_test_teardown(test_barriers_do_no_harm_where_one_thread_always_has_more_to_do, forget),
      cmocka_unit_test_teardown(test_combining_is_the_reductions, forget),
      cmocka_unit_test_teardown(test_waits_for_each_kind_of_mutex_are_told_apart, forget),
      cmocka_unit_test_teardown(test_what_a_mutex_makes_others_wait_is_its, forget),
      cmocka_unit_test_teardown(test_entering_a_section_costs_its_own_thread_too, forget),
      cmocka_unit_test_teardown(test_small_regions_lose_to_fork_and_join, forget),
      cmocka_unit_test_teardown(test_workers_that_slept_come_late, forget),
      cmocka_unit_test_teardown(test_one_region_is_not_too_small_because_it_creates_the_threads, forget),
      cmocka_unit_test_teardown(test_handing_out_chunks_is_scheduling, forget),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
