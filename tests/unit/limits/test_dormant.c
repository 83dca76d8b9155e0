/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A measurement that begins in the midst of the program (HEDDLE_DORMANT). */
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "output/model/memory.h"
#include "random_program.h"
#include "script.h"
#include "switched_program.h"

#define MS UINT64_C(1000000)
#define BEFORE SITE(BEFORE, 0)

static const char *const dormant[] = {"HEDDLE_DORMANT=1", "HEDDLE_OVERHEAD=off", NULL};

static void ask_to_begin(uint64_t time) {
  struct fk_event event = fk_event_of(FK_ASK, time, 0);
  event.wait_id = hd_control_word(1, HD_CONTROL_RESUME, 0, 0);
  sc_emit(event);
}

static struct hd_model *play(void) {
  const struct fk_options options = {.environment = dormant};
  fk_sort(sc_script());
  return ex_play_with(&options);
}

static const char *find_note(const struct hd_model *model, const char *words) {
  for (size_t i = 0; i < model->notes.count; i++)
    if (strstr(model->notes.items[i], words))
      return model->notes.items[i];
  return NULL;
}

static void barrier(uint32_t thread, uint64_t begin, uint64_t end) {
  sc_thread(thread);
  sc_at(begin);
  sc_barrier_begin(ompt_sync_region_barrier_explicit, 0x300);
  sc_at(end);
  sc_barrier_end(ompt_sync_region_barrier_explicit, 0x300);
}

/* Threads 0 to 2 are in a region from 10 on. */
static void begin_region(void) {
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  sc_at(10);
  sc_fork(0x100, 3, 1, 20);
}

static void end_region(uint64_t at) {
  for (uint32_t i = 2; i > 0; i--) {
    sc_thread(i);
    sc_at(at);
    sc_join_begin();
  }
  sc_thread(0);
  sc_join(at, at + 10, at + 20);
}

/* ---- where threads are when it begins ---- */

/* Records are numbered in the order in which threads are heard of: 1, 2, 0. The last of them comes to the barrier at
 * 130: the clock goes from there on. What each waits then is a wait. */
static void test_it_begins_when_all_threads_are_heard_of(void **state) {
  (void)state;
  begin_region();
  ask_to_begin(50);
  barrier(1, 100, 150);
  barrier(2, 110, 150);
  barrier(0, 130, 150);
  end_region(200);
  sc_at(230);
  sc_finish();
  struct hd_model *model = play();
  assert_int_equal(model->end_ticks - model->header.loaded_ticks, 100);
  for (uint32_t i = 0; i < 3; i++) {
    assert_int_equal(model->threads[i].lifetime_ticks, 100);
    assert_int_equal(ex_ticks(model, i, HD_WAIT_BARRIER_EXPLICIT, BEFORE, SITE(BARRIER_EXPLICIT, 0x300)), 20);
    assert_int_equal(ex_ticks(model, i, HD_BUSY, BEFORE), 50);
  }
  assert_int_equal(ex_ticks(model, 2, HD_WAIT_BARRIER_IMPLICIT, BEFORE), 10); /* to the join */
  assert_int_equal(ex_ticks(model, 2, HD_RUNTIME_FORK_JOIN, BEFORE), 10);
  assert_int_equal(ex_ticks(model, 2, HD_BUSY, PROGRAM), 10);
  ex_expect_levels(&model->time_at, 40, 10, 0, 50);
  assert_int_equal(ex_node(model, BEFORE)->team.instances, 0);
  assert_int_equal(model->header.pauses, 0);
  assert_int_equal(hd_model_paused_ticks(model), 0);
  assert_non_null(find_note(model, "Heddle was dormant"));
  assert_null(find_note(model, "first event only after"));
  hd_model_free(model);
}

/* Nobody but thread 0 is heard of for ten milliseconds. Thread 1 works, as its barrier shows, nobody knows since when;
 * thread 2 idles until it is in a region. */
static void test_of_those_who_come_late_idling_is_known_but_not_work(void **state) {
  (void)state;
  begin_region();
  sc_thread(2);
  sc_at(30);
  sc_join_begin();
  ask_to_begin(50);
  barrier(0, 100, 200);
  barrier(0, 11 * MS, 12 * MS); /* at its begin the clock goes on */
  barrier(1, 13 * MS, 14 * MS);
  sc_thread(1);
  sc_at(15 * MS);
  sc_join_begin();
  sc_thread(0);
  sc_join(15 * MS, 15 * MS + 10, 15 * MS + 20);
  sc_at(16 * MS);
  sc_fork(0x200, 3, 1, 16 * MS + 10);
  end_region(17 * MS);
  sc_at(18 * MS);
  sc_finish();
  struct hd_model *model = play();
  const uint64_t begin = model->header.loaded_ticks;
  assert_int_equal(model->end_ticks - begin, 7 * MS);
  assert_int_equal(model->header.late_threads, 1);
  assert_int_equal(model->header.late_ticks, 2 * MS);
  assert_non_null(find_note(model, "1 thread sent its first event only after that"));
  assert_int_equal(model->threads[0].lifetime_ticks, 7 * MS);
  assert_int_equal(model->threads[1].lifetime_ticks, 5 * MS);
  assert_int_equal(model->threads[2].lifetime_ticks, 7 * MS);
  assert_int_equal(ex_ticks(model, 2, HD_IDLE, PROGRAM), 5 * MS + 10 + 1 * MS - 10); /* and at the end */
  assert_int_equal(ex_node(model, SITE(PARALLEL, 0x200))->team.instances, 1);
  assert_int_equal(ex_visits(model, 2, SITE(PARALLEL, 0x200)), 1);
  hd_model_free(model);
}

/* Thread 1 waits for a critical section when it begins, thread 0 is in it. */
static void test_waits_and_tasks_that_had_begun(void **state) {
  (void)state;
  begin_region();
  sc_thread(1);
  sc_at(30);
  sc_acquire(ompt_mutex_critical, 0x9000, 0x400);
  sc_thread(2);
  const uint32_t task = sc_task_create(0x500, ompt_task_explicit);
  sc_at(40);
  sc_barrier_begin(ompt_sync_region_barrier_explicit, 0x300);
  sc_at(45);
  sc_task_run(task);
  ask_to_begin(50);
  barrier(0, 100, 101);
  barrier(0, 11 * MS, 12 * MS);
  sc_thread(1);
  sc_at(13 * MS);
  sc_acquired(ompt_mutex_critical, 0x9000, 0x400);
  sc_at(14 * MS);
  sc_released(ompt_mutex_critical, 0x9000, 0);
  sc_thread(2);
  sc_at(14 * MS);
  sc_task_leave(ompt_task_complete);
  sc_at(15 * MS);
  sc_barrier_end(ompt_sync_region_barrier_explicit, 0x300);
  end_region(16 * MS);
  sc_at(17 * MS);
  sc_finish();
  struct hd_model *model = play();
  assert_int_equal(model->threads[1].lifetime_ticks, 6 * MS);
  assert_int_equal(ex_ticks(model, 1, HD_WAIT_OTHER, BEFORE), 2 * MS);
  assert_int_equal(ex_ticks(model, 1, HD_BUSY, BEFORE), 3 * MS);
  assert_int_equal(model->header.late_threads, 1); /* the task's */
  assert_int_equal(model->threads[2].lifetime_ticks, 3 * MS);
  hd_model_free(model);
}

/* A task that was created before, and one that is created after. */
static void test_tasks_created_before_have_an_honest_name(void **state) {
  (void)state;
  begin_region();
  sc_thread(0);
  sc_at(30);
  const uint32_t earlier = sc_task_create(0x500, ompt_task_explicit);
  ask_to_begin(50);
  for (uint32_t i = 0; i < 3; i++)
    barrier(i, 100, 110);
  sc_thread(0);
  sc_at(120);
  const uint32_t later = sc_task_create(0x500, ompt_task_explicit);
  sc_at(130);
  sc_task_run(earlier);
  sc_at(150);
  sc_task_leave(ompt_task_complete);
  sc_at(160);
  sc_task_run(later);
  sc_at(165);
  sc_task_leave(ompt_task_complete);
  end_region(200);
  sc_at(230);
  sc_finish();
  struct hd_model *model = play();
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, BEFORE, SITE(TASK, 0x500)), 5);
  assert_int_equal(ex_visits(model, 0, BEFORE, SITE(TASK, 0x500)), 1);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, BEFORE), 90 - 5);
  hd_model_free(model);
}

/* ---- who begins it ---- */

static void test_the_program_itself_begins_it(void **state) {
  (void)state;
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  sc_at(10);
  sc_fork(0x100, 3, 1, 20);
  end_region(100);
  sc_at(200);
  sc_resume();
  sc_at(300);
  sc_fork(0x200, 3, 1, 310);
  end_region(400);
  sc_at(500);
  sc_finish();
  struct hd_model *model = play();
  assert_int_equal(model->end_ticks - model->header.loaded_ticks, 300);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, PROGRAM), 100 + 80);
  assert_int_equal(ex_node(model, SITE(PARALLEL, 0x200))->team.elapsed_ticks, 120);
  for (uint32_t i = 0; i < 3; i++)
    assert_int_equal(model->threads[i].lifetime_ticks, 300);
  assert_false(ex_has_node(model, SITE(PARALLEL, 0x100)));
  assert_false(ex_has_node(model, BEFORE));
  hd_model_free(model);
}

static void test_nobody_does(void **state) {
  (void)state;
  begin_region();
  end_region(100);
  sc_at(200);
  sc_finish();
  struct hd_model *model = play();
  assert_int_equal(model->thread_count, 0);
  assert_int_equal(model->elapsed_ticks, 0);
  assert_int_equal(hd_model_paused_ticks(model), 0);
  assert_non_null(find_note(model, "nothing was measured"));
  hd_model_free(model);
}

/* ---- anywhere ---- */

/* Between any two events, while the tool is there. */
static void ask_anywhere(uint64_t seed) {
  struct fk_script *script = sc_script();
  size_t end = 0;
  while (end < script->count && script->events[end].op != FK_FINALIZE && script->events[end].op != FK_EXIT)
    end++;
  const size_t place = 1 + (seed * 7919) % (end - 1);
  struct fk_event event = fk_event_of(FK_ASK, script->events[place].time, 0);
  event.wait_id = hd_control_word(1, HD_CONTROL_RESUME, 0, 0);
  fk_emit(script, &event);
  memmove(script->events + place + 1, script->events + place, (script->count - 1 - place) * sizeof event);
  script->events[place] = event;
}

static void check_anywhere(uint64_t seed) {
  const struct rp_options program = {
      .routines = seed % 3 == 0, .no_pauses = true, .short_threads = seed % 5 == 4, .recursive = seed % 2 == 0};
  const struct fk_options options = {.environment = dormant};
  rp_generate(seed, &program);
  ask_anywhere(seed);
  hd_model_free(ex_play_with(&options));
}

static void test_it_begins_anywhere_in_random_programs(void **state) {
  (void)state;
  sw_play_seeds(check_anywhere);
}

static void check_threads(uint64_t seed) {
  static const struct fk_options options = {
      .pthreads = true, .free_running = true, .real_clock = true, .environment = dormant};
  const struct rp_options program = {.routines = seed % 3 == 0, .no_pauses = true};
  if (seed > 30)
    return;
  rp_generate(seed, &program);
  ask_anywhere(seed);
  hd_model_free(ex_play_with(&options));
}

static void test_threads_run_on_meanwhile(void **state) {
  (void)state;
  sw_play_seeds(check_threads);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_it_begins_when_all_threads_are_heard_of),
      cmocka_unit_test(test_of_those_who_come_late_idling_is_known_but_not_work),
      cmocka_unit_test(test_waits_and_tasks_that_had_begun),
      cmocka_unit_test(test_tasks_created_before_have_an_honest_name),
      cmocka_unit_test(test_the_program_itself_begins_it),
      cmocka_unit_test(test_nobody_does),
      cmocka_unit_test(test_it_begins_anywhere_in_random_programs),
      cmocka_unit_test(test_threads_run_on_meanwhile),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
