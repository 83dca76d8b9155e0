/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parallel regions: instances, teams, nesting, totals. */
#include "expect.h"
#include "output/model/levels.h"
#include "output/model/memory.h"
#include "script.h"

#define REGION SITE(PARALLEL, 0x100)
#define LOOP SITE(LOOP_STATIC, 0x200)

/* From `fork`: team of three, busy 20, 10 and 5 ticks, joined 21 ticks after the fork, ended 23 after it. */
static void play_uneven_region(uint64_t fork) {
  static const uint64_t busy[] = {20, 10, 5};
  sc_at(fork);
  sc_fork(0x100, 3, 1, fork + 1);
  for (uint32_t i = 2; i > 0; i--) {
    sc_thread(i);
    sc_at(fork + 1 + busy[i]);
    sc_join_begin();
  }
  sc_thread(0);
  sc_join(fork + 21, fork + 22, fork + 24);
}

static void test_region_totals_are_exact(void **state) {
  (void)state;
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  play_uneven_region(10);
  play_uneven_region(100);
  sc_finish();
  struct hd_model *model = ex_play();
  const struct hd_team_totals *team = &ex_node(model, REGION)->team;
  assert_int_equal(team->instances, 2);
  assert_int_equal(team->elapsed_ticks, 2 * 24);
  assert_int_equal(team->capacity_ticks, 2 * 3 * 24);
  assert_int_equal(team->busy_ticks, 2 * (20 + 10 + 5));
  assert_int_equal(team->busy_max_ticks, 2 * 3 * 20);
  assert_int_equal(team->idle_ticks, 2 * 2 * (1 + 2));   /* workers: until they begin, after the join */
  const uint32_t processors = model->header.max_threads; /* 3, 2, 1, 0 busy for 5, 5, 10, 4 ticks: see test_gains.c */
  const double gain = processors >= 3 ? 2 * (72 - 35) / 3.0 : 2 * (processors == 2 ? 4 + 10 / 2.0 : 4);
  assert_true(team->gain_ticks > gain - 1e-9 && team->gain_ticks < gain + 1e-9);
  hd_model_free(model);
}

static void test_capacity_is_busy_waiting_runtime_and_idle(void **state) {
  (void)state;
  sc_start(SC_LIBOMP_14);
  sc_initial_begin();
  play_uneven_region(10);
  sc_at(90);
  sc_finish();
  struct hd_model *model = ex_play();
  const struct hd_node *node = ex_node(model, REGION);
  uint64_t told = node->inclusive_ticks[HD_BUSY] + hd_ticks_waiting(node->inclusive_ticks) +
                  node->inclusive_ticks[HD_RUNTIME_FORK_JOIN] + node->team.idle_ticks;
  assert_int_equal(node->inclusive_ticks[HD_IDLE], 0);
  assert_int_equal(told, node->team.capacity_ticks);
  hd_model_free(model);
}

static void test_visits_of_a_region_count_its_threads_and_instances(void **state) {
  (void)state;
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  for (uint64_t i = 0; i < 7; i++)
    play_uneven_region(100 * i);
  sc_finish();
  struct hd_model *model = ex_play();
  assert_int_equal(ex_node(model, REGION)->visits, 7);
  for (uint32_t thread = 0; thread < 3; thread++)
    assert_int_equal(ex_visits(model, thread, REGION), 7);
  hd_model_free(model);
}

static void test_team_sizes_are_kept_apart_and_shown_as_a_range(void **state) {
  (void)state;
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  play_uneven_region(0);
  sc_at(30);
  uint32_t region = sc_parallel_begin(0x100, 1);
  sc_implicit_begin(region, 0, 1);
  sc_join(40, 40, 40);
  sc_finish();
  struct hd_model *model = ex_play();
  const struct hd_team_totals *team = &ex_node(model, REGION)->team;
  assert_int_equal(team->team_min, 1);
  assert_int_equal(team->team_max, 3);
  assert_int_equal(team->capacity_ticks, 3 * 24 + 10);
  hd_model_free(model);
}

/* No barrier events; parallel_end gives no address. */
static void test_serialised_region_is_busy_without_waiting(void **state) {
  (void)state;
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  sc_at(5);
  uint32_t region = sc_parallel_begin(0x100, 1);
  sc_at(7);
  sc_implicit_begin(region, 0, 1);
  sc_join(17, 17, 18);
  sc_at(20);
  sc_finish();
  struct hd_model *model = ex_play();
  const struct hd_team_totals *team = &ex_node(model, REGION)->team;
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION), 10);
  assert_int_equal(ex_ticks(model, 0, HD_RUNTIME_FORK_JOIN, REGION), 2 + 1);
  assert_int_equal(ex_ticks(model, 0, HD_WAIT_BARRIER_IMPLICIT, REGION), 0);
  assert_int_equal(team->capacity_ticks, 13);
  assert_int_equal(team->busy_ticks, 10);
  assert_int_equal(team->idle_ticks, 0);
  hd_model_free(model);
}

static void test_serialised_regions_inside_each_other_keep_their_rows(void **state) {
  (void)state;
  sc_start(SC_LIBOMP_19); /* the runtime swaps the inner one's data into the same place */
  sc_initial_begin();
  uint32_t outer = sc_parallel_begin(0x100, 1);
  sc_implicit_begin(outer, 0, 1);
  sc_at(4);
  uint32_t inner = sc_parallel_begin(0x110, 2);
  sc_implicit_begin(inner, 0, 1);
  sc_join(10, 10, 10);
  sc_join(13, 13, 13);
  sc_finish();
  struct hd_model *model = ex_play();
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION), 4 + 3);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION, SITE(PARALLEL, 0x110)), 6);
  assert_int_equal(ex_node(model, REGION)->team.busy_ticks, 13);
  hd_model_free(model);
}

static void test_nested_regions_hang_below_the_primarys_callpath(void **state) {
  (void)state;
  sc_nested_teams(NULL);
  struct hd_model *model = ex_play();
  for (uint32_t i = 0; i < model->thread_count; i++)
    assert_true(ex_visits(model, i, REGION, SITE(PARALLEL, 0x110)) == 1);
  assert_int_equal(ex_node(model, REGION, SITE(PARALLEL, 0x110))->team.instances, 2);
  assert_int_equal(ex_node(model, REGION)->ticks[HD_BUSY], 2 * (10 + 5));
  assert_int_equal(ex_node(model, REGION, SITE(PARALLEL, 0x110))->ticks[HD_BUSY], 2 * (10 + 8));
  hd_model_free(model);
}

static void test_outer_team_counts_its_own_threads_only(void **state) {
  (void)state;
  sc_nested_teams(NULL);
  struct hd_model *model = ex_play();
  const struct hd_team_totals *outer = &ex_node(model, REGION)->team;
  assert_int_equal(outer->capacity_ticks, 2 * 32);
  assert_int_equal(outer->busy_ticks, 2 * (10 + 10 + 5)); /* before, as primaries inside, after */
  assert_int_equal(ex_node(model, REGION, SITE(PARALLEL, 0x110))->team.busy_ticks, 2 * (10 + 8));
  hd_model_free(model);
}

static void test_teams_region_has_its_own_kind(void **state) {
  (void)state;
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  uint32_t league = sc_teams_begin(0x100, 2);
  for (uint32_t i = 0; i < 2; i++) {
    sc_thread(i);
    sc_at(1);
    sc_implicit_begin(league, i, 2);
    uint32_t team = sc_parallel_begin(0, 1);
    sc_implicit_begin(team, 0, 1);
    sc_join(9, 9, 9);
    sc_at(10);
    sc_join_begin();
  }
  sc_thread(0);
  sc_at(12);
  sc_join_end();
  sc_parallel_end();
  sc_finish();
  fk_sort(sc_script());
  struct hd_model *model = ex_play();
  assert_int_equal(ex_node(model, SITE(TEAMS, 0x100))->team.instances, 1);
  assert_int_equal(ex_ticks(model, 1, HD_BUSY, SITE(TEAMS, 0x100), SITE(PARALLEL, 0x100)), 8);
  assert_int_equal(ex_ticks(model, 1, HD_WAIT_BARRIER_IMPLICIT, SITE(TEAMS, 0x100)), 2);
  hd_model_free(model);
}

/* The newest event comes with another region's data. */
static void tell_of(uint32_t region) {
  struct fk_script *script = sc_script();
  script->events[script->count - 1].region = region;
}

/* libomp's league of one team; and a nested team whose memory another thread has by the time of its end. */
static void test_begin_and_end_with_the_data_of_another_threads_region(void **state) {
  (void)state;
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  uint32_t others = sc_parallel_begin(0x100, 1);
  sc_implicit_begin(others, 0, 1);
  sc_thread(1);
  sc_initial_begin();
  sc_at(5);
  uint32_t league = sc_teams_begin(0x300, 1);
  sc_at(6);
  sc_implicit_begin(league, 0, 1);
  tell_of(others);
  sc_join(16, 16, 17);
  tell_of(others);
  sc_thread(0);
  sc_join(20, 20, 20);
  sc_at(30);
  sc_finish();
  struct hd_model *model = ex_play();
  assert_int_equal(ex_node(model, SITE(TEAMS, 0x300))->team.elapsed_ticks, 12);
  assert_int_equal(ex_ticks(model, 1, HD_BUSY, SITE(TEAMS, 0x300)), 10);
  assert_int_equal(ex_node(model, REGION)->team.elapsed_ticks, 20);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION), 20);
  hd_model_free(model);
}

static void test_initial_threads_have_teams_of_their_own(void **state) {
  (void)state;
  sc_start(SC_LIBOMP_19);
  for (uint32_t i = 0; i < 2; i++) {
    sc_thread(i);
    sc_at(0);
    sc_initial_begin();
    sc_at(10 + i);
    sc_fork(0x100, 2, 2 + i, 10 + i);
    sc_thread(2 + i);
    sc_at(20);
    sc_join_begin();
    sc_thread(i);
    sc_join(25, 30, 30);
  }
  sc_at(40);
  sc_finish();
  fk_sort(sc_script());
  struct hd_model *model = ex_play();
  assert_int_equal(ex_node(model, REGION)->team.instances, 2);
  assert_int_equal(ex_node(model, REGION)->team.elapsed_ticks, 20 + 19);
  assert_int_equal(model->threads[1].kind, HD_THREAD_INITIAL);
  assert_int_equal(model->threads[1].lifetime_ticks, 40);
  hd_model_free(model);
}

/* cancel parallel: threads leave the region from the middle of a construct, whose end never comes. */
static void test_cancelled_region_closes_what_was_open(void **state) {
  (void)state;
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  sc_fork(0x100, 2, 1, 0);
  for (uint32_t i = 2; i-- > 0;) {
    sc_thread(i);
    sc_at(2);
    sc_work_begin(ompt_work_loop_static, 0x200);
    sc_at(6);
    sc_cancel(ompt_cancel_parallel | ompt_cancel_activated, 0x250);
    sc_join_begin();
  }
  sc_at(8);
  sc_join_end();
  sc_parallel_end();
  sc_at(10);
  sc_finish();
  fk_sort(sc_script());
  struct hd_model *model = ex_play();
  assert_int_equal(ex_ticks(model, 1, HD_BUSY, REGION, LOOP), 4);
  assert_int_equal(ex_ticks(model, 1, HD_WAIT_BARRIER_IMPLICIT, REGION), 2);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, PROGRAM), 2);
  hd_model_free(model);
}

static void test_workers_may_serve_another_primary_next(void **state) {
  (void)state;
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  sc_fork(0x100, 3, 1, 0);
  for (uint32_t i = 2; i > 0; i--) {
    sc_thread(i);
    sc_at(5);
    sc_join_begin();
  }
  sc_thread(0);
  sc_join(5, 6, 7);
  sc_thread(5);
  sc_at(10);
  sc_initial_begin();
  sc_fork(0x110, 2, 2, 12); /* thread 2 goes to the pool and on to thread 5 */
  sc_thread(2);
  sc_at(20);
  sc_join_begin();
  sc_thread(5);
  sc_join(20, 21, 22);
  sc_at(30);
  sc_finish();
  struct hd_model *model = ex_play();
  assert_int_equal(ex_ticks(model, 2, HD_WAIT_BARRIER_IMPLICIT, REGION), 1);
  assert_int_equal(ex_ticks(model, 2, HD_BUSY, SITE(PARALLEL, 0x110)), 8);
  assert_int_equal(ex_ticks(model, 2, HD_IDLE, PROGRAM), (12 - 6) + (30 - 21));
  hd_model_free(model);
}

static void test_file_does_not_grow_with_the_number_of_instances(void **state) {
  (void)state;
  uint32_t blocks[2];
  for (int run = 0; run < 2; run++) {
    sc_start(SC_LIBOMP_19);
    sc_initial_begin();
    for (uint64_t i = 0; i < (run ? 6000 : 2000); i++) /* both are swept */
      play_uneven_region(100 * i);
    sc_finish();
    struct hd_model *model = ex_play();
    assert_int_equal(ex_node(model, REGION)->visits, run ? 6000 : 2000);
    blocks[run] = model->header.block_count;
    hd_model_free(model);
  }
  assert_int_equal(blocks[0], blocks[1]);
}

/* Two threads in so many regions, each of another place: a row for each, and now and then room for more. Who needs it
 * when the file must grow depends on what the primary has filled before. */
static struct hd_model *play_regions(uint64_t growth_ticks, uint64_t before) {
  enum { REGIONS = 60, APART = 1000 };
  const struct fk_options options = {.growth_ticks = growth_ticks};
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  for (uint64_t i = 0; i < before; i++) {
    sc_acquire(ompt_mutex_critical, 1, 0x8000 + 0x10 * i);
    sc_acquired(ompt_mutex_critical, 1, 0x8000 + 0x10 * i);
    sc_released(ompt_mutex_critical, 1, 0x8000 + 0x10 * i);
  }
  for (uint64_t i = 1; i <= REGIONS; i++) {
    sc_fork(0x100 + 0x10 * i, 2, 1, APART * i);
    sc_join(APART * i + 500, APART * i + 510, APART * i + 520);
  }
  sc_finish();
  return ex_play_with(&options);
}

static void test_who_waits_for_heddle_before_it_begins_is_not_busy(void **state) {
  (void)state;
  if (!fk_can_fail_allocations())
    skip();
  uint64_t before = 0;
  struct hd_model *late = play_regions(10, before);
  while (late->threads[1].cost_ticks == 0 && before < 100) {
    hd_model_free(late);
    late = play_regions(10, ++before);
  }
  struct hd_model *soon = play_regions(0, before);
  const struct hd_model_thread *worker = &late->threads[1];
  assert_int_equal(worker->kind, HD_THREAD_WORKER);
  assert_true(worker->cost_ticks > 0);
  assert_int_equal(worker->ticks[HD_BUSY], soon->threads[1].ticks[HD_BUSY] - worker->cost_ticks);
  assert_int_equal(worker->ticks[HD_IDLE], soon->threads[1].ticks[HD_IDLE] + worker->cost_ticks);
  assert_int_equal(worker->intrusion.ticks[HD_INTRUSION_BUSY], 0);
  assert_int_equal(hd_levels_at(&late->time_at, 1) + 2 * hd_levels_at(&late->time_at, 2), late->ticks[HD_BUSY]);
  hd_model_free(soon);
  hd_model_free(late);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_region_totals_are_exact),
      cmocka_unit_test(test_capacity_is_busy_waiting_runtime_and_idle),
      cmocka_unit_test(test_visits_of_a_region_count_its_threads_and_instances),
      cmocka_unit_test(test_team_sizes_are_kept_apart_and_shown_as_a_range),
      cmocka_unit_test(test_serialised_region_is_busy_without_waiting),
      cmocka_unit_test(test_serialised_regions_inside_each_other_keep_their_rows),
      cmocka_unit_test(test_nested_regions_hang_below_the_primarys_callpath),
      cmocka_unit_test(test_outer_team_counts_its_own_threads_only),
      cmocka_unit_test(test_teams_region_has_its_own_kind),
      cmocka_unit_test(test_begin_and_end_with_the_data_of_another_threads_region),
      cmocka_unit_test(test_initial_threads_have_teams_of_their_own),
      cmocka_unit_test(test_cancelled_region_closes_what_was_open),
      cmocka_unit_test(test_workers_may_serve_another_primary_next),
      cmocka_unit_test(test_file_does_not_grow_with_the_number_of_instances),
      cmocka_unit_test(test_who_waits_for_heddle_before_it_begins_is_not_busy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
