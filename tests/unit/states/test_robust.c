/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Runtimes that misbehave, threads that nobody announced, large programs: never a crash, no time lost. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "expect.h"
#include "output/model/memory.h"
#include "output/reader/open.h"
#include "random_program.h"
#include "script.h"

#define REGION SITE(PARALLEL, 0x100)

static void begin(void) {
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
}

static struct hd_model *end(uint64_t time) {
  sc_at(time);
  sc_finish();
  return ex_play_rough(NULL);
}

/* Threads and events that are not as they should be. */

static void test_unannounced_thread_is_measured_from_its_first_event(void **state) {
  (void)state;
  begin();
  sc_thread(4);
  sc_at(7);
  sc_acquire(ompt_mutex_critical, 1, 0x400);
  sc_at(9);
  sc_acquired(ompt_mutex_critical, 1, 0x400);
  sc_at(12);
  sc_released(ompt_mutex_critical, 1, 0x400);
  sc_thread(0);
  struct hd_model *model = end(20);
  assert_int_equal(model->thread_count, 2);
  assert_int_equal(model->threads[1].begin_ticks, 7);
  assert_int_equal(ex_ticks(model, 1, HD_WAIT_CRITICAL, SITE(CRITICAL, 0x400)), 2);
  assert_int_equal(ex_ticks(model, 1, HD_BUSY, PROGRAM), 8);
  hd_model_free(model);
}

static void test_thread_without_data_is_not_measured(void **state) {
  (void)state;
  begin();
  struct fk_event event = fk_event_of(FK_MUTEX_ACQUIRE, 3, FK_NONE);
  event.kind = ompt_mutex_lock;
  fk_emit(sc_script(), &event);
  struct hd_model *model = end(5);
  assert_int_equal(model->thread_count, 1);
  hd_model_free(model);
}

static void test_unknown_kinds_are_counted_and_their_time_kept(void **state) {
  (void)state;
  begin();
  sc_fork(0x100, 2, 1, 0);
  sc_at(2);
  sc_work_begin((ompt_work_t)77, 0x200);
  sc_at(5);
  sc_work_end((ompt_work_t)77, 0x200);
  sc_barrier_begin((ompt_sync_region_t)88, 0x300);
  sc_at(9);
  sc_barrier_end((ompt_sync_region_t)88, 0x300);
  sc_acquire((ompt_mutex_t)99, 1, 0x400);
  sc_acquired((ompt_mutex_t)99, 1, 0x400);
  sc_released((ompt_mutex_t)99, 1, 0x400);
  sc_thread(1);
  sc_join_begin();
  sc_thread(0);
  sc_join(12, 12, 12);
  struct hd_model *model = end(12);
  assert_true(model->header.unknown_events >= 3);
  assert_int_equal(model->header.unmatched_events, 0);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION, SITE(OTHER, 0x200)), 3);
  assert_int_equal(ex_ticks(model, 0, HD_WAIT_OTHER, REGION, SITE(OTHER, 0x300)), 4);
  hd_model_free(model);
}

static void test_ends_without_begins_are_counted(void **state) {
  (void)state;
  begin();
  sc_fork(0x100, 2, 1, 0);
  sc_at(5);
  sc_work_end(ompt_work_loop_static, 0x200);
  sc_barrier_end(ompt_sync_region_barrier_explicit, 0x300);
  sc_released(ompt_mutex_critical, 1, 0x400);
  sc_thread(1);
  sc_join_begin();
  sc_thread(0);
  sc_join(12, 12, 12);
  struct hd_model *model = end(12);
  assert_int_equal(model->header.unmatched_events, 3);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION), 12);
  hd_model_free(model);
}

static void test_parallel_end_without_begin_is_counted(void **state) {
  (void)state;
  begin();
  sc_at(5);
  sc_emit(sc_event(FK_PARALLEL_END));
  struct hd_model *model = end(12);
  assert_int_equal(model->header.unmatched_events, 1);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, PROGRAM), 12);
  hd_model_free(model);
}

/* The end of the inner of two nested tasks never comes: the thread goes on with the task that the runtime names. */
static void test_lost_task_end_returns_to_the_task_named(void **state) {
  (void)state;
  begin();
  sc_fork(0x100, 2, 1, 0);
  uint32_t outer = sc_task_create(0x500, 0);
  uint32_t inner = sc_task_create(0x510, 0);
  uint32_t implicit = sc_current_task();
  sc_barrier_begin(ompt_sync_region_barrier_explicit, 0x150);
  sc_task_run(outer);
  sc_at(2);
  sc_task_run(inner);
  sc_at(5);
  struct fk_event event = sc_event(FK_TASK_SCHEDULE);
  event.task = outer;
  event.kind = ompt_task_complete;
  event.next = implicit;
  sc_emit(event);
  sc_at(9);
  sc_barrier_end(ompt_sync_region_barrier_explicit, 0x150);
  sc_thread(1);
  sc_join_begin();
  sc_thread(0);
  sc_join(9, 9, 9);
  struct hd_model *model = end(9);
  assert_int_equal(ex_ticks(model, 0, HD_WAIT_BARRIER_EXPLICIT, REGION, SITE(BARRIER_EXPLICIT, 0x150)), 4);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION, SITE(TASK, 0x500)), 2);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION, SITE(TASK, 0x510)), 3);
  hd_model_free(model);
}

/* libomp tells of a part's end before it queues the rest of the task, and when the part has ended really, that the task
 * is complete: if another thread has run the rest meanwhile, nothing tells of the end there. `untold` runs there. */
static struct hd_model *play_untold_end(void (*untold)(void)) {
  begin();
  sc_fork(0x100, 2, 1, 0);
  const uint32_t task = sc_task_create(0x500, ompt_task_untied);
  sc_barrier_begin(ompt_sync_region_taskwait, 0x600);
  sc_at(2);
  sc_task_run(task);
  sc_at(5);
  sc_task_tell_end(ompt_task_switch);
  sc_thread(1);
  sc_barrier_begin(ompt_sync_region_barrier_explicit, 0x150);
  sc_at(6);
  sc_task_run(task);
  sc_task_leave_untold();
  sc_at(9);
  untold();
  sc_thread(0);
  sc_at(10);
  sc_task_leave(ompt_task_complete);
  sc_barrier_end(ompt_sync_region_taskwait, 0x600);
  sc_thread(1);
  sc_at(20);
  sc_join_begin();
  sc_thread(0);
  sc_join(20, 20, 20);
  return end(20);
}

static void end_barrier(void) {
  sc_barrier_end(ompt_sync_region_barrier_explicit, 0x150);
}

static void run_another(void) {
  sc_task_run(sc_task_create(0x700, 0));
  sc_at(12);
  sc_task_leave(ompt_task_complete);
  sc_at(15);
  end_barrier();
}

static void test_part_whose_end_is_not_told_ends_at_the_next_event(void **state) {
  (void)state;
  struct hd_model *model = play_untold_end(end_barrier);
  assert_int_equal(model->header.unmatched_events, 0);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION, SITE(TASK, 0x500)), 3);
  assert_int_equal(ex_ticks(model, 1, HD_BUSY, REGION, SITE(TASK, 0x500)), 3);
  assert_int_equal(ex_ticks(model, 1, HD_WAIT_BARRIER_EXPLICIT, REGION, SITE(BARRIER_EXPLICIT, 0x150)), 1);
  assert_int_equal(ex_ticks(model, 1, HD_BUSY, REGION), 5 + 11);
  hd_model_free(model);
  model = play_untold_end(run_another);
  assert_int_equal(model->header.unmatched_events, 0);
  assert_int_equal(ex_ticks(model, 1, HD_BUSY, REGION, SITE(TASK, 0x500)), 3);
  assert_int_equal(ex_ticks(model, 1, HD_WAIT_BARRIER_EXPLICIT, REGION, SITE(BARRIER_EXPLICIT, 0x150)), 1 + 3);
  hd_model_free(model);
}

/* Every event of a random program is lost with some probability, or comes at the wrong place; but for the begin and end
 * of a call into an entry point, which are the wrapper's own. */
static void spoil(struct fk_script *script, uint64_t seed) {
  size_t kept = 0;
  srandom((unsigned)seed);
  for (size_t i = 0; i < script->count; i++) {
    struct fk_event *e = &script->events[i];
    long chance = random() % 100;
    bool needed = e->op == FK_FINALIZE || e->op == FK_PARALLEL_BEGIN || e->op == FK_TASK_CREATE ||
                  e->op == FK_ENTRY_BEGIN || e->op == FK_ENTRY_END || /* calls of the program's own */
                  (e->op == FK_IMPLICIT_TASK && e->endpoint == ompt_scope_begin);
    if (!needed && chance < 10)
      continue;
    if (chance > 90 && e->op == FK_WORK)
      e->kind = (uint32_t)random() % 16;
    else if (chance > 90 && (e->op == FK_SYNC_WAIT || e->op == FK_SYNC_REGION))
      e->kind = (uint32_t)random() % 12;
    else if (chance > 90 && e->op >= FK_MUTEX_ACQUIRE && e->op <= FK_MUTEX_RELEASED)
      e->kind = (uint32_t)random() % 9;
    script->events[kept++] = *e;
  }
  script->count = kept;
}

static void test_spoilt_event_streams_lose_no_time(void **state) {
  (void)state;
  const char *text = getenv("HEDDLE_SEEDS");
  unsigned long count = text ? strtoul(text, NULL, 10) : 200;
  for (uint64_t seed = 1; seed <= count; seed++) {
    rp_generate(seed, &(struct rp_options){.recursive = seed & 1});
    spoil(sc_script(), seed);
    struct fk_result result = fk_play(sc_script(), NULL);
    struct hd_model *model = NULL;
    char error[300] = "";
    if (result.status != 0 || !hd_profile_open(result.path, &model, error, sizeof error))
      fail_msg("seed %lu: status %x %s", (unsigned long)seed, (unsigned)result.status, error);
    const char *broken = ex_broken_identity(model, result.path);
    if (broken)
      fail_msg("seed %lu: %s", (unsigned long)seed, broken);
    hd_model_free(model);
  }
}

/* The runtime's side. */

static void test_needed_events_are_registered_and_no_costly_ones(void **state) {
  (void)state;
  begin();
  sc_finish();
  struct fk_result result = fk_play(sc_script(), NULL);
  assert_true(result.registered[ompt_callback_implicit_task]);
  assert_true(result.registered[ompt_callback_task_schedule]);
  assert_int_equal(result.registered[ompt_callback_sync_region] + result.registered[ompt_callback_sync_region_wait], 1);
  assert_false(result.registered[ompt_callback_flush]);
  assert_false(result.registered[ompt_callback_dispatch]);
}

static void test_event_that_the_runtime_never_sends_is_noted(void **state) {
  (void)state;
  const struct fk_options options = {.never = ompt_callback_task_schedule};
  begin();
  sc_at(5);
  sc_finish();
  struct hd_model *model = ex_play_rough(&options);
  assert_int_equal(__builtin_popcountll(model->header.lost_callbacks), 1);
  assert_int_equal(hd_registered(model->header.registered, HD_CALLBACK_TASK_SCHEDULE), ompt_set_never + 1);
  assert_int_equal(hd_registered(model->header.registered, HD_CALLBACK_WORK), ompt_set_always + 1);
  assert_true(model->notes.count > 0);
  assert_non_null(strstr(model->notes.items[0], "task_schedule (it answers: never)"));
  hd_model_free(model);
}

static void test_failed_registration_is_noted(void **state) {
  (void)state;
  const struct fk_options options = {.failing = ompt_callback_mutex_acquired};
  begin();
  sc_at(1);
  sc_acquire(ompt_mutex_critical, 1, 0x400);
  sc_at(5);
  sc_released(ompt_mutex_critical, 1, 0x400);
  sc_finish();
  struct hd_model *model = ex_play_rough(&options);
  assert_int_equal(__builtin_popcountll(model->header.lost_callbacks), 1);
  assert_int_equal(ex_ticks(model, 0, HD_WAIT_CRITICAL, SITE(CRITICAL, 0x400)), 4);
  hd_model_free(model);
}

/* Sizes. */

static void test_team_of_500_threads_is_whole(void **state) {
  (void)state;
  begin();
  for (uint64_t i = 0; i < 3; i++) {
    sc_at(100 * i);
    sc_fork(0x100, 500, 1, 100 * i);
    for (uint32_t thread = 1; thread < 500; thread++) {
      sc_thread(thread);
      sc_at(100 * i + 10);
      sc_join_begin();
    }
    sc_thread(0);
    sc_join(100 * i + 20, 100 * i + 20, 100 * i + 20);
  }
  sc_at(400);
  sc_finish();
  struct hd_model *model = ex_play();
  assert_int_equal(model->thread_count, 500);
  assert_int_equal(ex_node(model, REGION)->team.busy_ticks, 3 * (20 + 499 * 10));
  assert_int_equal(ex_node(model, REGION)->team.capacity_ticks, 3 * 500 * 20);
  hd_model_free(model);
}

static void test_deep_nest_of_constructs_is_whole(void **state) {
  (void)state;
  enum { DEPTH = 500 };
  begin();
  for (uint64_t i = 0; i < DEPTH; i++) {
    sc_at(i);
    sc_acquire(ompt_mutex_critical, i, 0x10000 + 16 * i);
    sc_acquired(ompt_mutex_critical, i, 0x10000 + 16 * i);
  }
  for (uint64_t i = DEPTH; i-- > 0;) {
    sc_at(2 * DEPTH - 1 - i);
    sc_released(ompt_mutex_critical, i, 0);
  }
  sc_finish();
  struct hd_model *model = ex_play();
  assert_int_equal(model->node_count, DEPTH + 1);
  assert_int_equal(model->ticks[HD_BUSY], 2 * DEPTH - 1);
  assert_int_equal(model->nodes[DEPTH].depth, DEPTH);
  hd_model_free(model);
}

static void test_many_sites_are_kept_apart(void **state) {
  (void)state;
  enum { SITES = 5000 };
  begin();
  for (uint64_t i = 0; i < 2 * SITES; i++) {
    sc_at(i);
    sc_acquire(ompt_mutex_critical, 1, 0x10000 + 16 * (i % SITES));
    sc_acquired(ompt_mutex_critical, 1, 0x10000 + 16 * (i % SITES));
    sc_at(i + 1);
    sc_released(ompt_mutex_critical, 1, 0);
  }
  sc_finish();
  struct hd_model *model = ex_play();
  assert_int_equal(model->node_count, SITES + 1);
  for (uint32_t i = 1; i < model->node_count; i++)
    assert_int_equal(model->nodes[i].ticks[HD_BUSY], 2);
  hd_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_unannounced_thread_is_measured_from_its_first_event),
      cmocka_unit_test(test_thread_without_data_is_not_measured),
      cmocka_unit_test(test_unknown_kinds_are_counted_and_their_time_kept),
      cmocka_unit_test(test_ends_without_begins_are_counted),
      cmocka_unit_test(test_parallel_end_without_begin_is_counted),
      cmocka_unit_test(test_lost_task_end_returns_to_the_task_named),
      cmocka_unit_test(test_part_whose_end_is_not_told_ends_at_the_next_event),
      cmocka_unit_test(test_spoilt_event_streams_lose_no_time),
      cmocka_unit_test(test_needed_events_are_registered_and_no_costly_ones),
      cmocka_unit_test(test_event_that_the_runtime_never_sends_is_noted),
      cmocka_unit_test(test_failed_registration_is_noted),
      cmocka_unit_test(test_team_of_500_threads_is_whole),
      cmocka_unit_test(test_deep_nest_of_constructs_is_whole),
      cmocka_unit_test(test_many_sites_are_kept_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
