/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Floods of regions that are switched off but for windows: what the reader makes of them is right on average, and adds
 * up; how many there were is exact. The truth is what the same program's profile says with all events. HEDDLE_SEEDS=n
 * (default 100) plays n / 5 programs. */
#include <math.h>
#include <stdlib.h>

#include "expect.h"
#include "output/analysis/resolve/resolve.h"
#include "output/model/lazy_rows.h"
#include "output/model/memory.h"
#include "script.h"

enum { ROUNDS = 3000, WINDOW = 500, DISTANCE = 4000, SHORT = 0x300, LONG = 0x310, ENOUGH = 10 };

static uint64_t state_of_random;

static uint64_t below(uint64_t limit) {
  state_of_random = state_of_random * 6364136223846793005u + 1442695040888963407u; /* Knuth's MMIX */
  return (state_of_random >> 33) % limit;
}

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
  const uint64_t begin = at + 2 + below(4), own = begin + length + below(length), arrive = begin + length / 2;
  sc_thread(0);
  sc_at(at);
  sc_fork(code, 2, 1, begin);
  sc_thread(1);
  section(begin + 1, below(4));
  sc_at(arrive + below(length / 2));
  sc_join_begin();
  sc_thread(0);
  sc_join(own, own + 2, own + 4);
  return own + 4;
}

static void build(uint64_t seed) {
  uint64_t at = 10;
  state_of_random = seed * 77;
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  for (int i = 0; i < ROUNDS; i++)
    at = region(at + 3 + below(20), below(3) == 0 ? LONG : SHORT, below(3) == 0 ? 90 : 30);
  sc_thread(0);
  sc_at(at + 10);
  sc_finish();
  fk_sort(sc_script());
}

static void emit_switch(struct fk_script *with, uint64_t time, uint32_t offset, bool off) {
  struct fk_event event = fk_event_of(FK_SWITCH, time, 0);
  event.kind = HD_CLASS_REGION + offset;
  event.endpoint = off ? ompt_scope_begin : ompt_scope_end;
  fk_emit(with, &event);
}

static void add_windows(void) {
  struct fk_script *script = sc_script();
  struct fk_script with = {.region_count = script->region_count, .task_count = script->task_count};
  uint64_t change = 500;
  bool off = false, open = false;
  for (size_t i = 0; i < script->count; i++) {
    const struct fk_event *event = &script->events[i];
    while (event->time >= change && event->op != FK_THREAD_END && event->op < FK_FORK) {
      emit_switch(&with, change, off ? HD_CLASS_COUNT : 0, !off || open);
      open = off && !open;
      off = true;
      change += open ? WINDOW : DISTANCE / 2 + below(DISTANCE);
    }
    fk_emit(&with, event);
  }
  fk_free(script);
  *script = with;
}

/* ---- what came of it ---- */

static void expect_sums(const struct hd_model *model) {
  uint64_t all = 0, of_rows = 0;
  for (uint32_t i = 0; i < model->thread_count; i++)
    assert_true(hd_model_thread_is_whole(model, i));
  for (uint32_t i = 0; i < model->row_count; i++)
    for (int state = 0; state < HD_STATE_COUNT; state++)
      of_rows += model->rows[i].ticks[state];
  for (int state = 0; state < HD_STATE_COUNT; state++) {
    all += model->ticks[state];
    assert_int_equal(model->nodes[0].inclusive_ticks[state], model->ticks[state]);
  }
  assert_int_equal(all, of_rows);
}

struct outcome {
  double count, held, busy, waits, idle, elapsed, gain, squares;
};

static double waits_of(const struct hd_model *model) {
  double sum = 0;
  for (int state = HD_WAIT_FIRST; state <= HD_WAIT_LAST; state++)
    sum += (double)model->ticks[state];
  return sum;
}

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
  expect_sums(some);
  outcome->count++;
  outcome->busy += ((double)some->ticks[HD_BUSY] - (double)truth->ticks[HD_BUSY]) / elapsed;
  outcome->waits += (waits_of(some) - waits_of(truth)) / elapsed;
  outcome->idle += ((double)some->ticks[HD_IDLE] - (double)truth->ticks[HD_IDLE]) / elapsed;
  compare_region(outcome, ex_node(truth, SITE(PARALLEL, SHORT)), ex_node(some, SITE(PARALLEL, SHORT)), elapsed);
  compare_region(outcome, ex_node(truth, SITE(PARALLEL, LONG)), ex_node(some, SITE(PARALLEL, LONG)), elapsed);
}

static void test_regions_are_estimated(void **state) {
  (void)state;
  const char *text = getenv("HEDDLE_SEEDS");
  const unsigned long seeds = (text ? strtoul(text, NULL, 10) : 100) / 5;
  struct outcome outcome = {0};
  for (uint64_t seed = 1; seed <= seeds; seed++) {
    build(seed);
    struct hd_model *truth = ex_play();
    add_windows();
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
  assert_true(n < (double)ENOUGH || outcome.held >= 0.9 * n);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_regions_are_estimated)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
