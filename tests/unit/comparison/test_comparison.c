/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * One program at 1, 2 and 4 threads, as scripts: where each region's time goes is known by arithmetic, so the table
 * that comes out must be that, to the tick.
 *
 * In the regions with a delay, of E ticks on p > 1 threads: the primary begins at 3 and the workers at 5, the last
 * barrier takes 1 tick more than the last thread needs, and the end comes 2 ticks later. Runtime is then 3 + 2 for the
 * primary and 5 + 2 for each worker: 7 p - 2. With one thread it is 1 before and 1 after.
 */
#include <math.h>

#include "compared_program.h"

enum { POINTS = 3 };
static const uint32_t threads_at[POINTS] = {1, 2, 4};

/* ---- the program ---- */

static void fork_late_team(uint64_t code) {
  as(0, 0);
  const uint32_t region = sc_parallel_begin(code, p);
  as(0, p == 1 ? 1 : 3);
  sc_implicit_begin(region, 0, p);
  for (uint32_t i = 1; i < p; i++) {
    as(i, 5);
    sc_implicit_begin(region, i, p);
  }
}

/* Work of one thread, which needs no wait. */
static void alone(uint64_t code, uint64_t work) {
  fork_late_team(code);
  arrives(0, 1 + work);
  join_team(1 + work, 2 + work);
}

/* 240 units: half of them are always thread 1's. */
static void imbalanced(void) {
  const uint64_t work = p == 2 ? 80 : 40, most = p == 2 ? 160 : 120;
  if (p == 1) {
    alone(0x100, 240);
    return;
  }
  fork_late_team(0x100);
  arrives(0, 3 + work);
  for (uint32_t i = 1; i < p; i++)
    arrives(i, 5 + (i == 1 ? most : work));
  join_team(5 + most + 1, 5 + most + 3);
}

static void single_thread(uint32_t thread, ompt_work_t kind, uint64_t from, uint64_t to, uint64_t leaves) {
  as(thread, from);
  sc_work_begin(kind, 0x210);
  as(thread, to);
  sc_work_end(kind, 0x210);
  sc_barrier_begin(sc_work_barrier(), 0x250);
  as(thread, leaves);
  sc_barrier_end(sc_work_barrier(), 0x250);
  sc_join_begin();
}

/* 80 units in a single; its barrier takes a tick. */
static void serial_inside(void) {
  fork_late_team(0x110);
  if (p == 1) {
    single_thread(0, ompt_work_single_executor, 1, 81, 81);
    join_team(81, 82);
    return;
  }
  single_thread(0, ompt_work_single_executor, 3, 83, 84);
  for (uint32_t i = 1; i < p; i++)
    single_thread(i, ompt_work_single_other, 5, 5, 84);
  join_team(85, 87);
}

static void critical(uint32_t thread, uint64_t from, uint64_t to, uint64_t until) {
  as(thread, from);
  sc_acquire(ompt_mutex_critical, 1, 0x320);
  as(thread, to);
  sc_acquired(ompt_mutex_critical, 1, 0x320);
  as(thread, until);
  sc_released(ompt_mutex_critical, 1, 0x320);
  sc_join_begin();
}

/* 120 units, the same for each thread, one after the other. */
static void locked(void) {
  const uint64_t work = 120 / p;
  fork_late_team(0x120);
  if (p == 1) {
    critical(0, 1, 1, 121);
    join_team(121, 122);
    return;
  }
  critical(0, 3, 3, 3 + work);
  for (uint32_t i = 1; i < p; i++)
    critical(i, 5, 3 + i * work, 3 + (i + 1) * work);
  join_team(124, 126);
}

static void barrier(uint32_t thread, uint64_t from, uint64_t to) {
  as(thread, from);
  sc_barrier_begin(ompt_sync_region_barrier_explicit, 0x330);
  as(thread, to);
  sc_barrier_end(ompt_sync_region_barrier_explicit, 0x330);
  sc_join_begin();
}

/* 90 units, with more than one thread 60 are thread 0's. Then an explicit barrier, which takes a tick; no delays. */
static void with_barrier(void) {
  fork_team(0x130, p);
  barrier(0, p == 1 ? 90 : 60, p == 1 ? 90 : 61);
  for (uint32_t i = 1; i < p; i++)
    barrier(i, 30 / (p - 1), 61);
  join_team(p == 1 ? 90 : 61, p == 1 ? 90 : 61);
}

/* One task of 70 units; with more than one thread the last one runs it, from 6 on, in the region's last barrier. */
static void with_task(void) {
  const uint32_t last = p - 1;
  fork_late_team(0x140);
  as(0, p == 1 ? 1 : 3);
  const uint32_t task = sc_task_create(0x340, 0);
  for (uint32_t i = 0; i < p && p > 1; i++)
    arrives(i, i == 0 ? 3 : 5);
  as(last, p == 1 ? 1 : 6);
  sc_task_run(task);
  as(last, p == 1 ? 71 : 76);
  sc_task_leave(ompt_task_complete);
  if (p == 1)
    arrives(0, 71);
  join_team(p == 1 ? 71 : 77, p == 1 ? 72 : 79);
}

/* An inner team of as many threads, opened by thread 0 for 60 units; the others of the outer team have no work. */
static void nested(void) {
  fork_team(0x180, p);
  for (uint32_t i = 1; i < p; i++)
    arrives(i, 0);
  as(0, 0);
  sc_fork(0x190, p, 4, begin);
  for (uint32_t i = 0; i < p; i++)
    arrives(i == 0 ? 0 : 3 + i, 60 / p);
  as(0, 60 / p);
  sc_join_end();
  sc_parallel_end();
  arrives(0, 60 / p);
  join_team(60 / p, 60 / p);
}

static void outside(uint64_t ticks) {
  begin += ticks;
}

static void play_program(uint32_t threads) {
  begin_program(threads);
  outside(100);
  imbalanced();
  serial_inside();
  outside(10);
  locked();
  with_barrier();
  with_task();
  even(0x150, p, 96 / p);                              /* perfect */
  even(0x160, p, p == 1 ? 60 : 40);                    /* the work grows */
  even(0x170, p == 4 ? 2 : p, 100 / (p == 4 ? 2 : p)); /* never more than two threads */
  outside(15);
  end_program();
}

/* ---- the table ---- */

struct expected {
  uint64_t code; /* 0: outside regions */
  struct {
    int64_t time, busy, lost[HD_LOSS_COUNT];
  } at[POINTS];
  enum hd_loss main_cause[POINTS];
};

#define NOTHING HD_LOSS_COUNT

static const struct expected table[] = {
    {0,
     {{125, 125, {0}}, {125, 125, {SERIAL = 125}}, {125, 125, {SERIAL = 3 * 125}}},
     {NOTHING, HD_LOSS_SERIAL, HD_LOSS_SERIAL}},
    /* The last barrier: the imbalance; 3 for thread 0, which began 2 before the others, and 1 for each of them. */
    {0x100,
     {{242, 240, {RUNTIME = 2}},
      {160 + 8, 240, {IMBALANCE = 80, RUNTIME = 7 * 2 - 2 + 3 + 1}},
      {120 + 8, 240, {IMBALANCE = 3 * 80, RUNTIME = 7 * 4 - 2 + 3 + 3}}},
     {NOTHING, HD_LOSS_IMBALANCE, HD_LOSS_IMBALANCE}},
    /* The single's barrier: 79 for each that waits for the work, 1 for who did it. The region's: 1 for each. */
    {0x110,
     {{82, 80, {RUNTIME = 2}},
      {87, 80, {SERIAL = 79 + 1, RUNTIME = 7 * 2 - 2 + 2}},
      {87, 80, {SERIAL = 3 * 79 + 1, RUNTIME = 7 * 4 - 2 + 4}}},
     {NOTHING, HD_LOSS_SERIAL, HD_LOSS_SERIAL}},
    /* Two threads: the second waits 58 for the first, and so the first 61 for the second; 58 of these are for the lock.
     * One more each for the barrier. Four: 28 + 58 + 88 for the lock, at the end 91 + 61 + 31 + 1. */
    {0x120,
     {{122, 120, {RUNTIME = 2}},
      {126, 120, {LOCKS = 58 + 58, RUNTIME = 7 * 2 - 2 + 3 + 1}},
      {126, 120, {LOCKS = 174 + 184, RUNTIME = 7 * 4 - 2}}},
     {NOTHING, HD_LOSS_LOCKS, HD_LOSS_LOCKS}},
    {0x130,
     {{90, 90, {0}}, {61, 90, {BARRIER = 1 + 31}}, {61, 90, {BARRIER = 1 + 3 * 51}}},
     {NOTHING, HD_LOSS_BARRIER, HD_LOSS_BARRIER}},
    {0x140,
     {{72, 70, {RUNTIME = 2}},
      {79, 70, {TASKS = 74 + 2, RUNTIME = 7 * 2 - 2}},
      {79, 70, {TASKS = 74 + 2 + 2 * 72, RUNTIME = 7 * 4 - 2}}},
     {NOTHING, HD_LOSS_TASKS, HD_LOSS_TASKS}},
    {0x150, {{96, 96, {0}}, {48, 96, {0}}, {24, 96, {0}}}, {NOTHING, NOTHING, NOTHING}},
    {0x160, {{60, 60, {0}}, {40, 80, {0}}, {40, 160, {0}}}, {NOTHING, HD_LOSS_INFLATION, HD_LOSS_INFLATION}},
    {0x170, {{100, 100, {0}}, {50, 100, {0}}, {50, 100, {SERIAL = 2 * 50}}}, {NOTHING, NOTHING, HD_LOSS_SERIAL}},
};
enum { ROWS = sizeof table / sizeof *table };

static void expect_cell(const struct hd_compared *at, const struct hd_compared *base, const struct expected *expected,
                        int point) {
  struct hd_losses losses = {.capacity = threads_at[point] * expected->at[point].time,
                             .busy = expected->at[point].busy};
  memcpy(losses.lost, expected->at[point].lost, sizeof losses.lost);
  expect_losses_at(&losses, &at->losses, __FILE__, __LINE__);
  assert_int_equal(at->time_ticks, expected->at[point].time);
  assert_true(at->matched);
  for (int loss = 0; loss < HD_LOSS_COUNT; loss++) {
    int64_t lost = expected->at[point].lost[loss] - expected->at[0].lost[loss];
    if (loss == HD_LOSS_INFLATION)
      lost = expected->at[point].busy - expected->at[0].busy;
    assert_int_equal(at->lost_ticks[loss], lost);
    assert_true(same(at->lost_s[loss], (double)lost * 1e-9 / threads_at[point]));
  }
  assert_int_equal(at->lost_total_ticks, losses.capacity - expected->at[0].time);
  assert_int_equal(at->main_cause, expected->main_cause[point]);
  assert_true(same(at->speedup, (double)expected->at[0].time / (double)expected->at[point].time));
  assert_true(same(at->efficiency, at->speedup / threads_at[point]));
  assert_true(same(at->work_efficiency, (double)base->losses.busy / (double)at->losses.busy));
  assert_true(same(at->busy_concurrency, (double)losses.busy / (double)expected->at[point].time));
  assert_true(same(at->time_s, (double)expected->at[point].time * 1e-9));
}

static void play_all(void) {
  for (int i = 0; i < POINTS; i++)
    play_program(threads_at[i]);
}

static void test_table_of_a_program_with_a_flaw_in_each_region(void **state) {
  (void)state;
  play_all();
  struct hd_comparison *comparison = compare_scaling();
  assert_int_equal(comparison->point_count, POINTS);
  for (int point = 0; point < POINTS; point++) {
    assert_int_equal(comparison->points[point].threads, threads_at[point]);
    assert_int_equal(comparison->points[point].run_count, 1);
    for (int i = 0; i < ROWS; i++) {
      const uint32_t row = table[i].code ? row_of_code(comparison, table[i].code) : 1;
      assert_int_equal(comparison->rows[row].kind, table[i].code ? HD_COMPARED_REGION : HD_COMPARED_OUTSIDE);
      expect_cell(&comparison->rows[row].at[point], &comparison->rows[row].at[0], &table[i], point);
    }
  }
}

static void test_program_is_the_sum_of_the_table(void **state) {
  (void)state;
  play_all();
  struct hd_comparison *comparison = compare_scaling();
  struct expected sum = {.main_cause = {NOTHING, HD_LOSS_SERIAL, HD_LOSS_SERIAL}};
  for (int point = 0; point < POINTS; point++) {
    for (int i = 0; i < ROWS; i++) {
      sum.at[point].time += table[i].at[point].time;
      sum.at[point].busy += table[i].at[point].busy;
      for (int loss = 0; loss < HD_LOSS_COUNT; loss++)
        sum.at[point].lost[loss] += table[i].at[point].lost[loss];
    }
    expect_cell(&comparison->rows[0].at[point], &comparison->rows[0].at[0], &sum, point);
    assert_int_equal(comparison->rows[0].at[point].calls, 1);
  }
}

static void test_single_is_a_row_in_its_region(void **state) {
  (void)state;
  play_all();
  struct hd_comparison *comparison = compare_scaling();
  const uint32_t row = row_of_code(comparison, 0x210);
  assert_int_equal(comparison->rows[row].kind, HD_COMPARED_CONSTRUCT);
  assert_int_equal(comparison->rows[row].parent, row_of_code(comparison, 0x110));
  assert_int_equal(row, comparison->rows[row].parent + 1);
  expect_losses(&comparison->rows[row].at[0].losses, 80, 80, 0);
  expect_losses(&comparison->rows[row].at[1].losses, 80 + 80, 80, SERIAL = 80);
  expect_losses(&comparison->rows[row].at[2].losses, 80 + 238, 80, SERIAL = 238);
  assert_int_equal(comparison->rows[row].at[2].time_ticks, (80 + 238) / 4);
  assert_int_equal(comparison->rows[row].at[2].calls, 1); /* of each thread */
}

/* Outside of regions, and the single. */
static void test_amdahls_bound_is_made_of_serial_time(void **state) {
  (void)state;
  play_all();
  struct hd_comparison *comparison = compare_scaling();
  const double serial = 125 + 80, busy = (double)comparison->rows[0].at[0].losses.busy;
  const double elapsed = (double)comparison->rows[0].at[0].time_ticks;
  assert_int_equal(comparison->serial_ticks, 125 + 80);
  assert_true(same(hd_amdahl_bound(comparison, 0), elapsed / serial));
  assert_true(same(hd_amdahl_bound(comparison, 4), elapsed / (serial + (busy - serial) / 4)));
  assert_true(same(hd_karp_flatt(2, 4, 1), (0.5 - 0.25) / (1 - 0.25)));
  assert_true(fabs(hd_karp_flatt(4, 4, 1)) < 1e-12);
  assert_true(isnan(hd_karp_flatt(1, 1, 1)));
  assert_true(isnan(hd_karp_flatt(0.005, 4, 1))); /* no part of a program is more than all of it */
}

static void test_nested_regions_are_rows_in_rows(void **state) {
  (void)state;
  for (int i = 0; i < POINTS - 1; i++) {
    begin_program(threads_at[i]);
    nested();
    end_program();
  }
  struct hd_comparison *comparison = compare_scaling();
  const uint32_t outer = row_of_code(comparison, 0x180), inner = row_of_code(comparison, 0x190);
  assert_int_equal(comparison->rows[outer].kind, HD_COMPARED_REGION);
  assert_int_equal(comparison->rows[inner].kind, HD_COMPARED_NESTED);
  assert_int_equal(comparison->rows[inner].parent, outer);
  /* At 2, three threads were alive: in 30 ticks one of them had nothing but to wait for thread 0. */
  assert_int_equal(comparison->points[1].threads, 3);
  expect_losses(&comparison->rows[inner].at[1].losses, 60, 60, 0);
  expect_losses(&comparison->rows[outer].at[1].losses, 3 * 30, 60, IMBALANCE = 30);
  assert_int_equal(comparison->rows[inner].at[1].lost_total_ticks, 0);
  assert_int_equal(comparison->rows[outer].at[1].lost_total_ticks, 30);
}

int main(void) {
#define TEST(test) cmocka_unit_test_teardown(test, forget_runs)
  const struct CMUnitTest tests[] = {
      TEST(test_table_of_a_program_with_a_flaw_in_each_region),
      TEST(test_program_is_the_sum_of_the_table),
      TEST(test_single_is_a_row_in_its_region),
      TEST(test_amdahls_bound_is_made_of_serial_time),
      TEST(test_nested_regions_are_rows_in_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
