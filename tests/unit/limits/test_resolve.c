/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Floods whose events are switched off but for windows: what the reader makes of them is right on average, and adds up.
 * The truth is what the same program's profile says with all events. HEDDLE_SEEDS=n plays n programs of each sort. */
#include <math.h>
#include <stdlib.h>

#include "expect.h"
#include "output/analysis/resolve.h"
#include "output/model/memory.h"
#include "script.h"

enum { SEEDS = 25, ROUNDS = 500, WINDOW = 400, DISTANCE = 3000, THREADS = 2 };

static uint64_t state_of_random;

static uint64_t below(uint64_t limit) {
  state_of_random = state_of_random * 6364136223846793005u + 1442695040888963407u; /* Knuth's MMIX */
  return (state_of_random >> 33) % limit;
}

/* ---- programs: each thread's events are emitted by themselves, then all are put in the order of time ---- */

static void section(uint64_t *now) {
  *now += 5 + below(30);
  sc_at(*now);
  sc_acquire(ompt_mutex_critical, 1, 0x400);
  *now += below(4) == 0 ? below(120) : below(10);
  sc_at(*now);
  sc_acquired(ompt_mutex_critical, 1, 0x400);
  *now += 2 + below(8);
  sc_at(*now);
  sc_released(ompt_mutex_critical, 1, 0x400);
}

static void task(uint64_t *now) {
  *now += 1 + below(6);
  sc_at(*now);
  const uint32_t created = sc_task_create(0x600, ompt_task_explicit);
  sc_task_run(created);
  *now += 5 + below(40);
  sc_at(*now);
  sc_task_leave(ompt_task_complete);
}

/* In a taskwait between two tasks the thread waits for others. */
static void waiting_task(uint64_t *now) {
  task(now);
  sc_at(*now);
  sc_barrier_begin(ompt_sync_region_taskwait, 0x700);
  *now += below(25);
  sc_at(*now);
  sc_barrier_end(ompt_sync_region_taskwait, 0x700);
}

static int by_time(const void *a, const void *b) {
  const struct fk_event *left = a, *right = b;
  return (left->time > right->time) - (left->time < right->time);
}

struct flood {
  void (*round)(uint64_t *now);
  uint32_t classes; /* that are off */
};

static void switch_all(struct fk_script *with, const struct flood *flood, uint64_t time, uint32_t offset, bool off) {
  for (uint32_t c = 0; c < HD_CLASS_COUNT; c++)
    if (flood->classes >> c & 1) {
      struct fk_event event = fk_event_of(FK_SWITCH, time, 0);
      event.kind = c + offset;
      event.endpoint = off ? ompt_scope_begin : ompt_scope_end;
      fk_emit(with, &event);
    }
}

/* Stable: events of a thread stay in their order. */
static void sort(struct fk_script *script) {
  for (size_t i = 1; i < script->count; i++)
    for (size_t j = i; j > 0 && by_time(&script->events[j - 1], &script->events[j]) > 0; j--) {
      const struct fk_event event = script->events[j];
      script->events[j] = script->events[j - 1];
      script->events[j - 1] = event;
    }
}

static void build(const struct flood *flood, uint64_t seed) {
  uint64_t times[THREADS], end = 0;
  state_of_random = seed * 77;
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  sc_fork(0x300, THREADS, 1, 10);
  for (uint32_t thread = 0; thread < THREADS; thread++) {
    times[thread] = 20;
    sc_thread(thread);
    for (int i = 0; i < ROUNDS; i++)
      flood->round(&times[thread]);
    end = times[thread] > end ? times[thread] : end;
  }
  sc_thread(1);
  sc_at(end + 10);
  sc_join_begin();
  sc_thread(0);
  sc_join(end + 15, end + 20, end + 25);
  sc_at(end + 30);
  sc_finish();
  sort(sc_script());
}

static void add_windows(const struct flood *flood) {
  struct fk_script *script = sc_script();
  struct fk_script with = {.region_count = script->region_count, .task_count = script->task_count};
  uint64_t change = 15;
  bool off = false, open = false;
  for (size_t i = 0; i < script->count; i++) {
    const struct fk_event *event = &script->events[i];
    while (event->time >= change && event->op != FK_THREAD_END && event->op < FK_FORK) {
      if (!off)
        switch_all(&with, flood, change, 0, true);
      else
        switch_all(&with, flood, change, HD_CLASS_COUNT, open);
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

static double waits_of(const struct hd_model *model) {
  double sum = 0;
  for (int state = HD_WAIT_FIRST; state <= HD_WAIT_LAST; state++)
    sum += (double)model->ticks[state];
  return sum;
}

static void expect_sums(const struct hd_model *model) {
  uint64_t all = 0, of_nodes = 0;
  for (uint32_t i = 0; i < model->thread_count; i++)
    assert_true(hd_model_thread_is_whole(model, i));
  for (uint32_t i = 0; i < model->row_count; i++)
    for (int state = 0; state < HD_STATE_COUNT; state++)
      all += model->rows[i].ticks[state];
  for (int state = 0; state < HD_STATE_COUNT; state++) {
    of_nodes += model->nodes[0].inclusive_ticks[state];
    assert_int_equal(model->nodes[0].inclusive_ticks[state], model->ticks[state]);
  }
  assert_int_equal(all, of_nodes);
}

static unsigned long seed_count(void) {
  const char *text = getenv("HEDDLE_SEEDS");
  return text ? strtoul(text, NULL, 10) : SEEDS;
}

static void check(const struct flood *flood) {
  double sum = 0, squares = 0, gains = 0, raw = 0;
  const unsigned long seeds = seed_count();
  for (uint64_t seed = 1; seed <= seeds; seed++) {
    build(flood, seed);
    struct hd_model *truth = ex_play();
    add_windows(flood);
    struct hd_model *some = ex_play();
    const double was = waits_of(truth), seen = waits_of(some);
    const double gain = ex_node(truth, SITE(PARALLEL, 0x300))->team.gain_ticks;
    assert_true(some->unresolved.ticks > 0);
    hd_resolve(some);
    expect_sums(some);
    if (some->estimated) {
      const struct hd_node *region = ex_node(some, SITE(PARALLEL, 0x300));
      assert_true(region->gain_interval.low <= gain + 1 && gain <= region->gain_interval.high + 1);
      gains += region->team.gain_ticks / gain - 1;
    }
    const double error = waits_of(some) / was - 1;
    sum += error;
    squares += error * error;
    raw += seen / was - 1;
    hd_model_free(truth);
    hd_model_free(some);
  }
  const double mean = sum / (double)seeds, deviation = sqrt(squares / (double)seeds - mean * mean);
  const double of_mean = deviation / sqrt((double)seeds);
  print_message("waits: %+.3f of the truth on average (+- %.3f), one %.3f; without estimates %+.3f; gains %+.3f\n",
                mean, of_mean, deviation, raw / (double)seeds, gains / (double)seeds);
  assert_true(fabs(mean) < 4 * of_mean + 0.01);
  assert_true(fabs(mean) < 0.1);
  assert_true(raw / (double)seeds < -0.3);
}

static void test_waits_for_sections(void **state) {
  (void)state;
  check(&(struct flood){section, 1u << HD_CLASS_MUTEX});
}

static void test_waits_for_tasks(void **state) {
  (void)state;
  check(&(struct flood){waiting_task, 1u << HD_CLASS_TASK | 1u << HD_CLASS_SYNC});
}

static void test_nothing_is_resolved_without_windows(void **state) {
  (void)state;
  build(&(struct flood){section, 1u << HD_CLASS_MUTEX}, 1);
  struct hd_model *model = ex_play();
  const double waits = waits_of(model);
  hd_resolve(model);
  assert_false(model->estimated);
  assert_true(waits_of(model) == waits);
  hd_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_waits_for_sections),
      cmocka_unit_test(test_waits_for_tasks),
      cmocka_unit_test(test_nothing_is_resolved_without_windows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
