/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Floods of regions that are switched off but for windows: what the reader makes of them is right on average, and adds
 * up; how many there were is exact. The truth is what the same program's profile says with all events. HEDDLE_SEEDS=n
 * (default 100) plays n / 5 programs, but ten at least: averages of fewer prove nothing. */
#include <math.h>
#include <stdlib.h>

#include "output/analysis/resolve/resolve.h"
#include "output/model/memory.h"
#include "windowed_script.h"

enum { ROUNDS = 3000, SHORT = 0x300, LONG = 0x310, ENOUGH = 10 };
static const struct ws_windows windows = {1u << HD_CLASS_REGION, 500, 500, 4000};

/* ---- the program ---- */

static void section(uint64_t at, uint64_t wait) {
  sc_at(at);
  sc_acquire(ompt_mutex_critical, 1, 0x400);
  sc_at(at + wait);
  sc_acquired(ompt_mutex_critical, 1, 0x400);
  sc_at(at + wait + 3);
  sc_released(ompt_mutex_critical, 1, 0x400);
}

/* Thread 0 has more to do; thread 1 begins late, and waits for a section. Returns when the region ends. */
static uint64_t region(uint64_t at, uint64_t code, uint64_t length) {
  const uint64_t begin = at + 2 + ws_below(4), own = begin + length + ws_below(length), arrive = begin + length / 2;
  sc_thread(0);
  sc_at(at);
  sc_fork(code, 2, 1, begin);
  sc_thread(1);
  section(begin + 1, ws_below(4));
  sc_at(arrive + ws_below(length / 2));
  sc_join_begin();
  sc_thread(0);
  sc_join(own, own + 2, own + 4);
  return own + 4;
}

static void build(uint64_t seed) {
  uint64_t at = 10;
  ws_seed(seed);
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  for (int i = 0; i < ROUNDS; i++)
    at = region(at + 3 + ws_below(20), ws_below(3) == 0 ? LONG : SHORT, ws_below(3) == 0 ? 90 : 30);
  sc_thread(0);
  sc_at(at + 10);
  sc_finish();
  fk_sort(sc_script());
}

/* ---- what came of it ---- */

struct outcome {
  double count, held, busy, waits, idle, elapsed, gain, squares;
};

static void compare_region(struct outcome *outcome, const struct hd_node *truth, const struct hd_node *some,
                           double elapsed) {
  const double gain = truth->team.gain_ticks, error = (some->team.gain_ticks - gain) / elapsed;
  assert_int_equal(some->visits, truth->visits);
  assert_int_equal(some->team.instances, truth->team.instances);
  assert_true(some->marks[HD_MARKS_OF_CALLPATHS] & HD_MARK_ESTIMATED);
  assert_true(some->gain_possible.low <= gain + 1 && gain <= some->gain_possible.high + 1);
  outcome->held += 0.5 * (some->gain_interval.low <= gain + 1 && gain <= some->gain_interval.high + 1);
  outcome->gain += error;
  outcome->squares += error * error;
  outcome->elapsed += (double)some->team.elapsed_ticks / (double)truth->team.elapsed_ticks - 1;
}

static void compare(struct outcome *outcome, const struct hd_model *truth, struct hd_model *some) {
  const double elapsed = (double)truth->elapsed_ticks;
  assert_true(some->unresolved.regions > truth->elapsed_ticks / 2 && some->unresolved.idle > 0);
  hd_resolve(some);
  assert_true(some->estimated);
  ws_expect_sums(some);
  outcome->count++;
  outcome->busy += ((double)some->ticks[HD_BUSY] - (double)truth->ticks[HD_BUSY]) / elapsed;
  outcome->waits += (ws_waits(some) - ws_waits(truth)) / elapsed;
  outcome->idle += ((double)some->ticks[HD_IDLE] - (double)truth->ticks[HD_IDLE]) / elapsed;
  compare_region(outcome, ex_node(truth, SITE(PARALLEL, SHORT)), ex_node(some, SITE(PARALLEL, SHORT)), elapsed);
  compare_region(outcome, ex_node(truth, SITE(PARALLEL, LONG)), ex_node(some, SITE(PARALLEL, LONG)), elapsed);
}

static void test_regions_are_estimated(void **state) {
  (void)state;
  const char *text = getenv("HEDDLE_SEEDS");
  const unsigned long wanted = (text ? strtoul(text, NULL, 10) : 100) / 5, seeds = wanted > ENOUGH ? wanted : ENOUGH;
  struct outcome outcome = {0};
  for (uint64_t seed = 1; seed <= seeds; seed++) {
    build(seed);
    struct hd_model *truth = ex_play();
    ws_add_windows(&windows);
    struct hd_model *some = ex_play();
    compare(&outcome, truth, some);
    hd_model_free(truth);
    hd_model_free(some);
  }
  const double n = outcome.count;
  print_message("of the run: busy %+.4f, waits %+.4f, idle %+.4f; regions: elapsed %+.4f, gain %+.4f (one %.4f) of the "
                "run; intervals hold %.2f\n",
                outcome.busy / n, outcome.waits / n, outcome.idle / n, outcome.elapsed / n / 2, outcome.gain / n / 2,
                sqrt(outcome.squares / n / 2), outcome.held / n);
  assert_true(fabs(outcome.busy / n) < 0.01 && fabs(outcome.waits / n) < 0.01 && fabs(outcome.idle / n) < 0.01);
  assert_true(fabs(outcome.elapsed / n / 2) < 0.02 && fabs(outcome.gain / n / 2) < 0.01);
  assert_true(outcome.held >= 0.9 * n);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_regions_are_estimated)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
