/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is known of a loop's cost, and which schedule is best. A tick is a nanosecond; two threads. */
#include "profile_builder.h"

#include <math.h>
#include <string.h>

#include "heddle-chunks.h"
#include "output/analysis/findings/findings.h"
#include "output/analysis/schedules/advice.h"
#include "output/model/memory.h"

enum { REGION = 1, LOOP = 2, THREADS = 2 };

static struct builder builder;
static struct hd_model *model;
static struct hd_advice advice;

static int forget(void **state) {
  (void)state;
  hd_advice_free(&advice);
  advice = (struct hd_advice){0};
  hd_model_free(model);
  model = NULL;
  builder_free(&builder);
  return 0;
}

/* A region whose loop keeps its threads busy for so long in all instances, and ends in a barrier. */
static void build(enum hd_kind kind, uint32_t instances, const uint64_t busy[THREADS]) {
  const uint64_t most = busy[0] > busy[1] ? busy[0] : busy[1];
  builder_init(&builder);
  builder.header->max_threads = 4;
  builder.header->end_ticks = 1000 + most;
  builder_profile(&builder, 0, HD_KIND_PROGRAM);
  builder_profile(&builder, 0, HD_KIND_PARALLEL);
  builder_profile(&builder, REGION, kind);
  for (uint32_t thread = 0; thread < THREADS; thread++) {
    builder_thread(&builder, thread == 0 ? HD_THREAD_INITIAL : HD_THREAD_WORKER, 1000, 1000 + most);
    struct hd_row_record *row = builder_row(&builder, LOOP, thread);
    row->visits = instances;
    builder_cell(row, HD_BUSY)->ticks = busy[thread];
    builder_cell(row, HD_WAIT_BARRIER_IMPLICIT)->ticks = most - busy[thread];
  }
  for (uint32_t profile = REGION; profile <= LOOP; profile++)
    *builder_total(&builder, profile, THREADS) = (struct hd_total_record){.profile = profile,
                                                                          .team_size = THREADS,
                                                                          .instances = instances,
                                                                          .elapsed_ticks = most,
                                                                          .capacity_ticks = THREADS * most,
                                                                          .busy_ticks = busy[0] + busy[1],
                                                                          .busy_max_ticks = THREADS * most};
}

/* The threads' numbers are the other way round. */
static void deal(uint64_t iterations, uint32_t instances, int64_t first_number) {
  for (uint32_t thread = 0; thread < THREADS; thread++) {
    struct hd_row_record *row = builder_row(&builder, LOOP, thread);
    builder_cell(row, HD_CELL_STATIC)->ticks = iterations * instances;
    builder_cell(row, HD_CELL_STATIC)->intrusion = thread == 0 ? first_number : THREADS - 1;
  }
}

/* The loop was handed out in chunks of `size`; part i of its iterations costs cost(i). */
static void hand_out(uint32_t iterations, uint32_t instances, uint32_t size, uint64_t longest,
                     uint64_t (*cost)(uint32_t part)) {
  for (uint32_t thread = 0; thread < THREADS; thread++) {
    struct hd_row_record *row = builder_row(&builder, LOOP, thread);
    builder_cell(row, HD_CELL_CHUNKS)->ticks = iterations / size * instances / THREADS;
    builder_cell(row, HD_CELL_CHUNKS)->intrusion = iterations * instances / THREADS;
  }
  struct hd_chunks_record *chunks = builder_record(&builder, HD_BLOCK_CHUNKS, sizeof *chunks);
  *chunks = (struct hd_chunks_record){
      .profile = LOOP, .flags = HD_CHUNKS_BOUNDS, .step = 1, .count = iterations, .lengths.longest_ticks = longest};
  for (uint32_t i = 0; i < HD_SPACE_BUCKETS; i++) {
    chunks->iterations[i] = (uint64_t)iterations * instances / HD_SPACE_BUCKETS;
    chunks->ticks[i] = cost(i) * instances;
    chunks->lengths.counts[0] += chunks->iterations[i] / size;
  }
}

static void look(void) {
  model = builder_read(&builder);
  advice = hd_advice_of(model, &model->nodes[LOOP]);
}

static const struct hd_predicted *predicted(const char *schedule) {
  for (uint32_t i = 0; i < advice.count; i++) {
    char text[HD_SCHEDULE_BYTES];
    hd_schedule_text(text, &advice.predicted[i].schedule);
    if (strcmp(text, schedule) == 0)
      return &advice.predicted[i];
  }
  fail_msg("no prediction for %s", schedule);
  return NULL;
}

static void expect_near(const char *schedule, double ticks, double part) {
  const double got = predicted(schedule)->ticks;
  if (fabs(got - ticks) > part * ticks)
    fail_msg("%s: %g, not %g", schedule, got, ticks);
}

static void expect_words(const char *expected) {
  char words[HD_ADVICE_BYTES] = "";
  if (advice.best >= 0)
    hd_advice_words(&advice, words);
  assert_string_equal(words, expected);
}

static void expect_unknown(const char *part) {
  if (!advice.cost.unknown || !strstr(advice.cost.unknown, part))
    fail_msg("'%s', not '%s'", advice.cost.unknown ? advice.cost.unknown : "known", part);
}

/* ---- from blocks ---- */

/* Number 1 works three times as long as number 0: cost grows from 0 on. */
static void test_a_static_loop_has_a_part_for_each_thread(void **state) {
  (void)state;
  build(HD_KIND_LOOP_STATIC, 10, (const uint64_t[]){3000000, 1000000});
  deal(1000, 10, 2);
  look();
  assert_null(advice.cost.unknown);
  assert_int_equal(advice.cost.part_count, THREADS);
  assert_true(fabs(advice.cost.parts[0] - 200) < 1e-6 && fabs(advice.cost.parts[1] - 600) < 1e-6);
  assert_true(fabs(hd_curve_before(&advice.cost.curve, 500) - 100000) < 1);
  assert_true(fabs(hd_curve_before(&advice.cost.curve, 250) - 25000) < 1000); /* steadily */
  expect_near("static", 3000000, 1e-6);
  expect_near("static,1", 2000000, 0.01);
  expect_near("dynamic,32", 2000000, 0.06);
  assert_true(advice.best > 0 && !advice.is_indivisible);
}

static void test_an_even_static_loop_stays_as_it_is(void **state) {
  (void)state;
  build(HD_KIND_LOOP_STATIC, 10, (const uint64_t[]){2000000, 2000000});
  deal(1000, 10, 2);
  look();
  expect_words("");
  assert_false(advice.is_indivisible);
}

/* Three iterations that take the same for two threads: 2 and 1, and nothing else is better. */
static void test_too_few_iterations(void **state) {
  (void)state;
  build(HD_KIND_LOOP_STATIC, 10, (const uint64_t[]){1000000, 2000000});
  deal(3, 10, 2);
  look();
  expect_words("");
  assert_true(advice.is_indivisible);
}

static void test_blocks_of_threads_that_change_places_are_not_known(void **state) {
  (void)state;
  build(HD_KIND_LOOP_STATIC, 10, (const uint64_t[]){3000000, 1000000});
  deal(1000, 10, HD_NUMBERS_VARY);
  look();
  expect_unknown("different numbers");
}

static void test_two_threads_of_one_number_are_not_known(void **state) {
  (void)state;
  build(HD_KIND_LOOP_STATIC, 10, (const uint64_t[]){3000000, 1000000});
  deal(1000, 10, 1);
  look();
  expect_unknown("different numbers");
}

/* ---- from chunks ---- */

static uint64_t rising(uint32_t part) {
  return 1000 * (2 * (uint64_t)part + 1);
}

static uint64_t even(uint32_t part) {
  (void)part;
  return 64000;
}

static uint64_t spiked(uint32_t part) {
  return part == 20 ? 4096000 + 10000 : 10000;
}

/* 640 iterations that cost 4,096,000 in all, in chunks of 320: the second is three times the first. */
static void test_a_loop_in_two_chunks(void **state) {
  (void)state;
  build(HD_KIND_LOOP_DYNAMIC, 1, (const uint64_t[]){1024000, 3072000});
  hand_out(640, 1, 320, 3072000, rising);
  look();
  assert_null(advice.cost.unknown);
  assert_int_equal(advice.cost.part_count, HD_SPACE_BUCKETS);
  assert_true(fabs(advice.measured_ticks - 3072000) < 1 && fabs(advice.even_ticks - 2048000) < 1);
  expect_near("static", 3072000, 0.01);
  expect_near("static,1", 2048000, 0.01);
  expect_near("dynamic,1", 2200000, 0.08);
}

/* Even, but half of the time is handing out: larger chunks, or none. */
static void test_chunks_that_are_too_small(void **state) {
  (void)state;
  build(HD_KIND_LOOP_DYNAMIC, 1, (const uint64_t[]){2048000, 2048000});
  hand_out(64000, 1, 1, 64, even);
  for (uint32_t thread = 0; thread < THREADS; thread++)
    builder_cell(builder_row(&builder, LOOP, thread), HD_RUNTIME_SCHEDULING)->ticks = 2048000;
  for (uint32_t i = 0; i < 2; i++) {
    struct hd_total_record *total = builder_total(&builder, REGION + i, THREADS);
    *total = (struct hd_total_record){.profile = REGION + i,
                                      .team_size = THREADS,
                                      .elapsed_ticks = 2048000,
                                      .capacity_ticks = THREADS * UINT64_C(2048000)};
  }
  look();
  assert_int_equal(advice.hand_out_source, HD_HAND_OUT_OWN);
  assert_true(fabs(advice.hand_out_ticks - 64) < 1);
  expect_near("dynamic,1", 4096000, 0.01);
  expect_near("static", 2048000, 0.01);
  expect_words("schedule(static)");
}

/* One of 640 iterations takes nearly all the time. */
static void test_one_iteration_that_takes_too_long(void **state) {
  (void)state;
  build(HD_KIND_LOOP_DYNAMIC, 1, (const uint64_t[]){4200000, 536000});
  hand_out(640, 1, 1, 4097000, spiked);
  look();
  assert_null(advice.cost.unknown);
  assert_true(hd_curve_before(&advice.cost.curve, 640) > 4700000);
  expect_words("");
  assert_true(advice.is_indivisible);
}

/* The same in chunks of 20: which iteration it was cannot be seen, so nothing is promised. */
static void test_what_large_chunks_hide_is_not_promised(void **state) {
  (void)state;
  build(HD_KIND_LOOP_GUIDED, 1, (const uint64_t[]){4200000, 536000});
  hand_out(640, 1, 20, 4097000, spiked);
  look();
  assert_null(advice.cost.unknown);
  assert_true(predicted("dynamic,1")->error_ticks > 1900000);
  expect_words("");
}

/* ---- what findings make of it ---- */

static const struct hd_finding *first_finding(struct hd_findings *found) {
  assert_true(found->count > 0);
  return &found->items[0];
}

static void test_findings_propose_the_best_schedule(void **state) {
  (void)state;
  build(HD_KIND_LOOP_STATIC, 10, (const uint64_t[]){3000000, 1000000});
  deal(1000, 10, 2);
  look();
  char words[HD_ADVICE_BYTES];
  hd_advice_words(&advice, words);
  struct hd_findings *found = hd_findings_new(model, 0);
  const struct hd_finding *finding = first_finding(found);
  assert_int_equal(finding->cause, HD_CAUSE_IMBALANCE);
  assert_int_equal(finding->place->id, LOOP);
  assert_ptr_equal(strstr(finding->attempt[0], words), finding->attempt[0]);
  assert_non_null(strstr(finding->attempt[0], " instead of 3.00 ms"));
  assert_non_null(strstr(finding->attempt[1], "--loop 2"));
  assert_non_null(strstr(finding->evidence[1], "cost grows over the iterations"));
  hd_findings_free(found);
}

static void test_too_few_iterations_are_a_cause(void **state) {
  (void)state;
  build(HD_KIND_LOOP_STATIC, 10, (const uint64_t[]){1000000, 2000000});
  deal(3, 10, 2);
  look();
  struct hd_findings *found = hd_findings_new(model, 0);
  const struct hd_finding *finding = first_finding(found);
  assert_int_equal(finding->cause, HD_CAUSE_TOO_FEW_ITERATIONS);
  assert_int_equal(finding->place->id, LOOP);
  assert_non_null(strstr(finding->evidence[0], "3 iterations for 2 threads"));
  assert_non_null(strstr(finding->attempt[0], "no schedule helps"));
  hd_findings_free(found);
}

static void test_reasons_for_no_prediction(void **state) {
  (void)state;
  build(HD_KIND_LOOP_DYNAMIC, 1, (const uint64_t[]){100, 100});
  look();
  expect_unknown("--handout");
  forget(NULL);
  build(HD_KIND_LOOP, 1, (const uint64_t[]){100, 100});
  look();
  expect_unknown("version 17");
  forget(NULL);
  build(HD_KIND_SINGLE, 1, (const uint64_t[]){100, 100});
  look();
  expect_unknown("no worksharing loop");
  forget(NULL);
  build(HD_KIND_LOOP_STATIC, 10, (const uint64_t[]){3000000, 1000000});
  deal(1000, 10, 2);
  builder.header->max_threads = 1;
  look();
  expect_unknown("more threads than");
}

int main(void) {
#define TEST(name) cmocka_unit_test_teardown(name, forget)
  const struct CMUnitTest tests[] = {
      TEST(test_a_static_loop_has_a_part_for_each_thread),
      TEST(test_an_even_static_loop_stays_as_it_is),
      TEST(test_too_few_iterations),
      TEST(test_blocks_of_threads_that_change_places_are_not_known),
      TEST(test_two_threads_of_one_number_are_not_known),
      TEST(test_a_loop_in_two_chunks),
      TEST(test_chunks_that_are_too_small),
      TEST(test_one_iteration_that_takes_too_long),
      TEST(test_what_large_chunks_hide_is_not_promised),
      TEST(test_findings_propose_the_best_schedule),
      TEST(test_too_few_iterations_are_a_cause),
      TEST(test_reasons_for_no_prediction),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
