/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Programs that are killed, exit inside a region, fork, or go on after the runtime has finished. */
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "expect.h"
#include "output/model/memory.h"
#include "output/reader/children.h"
#include "output/reader/open.h"
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

static void test_program_killed_inside_its_region_keeps_its_numbers(void **state) {
  (void)state;
  begin();
  sc_at(10);
  sc_fork(0x100, 2, 1, 12);
  sc_thread(1);
  sc_at(20);
  sc_join_begin();
  sc_thread(0);
  sc_at(30);
  sc_work_begin(ompt_work_loop_static, 0x200);
  sc_kill();
  struct hd_model *model = ex_play_killed();
  const struct hd_team_totals *team = &ex_node(model, REGION)->team;
  assert_false(model->ended);
  assert_int_equal(team->open_instances, 1);
  assert_int_equal(team->elapsed_ticks, 20);
  assert_int_equal(team->capacity_ticks, 40);
  assert_int_equal(team->busy_ticks, 18 + 8);
  assert_int_equal(ex_ticks(model, 1, HD_WAIT_BARRIER_IMPLICIT, REGION), 10);
  hd_model_free(model);
}

/* Its arrival is told at the event's end, which never comes. */
static uint64_t killed_there(const struct fk_event *event) {
  if (event->op == FK_SYNC_WAIT)
    raise(SIGKILL);
  return 0;
}

static void test_thread_that_was_killed_in_an_event_has_its_new_state_everywhere(void **state) {
  (void)state;
  static const char *const environment[] = {"HEDDLE_TEST_DELAY=1@1", NULL};
  begin();
  sc_at(10);
  sc_fork(0x100, 2, 1, 0);
  sc_at(30);
  sc_work_begin(ompt_work_loop_static, 0x200);
  sc_thread(1);
  sc_at(20); /* not in the order of time: the processors' clocks are not the same */
  sc_join_begin();
  struct hd_model *model = ex_play_killed_with(&(struct fk_options){.environment = environment, .delay = killed_there});
  assert_int_equal(ex_node(model, REGION)->busy_at.ticks[1], 10);
  assert_int_equal(ex_node(model, REGION)->busy_at.ticks[2], 2 * 10);
  assert_int_equal(ex_ticks(model, 1, HD_WAIT_BARRIER_IMPLICIT, REGION), 10);
  hd_model_free(model);
}

static void test_worker_of_a_killed_program_is_idle_after_the_join(void **state) {
  (void)state;
  begin();
  sc_fork(0x100, 2, 1, 0);
  sc_thread(1);
  sc_at(20);
  sc_join_begin();
  sc_thread(0);
  sc_join(22, 25, 26);
  sc_at(40);
  sc_acquire(ompt_mutex_critical, 1, 0x400);
  sc_kill();
  struct hd_model *model = ex_play_killed();
  assert_int_equal(ex_ticks(model, 1, HD_WAIT_BARRIER_IMPLICIT, REGION), 5);
  assert_int_equal(ex_ticks(model, 1, HD_IDLE, PROGRAM), 15);
  assert_true(model->threads[1].alive);
  hd_model_free(model);
}

static void test_thread_that_waits_for_a_lock_when_killed_waits(void **state) {
  (void)state;
  begin();
  sc_thread(1);
  sc_at(3);
  sc_initial_begin();
  sc_at(5);
  sc_acquire(ompt_mutex_lock, 7, 0x400);
  sc_thread(0);
  sc_at(19);
  sc_acquire(ompt_mutex_critical, 1, 0x410);
  sc_kill();
  struct hd_model *model = ex_play_killed();
  assert_int_equal(ex_ticks(model, 1, HD_WAIT_LOCK, SITE(LOCK, 0x400)), 14);
  hd_model_free(model);
}

static void test_exit_inside_a_region_completes_the_profile(void **state) {
  (void)state;
  begin();
  sc_at(10);
  sc_fork(0x100, 2, 1, 10);
  sc_at(27);
  sc_exit(0);
  struct hd_model *model = ex_play_rough(NULL);
  assert_true(model->header.flags & HD_FILE_COMPLETE);
  assert_true(model->ended);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION), 17);
  assert_int_equal(ex_ticks(model, 1, HD_BUSY, REGION), 17);
  assert_int_equal(ex_node(model, REGION)->team.capacity_ticks, 34);
  hd_model_free(model);
}

static void test_exit_status_of_the_program_is_kept(void **state) {
  (void)state;
  begin();
  sc_exit(42);
  struct fk_result result = fk_play(sc_script(), NULL);
  assert_int_equal(WEXITSTATUS(result.status), 42);
}

static void test_events_after_finalize_change_nothing(void **state) {
  (void)state;
  begin();
  sc_at(5);
  sc_finalize();
  sc_at(50);
  sc_acquire(ompt_mutex_critical, 1, 0x400);
  sc_acquired(ompt_mutex_critical, 1, 0x400);
  sc_released(ompt_mutex_critical, 1, 0x400);
  sc_thread(3);
  sc_initial_begin(); /* a thread that is new then */
  struct hd_model *model = ex_play_rough(NULL);
  assert_int_equal(model->end_ticks, 5);
  assert_int_equal(model->thread_count, 1);
  assert_int_equal(model->node_count, 1);
  hd_model_free(model);
}

static void test_second_finalize_is_harmless(void **state) {
  (void)state;
  begin();
  sc_at(5);
  sc_finalize();
  sc_at(9);
  sc_finalize();
  sc_exit(0);
  struct hd_model *model = ex_play_rough(NULL);
  assert_int_equal(model->end_ticks, 5);
  hd_model_free(model);
}

static void test_events_after_thread_end_are_ignored(void **state) {
  (void)state;
  begin();
  sc_at(5);
  sc_initial_end();
  sc_at(8);
  sc_acquire(ompt_mutex_lock, 1, 0x400);
  sc_finalize();
  struct hd_model *model = ex_play_rough(NULL);
  assert_int_equal(model->thread_count, 1);
  assert_int_equal(model->threads[0].lifetime_ticks, 5);
  hd_model_free(model);
}

static void play_fork(void) {
  begin();
  sc_at(5);
  sc_emit(sc_event(FK_FORK));
  sc_at(10);
  sc_fork(0x100, 2, 1, 10);
  sc_thread(1);
  sc_at(15);
  sc_join_begin();
  sc_thread(0);
  sc_join(20, 20, 20);
}

/* The child of a fork(2) sends events and finalizes, too; it must not touch the parent's profile. */
static void test_forked_child_leaves_the_profile_alone(void **state) {
  (void)state;
  play_fork();
  struct hd_model *model = end(30);
  assert_int_equal(ex_visits(model, 0, REGION), 1);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, REGION), 10);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, PROGRAM), 20);
  assert_int_equal(model->thread_count, 2);
  assert_int_equal(model->header.parent_pid, 0);
  hd_model_free(model);
}

/* Of the same script the parent's profile has both of what lies before and after the fork, the child's what comes after
 * its first event. */
static void test_forked_child_has_a_profile_of_its_own(void **state) {
  (void)state;
  char path[PATH_MAX], found[PATH_MAX], error[300];
  struct hd_model *child;
  play_fork();
  struct hd_model *model = end(30);
  assert_int_equal(model->header.children, 1);
  assert_int_equal(model->header.unmeasured_children, 0);
  snprintf(path, sizeof path, "%s/out.%u.heddle", fk_directory(), model->header.child_pids[0]);
  assert_true(hd_children_find(model, model->header.child_pids[0], found, sizeof found));
  assert_string_equal(found, path);
  assert_true(hd_profile_open(path, &child, error, sizeof error));
  assert_int_equal(child->header.pid, model->header.child_pids[0]);
  assert_int_equal(child->header.parent_pid, model->header.pid);
  assert_true(child->header.flags & HD_FILE_COMPLETE);
  assert_int_equal(child->thread_count, 2);
  assert_int_equal(child->elapsed_ticks, 20);
  assert_int_equal(ex_visits(child, 0, REGION), 1);
  assert_int_equal(ex_ticks(child, 0, HD_BUSY, REGION), 10);
  assert_int_equal(ex_ticks(child, 1, HD_BUSY, REGION), 5);
  assert_int_equal(ex_ticks(child, 0, HD_BUSY, PROGRAM), 10);
  assert_null(ex_broken_identity(child, path));
  hd_model_free(child);
  hd_model_free(model);
}

/* omp_pause_resource_all(omp_pause_hard): finalize comes at 20, the program goes on to 50 and the runtime is silent. */
static void test_measurement_that_the_runtime_ends(void **state) {
  (void)state;
  begin();
  sc_at(5);
  sc_fork(0x100, 1, 1, 5);
  sc_join(15, 15, 15);
  sc_at(20);
  struct fk_event stop = sc_event(FK_FINALIZE);
  stop.kind = 1;
  sc_emit(stop);
  sc_at(50);
  sc_emit(sc_event(FK_EXIT));
  struct hd_model *model = ex_play_rough(NULL);
  assert_true(model->header.flags & HD_FILE_COMPLETE);
  assert_false(hd_model_is_complete(model));
  assert_int_equal(model->elapsed_ticks, 20);
  assert_int_equal(hd_model_unmeasured_ticks(model), 30);
  assert_int_equal(hd_model_paused_ticks(model), 0);
  assert_int_equal(model->header.pauses, 0);
  assert_int_equal(ex_visits(model, 0, REGION), 1);
  hd_model_free(model);
}

static void test_profile_is_kept_elsewhere_when_the_output_cannot_be_written(void **state) {
  (void)state;
  const struct fk_options options = {.output = "/nonexistent/directory/out.heddle"};
  char elsewhere[] = "/tmp/heddle-test-endings-XXXXXX";
  char back[PATH_MAX];
  char error[300];
  struct hd_model *model;
  assert_true(mkdtemp(elsewhere) && getcwd(back, sizeof back) && chdir(elsewhere) == 0);
  begin();
  sc_at(5);
  sc_finish();
  const struct fk_result result = fk_play(sc_script(), &options);
  assert_int_equal(result.status, 0);
  assert_string_equal(result.path, ""); /* nothing is left where it was made */
  assert_true(hd_profile_open("out.heddle", &model, error, sizeof error));
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, PROGRAM), 5);
  hd_model_free(model);
  assert_true(unlink("out.heddle") == 0 && chdir(back) == 0 && rmdir(elsewhere) == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_program_killed_inside_its_region_keeps_its_numbers),
      cmocka_unit_test(test_thread_that_was_killed_in_an_event_has_its_new_state_everywhere),
      cmocka_unit_test(test_worker_of_a_killed_program_is_idle_after_the_join),
      cmocka_unit_test(test_thread_that_waits_for_a_lock_when_killed_waits),
      cmocka_unit_test(test_exit_inside_a_region_completes_the_profile),
      cmocka_unit_test(test_exit_status_of_the_program_is_kept),
      cmocka_unit_test(test_events_after_finalize_change_nothing),
      cmocka_unit_test(test_second_finalize_is_harmless),
      cmocka_unit_test(test_events_after_thread_end_are_ignored),
      cmocka_unit_test(test_forked_child_leaves_the_profile_alone),
      cmocka_unit_test(test_measurement_that_the_runtime_ends),
      cmocka_unit_test(test_forked_child_has_a_profile_of_its_own),
      cmocka_unit_test(test_profile_is_kept_elsewhere_when_the_output_cannot_be_written),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
