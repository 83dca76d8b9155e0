/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How long tasks take, and how long they wait to begin. A tick is a nanosecond. */
#include "expect.h"
#include "output/model/lengths.h"
#include "output/model/memory.h"
#include "output/model/tasks.h"
#include "script.h"

#define REGION SITE(PARALLEL, 0x100)
#define TASK SITE(TASK, 0x500)

/* A region of two at time 0; thread 0 is current. */
static void begin(void) {
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  sc_fork(0x100, 2, 1, 0);
}

static struct hd_model *end(uint64_t time) {
  sc_thread(1);
  sc_at(time);
  sc_join_begin();
  sc_thread(0);
  sc_join(time, time, time);
  sc_finish();
  fk_sort(sc_script());
  return ex_play();
}

static const struct hd_model_task *times_of(const struct hd_model *model, const struct hd_node *node) {
  const struct hd_model_task *times = hd_tasks_find(model, node->id);
  assert_non_null(times);
  return times;
}

static void expect(const struct hd_lengths *lengths, uint64_t count, uint64_t ticks, uint64_t longest) {
  assert_int_equal(hd_lengths_count(lengths), count);
  assert_int_equal(lengths->ticks, ticks);
  assert_int_equal(lengths->longest_ticks, longest);
}

/* Four tasks of 4, 1, 1, 1 ns times 100, created at 10, 20, 30, 40, one after the other from 100 on. */
static void test_times_and_delays_of_tasks(void **state) {
  (void)state;
  uint32_t tasks[4];
  begin();
  for (uint32_t i = 0; i < 4; i++) {
    sc_at(10 + 10 * i);
    tasks[i] = sc_task_create(0x500, 0);
  }
  sc_at(50);
  sc_barrier_begin(ompt_sync_region_taskwait, 0x600);
  static const uint64_t begins[] = {100, 600, 800, 1000}, lengths[] = {400, 100, 100, 100};
  for (uint32_t i = 0; i < 4; i++) {
    sc_at(begins[i]);
    sc_task_run(tasks[i]);
    sc_at(begins[i] + lengths[i]);
    sc_task_leave(ompt_task_complete);
  }
  sc_at(1200);
  sc_barrier_end(ompt_sync_region_taskwait, 0x600);
  struct hd_model *model = end(1300);
  const struct hd_model_task *times = times_of(model, ex_node(model, REGION, TASK));
  expect(&times->run, 4, 700, 400);
  assert_int_equal(times->run.counts[8], 1); /* 256 to 511 */
  assert_int_equal(times->run.counts[6], 3); /* 64 to 127 */
  expect(&times->delay, 4, 90 + 580 + 770 + 960, 960);
  assert_int_equal(times->delay.counts[6], 1);
  assert_int_equal(times->delay.counts[9], 3); /* 512 to 1023 */
  hd_model_free(model);
}

/* A task waits from 20 to 60, where its thread runs another one for 10. */
static void test_waits_and_other_tasks_are_not_in_a_tasks_time(void **state) {
  (void)state;
  begin();
  const uint32_t outer = sc_task_create(0x500, 0);
  sc_barrier_begin(ompt_sync_region_taskwait, 0x600);
  sc_task_run(outer);
  sc_at(5);
  const uint32_t inner = sc_task_create(0x510, 0);
  sc_at(20);
  sc_barrier_begin(ompt_sync_region_taskwait, 0x610);
  sc_at(30);
  sc_task_run(inner);
  sc_at(40);
  sc_task_leave(ompt_task_complete);
  sc_at(60);
  sc_barrier_end(ompt_sync_region_taskwait, 0x610);
  sc_at(67);
  sc_acquire(ompt_mutex_critical, 1, 0x700);
  sc_at(70);
  sc_acquired(ompt_mutex_critical, 1, 0x700);
  sc_at(80);
  sc_released(ompt_mutex_critical, 1, 0x700);
  sc_at(81);
  sc_task_leave(ompt_task_complete);
  sc_barrier_end(ompt_sync_region_taskwait, 0x600);
  struct hd_model *model = end(100);
  const struct hd_model_task *times = times_of(model, ex_node(model, REGION, TASK));
  expect(&times->run, 1, 20 + 7 + 10 + 1, 38);
  expect(&times->delay, 1, 0, 0);
  times = times_of(model, ex_node(model, REGION, TASK, SITE(TASK, 0x510)));
  expect(&times->run, 1, 10, 10);
  expect(&times->delay, 1, 25, 25);
  hd_model_free(model);
}

/* An undeferred task, of 5, in the midst of its creator, which goes on: no wait lies between the two. */
static void test_an_undeferred_task_takes_its_creators_place(void **state) {
  (void)state;
  begin();
  sc_at(2);
  sc_task_run(sc_task_create(0x500, 0));
  sc_at(4);
  sc_task_run(sc_task_create(0x510, ompt_task_undeferred));
  sc_at(9);
  sc_task_leave(ompt_task_complete);
  sc_at(10);
  sc_task_leave(ompt_task_complete);
  struct hd_model *model = end(20);
  expect(&times_of(model, ex_node(model, REGION, TASK))->run, 1, 2 + 1, 3);
  const struct hd_model_task *times = times_of(model, ex_node(model, REGION, TASK, SITE(TASK, 0x510)));
  expect(&times->run, 1, 5, 5);
  expect(&times->delay, 1, 0, 0);
  hd_model_free(model);
}

/* 3 on thread 0 from 2 on, 4 on thread 1 from 12 on; created at 1. */
static void test_parts_of_an_untied_task_add_up(void **state) {
  (void)state;
  begin();
  sc_at(1);
  const uint32_t task = sc_task_create(0x500, ompt_task_untied);
  for (uint32_t i = 0; i < 2; i++) {
    sc_thread(i);
    sc_at(1);
    sc_barrier_begin(ompt_sync_region_barrier_explicit, 0x150);
    sc_at(2 + 10 * i);
    sc_task_run(task);
    sc_at(5 + 10 * i + i);
    sc_task_leave(i ? ompt_task_complete : ompt_task_switch);
    sc_at(20);
    sc_barrier_end(ompt_sync_region_barrier_explicit, 0x150);
  }
  struct hd_model *model = end(20);
  const struct hd_model_task *times = times_of(model, ex_node(model, REGION, TASK));
  expect(&times->run, 1, 7, 7);
  expect(&times->delay, 1, 1, 1);
  hd_model_free(model);
}

/* Thread 1 begins the second part before the first has ended on thread 0: what that took is not known to who ends it.
 */
static void test_an_untied_tasks_time_is_not_known_if_parts_overlap(void **state) {
  (void)state;
  begin();
  const uint32_t task = sc_task_create(0x500, ompt_task_untied);
  for (uint32_t i = 0; i < 2; i++) {
    sc_thread(i);
    sc_at(1);
    sc_barrier_begin(ompt_sync_region_barrier_explicit, 0x150);
    sc_at(2 + 10 * i);
    sc_task_run(task);
    sc_at(13 + 5 * i);
    sc_task_leave(i ? ompt_task_complete : ompt_task_switch);
    sc_at(20);
    sc_barrier_end(ompt_sync_region_barrier_explicit, 0x150);
  }
  struct hd_model *model = end(20);
  const struct hd_model_task *times = times_of(model, ex_node(model, REGION, TASK));
  expect(&times->run, 0, 0, 0);
  expect(&times->delay, 1, 2, 2);
  assert_int_equal(ex_visits(model, 0, REGION, TASK), 1);
  hd_model_free(model);
}

/* Ended by cancellation, or by its body while its event is awaited: as far as it ran. */
static void test_cancelled_and_detached_tasks_end(void **state) {
  (void)state;
  static const ompt_task_status_t statuses[] = {ompt_task_cancel, ompt_task_detach};
  for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
    begin();
    const uint32_t task = sc_task_create(0x500, 0);
    sc_at(3);
    sc_barrier_begin(ompt_sync_region_taskwait, 0x600);
    sc_task_run(task);
    sc_at(8);
    sc_task_leave(statuses[i]);
    sc_at(10);
    sc_barrier_end(ompt_sync_region_taskwait, 0x600);
    struct hd_model *model = end(10);
    const struct hd_model_task *times = times_of(model, ex_node(model, REGION, TASK));
    expect(&times->run, 1, 5, 5);
    expect(&times->delay, 1, 3, 3);
    hd_model_free(model);
  }
}

static void switch_class(enum hd_event_class event_class, bool off) {
  struct fk_event event = sc_event(FK_SWITCH);
  event.kind = event_class;
  event.endpoint = off ? ompt_scope_begin : ompt_scope_end;
  sc_emit(event);
}

/* A wait in the first of two tasks is not observed: its time is not known. */
static void test_a_task_with_refused_waits_is_not_counted(void **state) {
  (void)state;
  begin();
  sc_barrier_begin(ompt_sync_region_barrier_explicit, 0x150);
  for (uint32_t i = 0; i < 2; i++) {
    sc_at(10 * i);
    sc_task_run(sc_task_create(0x500, 0));
    sc_at(10 * i + 2);
    switch_class(HD_CLASS_SYNC, i == 0);
    sc_barrier_begin(ompt_sync_region_taskwait, 0x600);
    sc_at(10 * i + 5);
    sc_barrier_end(ompt_sync_region_taskwait, 0x600);
    sc_at(10 * i + 6);
    sc_task_leave(ompt_task_complete);
  }
  sc_at(20);
  sc_barrier_end(ompt_sync_region_barrier_explicit, 0x150);
  struct hd_model *model = end(20);
  const struct hd_model_task *times = times_of(model, ex_node(model, REGION, SITE(BARRIER_EXPLICIT, 0x150), TASK));
  expect(&times->run, 1, 3, 3);
  expect(&times->delay, 2, 0, 0);
  hd_model_free(model);
}

/* What lies in a pause is in no time, and a task that begins in one is not counted. */
static void test_a_pause_is_in_no_time(void **state) {
  (void)state;
  begin();
  const uint32_t first = sc_task_create(0x500, 0), second = sc_task_create(0x500, 0);
  sc_at(2);
  sc_pause();
  sc_at(30);
  sc_task_run(first);
  sc_task_leave(ompt_task_complete);
  sc_at(40);
  sc_resume();
  sc_at(43);
  sc_task_run(second);
  sc_at(44);
  sc_pause();
  sc_at(50);
  sc_resume();
  sc_at(56);
  sc_task_leave(ompt_task_complete);
  struct hd_model *model = end(60);
  const struct hd_model_task *times = times_of(model, ex_node(model, REGION, TASK));
  expect(&times->run, 1, 7, 7);
  expect(&times->delay, 1, 5, 5);
  hd_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_times_and_delays_of_tasks),
      cmocka_unit_test(test_waits_and_other_tasks_are_not_in_a_tasks_time),
      cmocka_unit_test(test_an_undeferred_task_takes_its_creators_place),
      cmocka_unit_test(test_parts_of_an_untied_task_add_up),
      cmocka_unit_test(test_an_untied_tasks_time_is_not_known_if_parts_overlap),
      cmocka_unit_test(test_cancelled_and_detached_tasks_end),
      cmocka_unit_test(test_a_task_with_refused_waits_is_not_counted),
      cmocka_unit_test(test_a_pause_is_in_no_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
