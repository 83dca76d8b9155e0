/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tasks and waits that are switched off and on around a region's end: what a worker was in is over when its region is,
 * and the levels agree with the rows whenever the program is killed. HEDDLE_SEEDS and HEDDLE_SEED as in
 * test_budget_refused.c. */
#include <stdlib.h>

#include "expect.h"
#include "output/model/memory.h"
#include "output/reader/open.h"
#include "random_program.h"
#include "script.h"
#include "switched_program.h"

static void switch_at(uint64_t time, enum hd_event_class event_class, bool off) {
  sc_at(time);
  struct fk_event event = sc_event(FK_SWITCH);
  event.kind = event_class;
  event.endpoint = off ? ompt_scope_begin : ompt_scope_end;
  sc_emit(event);
}

/* A worker waits in a task that nobody has seen, runs a part of an untied task there, and goes back to waiting. */
static void play_wait_of_an_unseen_task(bool late) {
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  sc_fork(0x300, 2, 1, 0);
  switch_at(5, HD_CLASS_TASK, true);
  const uint32_t unseen = sc_task_create(0x600, ompt_task_explicit);
  sc_thread(1);
  sc_at(20);
  sc_join_begin();
  sc_at(25);
  sc_task_run(unseen);
  sc_at(30);
  sc_barrier_begin(ompt_sync_region_taskwait, 0x700);
  sc_thread(0);
  switch_at(35, HD_CLASS_TASK, false);
  const uint32_t untied = sc_task_create(0x610, ompt_task_explicit | ompt_task_untied);
  sc_thread(1);
  sc_at(40);
  sc_task_run(untied);
  sc_at(50);
  sc_task_leave(ompt_task_switch);
  sc_at(60);
  sc_barrier_end(ompt_sync_region_taskwait, 0x700);
  sc_at(70);
  sc_task_leave(ompt_task_complete);
  sc_thread(0);
  sc_at(80);
  sc_join_begin();
  sc_task_run(untied);
  sc_at(90);
  sc_task_leave(ompt_task_complete);
  sc_at(100);
  sc_join_end();
  sc_at(110);
  sc_parallel_end();
  sc_at(150);
  if (late)
    sc_kill();
  else
    sc_finish();
}

static struct hd_model *play(void) {
  struct fk_result result = fk_play(sc_script(), NULL);
  struct hd_model *model = NULL;
  char error[300] = "";
  if (!hd_profile_open(result.path, &model, error, sizeof error))
    fail_msg("%s", error);
  const char *broken = ex_broken_identity(model, result.path);
  if (broken)
    fail_msg("%s", broken);
  return model;
}

static void test_a_worker_leaves_what_it_ran_in_an_unseen_task(void **state) {
  (void)state;
  for (int late = 0; late < 2; late++) {
    play_wait_of_an_unseen_task(late);
    struct hd_model *model = play();
    assert_int_equal(ex_ticks(model, 1, HD_BUSY, SITE(PARALLEL, 0x300), SITE(TASK, 0x610)), 10);
    assert_int_equal(ex_ticks(model, 1, HD_WAIT_TASKWAIT, SITE(PARALLEL, 0x300), SITE(TASKWAIT, 0x700)), 20);
    assert_int_equal(ex_ticks(model, 1, HD_WAIT_BARRIER_IMPLICIT, SITE(PARALLEL, 0x300)), 10 + 40);
    assert_int_equal(ex_ticks(model, 1, HD_IDLE, PROGRAM), model->threads[1].end_ticks - 100);
    hd_model_free(model);
  }
}

static void check_killed(uint64_t seed) {
  const struct rp_options program = {.recursive = seed % 2, .flat = seed % 7 > 0, .routines = seed % 3 == 0};
  rp_generate(seed, &program);
  sw_name_sections(sc_script());
  sw_kill_after_a_join(sc_script(), seed);
  sw_add(sc_script(), seed, seed % 4 ? 1u << HD_CLASS_TASK | 1u << HD_CLASS_SYNC : UINT32_MAX);
  if (getenv("HEDDLE_SEED"))
    fk_print(sc_script());
  hd_model_free(play());
}

static void test_identities_hold_after_a_join(void **state) {
  (void)state;
  if (!getenv("HEDDLE_SEED"))
    check_killed(5871); /* a routine of a task that nobody saw was left without a word: the worker is busy there */
  sw_play_seeds(check_killed);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_worker_leaves_what_it_ran_in_an_unseen_task),
      cmocka_unit_test(test_identities_hold_after_a_join),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
