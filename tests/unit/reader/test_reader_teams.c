/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file test_reader_teams.c
 * What the reader makes of teams that had not ended, of workers that wait for their end, and of idling that the sweep
 * found in waits. All expected values are whole ticks.
 */
#include "output/model/lazy_rows.h"
#include "output/model/memory.h"
#include "profile_pair.h"

/* The worker arrived at the region's end at 1200 and was not heard of again. */
static struct hd_model *read_joining(uint64_t join_ticks) {
  struct pair pair;
  make_pair(&pair);
  struct hd_team_record *team = builder_team(&pair.builder, 1);
  builder_begin_worker(team, pair.threads[1], 1000, 0);
  team->begin_ticks = 1000;
  team->team_size = 2;
  team->finished = team->pending = 1;
  team->flags |= join_ticks ? HD_TEAM_JOINED | HD_TEAM_ENDED | HD_TEAM_ADDED : 0;
  team->join_ticks = team->end_ticks = join_ticks;
  pair.threads[1]->last_ticks = 1200;
  builder_cell(pair.rows[1][1], HD_BUSY)->ticks = 200;
  open_cell(&pair, 1, 1, HD_WAIT_BARRIER_IMPLICIT);
  builder_waiting(&pair.builder, 1, team);
  struct hd_model *model = builder_read(&pair.builder);
  builder_free(&pair.builder);
  return model;
}

static void test_joining_worker_waits_until_the_join_and_is_idle_after(void **state) {
  (void)state;
  struct hd_model *model = read_joining(1500);
  assert_int_equal(model->nodes[1].ticks[HD_WAIT_BARRIER_IMPLICIT], 300);
  assert_int_equal(hd_model_row(model, 0, 1)->ticks[HD_IDLE], 500);
  assert_true(hd_model_thread_is_whole(model, 1));
  hd_model_free(model);
}

static void test_joining_worker_waits_to_the_end_without_a_join(void **state) {
  (void)state;
  struct hd_model *model = read_joining(0);
  assert_int_equal(model->nodes[1].ticks[HD_WAIT_BARRIER_IMPLICIT], 800);
  assert_int_equal(hd_model_row(model, 0, 1)->ticks[HD_IDLE], 0);
  hd_model_free(model);
}

static void test_joining_worker_that_came_after_the_join_is_idle(void **state) {
  (void)state;
  struct hd_model *model = read_joining(1100);
  assert_int_equal(model->nodes[1].ticks[HD_WAIT_BARRIER_IMPLICIT], 0);
  assert_int_equal(hd_model_row(model, 0, 1)->ticks[HD_IDLE], 800);
  hd_model_free(model);
}

/* A team of three from 1200 on: thread 0 busy all along, thread 1 from 1300 to 1500, the third never came. */
static struct hd_team_record *open_region(struct pair *pair) {
  struct hd_team_record *team = builder_team(&pair->builder, 1);
  team->begin_ticks = 1200;
  team->team_size = 3;
  builder_primary(&pair->builder, team, 1200, 200);
  builder_begin_worker(team, pair->threads[1], 1300, 50);
  *builder_primary(&pair->builder, team, 1100, 0) = (struct hd_membership_record){
      .team = team->team, .thread = 1, .begin_ticks = 1100}; /* of an earlier team of that number */
  pair->threads[0]->busy_ticks = 200;
  pair->threads[0]->last_ticks = 1200;
  builder_cell(pair->rows[0][0], HD_BUSY)->ticks = 200;
  open_cell(pair, 0, 1, HD_BUSY);
  pair->threads[1]->busy_ticks = 250;
  pair->threads[1]->last_ticks = 1500;
  builder_cell(pair->rows[1][2], HD_BUSY)->ticks = 250;
  builder_cell(pair->rows[1][0], HD_IDLE)->ticks = 250;
  open_cell(pair, 1, 1, HD_WAIT_BARRIER_IMPLICIT);
  return team;
}

static void test_open_instance_is_closed_at_the_end(void **state) {
  (void)state;
  struct pair pair;
  make_pair(&pair);
  open_region(&pair);
  struct hd_model *model = builder_read(&pair.builder);
  const struct hd_team_totals *team = &model->nodes[1].team;
  assert_int_equal(model->nodes[1].visits, 1);
  assert_int_equal(team->open_instances, 1);
  assert_int_equal(team->elapsed_ticks, 800);
  assert_int_equal(team->capacity_ticks, 2400);
  assert_int_equal(team->busy_ticks, 800 + 200);
  assert_int_equal(team->busy_max_ticks, 3 * 800);
  assert_int_equal(team->idle_ticks, 100 + 800);
  assert_int_equal(team->team_min, 3);
  assert_int_equal(model->inside_ticks, 800);
  hd_model_free(model);
  builder_free(&pair.builder);
}

/* Killed before the primary's implicit task began: 100 ticks of an earlier instance, 800 of the open one. */
static void test_open_instance_of_unknown_size_has_its_time(void **state) {
  (void)state;
  struct pair pair;
  make_pair(&pair);
  builder_team(&pair.builder, 1)->begin_ticks = 1200;
  struct hd_total_record *total = builder_record(&pair.builder, HD_BLOCK_TOTALS, sizeof *total);
  *total = (struct hd_total_record){.profile = 1, .team_size = 3, .instances = 1};
  total->elapsed_ticks = 100;
  total->capacity_ticks = 300;
  struct hd_model *model = builder_read(&pair.builder);
  assert_int_equal(model->nodes[1].visits, 2);
  assert_int_equal(model->nodes[1].team.elapsed_ticks, 900);
  assert_true(hd_team_elapsed(&model->nodes[1].team) == 900);
  hd_model_free(model);
  builder_free(&pair.builder);
}

static void test_open_recursive_instance_adds_no_time(void **state) {
  (void)state;
  struct pair pair;
  make_pair(&pair);
  open_region(&pair)->flags |= HD_LOG_UNCOUNTED;
  struct hd_model *model = builder_read(&pair.builder);
  assert_int_equal(model->nodes[1].visits, 1);
  assert_int_equal(model->nodes[1].team.elapsed_ticks, 0);
  assert_int_equal(model->nodes[1].team.team_max, 0);
  hd_model_free(model);
  builder_free(&pair.builder);
}

static void test_a_team_with_more_workers_than_its_size_is_read(void **state) {
  (void)state;
  struct pair pair;
  make_pair(&pair);
  open_region(&pair)->begun = 4;
  struct hd_model *model = builder_read(&pair.builder);
  assert_int_equal(model->nodes[1].team.busy_ticks, 1000);
  assert_int_equal(model->nodes[1].team.capacity_ticks, 2400);
  assert_int_equal(model->nodes[1].team.idle_ticks, 0);
  hd_model_free(model);
  builder_free(&pair.builder);
}

/* Its members have told for how long they were busy; the third never came. */
static void test_open_instance_that_has_joined_has_what_its_members_told(void **state) {
  (void)state;
  struct pair pair;
  make_pair(&pair);
  struct hd_team_record *team = open_region(&pair);
  team->flags |= HD_TEAM_JOINED;
  team->join_ticks = 1900;
  team->finished = team->pending = 1;
  team->busy_ticks = 900;
  team->busy_most_ticks = 700;
  team->late_finish_ticks = 5;
  struct hd_model *model = builder_read(&pair.builder);
  assert_int_equal(model->nodes[1].team.open_instances, 1);
  assert_int_equal(model->nodes[1].team.busy_ticks, 900);
  assert_int_equal(model->nodes[1].team.busy_max_ticks, 3 * 700);
  assert_int_equal(model->nodes[1].team.idle_ticks, 100 + 700 + 2 * 100 - 5);
  assert_int_equal(model->nodes[1].team.elapsed_ticks, 800);
  hd_model_free(model);
  builder_free(&pair.builder);
}

/* The ring that the worker had before somebody else used its records says nothing of it. */
static void test_a_ring_of_a_thread_that_is_over_is_not_the_next_ones(void **state) {
  (void)state;
  struct pair pair;
  make_pair(&pair);
  struct hd_team_record *team = open_region(&pair);
  builder_waiting(&pair.builder, 1, team)->ended = 1;
  open_cell(&pair, 1, 1, HD_WAIT_CRITICAL);
  team->flags |= HD_TEAM_JOINED;
  team->join_ticks = 1600;
  struct hd_model *model = builder_read(&pair.builder);
  assert_int_equal(model->nodes[1].ticks[HD_WAIT_CRITICAL], 500);
  hd_model_free(model);
  builder_free(&pair.builder);
}

/* Of 500 ticks that the worker waited in two rows' cells it idled 300. */
static void test_a_wait_after_the_join_is_the_programs(void **state) {
  (void)state;
  struct pair pair;
  make_pair(&pair);
  pair.threads[1]->last_ticks = pair.threads[1]->end_ticks = 1500;
  builder_cell(pair.rows[1][1], HD_WAIT_BARRIER_IMPLICIT)->ticks = 100;
  builder_cell(pair.rows[1][1], HD_CELL_TEAM)->ticks = 300;
  builder_cell(builder_row(&pair.builder, 1, 1), HD_WAIT_BARRIER_IMPLICIT)->ticks = 400;
  struct hd_model *model = builder_read(&pair.builder);
  assert_int_equal(model->nodes[1].ticks[HD_WAIT_BARRIER_IMPLICIT], 200);
  assert_int_equal(model->nodes[0].ticks[HD_IDLE], 1000 + 300); /* thread 0 idles */
  assert_int_equal(hd_model_row(model, 1, 1)->ticks[HD_WAIT_BARRIER_IMPLICIT], 200);
  assert_int_equal(hd_model_row(model, 0, 1)->ticks[HD_IDLE], 300);
  assert_int_equal(model->threads[1].ticks[HD_IDLE], 300);
  assert_int_equal(model->ticks[HD_WAIT_BARRIER_IMPLICIT], 200);
  assert_true(hd_model_thread_is_whole(model, 1));
  hd_model_free(model);
  builder_free(&pair.builder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_joining_worker_waits_until_the_join_and_is_idle_after),
      cmocka_unit_test(test_joining_worker_waits_to_the_end_without_a_join),
      cmocka_unit_test(test_joining_worker_that_came_after_the_join_is_idle),
      cmocka_unit_test(test_open_instance_is_closed_at_the_end),
      cmocka_unit_test(test_open_instance_of_unknown_size_has_its_time),
      cmocka_unit_test(test_open_recursive_instance_adds_no_time),
      cmocka_unit_test(test_a_team_with_more_workers_than_its_size_is_read),
      cmocka_unit_test(test_open_instance_that_has_joined_has_what_its_members_told),
      cmocka_unit_test(test_a_ring_of_a_thread_that_is_over_is_not_the_next_ones),
      cmocka_unit_test(test_a_wait_after_the_join_is_the_programs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
