/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file test_virtual_clock.c
 * Programs whose events take long, against the same programs undisturbed: corrected times are those of the latter, to
 * the tick. The time that an event takes is passed by the tool itself (HEDDLE_TEST_DELAY), at its end.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "disturbed.h"
#include "expect.h"
#include "output/model/lazy_rows.h"
#include "output/model/memory.h"
#include "output/reader/open.h"
#include "output/unify/unified_tree.h"

enum { GAP_TICKS = 10000000 };

static uint32_t seeds(uint32_t usual) {
  const char *wanted = getenv("HEDDLE_SEEDS");
  return wanted ? (uint32_t)atoi(wanted) : usual;
}

static uint64_t first_seed(void) {
  const char *wanted = getenv("HEDDLE_SEED");
  return wanted ? strtoull(wanted, NULL, 10) : 1;
}

/* ---- plays ---- */

static struct hd_model *play(struct di_program *program, const char *delay, uint64_t (*of)(const struct fk_event *)) {
  char variable[64];
  static const struct fk_script none;
  const char *environment[] = {"HEDDLE_OVERHEAD=off", variable, NULL}; /* however much it is, all is measured */
  snprintf(variable, sizeof variable, "HEDDLE_TEST_DELAY=%s", delay ? delay : "");
  const struct fk_options options = {
      .live = di_play, .live_context = program, .delay = of, .environment = delay ? environment : NULL};
  const struct fk_result result = fk_play(&none, &options);
  struct hd_model *model = NULL;
  char error[256] = "";
  assert_true(WIFEXITED(result.status));
  assert_int_equal(WEXITSTATUS(result.status), 0);
  if (!hd_profile_open(result.path, &model, error, sizeof error))
    fail_msg("%s", error);
  assert_true(model->header.flags & HD_FILE_COMPLETE);
  for (uint32_t i = 0; i < model->thread_count; i++)
    assert_true(hd_model_thread_is_whole(model, i));
  return model;
}

/* ---- what is compared ---- */

/* By callpath of both plays together. */
struct times {
  int64_t elapsed;
  int64_t waiting;
  struct {
    int64_t busy;
    int64_t runtime;
    int64_t waiting;
  } threads[64];
};

/* Less what Heddle took, or with it. */
static struct times *take_times(const struct hd_model *model, const uint32_t *node_of, uint32_t count, bool corrected) {
  struct times *times = calloc(count, sizeof *times);
  assert_non_null(times);
  const int64_t factor = corrected ? 1 : 0;
  hd_model_need_rows(model);
  for (uint32_t i = 0; i < model->row_count; i++) {
    const struct hd_row *row = &model->rows[i];
    struct times *to = &times[node_of[row->node]];
    const int64_t *intrusion = row->intrusion.ticks;
    const int64_t waiting = (int64_t)hd_ticks_waiting(row->ticks) - factor * intrusion[HD_INTRUSION_WAITING];
    to->threads[row->thread].busy += (int64_t)row->ticks[HD_BUSY] - factor * intrusion[HD_INTRUSION_BUSY];
    to->threads[row->thread].runtime +=
        (int64_t)row->ticks[HD_RUNTIME_FORK_JOIN] - factor * intrusion[HD_INTRUSION_RUNTIME];
    to->threads[row->thread].waiting += waiting;
    to->waiting += waiting - factor * row->intrusion.merged;
  }
  for (uint32_t i = 0; i < model->node_count; i++) {
    const struct hd_team_totals *team = &model->nodes[i].team;
    if (model->nodes[i].kind == HD_KIND_PARALLEL)
      times[node_of[i]].elapsed += (int64_t)team->elapsed_ticks - factor * team->intrusion_ticks;
  }
  return times;
}

struct comparison {
  uint64_t seed;
  const char *delay;
  int64_t tolerance; /* in parts of what was taken out; 0: exact */
  const struct hd_united *united;
  uint32_t wrong;
};

static void expect(struct comparison *comparison, uint32_t node, const char *what, int thread, int64_t corrected,
                   int64_t undisturbed, int64_t raw) {
  const int64_t error = llabs(corrected - undisturbed);
  if (error <= comparison->tolerance || comparison->wrong > 20)
    return;
  comparison->wrong++;
  const struct hd_united_node *at = &comparison->united->nodes[node];
  print_error("seed %" PRIu64 ", delay %s: callpath %u (kind %d, code %" PRIx64
              ", below %u) %s of thread %d: corrected %" PRId64 ", undisturbed %" PRId64 " (off by %" PRId64
              "), measured %" PRId64 "\n",
              comparison->seed, comparison->delay, node, at->node->kind, ex_code(at->node), at->parent, what, thread,
              corrected, undisturbed, corrected - undisturbed, raw);
}

static void compare_nodes(struct comparison *comparison, struct hd_model *const models[2]) {
  const struct hd_united *united = comparison->united;
  struct times *plain = take_times(models[0], united->node_of[0], united->node_count, false);
  struct times *raw = take_times(models[1], united->node_of[1], united->node_count, false);
  struct times *corrected = take_times(models[1], united->node_of[1], united->node_count, true);
  for (uint32_t i = 0; i < united->node_count; i++) {
    expect(comparison, i, "elapsed", -1, corrected[i].elapsed, plain[i].elapsed, raw[i].elapsed);
    expect(comparison, i, "waiting", -1, corrected[i].waiting, plain[i].waiting, raw[i].waiting);
    for (uint32_t j = 0; j < models[0]->thread_count; j++) {
      expect(comparison, i, "busy", (int)j, corrected[i].threads[j].busy, plain[i].threads[j].busy,
             raw[i].threads[j].busy);
      expect(comparison, i, "runtime", (int)j, corrected[i].threads[j].runtime, plain[i].threads[j].runtime,
             raw[i].threads[j].runtime);
    }
  }
  free(plain);
  free(raw);
  free(corrected);
}

static void compare(struct comparison *comparison, struct hd_model *const models[2]) {
  struct hd_united *united = hd_united_new(models, 2, HD_UNITE_STRICTLY);
  assert_non_null(united);
  comparison->united = united;
  assert_int_equal(models[0]->thread_count, models[1]->thread_count);
  compare_nodes(comparison, models);
  expect(comparison, 0, "elapsed", -1, (int64_t)hd_model_corrected_elapsed(models[1]),
         (int64_t)models[0]->elapsed_ticks, (int64_t)models[1]->elapsed_ticks);
  hd_united_free(united);
}

/* Without delays events cost nothing on the fake clock: all times are as measured. */
static void expect_undisturbed(const struct hd_model *model) {
  assert_int_equal(model->cost_ticks, 0);
  assert_int_equal(hd_intrusion_all(&model->intrusion), 0);
  assert_int_equal(model->threads[0].late_ticks, 0);
}

static void check(const char *name, const struct di_options *how, const char *delay,
                  uint64_t (*of)(const struct fk_event *), int64_t tolerance) {
  const uint64_t first = first_seed();
  uint32_t wrong = 0;
  for (uint64_t seed = first; seed < first + seeds(100) && wrong == 0; seed++) {
    struct di_program program;
    struct di_options options = *how;
    options.statements = 4 + (uint32_t)(seed % 60);
    options.gap_ticks = GAP_TICKS;
    di_generate(&program, seed, &options);
    struct hd_model *models[2] = {play(&program, NULL, NULL), play(&program, delay, of)};
    struct comparison comparison = {.seed = seed, .delay = delay, .tolerance = tolerance};
    expect_undisturbed(models[0]);
    assert_true(models[1]->cost_ticks > 0 || strchr(delay, '@'));
    compare(&comparison, models);
    wrong += comparison.wrong;
    hd_model_free(models[0]);
    hd_model_free(models[1]);
    di_free(&program);
  }
  if (wrong > 0)
    fail_msg("%s: not as undisturbed", name);
}

/* ---- delays ---- */

/* What Heddle tells apart by its cost. */
static uint32_t kind_of(const struct fk_event *event) {
  const bool end = event->endpoint == ompt_scope_end;
  switch ((enum fk_op)event->op) {
  case FK_IMPLICIT_TASK:
  case FK_WORK:
  case FK_SYNC_WAIT:
  case FK_MASKED:
    return 2 * event->op + end;
  case FK_THREAD_BEGIN:
  case FK_THREAD_END:
    return 1;
  case FK_PHASE_BEGIN:
  case FK_PHASE_END:
    return 3;
  default:
    return 2 * event->op;
  }
}

/* Each kind of event takes another time on each thread: always the same, so that its mean is known. */
static uint64_t by_kind_and_thread(const struct fk_event *event) {
  const uint64_t hash = (kind_of(event) * 64u + event->thread + 1) * 0x9E3779B97F4A7C15u;
  return (hash >> 40) % 5000;
}

/* Each event another time: all but the measured ones cost the mean. */
static uint64_t at_random(const struct fk_event *event) {
  const uint64_t hash = (event->time * 64u + event->thread + 1) * 0x9E3779B97F4A7C15u;
  return (hash >> 40) % 2000;
}

/* ---- tests ---- */

static const struct di_options plain = {0};
static const struct di_options nested = {.nested = true};
static const struct di_options all = {.nested = true, .tasks = true, .routines = true};
static const struct di_options left = {.nested = true, .tasks = true, .routines = true, .left = true};
static const struct di_options prompt = {.nested = true, .tasks = true, .routines = true, .prompt = true};

static void test_delays_of_all_threads_are_taken_out(void **state) {
  (void)state;
  check("all threads, 1 ns", &plain, "1", NULL, 0);
  check("all threads, 10 us", &plain, "10000", NULL, 0);
  check("nested", &nested, "1000", NULL, 0);
  check("tasks and routines", &all, "3000", NULL, 0);
}

static void test_delays_of_one_thread_are_taken_out(void **state) {
  (void)state;
  check("first thread", &all, "10000@0", NULL, 0);
  check("one worker", &all, "10000@1", NULL, 0);
  check("another worker", &all, "100000@2", NULL, 0);
}

static void test_delays_by_kind_are_taken_out(void **state) {
  (void)state;
  check("by kind", &plain, "1", by_kind_and_thread, 0);
  check("by kind, everything", &all, "1", by_kind_and_thread, 0);
}

static void test_ends_of_workers_that_come_at_once_delay_nobody(void **state) {
  (void)state;
  check("prompt", &prompt, "2000", NULL, 0);
  check("prompt, by kind", &prompt, "1", by_kind_and_thread, 0);
}

/* As at the end of most programs: the reader closes what they wait in. */
static void test_workers_that_wait_at_the_end_are_corrected_too(void **state) {
  (void)state;
  check("left", &left, "2000", NULL, 0);
  check("left, one of them", &left, "50000@1", NULL, 0);
  check("left, by kind", &left, "1", by_kind_and_thread, 0);
}

/* Then what is taken out is an estimate: here of the program's elapsed time, in sum over many programs. */
static void test_costs_that_vary_are_estimated(void **state) {
  (void)state;
  double measured = 0, remaining = 0;
  const uint64_t first = first_seed();
  for (uint64_t seed = first; seed < first + seeds(100); seed++) {
    struct di_program program;
    struct di_options options = all;
    options.statements = 40;
    options.gap_ticks = GAP_TICKS;
    di_generate(&program, seed, &options);
    struct hd_model *models[2] = {play(&program, NULL, NULL), play(&program, "1", at_random)};
    const double undisturbed = (double)models[0]->elapsed_ticks;
    measured += fabs((double)models[1]->elapsed_ticks - undisturbed);
    remaining += fabs(hd_model_corrected_elapsed(models[1]) - undisturbed);
    hd_model_free(models[0]);
    hd_model_free(models[1]);
    di_free(&program);
  }
  print_message("%.1f %% of what Heddle took is left\n", 100 * remaining / measured);
  assert_true(remaining < 0.25 * measured);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_delays_of_all_threads_are_taken_out),
      cmocka_unit_test(test_delays_of_one_thread_are_taken_out),
      cmocka_unit_test(test_delays_by_kind_are_taken_out),
      cmocka_unit_test(test_ends_of_workers_that_come_at_once_delay_nobody),
      cmocka_unit_test(test_workers_that_wait_at_the_end_are_corrected_too),
      cmocka_unit_test(test_costs_that_vary_are_estimated),
  };
  if (argc > 1)
    cmocka_set_test_filter(argv[1]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
