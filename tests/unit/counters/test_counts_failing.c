/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counting that fails here and there: no count is ever too small without the profile saying so. And turns, and what
 * the readings themselves cost. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "count_of.h"
#include "expect.h"
#include "oracle.h"
#include "output/model/memory.h"
#include "output/reader/open.h"
#include "random_program.h"
#include "script.h"

#define REGION SITE(PARALLEL, 0x100)

static struct hd_model *play(const struct fk_options *options) {
  const struct fk_result result = fk_play(sc_script(), options);
  struct hd_model *model = NULL;
  char error[300] = "";
  if (result.status != 0)
    fail_msg("the child ended with wait status %x", (unsigned)result.status);
  if (!hd_profile_open(result.path, &model, error, sizeof error))
    fail_msg("%s", error);
  return model;
}

static void expect_no_difference(const char *difference, const char *what) {
  if (difference)
    fail_msg("%s: %s", what, difference);
}

/* All ticks are right, and no count is too large, or too small without a mark. True: something is marked. */
static bool check(const struct hd_model *model, const char *what) {
  bool missing = false;
  struct or_result *oracle = or_run(sc_script(), 0);
  expect_no_difference(or_difference(oracle, model), what);
  expect_no_difference(or_counts_too_small(oracle, model), what);
  or_free(oracle);
  for (uint32_t i = 0; i < model->counts_count; i++)
    for (int c = 0; c < HD_COUNT_CLASSES; c++)
      missing |= model->counts[i].missing[c] != 0;
  return missing;
}

static bool has_note(const struct hd_model *model, const char *text) {
  for (size_t i = 0; i < model->notes.count; i++)
    if (strstr(model->notes.items[i], text))
      return true;
  return false;
}

/* ---- each call fails once, or from some time on ---- */

/* Programs, and calls of a kind that a program makes so many of: tries, the calibration and its own. */
enum { SEEDS = 12 };
static const struct {
  const char *call;
  uint32_t first, last, step;
} calls[] = {
    {"create", 1, 40, 1}, {"start", 1, 40, 1}, {"read", 1, 400, 13}, {"stop", 1, 20, 1}, {"register", 1, 20, 1}};

struct outcome {
  unsigned none, marked, complete;
};

static void fail_once(uint64_t seed, const char *failure, bool take_turns, struct outcome *outcome) {
  static char variable[60];
  const char *const environment[] = {variable, take_turns ? "STUB_PAPI_SET_MOST=1" : "STUB_PAPI_SET_MOST=9", NULL};
  const struct fk_options options = {.counters = "STUB_CLOCK,STUB_CLOCK_3",
                                     .counters_at = "all",
                                     .take_turns = take_turns,
                                     .environment = environment};
  snprintf(variable, sizeof variable, "STUB_PAPI_FAIL=%s", failure);
  rp_generate(seed, &(struct rp_options){.routines = true, .no_pauses = true});
  for (size_t i = 0; i < sc_script()->count && take_turns; i++)
    sc_script()->events[i].time *= 30000;
  struct hd_model *model = play(&options);
  if (model->header.event_count == 0) {
    assert_true(has_note(model, "nothing was counted"));
    outcome->none++;
  } else if (check(model, failure)) {
    outcome->marked++;
  } else {
    outcome->complete++;
  }
  hd_model_free(model);
}

static void test_no_count_is_too_small_unmarked_when_a_call_fails(void **state) {
  (void)state;
  struct outcome all = {0};
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
    for (uint32_t n = calls[i].first; n <= calls[i].last; n += calls[i].step)
      for (int and_on = 0; and_on < 2; and_on++) {
        char failure[40];
        snprintf(failure, sizeof failure, "%s:%u%s", calls[i].call, n, and_on ? "+" : "");
        fail_once(n % SEEDS + 1, failure, n % 3 == 0, &all);
      }
  assert_true(all.none > 3);
  assert_true(all.marked > 50);
  assert_true(all.complete > 10);
}

/* Real threads, so that each is one of PAPI's. */
static void test_thread_that_cannot_be_counted_is_named(void **state) {
  (void)state;
  unsigned marked = 0;
  for (int n = 2; n <= 4; n++) {
    char variable[40];
    const char *const environment[] = {variable, NULL};
    const struct fk_options options = {
        .counters = "STUB_CLOCK", .counters_at = "all", .pthreads = true, .environment = environment};
    snprintf(variable, sizeof variable, "STUB_PAPI_FAIL_THREAD=%d", n);
    sc_start(SC_LIBOMP_19);
    sc_initial_begin();
    sc_at(10);
    sc_fork(0x100, 3, 1, 10);
    for (uint32_t thread = 1; thread < 3; thread++) {
      sc_thread(thread);
      sc_at(20 + thread);
      sc_join_begin();
    }
    sc_thread(0);
    sc_join(30, 30, 30);
    sc_at(40);
    sc_finish();
    struct hd_model *model = play(&options);
    uint32_t threads[3] = {HD_NONE, HD_NONE, HD_NONE};
    const struct hd_count_of region = {.node = ex_node(model, REGION)->id, .thread = HD_NONE};
    const uint32_t count = hd_model_uncounted(model, region, 0, threads);
    assert_int_equal(check(model, variable), count > 0);
    assert_true(count <= 1);
    for (uint32_t i = 0; i < 3; i++)
      assert_int_equal(model->threads[i].uncounted, count > 0 && i == threads[0]);
    marked += count;
    hd_model_free(model);
  }
  assert_true(marked >= 2);
}

static void test_event_that_is_not_there_leaves_a_profile_without_counters(void **state) {
  (void)state;
  const struct fk_options options = {.counters = "STUB_CLOCK,STUB_NO_SUCH_EVENT"};
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  sc_at(40);
  sc_finish();
  struct hd_model *model = play(&options);
  assert_int_equal(model->header.event_count, 0);
  assert_true(has_note(model, "nothing was counted: STUB_NO_SUCH_EVENT"));
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, PROGRAM), 40);
  hd_model_free(model);
}

/* ---- memory ---- */

/* Lost callpaths and threads take their counts with them; but a thread's counts are whole, or something is marked. */
static void check_sums(const struct hd_model *model, uint32_t n) {
  for (uint32_t thread = 0; thread < model->thread_count; thread++) {
    uint64_t sum = 0;
    bool missing = model->threads[thread].uncounted != 0;
    for (uint32_t i = 0; i < model->counts_count; i++)
      for (int c = 0; c < HD_COUNT_CLASSES && model->counts[i].thread == thread; c++) {
        sum += model->counts[i].counts[c];
        missing |= model->counts[i].missing[c] != 0;
      }
    const uint64_t lifetime = model->threads[thread].lifetime_ticks;
    if (thread == 0 && model->header.lost_threads > 0)
      missing = true; /* not the first thread: what came before it is taken for its own */
    if (sum > lifetime || (sum < lifetime && !missing))
      fail_msg("request %u: thread %u lived for %lu, counted %lu", n, thread, lifetime, sum);
  }
}

static void test_no_count_is_too_small_unmarked_when_memory_runs_out(void **state) {
  (void)state;
  unsigned counted = 0;
  if (!fk_can_fail_allocations())
    skip();
  for (uint64_t seed = 1; seed <= 3; seed++) {
    rp_generate(seed, &(struct rp_options){.routines = true, .no_pauses = true});
    for (uint32_t n = 1; n <= 120; n++) {
      const struct fk_options options = {.counters = "STUB_CLOCK", .counters_at = "all", .failing_allocation = n};
      const struct fk_result result = fk_play(sc_script(), &options);
      struct hd_model *model = NULL;
      char error[300] = "";
      if (WIFEXITED(result.status) && WEXITSTATUS(result.status) == 90) /* the tool declined */
        continue;
      if (result.status != 0 || !hd_profile_open(result.path, &model, error, sizeof error))
        fail_msg("request %u: status %x %s", n, (unsigned)result.status, error);
      if (model->header.event_count > 0) {
        check_sums(model, n);
        counted++;
      }
      hd_model_free(model);
    }
  }
  assert_true(counted > 200);
}

/* ---- counters that go over their ends ---- */

static void test_counters_may_wrap_but_not_go_backwards(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    rp_generate(seed, &(struct rp_options){.routines = true});
    struct hd_model *model = play(&(struct fk_options){.counters = "STUB_WRAP,STUB_SIGN", .counters_at = "all"});
    struct or_result *oracle = or_run(sc_script(), 0);
    expect_no_difference(or_counts_difference(oracle, model), "wrap");
    or_free(oracle);
    hd_model_free(model);
    model = play(&(struct fk_options){.counters = "STUB_BACK", .counters_at = "all"});
    check(model, "backwards");
    for (uint32_t i = 0; i < model->counts_count; i++)
      for (int c = 0; c < HD_COUNT_CLASSES; c++)
        assert_int_equal(model->counts[i].counts[c], 0);
    hd_model_free(model);
  }
}

/* ---- what readings cost ---- */

static void test_cost_of_readings_is_taken_out(void **state) {
  (void)state;
  static const char *const environment[] = {"STUB_PAPI_READ_COST=7", "STUB_PAPI_SET_MOST=2", NULL};
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    const struct fk_options options = {.counters =
                                           seed % 2 ? "STUB_READS,STUB_CLOCK" : "STUB_READS,STUB_CLOCK,STUB_CLOCK_2",
                                       .counters_at = seed % 3 ? "all" : "loop",
                                       .take_turns = seed % 2 == 0,
                                       .environment = environment};
    rp_generate(seed, &(struct rp_options){.routines = true});
    for (size_t i = 0; i < sc_script()->count && options.take_turns; i++)
      sc_script()->events[i].time *= 30000;
    struct hd_model *model = play(&options);
    assert_int_equal(model->events[0].cost, 7);
    assert_int_equal(model->events[1].cost, 0);
    for (uint32_t i = 0; i < model->counts_count; i++)
      for (int c = 0; c < HD_COUNT_CLASSES; c++)
        assert_int_equal(model->counts[i].counts[c], 0);
    hd_model_free(model);
  }
}

/* ---- turns ---- */

/* One thread, busy for 20 ms in the program with a step every 0.3 ms: turns of 1 ms, so that both events are counted
 * for about half of the time, and estimated to the tick where the event is the clock. */
static void test_turns_share_the_time_and_estimates_fill_it(void **state) {
  (void)state;
  static const char *const alone[] = {"STUB_PAPI_SET_MOST=1", NULL};
  const struct fk_options options = {
      .counters = "STUB_CLOCK,STUB_CLOCK_3", .counters_at = "all", .take_turns = true, .environment = alone};
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  for (uint64_t time = 300000; time < 20000000; time += 300000) {
    sc_at(time);
    sc_phase_begin(1);
    sc_at(time + 100000);
    sc_phase_end(1);
  }
  sc_at(20000000);
  sc_finish();
  struct hd_model *model = play(&options);
  assert_int_equal(model->header.event_slots, 2);
  for (uint32_t event = 0; event < 2; event++) {
    const struct hd_count count = count_of(model, HD_COUNT_OF_PROGRAM, event, HD_COUNT_BUSY);
    assert_true(count.known && !count.partial);
    assert_true(count.fraction > 0.4 && count.fraction < 0.6);
    assert_true(count.value > 0.999 * 2e7 * (event ? 3 : 1) && count.value < 1.001 * 2e7 * (event ? 3 : 1));
  }
  assert_true(model->events[0].slot != model->events[1].slot);
  hd_model_free(model);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_no_count_is_too_small_unmarked_when_a_call_fails),
      cmocka_unit_test(test_thread_that_cannot_be_counted_is_named),
      cmocka_unit_test(test_event_that_is_not_there_leaves_a_profile_without_counters),
      cmocka_unit_test(test_no_count_is_too_small_unmarked_when_memory_runs_out),
      cmocka_unit_test(test_counters_may_wrap_but_not_go_backwards),
      cmocka_unit_test(test_cost_of_readings_is_taken_out),
      cmocka_unit_test(test_turns_share_the_time_and_estimates_fill_it),
  };
  if (argc > 1)
    cmocka_set_test_filter(argv[1]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
