/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Floods whose events are switched off but for windows: what the reader makes of them is right on average, and adds up.
 * The truth is what the same program's profile says with all events. HEDDLE_SEEDS=n (default 100) plays n / 10 programs
 * of each sort, but ten at least: averages of fewer prove nothing. */
#include <math.h>
#include <stdlib.h>

#include "output/analysis/findings/findings.h"
#include "output/analysis/resolve/resolve.h"
#include "output/model/memory.h"
#include "output/model/watched.h"
#include "windowed_script.h"

enum { ENOUGH = 10, /* programs, to judge averages by */ ROUNDS = 500, THREADS = 2 };

/* ---- programs: each thread's events are emitted by themselves, then all are put in the order of time ---- */

static void work(uint64_t *now, uint64_t least, uint64_t more) {
  *now += least + ws_below(more);
  sc_at(*now);
}

static void meet(uint64_t times[THREADS]) {
  const uint64_t last = times[0] > times[1] ? times[0] : times[1];
  for (uint32_t thread = 0; thread < THREADS; thread++)
    times[thread] = last + 1 + thread;
}

static void mutex(uint64_t *now, ompt_mutex_t kind) {
  work(now, 5, 30);
  sc_acquire(kind, 1, 0x400);
  work(now, 0, ws_below(4) == 0 ? 120 : 10);
  sc_acquired(kind, 1, 0x400);
  work(now, 2, 8);
  sc_released(kind, 1, 0x400);
}

static void sections(uint32_t thread, uint64_t times[THREADS]) {
  mutex(&times[thread], ompt_mutex_critical);
}

static void locks(uint32_t thread, uint64_t times[THREADS]) {
  mutex(&times[thread], ompt_mutex_lock);
}

static void ordered(uint32_t thread, uint64_t times[THREADS]) {
  mutex(&times[thread], ompt_mutex_ordered);
}

static void atomic(uint32_t thread, uint64_t times[THREADS]) {
  mutex(&times[thread], ompt_mutex_atomic);
}

/* Ten sections for each thread, one after the other: of 90 ticks a thread holds it for 40 and waits for some 42. Then
 * they meet, as threads of a flood do that must end together. */
static void queue(uint32_t thread, uint64_t times[THREADS]) {
  const uint64_t begin = times[thread] - thread + 50 + 45 * thread;
  for (uint64_t i = 0; i < 10; i++) {
    sc_at(begin + 90 * i - 42 + ws_below(4));
    sc_acquire(ompt_mutex_critical, 1, 0x400);
    sc_at(begin + 90 * i);
    sc_acquired(ompt_mutex_critical, 1, 0x400);
    sc_at(begin + 90 * i + 40);
    sc_released(ompt_mutex_critical, 1, 0x400);
  }
  times[thread] = begin + 90 * 9 + 42;
  sc_at(times[thread]);
  sc_barrier_begin(ompt_sync_region_barrier_explicit, 0x700);
}

static void task(uint32_t thread, uint64_t times[THREADS]) {
  work(&times[thread], 1, 6);
  sc_task_run(sc_task_create(0x600, ompt_task_explicit));
  work(&times[thread], 5, 40);
  sc_task_leave(ompt_task_complete);
}

/* In a taskwait between two tasks the thread waits for others. */
static void waiting_task(uint32_t thread, uint64_t times[THREADS]) {
  task(thread, times);
  sc_barrier_begin(ompt_sync_region_taskwait, 0x700);
  work(&times[thread], 0, 25);
  sc_barrier_end(ompt_sync_region_taskwait, 0x700);
}

static void barriers(uint32_t thread, uint64_t times[THREADS]) {
  work(&times[thread], thread == 0 ? 30 : 10, 20);
  sc_barrier_begin(ompt_sync_region_barrier_explicit, 0x700);
}

static void end_barriers(uint32_t thread) {
  (void)thread;
  sc_barrier_end(ompt_sync_region_barrier_explicit, 0x700);
}

/* Now one thread has more to do, now the other. */
static void uneven_barriers(uint32_t thread, uint64_t times[THREADS]) {
  work(&times[thread], 10, 60);
  sc_barrier_begin(ompt_sync_region_barrier_explicit, 0x700);
}

static void mixed(uint32_t thread, uint64_t times[THREADS]) {
  sections(thread, times);
  sections(thread, times);
  barriers(thread, times);
}

static void loops(uint32_t thread, uint64_t times[THREADS]) {
  work(&times[thread], 1, 5);
  sc_work_begin(ompt_work_loop_static, 0x500);
  work(&times[thread], thread == 0 ? 40 : 10, 30);
  sc_work_end(ompt_work_loop_static, 0x500);
  sc_barrier_begin(ompt_sync_region_barrier_implicit_workshare, 0x500);
}

static void end_loops(uint32_t thread) {
  (void)thread;
  sc_barrier_end(ompt_sync_region_barrier_implicit_workshare, 0x500);
}

static void singles(uint32_t thread, uint64_t times[THREADS]) {
  const ompt_work_t kind = thread == 0 ? ompt_work_single_executor : ompt_work_single_other;
  work(&times[thread], 1, 10);
  sc_work_begin(kind, 0x500);
  work(&times[thread], thread == 0 ? 30 : 0, thread == 0 ? 20 : 1);
  sc_work_end(kind, 0x500);
  sc_barrier_begin(ompt_sync_region_barrier_implicit_workshare, 0x500);
}

/* One thread creates tasks, the other runs them as they come. */
static void producer(uint32_t thread, uint64_t times[THREADS]) {
  enum { TASKS = 10 };
  static uint32_t created[TASKS];
  static uint64_t at[TASKS];
  for (int i = 0; i < TASKS; i++)
    if (thread == 0) {
      work(&times[0], 20, 20);
      created[i] = sc_task_create(0x600, ompt_task_explicit);
      at[i] = times[0];
    } else {
      if (i == 0)
        sc_barrier_begin(ompt_sync_region_barrier_explicit, 0x700);
      times[1] = times[1] > at[i] ? times[1] : at[i];
      work(&times[1], 1, 3);
      sc_task_run(created[i]);
      work(&times[1], 5, 15);
      sc_task_leave(ompt_task_complete);
    }
  if (thread == 0) {
    work(&times[0], 1, 2);
    sc_barrier_begin(ompt_sync_region_barrier_explicit, 0x700);
  }
}

struct flood {
  void (*round)(uint32_t thread, uint64_t times[THREADS]);
  void (*end)(uint32_t thread); /* of a round, at which all meet; NULL: they do not */
  uint32_t classes;             /* that are off */
  enum hd_cause cause;          /* of most of what is lost */
};

static void play_round(const struct flood *flood, uint64_t times[THREADS]) {
  for (uint32_t thread = 0; thread < THREADS; thread++) {
    sc_thread(thread);
    sc_at(times[thread]);
    flood->round(thread, times);
  }
  meet(times);
  for (uint32_t thread = 0; thread < THREADS; thread++) {
    sc_thread(thread);
    sc_at(times[thread]);
    flood->end(thread);
  }
}

static void build(const struct flood *flood, uint64_t seed) {
  uint64_t times[THREADS], end = 0;
  ws_seed(seed);
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  sc_fork(0x300, THREADS, 1, 10);
  times[0] = times[1] = 20;
  if (flood->end)
    for (int i = 0; i < ROUNDS; i++)
      play_round(flood, times);
  for (uint32_t thread = 0; thread < THREADS; thread++) {
    sc_thread(thread);
    sc_at(times[thread]);
    for (int i = 0; !flood->end && i < ROUNDS; i++)
      flood->round(thread, times);
    end = times[thread] > end ? times[thread] : end;
  }
  sc_thread(1);
  sc_at(end + 10);
  sc_join_begin();
  sc_thread(0);
  sc_join(end + 15, end + 20, end + 25);
  sc_at(end + 30);
  sc_finish();
  fk_sort(sc_script());
}

/* ---- what came of it ---- */

/* As many tasks are said to have been created as run, and their parts that ran elsewhere are what they were, but for
 * those at the edges of windows. */
static void expect_tasks(const struct hd_model *truth, const struct hd_model *some) {
  for (uint32_t i = 0; i < some->node_count; i++) {
    const struct hd_node *node = &some->nodes[i];
    if (node->kind != HD_KIND_TASK)
      continue;
    const struct hd_node *was = ex_node(truth, SITE(PARALLEL, 0x300), SITE(TASK, 0x600));
    const double elsewhere = (double)was->shares.elsewhere / (double)was->visits;
    const double scaled = (double)node->visits / (double)was->visits;
    assert_int_equal(was->shares.created, was->visits);
    assert_true(fabs((double)node->shares.created / (double)node->visits - 1) < 0.1);
    assert_true(fabs((double)node->shares.elsewhere / (double)node->visits - elsewhere) < 0.1);
    assert_true(fabs(scaled - 1) < 0.25);
  }
}

static unsigned long seed_count(void) {
  const char *text = getenv("HEDDLE_SEEDS");
  const unsigned long count = text ? strtoul(text, NULL, 10) / 10 : 0;
  return count > ENOUGH ? count : ENOUGH;
}

static enum hd_cause cause_of(const struct hd_model *model) {
  struct hd_findings *findings = hd_findings_new(model, 0);
  assert_true(findings->count > 0);
  const enum hd_cause cause = findings->items[0].cause;
  hd_findings_free(findings);
  return cause;
}

struct outcome {
  double count, error, squares, raw; /* of waits, as a part of the truth */
  double gain;                       /* part of the run */
  double width, held, same;
};

static void compare(struct outcome *outcome, const struct hd_model *truth, struct hd_model *some, enum hd_cause cause) {
  assert_int_equal(cause_of(truth), cause);
  const double was = ws_waits(truth), seen = ws_waits(some), elapsed = (double)truth->elapsed_ticks;
  const double gain = ex_node(truth, SITE(PARALLEL, 0x300))->team.gain_ticks;
  assert_true(some->unresolved.ticks > 0);
  hd_resolve(some);
  ws_expect_sums(some);
  expect_tasks(truth, some);
  assert_true(some->estimated);
  const struct hd_node *region = ex_node(some, SITE(PARALLEL, 0x300));
  assert_true(region->gain_possible.low <= gain + 1 && gain <= region->gain_possible.high + 1);
  const double uneven = hd_team_imbalance(&ex_node(truth, SITE(PARALLEL, 0x300))->team);
  if (cause == HD_CAUSE_IMBALANCE || cause == HD_CAUSE_CRITICAL)
    assert_true(fabs(hd_team_imbalance(&region->team) - uneven) < 0.25);
  const double error = ws_waits(some) / was - 1;
  outcome->count++;
  outcome->error += error;
  outcome->squares += error * error;
  outcome->raw += seen / was - 1;
  outcome->gain += (region->team.gain_ticks - gain) / elapsed;
  outcome->width += (region->gain_interval.high - region->gain_interval.low) / elapsed;
  outcome->held += region->gain_interval.low <= gain + 1 && gain <= region->gain_interval.high + 1;
  outcome->same += cause_of(some) == cause;
}

/* Right on average, and nearly always as near as is said; the verdict is the same. */
static void check(const char *name, const struct flood *flood) {
  struct outcome outcome = {0};
  const unsigned long seeds = seed_count();
  for (uint64_t seed = 1; seed <= seeds; seed++) {
    build(flood, seed);
    struct hd_model *truth = ex_play();
    ws_add_windows(&(struct ws_windows){flood->classes, 15, 400, 3000});
    struct hd_model *some = ex_play();
    compare(&outcome, truth, some, flood->cause);
    hd_model_free(truth);
    hd_model_free(some);
  }
  const double mean = outcome.error / outcome.count;
  const double deviation = sqrt(fmax(outcome.squares / outcome.count - mean * mean, 0));
  const double of_mean = deviation / sqrt(outcome.count);
  print_message(
      "%s: waits %+.3f of the truth on average (+- %.3f), one %.3f; without estimates %+.3f; gains %+.3f of the "
      "run; intervals of %.2f hold %.2f; same cause %.2f\n",
      name, mean, of_mean, deviation, outcome.raw / outcome.count, outcome.gain / outcome.count,
      outcome.width / outcome.count, outcome.held / outcome.count, outcome.same / outcome.count);
  assert_true(fabs(mean) < 4 * of_mean + 0.02);
  assert_true(fabs(outcome.gain / outcome.count) < 0.02);
  assert_true(outcome.held >= 0.9 * outcome.count);
  assert_true(outcome.same >= 0.9 * outcome.count);
}

enum {
  MUTEX = 1u << HD_CLASS_MUTEX,
  TASK = 1u << HD_CLASS_TASK,
  SYNC = 1u << HD_CLASS_SYNC,
  WORK = 1u << HD_CLASS_WORK
};
#define FLOODS(X)                                                                                                      \
  X(sections, NULL, MUTEX, HD_CAUSE_CRITICAL)                                                                          \
  X(locks, NULL, MUTEX, HD_CAUSE_LOCK)                                                                                 \
  X(ordered, NULL, MUTEX, HD_CAUSE_ORDERED)                                                                            \
  X(atomic, NULL, MUTEX, HD_CAUSE_ATOMIC)                                                                              \
  X(queue, end_barriers, MUTEX, HD_CAUSE_CRITICAL)                                                                     \
  X(waiting_task, NULL, TASK | SYNC, HD_CAUSE_IMBALANCE)                                                               \
  X(producer, end_barriers, TASK, HD_CAUSE_IMBALANCE)                                                                  \
  X(barriers, end_barriers, SYNC, HD_CAUSE_IMBALANCE)                                                                  \
  X(uneven_barriers, end_barriers, SYNC, HD_CAUSE_BARRIER)                                                             \
  X(mixed, end_barriers, MUTEX | SYNC, HD_CAUSE_CRITICAL)                                                              \
  X(loops, end_loops, WORK | SYNC, HD_CAUSE_IMBALANCE)                                                                 \
  X(singles, end_loops, WORK | SYNC, HD_CAUSE_SERIAL_IN_REGION)

#define DEFINE(name, end, classes, cause)                                                                              \
  static void test_##name(void **state) {                                                                              \
    (void)state;                                                                                                       \
    check(#name, &(struct flood){name, end, classes, cause});                                                          \
  }
FLOODS(DEFINE)

/* Two windows that saw the same are no proof, but all there is; one is none. */
static void test_errors_follow_from_windows(void **state) {
  (void)state;
  struct hd_window_sums spread = {.windows = 1, .sums = {100, 50}, .products = {10000, 5000, 2500}};
  assert_true(hd_watched_error(&spread) == 1);
  spread = (struct hd_window_sums){.windows = 2, .sums = {200, 100}, .products = {20000, 10000, 5000}};
  assert_true(hd_watched_error(&spread) == 0);
  spread = (struct hd_window_sums){.windows = 10, .sums = {1000, 500}, .products = {100000, 50000, 26000}};
  /* 10 residues of 10 each: t(9) * sqrt(10 * 100 * 10 / 9) / 1000 */
  assert_true(fabs(hd_watched_error(&spread) - 2.26 * 0.0333) < 0.001);
}

static void test_nothing_is_resolved_without_windows(void **state) {
  (void)state;
  build(&(struct flood){sections, NULL, MUTEX, HD_CAUSE_CRITICAL}, 1);
  struct hd_model *model = ex_play();
  const double waits = ws_waits(model);
  hd_resolve(model);
  assert_false(model->estimated);
  assert_true(ws_waits(model) == waits);
  hd_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
#define TEST(name, ...) cmocka_unit_test(test_##name),
      FLOODS(TEST) cmocka_unit_test(test_errors_follow_from_windows),
      cmocka_unit_test(test_nothing_is_resolved_without_windows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
