/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sums of runs with counters: counts add up as whole numbers, and what cannot be added up is left out and said. */
#include <stdlib.h>

#include "merge_sum.h"
#include "output/metrics/group.h"
#include "output/model/memory.h"
#include "output/reader/open.h"
#include "profile_builder.h"
#include "random_program.h"
#include "script.h"

/* ---- built runs: a program and a region, thread 0 busy in the program ---- */

struct event {
  const char *name;
  uint32_t slot;
  uint64_t busy; /* of thread 0 in the region */
};
#define EVENTS(...)                                                                                                    \
  (const struct event[]){__VA_ARGS__}, sizeof((const struct event[]){__VA_ARGS__}) / sizeof(struct event)

static void build_run(struct builder *builder, const struct event *events, size_t count, uint32_t slots) {
  builder_init(builder);
  builder_profile(builder, 0, HD_KIND_PROGRAM);
  builder_profile(builder, 0, HD_KIND_PARALLEL);
  for (uint32_t i = 0; i < 2; i++) {
    struct hd_thread_record *thread = builder_thread(builder, i ? HD_THREAD_WORKER : HD_THREAD_INITIAL, 1000, 2000);
    thread->end_ticks = 2000;
    thread->busy_ticks = 1000;
    builder_cell(builder_row(builder, i, i), HD_BUSY)->ticks = 1000;
  }
  builder_counters(builder, (uint32_t)count, slots, HD_COUNTERS_AT_LOOP);
  for (size_t i = 0; i < count; i++)
    builder_event(builder, events[i].name, events[i].slot);
  for (uint32_t i = 0; i < 2 && count > 0; i++) {
    struct hd_counts_record *record = builder_counts(builder, i, i);
    for (uint32_t event = 0; event < count; event++)
      builder_count(record, event, HD_COUNT_BUSY, events[event].busy * (i + 1));
    for (uint32_t slot = 1; slot <= slots; slot++)
      builder_turns(builder, record, slot, HD_COUNT_BUSY, 100 * slot);
  }
}

static struct hd_model *read_and_free(struct builder *builder) {
  struct hd_model *model = builder_read(builder);
  builder_free(builder);
  return model;
}

static struct hd_model *run_of(const struct event *events, size_t count, uint32_t slots) {
  struct builder builder;
  build_run(&builder, events, count, slots);
  return read_and_free(&builder);
}

/* Thread i's busy counts in node i. */
static void expect_count(const struct hd_model *sum, uint32_t event, uint64_t program, uint64_t region) {
  assert_int_equal(sum->counts_count, 2);
  for (uint32_t i = 0; i < 2; i++) {
    assert_int_equal(sum->counts[i].node, i);
    assert_int_equal(sum->counts[i].thread, i);
  }
  assert_int_equal(sum->counts[0].counts[event * HD_COUNT_CLASSES + HD_COUNT_BUSY], program);
  assert_int_equal(sum->counts[1].counts[event * HD_COUNT_CLASSES + HD_COUNT_BUSY], region);
}

static void expect_nothing_counted(struct hd_model *const *models, const char *note) {
  struct hd_model *sum = sum_of(models, 2);
  assert_int_equal(sum->header.event_count, 0);
  assert_int_equal(sum->counts_count, 0);
  assert_int_equal(sum->group_count, 0);
  assert_true(has_note(sum, note));
  hd_model_free(sum);
}

/* ---- events ---- */

static void test_counts_of_the_same_events_add_up(void **state) {
  (void)state;
  struct hd_model *models[] = {run_of(EVENTS({"A", 0, 5}, {"B", 0, 7}), 0),
                               run_of(EVENTS({"A", 0, 50}, {"B", 0, 70}), 0)};
  struct hd_model *sum = SUM(models[0], models[1], models[1]);
  assert_int_equal(sum->header.event_count, 2);
  assert_int_equal(sum->header.counters_at, HD_COUNTERS_AT_LOOP);
  assert_string_equal(sum->events[0].name, "A");
  assert_string_equal(sum->events[1].source, "kernel");
  expect_count(sum, 0, 105, 210);
  expect_count(sum, 1, 147, 294);
  hd_model_free(sum);
  free_all(models, 2);
}

/* In the order of the first run; sources know their events without regard to case. */
static void test_events_are_the_same_by_name(void **state) {
  (void)state;
  struct hd_model *models[] = {run_of(EVENTS({"A", 0, 5}, {"B", 0, 7}, {"C", 0, 9}), 0),
                               run_of(EVENTS({"D", 0, 60}, {"c", 0, 90}, {"A", 0, 50}), 0)};
  struct hd_model *sum = SUM(models[0], models[1]);
  assert_int_equal(sum->header.event_count, 2);
  assert_string_equal(sum->events[1].name, "C");
  expect_count(sum, 0, 55, 110);
  expect_count(sum, 1, 99, 198);
  assert_true(has_note(sum, "B was not counted in test.heddle: the sum leaves it out"));
  assert_true(has_note(sum, "D was not counted in test.heddle: the sum leaves it out"));
  assert_false(has_note(sum, "C was not"));
  hd_model_free(sum);
  free_all(models, 2);
}

static void test_one_run_keeps_its_counts(void **state) {
  (void)state;
  struct hd_model *model = run_of(EVENTS({"A", 0, 5}, {"B", 2, 7}, {"C", 1, 9}), 2);
  struct hd_model *sum = SUM(model);
  assert_int_equal(sum->header.event_slots, 2);
  assert_int_equal(sum->events[1].slot, 2);
  expect_count(sum, 2, 9, 18);
  hd_model_free(sum);
  hd_model_free(model);
}

static void test_runs_that_share_no_event_have_no_counts(void **state) {
  (void)state;
  struct hd_model *models[] = {run_of(EVENTS({"A", 0, 5}), 0), run_of(EVENTS({"B", 0, 5}), 0)};
  expect_nothing_counted(models, "A was not counted in test.heddle");
  free_all(models, 2);
}

static void test_run_without_counters_leaves_none_and_is_named(void **state) {
  (void)state;
  struct hd_model *models[] = {run_of(EVENTS({"A", 0, 5}), 0), run_of(NULL, 0, 0)};
  expect_nothing_counted(models, "no events were counted in test.heddle: the sum leaves the counters");
  expect_nothing_counted((struct hd_model *[]){models[1], models[0]}, "no events were counted in test.heddle");
  struct hd_model *sum = SUM(models[1], models[1]);
  assert_false(has_note(sum, "counted in"));
  hd_model_free(sum);
  free_all(models, 2);
}

static void test_counts_of_other_places_do_not_add_up(void **state) {
  (void)state;
  struct builder builder;
  build_run(&builder, EVENTS({"A", 0, 5}), 0);
  builder.header->counters_at = HD_COUNTERS_AT_ALL;
  struct hd_model *models[] = {run_of(EVENTS({"A", 0, 5}), 0), read_and_free(&builder)};
  expect_nothing_counted(models, "counters were read at loops in test.heddle, at all constructs in test.heddle");
  free_all(models, 2);
}

/* ---- what is missing ---- */

static void test_what_is_missing_in_a_run_is_missing_in_the_sum(void **state) {
  (void)state;
  struct builder builder;
  build_run(&builder, EVENTS({"B", 0, 70}, {"A", 0, 50}), 0);
  struct hd_counts_record *record = builder_counts(&builder, 0, 1);
  record->missing[HD_COUNT_WAITING] = 1u << 1; /* of A, which is the sum's event 0 */
  struct hd_model *models[] = {run_of(EVENTS({"A", 0, 5}, {"B", 0, 7}), 0), read_and_free(&builder)};
  struct hd_model *sum = SUM(models[0], models[1]);
  assert_int_equal(sum->counts_count, 3);
  assert_int_equal(sum->counts[1].thread, 1);
  assert_int_equal(sum->counts[1].missing[HD_COUNT_WAITING], 1u << 0);
  assert_int_equal(sum->counts[1].missing[HD_COUNT_BUSY], 0);
  assert_int_equal(sum->counts[0].missing[HD_COUNT_WAITING], 0);
  hd_model_free(sum);
  free_all(models, 2);
}

static void test_thread_that_could_not_count_in_a_run_is_marked(void **state) {
  (void)state;
  struct builder builder;
  build_run(&builder, EVENTS({"B", 0, 70}, {"A", 0, 50}), 0);
  struct hd_thread_record *threads = (void *)((char *)builder.newest[HD_BLOCK_THREADS] + HD_BLOCK_HEADER_BYTES);
  threads[1].uncounted = 1u << 0; /* B */
  struct hd_model *models[] = {run_of(EVENTS({"A", 0, 5}, {"B", 0, 7}), 0), read_and_free(&builder)};
  struct hd_model *sum = SUM(models[0], models[1]);
  assert_int_equal(sum->threads[0].uncounted, 0);
  assert_int_equal(sum->threads[1].uncounted, 1u << 1);
  hd_model_free(sum);
  free_all(models, 2);
}

static void test_sum_too_large_for_the_file_is_marked(void **state) {
  (void)state;
  struct hd_model *models[] = {run_of(EVENTS({"A", 0, 1}, {"B", 0, UINT64_MAX / 4}), 0), NULL};
  models[1] = models[0];
  struct hd_model *sum = SUM(models[0], models[1], models[0]); /* the region's is 3 * 2 * a quarter */
  expect_count(sum, 0, 3, 6);
  assert_int_equal(sum->counts[1].counts[HD_COUNT_CLASSES + HD_COUNT_BUSY], UINT64_MAX);
  assert_int_equal(sum->counts[1].missing[HD_COUNT_BUSY], 1u << 1);
  assert_int_equal(sum->counts[0].missing[HD_COUNT_BUSY], 0);
  hd_model_free(sum);
  hd_model_free(models[0]);
}

/* ---- turns ---- */

static uint64_t turn_of(const struct hd_model *model, uint32_t record, uint32_t slot) {
  return model->counts[record].slot_ticks[(slot - 1) * HD_COUNT_CLASSES + HD_COUNT_BUSY];
}

static void test_turns_of_the_same_events_add_up(void **state) {
  (void)state;
  struct hd_model *models[] = {run_of(EVENTS({"A", 0, 5}, {"B", 1, 7}, {"C", 2, 9}), 2),
                               run_of(EVENTS({"C", 2, 90}, {"A", 0, 50}, {"B", 1, 70}), 2)};
  struct hd_model *sum = SUM(models[0], models[1]);
  assert_int_equal(sum->header.event_slots, 2);
  assert_int_equal(sum->events[2].slot, 2);
  expect_count(sum, 2, 99, 198);
  assert_int_equal(turn_of(sum, 0, 1), 200);
  assert_int_equal(turn_of(sum, 1, 2), 400);
  hd_model_free(sum);
  free_all(models, 2);
}

/* Clocks of 1 GHz and of 2 GHz: 200 ticks of the one, 100 of the other. */
static void test_turns_are_scaled_with_the_clock(void **state) {
  (void)state;
  struct hd_model *models[] = {run_of(EVENTS({"A", 1, 5}, {"B", 2, 7}), 2),
                               run_of(EVENTS({"A", 1, 5}, {"B", 2, 7}), 2)};
  models[1]->header.clock_kind = HD_CLOCK_TSC;
  models[1]->seconds_per_tick = 0.5e-9;
  struct hd_model *sum = SUM(models[0], models[1]);
  assert_int_equal(turn_of(sum, 0, 2), 2 * 200 + 200);
  expect_count(sum, 0, 10, 20); /* counts are no times */
  hd_model_free(sum);
  free_all(models, 2);
}

static void test_events_that_took_other_turns_are_left_out(void **state) {
  (void)state;
  struct hd_model *models[] = {run_of(EVENTS({"A", 0, 5}, {"B", 1, 7}, {"C", 2, 9}, {"D", 1, 3}), 2),
                               run_of(EVENTS({"A", 0, 5}, {"B", 2, 7}, {"C", 2, 9}, {"D", 0, 3}), 2),
                               run_of(EVENTS({"A", 0, 5}, {"B", 1, 7}, {"C", 2, 9}), 3)};
  struct hd_model *sum = SUM(models[0], models[1]);
  assert_int_equal(sum->header.event_count, 2);
  assert_string_equal(sum->events[1].name, "C");
  assert_true(has_note(sum, "B did not take turns with the same events in test.heddle and test.heddle"));
  assert_true(has_note(sum, "D did not take turns"));
  hd_model_free(sum);
  sum = SUM(models[0], models[2]);
  assert_int_equal(sum->header.event_count, 1);
  assert_int_equal(sum->header.event_slots, 0);
  expect_count(sum, 0, 10, 20);
  assert_true(has_note(sum, "C did not take turns"));
  hd_model_free(sum);
  free_all(models, 3);
}

/* ---- groups ---- */

#define RATIO "SHORT Ratio\n\nEVENTSET\nA\nB\n\nMETRICS\nRatio  A / B\n"
#define OTHER "SHORT Other ratio\n\nEVENTSET\nA\nB\n\nMETRICS\nRatio  B / A\n"
#define SINGLE "SHORT Single\n\nEVENTSET\nC\n\nMETRICS\nTwice  2 * C\n"

static struct hd_model *run_with(const char *first, const char *second) {
  struct builder builder;
  build_run(&builder, EVENTS({"A", 0, 5}, {"B", 0, 7}, {"C", 0, 9}), 0);
  builder_text(&builder, HD_TEXT_GROUP, 0, first, strlen(first));
  if (second)
    builder_text(&builder, HD_TEXT_GROUP, 0, second, strlen(second));
  return read_and_free(&builder);
}

static void test_groups_of_all_runs_are_kept_once(void **state) {
  (void)state;
  struct hd_model *models[] = {run_with("/g/RATIO.txt\n" RATIO, NULL),
                               run_with("/g/RATIO.txt\n" RATIO, "/h/SINGLE.txt\n" SINGLE)};
  struct hd_model *sum = SUM(models[0], models[1]);
  assert_int_equal(sum->group_count, 2);
  assert_string_equal(sum->groups[0]->name, "RATIO");
  assert_string_equal(sum->groups[0]->text, RATIO);
  assert_string_equal(sum->groups[0]->path, "/g/RATIO.txt");
  assert_string_equal(sum->groups[1]->name, "SINGLE");
  struct hd_model *again = SUM(sum, models[0]);
  assert_int_equal(again->group_count, 2);
  hd_model_free(again);
  hd_model_free(sum);
  free_all(models, 2);
}

static void test_group_without_its_events_is_left_out(void **state) {
  (void)state;
  struct hd_model *models[] = {run_with("/g/RATIO.txt\n" RATIO, "/g/SINGLE.txt\n" SINGLE),
                               run_of(EVENTS({"A", 0, 5}, {"B", 0, 7}), 0)};
  struct hd_model *sum = SUM(models[0], models[1]);
  assert_int_equal(sum->group_count, 1);
  assert_string_equal(sum->groups[0]->name, "RATIO");
  assert_true(has_note(sum, "the group SINGLE is left out: the sum has no counts of C"));
  hd_model_free(sum);
  free_all(models, 2);
}

static void test_first_of_different_groups_of_a_name_is_kept(void **state) {
  (void)state;
  struct hd_model *models[] = {run_with("/g/RATIO.txt\n" RATIO, NULL), run_with("/g/RATIO.txt\n" OTHER, NULL)};
  struct hd_model *sum = SUM(models[0], models[1]);
  assert_int_equal(sum->group_count, 1);
  assert_string_equal(sum->groups[0]->text, RATIO);
  assert_true(has_note(sum, "the runs had different groups called RATIO; the sum shows that of test.heddle"));
  hd_model_free(sum);
  free_all(models, 2);
}

/* ---- random programs ---- */

enum { SEEDS = 30 };

static struct hd_model *play(uint64_t seed, bool killed) {
  static const char *const alone[] = {"STUB_PAPI_SET_MOST=1", NULL};
  const struct fk_options options = {
      .counters = "STUB_CLOCK,STUB_CLOCK_3", .take_turns = seed % 3 == 0, .environment = seed % 3 ? NULL : alone};
  rp_generate(seed, &(struct rp_options){.routines = true, .recursive = seed % 2, .killed = killed});
  const struct fk_result result = fk_play(sc_script(), &options);
  struct hd_model *model = NULL;
  char error[300] = "";
  if (!hd_profile_open(result.path, &model, error, sizeof error))
    fail_msg("seed %llu: %s", (unsigned long long)seed, error);
  assert_int_equal(model->header.event_count, 2);
  return model;
}

static uint32_t node_like(const struct hd_model *sum, const struct hd_model *model, const struct hd_node *node) {
  if (node->id == 0)
    return 0;
  const uint32_t parent = node_like(sum, model, &model->nodes[node->parent]);
  for (uint32_t i = 1; i < sum->node_count; i++)
    if (sum->nodes[i].parent == parent && sum->nodes[i].kind == node->kind && ex_code(&sum->nodes[i]) == ex_code(node))
      return i;
  fail_msg("node %u is not in the sum", node->id);
  return HD_NONE;
}

static const struct hd_counts *counts_of(const struct hd_model *model, uint32_t node, uint32_t thread) {
  for (uint32_t i = 0; i < model->counts_count; i++)
    if (model->counts[i].node == node && model->counts[i].thread == thread)
      return &model->counts[i];
  return NULL;
}

/* Takes a run's counts away from the sum's. */
static void subtract(struct hd_model *sum, const struct hd_model *model) {
  const uint32_t values = (model->header.event_count + model->header.event_slots) * HD_COUNT_CLASSES;
  for (uint32_t i = 0; i < model->counts_count; i++) {
    const struct hd_counts *counts = &model->counts[i];
    const struct hd_counts *left = counts_of(sum, node_like(sum, model, &model->nodes[counts->node]), counts->thread);
    assert_non_null(left);
    for (uint32_t value = 0; value < values; value++)
      ((uint64_t *)left->counts)[value] -= counts->counts[value]; /* the times of turns follow */
    for (int c = 0; c < HD_COUNT_CLASSES; c++)
      assert_int_equal(left->missing[c] & counts->missing[c], counts->missing[c]);
  }
}

static uint64_t all_counts(const struct hd_model *model) {
  const uint32_t values = (model->header.event_count + model->header.event_slots) * HD_COUNT_CLASSES;
  uint64_t sum = 0;
  for (uint32_t i = 0; i < model->counts_count; i++)
    for (uint32_t value = 0; value < values; value++)
      sum |= model->counts[i].counts[value];
  return sum;
}

static void test_sums_of_random_runs_are_exact(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    struct hd_model *models[] = {play(seed, false), play(seed + 999, false), play(seed + 1998, true)};
    struct hd_model *first = SUM(models[1], models[2]);
    struct hd_model *sum = SUM(models[0], first);
    assert_int_equal(sum->header.event_slots, seed % 3 ? 0 : 2);
    assert_true(all_counts(sum) > 0);
    for (int i = 0; i < 3; i++)
      subtract(sum, models[i]);
    assert_int_equal(all_counts(sum), 0);
    hd_model_free(sum);
    hd_model_free(first);
    free_all(models, 3);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_counts_of_the_same_events_add_up),
      cmocka_unit_test(test_events_are_the_same_by_name),
      cmocka_unit_test(test_one_run_keeps_its_counts),
      cmocka_unit_test(test_runs_that_share_no_event_have_no_counts),
      cmocka_unit_test(test_run_without_counters_leaves_none_and_is_named),
      cmocka_unit_test(test_counts_of_other_places_do_not_add_up),
      cmocka_unit_test(test_what_is_missing_in_a_run_is_missing_in_the_sum),
      cmocka_unit_test(test_thread_that_could_not_count_in_a_run_is_marked),
      cmocka_unit_test(test_sum_too_large_for_the_file_is_marked),
      cmocka_unit_test(test_turns_of_the_same_events_add_up),
      cmocka_unit_test(test_turns_are_scaled_with_the_clock),
      cmocka_unit_test(test_events_that_took_other_turns_are_left_out),
      cmocka_unit_test(test_groups_of_all_runs_are_kept_once),
      cmocka_unit_test(test_group_without_its_events_is_left_out),
      cmocka_unit_test(test_first_of_different_groups_of_a_name_is_kept),
      cmocka_unit_test(test_sums_of_random_runs_are_exact),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
