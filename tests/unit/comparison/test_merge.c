/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sums of random programs' runs: every number is the sum of the runs' numbers, and every identity holds in it to the
 * tick. */
#include <math.h>
#include <stdlib.h>

#include "merge_sum.h"
#include "output/model/lazy_rows.h"
#include "output/model/memory.h"
#include "output/reader/open.h"
#include "random_program.h"
#include "script.h"

/* ---- comparing a sum with its parts ---- */

enum { KEY_FLAGS = HD_PROFILE_CALLED | HD_PROFILE_BACK };

static bool is_same_site(const struct hd_node *a, const struct hd_node *b) {
  if (a->kind != b->kind || (a->flags & KEY_FLAGS) != (b->flags & KEY_FLAGS))
    return false;
  return a->kind == HD_KIND_PHASE ? strcmp(a->name.function, b->name.function) == 0 : a->address == b->address;
}

/* By node of `from`: the node of `to` with the same path. */
static void map_nodes(const struct hd_model *from, const struct hd_model *to, uint32_t *map) {
  map[0] = 0;
  for (uint32_t i = 1; i < from->node_count; i++) {
    map[i] = HD_NONE;
    for (uint32_t j = 1; j < to->node_count && map[i] == HD_NONE; j++)
      if (to->nodes[j].parent == map[from->nodes[i].parent] && is_same_site(&from->nodes[i], &to->nodes[j]))
        map[i] = j;
    if (map[i] == HD_NONE)
      fail_msg("node %u is not in the sum", i);
  }
}

/* Takes one run's numbers away from the sum's: in the end nothing is left. */
static void subtract_ticks(uint64_t *from, const uint64_t *ticks, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    from[i] -= ticks[i];
}

static void subtract_levels(struct hd_levels *from, const struct hd_levels *levels) {
  assert_true(levels->count <= from->count);
  subtract_ticks(from->ticks, levels->ticks, levels->count);
}

static void subtract_entries(struct hd_entries *from, const struct hd_entries *entries) {
  subtract_ticks(from->visits[0], entries->visits[0], 4);
  subtract_ticks(from->ticks[0], entries->ticks[0], 4);
}

static void subtract_team(struct hd_team_totals *from, const struct hd_team_totals *team) {
  from->instances -= team->instances;
  from->open_instances -= team->open_instances;
  from->elapsed_ticks -= team->elapsed_ticks;
  from->capacity_ticks -= team->capacity_ticks;
  from->busy_ticks -= team->busy_ticks;
  from->busy_max_ticks -= team->busy_max_ticks;
  from->idle_ticks -= team->idle_ticks;
  from->mean_ticks -= team->mean_ticks;
  assert_true(team->team_min == 0 || from->team_min <= team->team_min);
  assert_true(from->team_max >= team->team_max);
}

static void subtract_rows(struct hd_model *from, const struct hd_model *model, const uint32_t *map) {
  for (uint32_t i = 0; i < model->row_count; i++) {
    const struct hd_row *row = &model->rows[i];
    struct hd_row *left = (struct hd_row *)hd_model_row(from, map[row->node], row->thread);
    assert_non_null(left);
    left->visits -= row->visits;
    left->cpu_ns -= row->cpu_ns;
    subtract_ticks(left->ticks, row->ticks, HD_STATE_COUNT);
    subtract_entries(&left->entries, &row->entries);
  }
}

static void subtract_node(struct hd_node *left, const struct hd_node *node, const uint32_t *map) {
  left->visits -= node->id == 0 ? 0 : node->visits;
  left->visits_concurrent -= node->visits_concurrent;
  left->cpu_ns -= node->cpu_ns;
  left->cpu_inclusive_ns -= node->cpu_inclusive_ns;
  left->active_ticks -= node->active_ticks;
  left->unpaired_ticks -= node->unpaired_ticks;
  subtract_ticks(left->ticks, node->ticks, HD_STATE_COUNT);
  subtract_ticks(left->inclusive_ticks, node->inclusive_ticks, HD_STATE_COUNT);
  subtract_entries(&left->entries, &node->entries);
  subtract_team(&left->team, &node->team);
  subtract_levels(&left->busy_at, &node->busy_at);
  subtract_levels(&left->busy_at_inclusive, &node->busy_at_inclusive);
  if (node->id > 0) /* the program's are those of the model */
    subtract_levels(&left->elapsed_at, &node->elapsed_at);
  assert_int_equal(left->target, map[node->target]);
  assert_int_equal(left->depth, node->depth);
  assert_int_equal(left->flags & node->flags, node->flags);
}

static void subtract_overlaps(struct hd_model *from, const struct hd_model *model, const uint32_t *map) {
  for (uint32_t i = 0; i < model->overlap_count; i++) {
    const struct hd_overlap *overlap = &model->overlaps[i];
    uint32_t j = 0;
    for (; j < from->overlap_count; j++)
      if ((from->overlaps[j].a == map[overlap->a] && from->overlaps[j].b == map[overlap->b]) ||
          (from->overlaps[j].b == map[overlap->a] && from->overlaps[j].a == map[overlap->b]))
        break;
    assert_true(j < from->overlap_count);
    from->overlaps[j].ticks -= overlap->ticks;
  }
}

static void subtract(struct hd_model *from, const struct hd_model *model) {
  uint32_t *map = calloc(model->node_count, sizeof *map);
  assert_non_null(map);
  map_nodes(model, from, map);
  for (uint32_t i = 0; i < model->node_count; i++)
    subtract_node(&from->nodes[map[i]], &model->nodes[i], map);
  subtract_rows(from, model, map);
  subtract_overlaps(from, model, map);
  free(map);
  for (uint32_t i = 0; i < model->thread_count; i++) {
    subtract_ticks(from->threads[i].ticks, model->threads[i].ticks, HD_STATE_COUNT);
    from->threads[i].lifetime_ticks -= model->threads[i].lifetime_ticks;
  }
  subtract_levels(&from->time_at, &model->time_at);
  subtract_ticks(from->ticks, model->ticks, HD_STATE_COUNT);
  from->elapsed_ticks -= model->elapsed_ticks;
  from->inside_ticks -= model->inside_ticks;
  from->header.paused_ticks -= model->header.paused_ticks;
  from->header.pauses -= model->header.pauses;
  from->header.left_routines -= model->header.left_routines;
  from->header.unmatched_phases -= model->header.unmatched_phases;
}

static void expect_no_ticks(const uint64_t *ticks, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    assert_int_equal(ticks[i], 0);
}

static void expect_empty_node(const struct hd_node *node) {
  const struct hd_team_totals *team = &node->team;
  const uint64_t rest[] = {node->id == 0 ? 0 : node->visits,
                           node->visits_concurrent,
                           node->cpu_ns,
                           node->cpu_inclusive_ns,
                           node->active_ticks,
                           node->unpaired_ticks,
                           team->instances,
                           team->open_instances,
                           team->elapsed_ticks,
                           team->capacity_ticks,
                           team->busy_ticks,
                           team->busy_max_ticks,
                           team->idle_ticks};
  expect_no_ticks(rest, sizeof rest / sizeof *rest);
  expect_no_ticks(node->ticks, HD_STATE_COUNT);
  expect_no_ticks(node->inclusive_ticks, HD_STATE_COUNT);
  expect_no_ticks(node->entries.visits[0], 4);
  expect_no_ticks(node->entries.ticks[0], 4);
  expect_no_ticks(node->busy_at.ticks, node->busy_at.count);
  expect_no_ticks(node->busy_at_inclusive.ticks, node->busy_at_inclusive.count);
  expect_no_ticks(node->elapsed_at.ticks, node->elapsed_at.count);
  assert_true(fabs(team->mean_ticks) < 1e-3);
}

/* The sum is used up. */
static void expect_sum(struct hd_model *sum, struct hd_model *const *models, size_t count) {
  for (size_t i = 0; i < count; i++)
    subtract(sum, models[i]);
  for (uint32_t i = 0; i < sum->node_count; i++)
    expect_empty_node(&sum->nodes[i]);
  for (uint32_t i = 0; i < sum->row_count; i++) {
    assert_int_equal(sum->rows[i].visits + sum->rows[i].cpu_ns + hd_ticks_all(sum->rows[i].ticks), 0);
    expect_no_ticks(sum->rows[i].entries.visits[0], 4);
  }
  for (uint32_t i = 0; i < sum->thread_count; i++)
    assert_int_equal(sum->threads[i].lifetime_ticks | hd_ticks_all(sum->threads[i].ticks), 0);
  for (uint32_t i = 0; i < sum->overlap_count; i++)
    assert_int_equal(sum->overlaps[i].ticks, 0);
  expect_no_ticks(sum->time_at.ticks, sum->time_at.count);
  expect_no_ticks(sum->ticks, HD_STATE_COUNT);
  assert_int_equal(sum->elapsed_ticks | sum->inside_ticks | sum->header.paused_ticks | sum->header.pauses, 0);
  assert_int_equal(sum->header.left_routines | sum->header.unmatched_phases, 0);
  hd_model_free(sum);
}
#define EXPECT_SUM(sum, ...)                                                                                           \
  expect_sum(sum, (struct hd_model *[]){__VA_ARGS__},                                                                  \
             sizeof((struct hd_model *[]){__VA_ARGS__}) / sizeof(struct hd_model *))

/* ---- random programs ---- */

enum { SEEDS = 40 };

static struct hd_model *play(uint64_t seed, bool killed) {
  rp_generate(seed, &(struct rp_options){.routines = true, .recursive = seed % 2, .killed = killed});
  const struct fk_result result = fk_play(sc_script(), NULL);
  struct hd_model *model = NULL;
  char error[300] = "";
  if (!hd_profile_open(result.path, &model, error, sizeof error))
    fail_msg("seed %llu: %s", (unsigned long long)seed, error);
  hd_model_need_rows(model);
  return model;
}

static void test_one_run_stays_what_it_is(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    struct hd_model *model = play(seed, false);
    struct hd_model *sum = SUM(model);
    assert_int_equal(sum->node_count, model->node_count);
    assert_int_equal(sum->row_count, model->row_count);
    assert_int_equal(sum->overlap_count, model->overlap_count);
    assert_true(sum->gain_ticks == model->gain_ticks || fabs(sum->gain_ticks / model->gain_ticks - 1) < 1e-9);
    EXPECT_SUM(sum, model);
    hd_model_free(model);
  }
}

static void test_sum_of_runs_is_their_sum_in_every_number(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    struct hd_model *models[] = {play(seed, false), play(seed + 1000, false), play(seed, false)};
    EXPECT_SUM(SUM(models[0], models[1]), models[0], models[1]);
    EXPECT_SUM(SUM(models[1], models[0]), models[0], models[1]);
    EXPECT_SUM(SUM(models[0], models[2]), models[0], models[0]);
    EXPECT_SUM(SUM(models[0], models[1], models[2]), models[0], models[1], models[2]);
    free_all(models, 3);
  }
}

static void test_sums_can_be_added_up_again(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    struct hd_model *models[] = {play(seed, false), play(seed + 1000, false), play(seed + 2000, true)};
    struct hd_model *first = SUM(models[1], models[2]);
    struct hd_model *sum = SUM(models[0], first);
    assert_true(has_note(sum, "sum of 2 runs"));
    assert_true(has_note(sum, "sum of 2 profiles"));
    EXPECT_SUM(sum, models[0], models[1], models[2]);
    hd_model_free(first);
    free_all(models, 3);
  }
}

static void test_killed_runs_count_up_to_their_end(void **state) {
  (void)state;
  int killed = 0;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    struct hd_model *models[] = {play(seed, true), play(seed + 1000, false)};
    if (models[0]->levels_known && !(models[0]->header.flags & HD_FILE_COMPLETE)) {
      struct hd_model *sum = SUM(models[0], models[1]);
      assert_true(has_note(sum, "counted up to the last event seen"));
      assert_false(sum->header.flags & HD_FILE_COMPLETE);
      EXPECT_SUM(sum, models[0], models[1]);
      killed++;
    }
    free_all(models, 2);
  }
  assert_true(killed > SEEDS / 2);
}

static uint64_t entry_ticks(const struct hd_model *model) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < model->row_count; i++)
    for (int j = 0; j < 4; j++)
      sum += model->rows[i].entries.ticks[j / 2][j % 2];
  return sum;
}

/* Clocks of 1 GHz and, as if, of 2.1 GHz: in ticks of 1/21 of 10 ns the sum is exact. */
static void test_clocks_of_different_rates_keep_all_identities(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    struct hd_model *models[] = {play(seed, false), play(seed + 1000, false)};
    models[1]->header.clock_kind = HD_CLOCK_TSC;
    models[1]->seconds_per_tick = 1e-9 / 2.1;
    const double seconds =
        hd_model_seconds(models[0], models[0]->elapsed_ticks) + hd_model_seconds(models[1], models[1]->elapsed_ticks);
    struct hd_model *sum = SUM(models[0], models[1]); /* holds the identities */
    assert_true(has_note(sum, "its times were scaled"));
    assert_int_equal(sum->elapsed_ticks, 21 * models[0]->elapsed_ticks + 10 * models[1]->elapsed_ticks);
    assert_int_equal(entry_ticks(sum), 21 * entry_ticks(models[0]) + 10 * entry_ticks(models[1]));
    assert_int_equal(sum->header.paused_ticks,
                     21 * models[0]->header.paused_ticks + 10 * models[1]->header.paused_ticks);
    assert_true(fabs(hd_model_seconds(sum, sum->elapsed_ticks) / seconds - 1) < 1e-9);
    hd_model_free(sum);
    free_all(models, 2);
  }
}

static void test_clocks_of_nearly_the_same_rate_keep_whole_ticks(void **state) {
  (void)state;
  struct hd_model *models[] = {play(1, false), play(2, false)};
  models[1]->header.clock_kind = models[0]->header.clock_kind = HD_CLOCK_TSC;
  models[1]->seconds_per_tick = 1.0005e-9;
  struct hd_model *sum = SUM(models[0], models[1]);
  assert_false(has_note(sum, "scaled"));
  EXPECT_SUM(sum, models[0], models[1]);
  free_all(models, 2);
}

static void test_what_only_some_runs_measured_is_left_out_and_said(void **state) {
  (void)state;
  struct hd_model *models[] = {play(1, false), play(1, false)};
  models[1]->levels_known = models[1]->entries_known = false;
  models[0]->header.flags |= HD_FILE_CPU_TIME;
  struct hd_model *sum = SUM(models[0], models[1]);
  assert_false(sum->levels_known);
  assert_false(sum->header.flags & HD_FILE_CPU_TIME);
  assert_true(has_note(sum, "has no record of how many threads were busy"));
  assert_true(has_note(sum, "processor time was not measured in all runs"));
  hd_model_free(sum);
  free_all(models, 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_run_stays_what_it_is),
      cmocka_unit_test(test_sum_of_runs_is_their_sum_in_every_number),
      cmocka_unit_test(test_sums_can_be_added_up_again),
      cmocka_unit_test(test_killed_runs_count_up_to_their_end),
      cmocka_unit_test(test_clocks_of_different_rates_keep_all_identities),
      cmocka_unit_test(test_clocks_of_nearly_the_same_rate_keep_whole_ticks),
      cmocka_unit_test(test_what_only_some_runs_measured_is_left_out_and_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
