/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How long a loop takes under a schedule: against a simulation that goes from iteration to iteration, and by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/analysis/schedules/schedule.h"

enum { ITERATIONS_MOST = 400, THREADS_MOST = 7 };

/* ---- another way to the same ---- */

struct plain {
  const double *cost;
  uint64_t count;
  double cost_of_chunk;
  uint32_t threads;
  double ready[THREADS_MOST];
  uint64_t chunks;
};

static void take(struct plain *plain, uint32_t thread, uint64_t first, uint64_t count) {
  plain->ready[thread] += plain->cost_of_chunk;
  for (uint64_t i = first; i < first + count && i < plain->count; i++)
    plain->ready[thread] += plain->cost[i];
  plain->chunks++;
}

static uint32_t first_ready(const struct plain *plain, const bool *is_done) {
  uint32_t first = plain->threads;
  for (uint32_t i = 0; i < plain->threads; i++)
    if (!(is_done && is_done[i]) && (first == plain->threads || plain->ready[i] < plain->ready[first]))
      first = i;
  return first;
}

static void plain_in_order(struct plain *plain, uint64_t chunk) {
  for (uint64_t i = 0; i < plain->count; i += chunk)
    take(plain, first_ready(plain, NULL), i, chunk);
}

static void plain_guided(struct plain *plain, uint64_t chunk) {
  const uint64_t threads = plain->threads;
  for (uint64_t i = 0, size; i < plain->count; i += size) {
    const uint64_t left = plain->count - i;
    size = left < 2 * threads * (chunk + 1) ? chunk : left / (2 * threads);
    take(plain, first_ready(plain, NULL), i, size);
  }
}

/* Chunks of each thread as a list from its first to its last. */
static void plain_stealing(struct plain *plain, uint64_t chunk) {
  const uint64_t chunks = (plain->count + chunk - 1) / chunk, threads = plain->threads;
  uint64_t next[THREADS_MOST], end[THREADS_MOST], at = 0;
  uint32_t victim[THREADS_MOST];
  bool is_done[THREADS_MOST] = {false};
  for (uint32_t i = 0; i < threads; i++) {
    next[i] = at;
    end[i] = at += chunks / threads + (i < chunks % threads ? 1 : 0);
    victim[i] = (i + 1) % plain->threads;
  }
  for (uint32_t i; (i = first_ready(plain, is_done)) < threads;) {
    for (uint32_t tries = 0; next[i] == end[i] && tries < threads; tries++) {
      const uint32_t from = victim[i];
      const uint64_t left = end[from] - next[from], stolen = left > 7 ? left / 4 : left > 0 ? 1 : 0;
      if (from == i || stolen == 0) {
        victim[i] = (from + 1) % plain->threads;
        continue;
      }
      end[i] = end[from];
      next[i] = end[from] -= stolen;
    }
    if (next[i] == end[i])
      is_done[i] = true;
    else
      take(plain, i, chunk * next[i]++, chunk);
  }
}

static void plain_static(struct plain *plain, uint64_t chunk) {
  uint64_t first = 0;
  for (uint32_t i = 0; i < plain->threads && chunk == 0; i++) {
    const uint64_t size = plain->count / plain->threads + (i < plain->count % plain->threads);
    take(plain, i, first, size);
    first += size;
  }
  for (uint64_t i = 0; i < plain->count && chunk > 0; i++)
    plain->ready[i / chunk % plain->threads] += plain->cost[i];
}

static double plain_longest(struct plain *plain, const struct hd_schedule *schedule) {
  const uint64_t chunks = schedule->chunk > 0 ? (plain->count + schedule->chunk - 1) / schedule->chunk : 0;
  if (schedule->kind == HD_SCHEDULE_STATIC)
    plain_static(plain, schedule->chunk);
  else if (schedule->kind == HD_SCHEDULE_DYNAMIC && chunks >= plain->threads && plain->threads > 1)
    plain_stealing(plain, schedule->chunk);
  else if (schedule->kind == HD_SCHEDULE_GUIDED && plain->threads > 1 &&
           (2 * schedule->chunk + 1) * plain->threads < plain->count)
    plain_guided(plain, schedule->chunk);
  else
    plain_in_order(plain, schedule->chunk);
  double longest = 0;
  for (uint32_t i = 0; i < plain->threads; i++)
    longest = fmax(longest, plain->ready[i]);
  return longest;
}

/* ---- curves ---- */

static struct hd_cost_curve curve_of(const double *cost, uint32_t count) {
  struct hd_cost_curve curve = hd_curve_new(count);
  for (uint32_t i = 0; i < count; i++) {
    curve.begin[i + 1] = i + 1;
    curve.before[i + 1] = curve.before[i] + cost[i];
  }
  return curve;
}

static double shaped(uint32_t i, uint32_t count, uint32_t shape) {
  switch (shape) {
  case 0:
    return 10;
  case 1:
    return i;
  case 2:
    return count - i;
  case 3:
    return rand() % 100;
  default:
    return i == count / 2 ? 999 : 1;
  }
}

/* Whole numbers: sums do not depend on their order. */
static void fill(double *cost, uint32_t count, uint32_t shape) {
  for (uint32_t i = 0; i < count; i++)
    cost[i] = shaped(i, count, shape);
}

static void test_schedules_are_those_of_single_iterations(void **state) {
  (void)state;
  static const uint64_t chunks[] = {1, 2, 3, 8, 50, 500};
  static double cost[ITERATIONS_MOST];
  srand(1);
  for (int run = 0; run < 400; run++) {
    const uint32_t count = 1 + (uint32_t)rand() % ITERATIONS_MOST, threads = 1 + (uint32_t)rand() % THREADS_MOST;
    fill(cost, count, (uint32_t)run % 5);
    struct hd_cost_curve curve = curve_of(cost, count);
    for (int kind = HD_SCHEDULE_STATIC; kind <= HD_SCHEDULE_GUIDED; kind++)
      for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++) {
        const struct hd_schedule schedule = {(enum hd_schedule_kind)kind, chunks[i]};
        struct plain plain = {cost, count, kind == HD_SCHEDULE_STATIC ? 0 : 3, threads, {0}, 0};
        const double expected = plain_longest(&plain, &schedule);
        const struct hd_schedule_run got = hd_schedule_simulate(&curve, &schedule, threads, 3);
        if (got.longest != expected || got.chunks != plain.chunks)
          fail_msg("kind %d, chunk %d, %u threads, %u iterations: %g, not %g", kind, (int)chunks[i], threads, count,
                   got.longest, expected);
      }
    const struct hd_schedule blocks = {HD_SCHEDULE_STATIC, 0};
    struct plain plain = {cost, count, 0, threads, {0}, 0};
    assert_true(hd_schedule_simulate(&curve, &blocks, threads, 3).longest == plain_longest(&plain, &blocks));
    hd_curve_free(&curve);
  }
}

/* 8 iterations of 1 .. 8 and two threads: 26 and 10 in blocks, 16 and 20 by turns. */
static void test_a_small_loop_by_hand(void **state) {
  (void)state;
  static const double cost[] = {1, 2, 3, 4, 5, 6, 7, 8};
  struct hd_cost_curve curve = curve_of(cost, 8);
  assert_true(hd_schedule_simulate(&curve, &(struct hd_schedule){HD_SCHEDULE_STATIC, 0}, 2, 9).longest == 26);
  assert_true(hd_schedule_simulate(&curve, &(struct hd_schedule){HD_SCHEDULE_STATIC, 1}, 2, 9).longest == 20);
  /* 0: 1 3 5 7 and 1: 2 4 6 8, each behind a chunk's cost of 1 */
  assert_true(hd_schedule_simulate(&curve, &(struct hd_schedule){HD_SCHEDULE_MONOTONIC, 1}, 2, 1).longest == 24);
  /* 0: 1 2 3 4, then 8 of the other's end; 1: 5 6 7 */
  assert_true(hd_schedule_simulate(&curve, &(struct hd_schedule){HD_SCHEDULE_DYNAMIC, 1}, 2, 0).longest == 18);
  hd_curve_free(&curve);
}

/* A part's cost is even: half of it is that of half of its iterations. */
static void test_cost_within_a_part_is_even(void **state) {
  (void)state;
  struct hd_cost_curve curve = hd_curve_new(2);
  curve.begin[1] = 10;
  curve.begin[2] = 30;
  curve.before[1] = 100;
  curve.before[2] = 140;
  assert_true(hd_curve_before(&curve, 0) == 0);
  assert_true(hd_curve_before(&curve, 5) == 50);
  assert_true(hd_curve_before(&curve, 10) == 100);
  assert_true(hd_curve_before(&curve, 20) == 120);
  assert_true(hd_curve_before(&curve, 30) == 140);
  hd_curve_free(&curve);
}

/* A thousand million chunks take as long as they should, and not long to simulate. */
static void test_more_chunks_than_are_simulated(void **state) {
  (void)state;
  struct hd_cost_curve curve = hd_curve_new(1);
  curve.begin[1] = UINT64_C(1000000000);
  curve.before[1] = 1e9;
  for (int kind = HD_SCHEDULE_DYNAMIC; kind <= HD_SCHEDULE_MONOTONIC; kind++) {
    const struct hd_schedule schedule = {(enum hd_schedule_kind)kind, 1};
    const double longest = hd_schedule_simulate(&curve, &schedule, 4, 0.5).longest;
    assert_true(fabs(longest / (1.5e9 / 4) - 1) < 0.001);
  }
  hd_curve_free(&curve);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_schedules_are_those_of_single_iterations),
      cmocka_unit_test(test_a_small_loop_by_hand),
      cmocka_unit_test(test_cost_within_a_part_is_even),
      cmocka_unit_test(test_more_chunks_than_are_simulated),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
