/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* With whom: how long threads were busy in one callpath and, at the same time, others in another. */
#include "expect.h"
#include "output/model/levels.h"
#include "output/model/memory.h"
#include "script.h"

#define REGION SITE(PARALLEL, 0x100)
#define LOOP_A SITE(LOOP_STATIC, 0x200)
#define LOOP_B SITE(LOOP_STATIC, 0x210)
#define LOOP_C SITE(LOOP_STATIC, 0x220)

/* A thread in a loop without a barrier. */
static void loop(uint32_t thread, uint64_t code, uint64_t from, uint64_t to) {
  sc_thread(thread);
  sc_at(from);
  sc_work_begin(ompt_work_loop_static, code);
  sc_at(to);
  sc_work_end(ompt_work_loop_static, code);
}

static void begin(uint32_t team) {
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  sc_fork(0x100, team, 1, 0);
}

/* All threads of the team arrive at `time`. */
static struct hd_model *end(uint32_t team, uint64_t time) {
  for (uint32_t i = 1; i < team; i++) {
    sc_thread(i);
    sc_at(time);
    sc_join_begin();
  }
  sc_thread(0);
  sc_join(time, time, time);
  sc_finish();
  fk_sort(sc_script());
  return ex_play_exact(NULL);
}

static void test_loops_without_barrier_overlap(void **state) {
  (void)state;
  begin(2);
  loop(0, 0x200, 0, 10);
  loop(0, 0x210, 10, 30);
  loop(1, 0x200, 0, 20);
  loop(1, 0x210, 20, 30);
  struct hd_model *model = end(2, 30);
  const struct hd_node *a = ex_node(model, REGION, LOOP_A);
  const struct hd_node *b = ex_node(model, REGION, LOOP_B);
  assert_int_equal(ex_overlap(model, a, b), 10);
  assert_int_equal(a->active_ticks, 20);
  assert_int_equal(b->active_ticks, 20);
  ex_expect_levels(&a->busy_at, 0, 0, 30);
  ex_expect_levels(&b->busy_at, 0, 0, 30);
  assert_int_equal(model->overlap_count, 1);
  assert_int_equal(a->unpaired_ticks, 0);
  hd_model_free(model);
}

static void test_pairs_of_three_loops_are_kept_apart(void **state) {
  (void)state;
  begin(3);
  loop(0, 0x200, 0, 20);
  loop(1, 0x210, 0, 15);
  loop(2, 0x220, 18, 40);
  loop(1, 0x210, 30, 35);
  struct hd_model *model = end(3, 40);
  const struct hd_node *a = ex_node(model, REGION, LOOP_A);
  const struct hd_node *b = ex_node(model, REGION, LOOP_B);
  const struct hd_node *c = ex_node(model, REGION, LOOP_C);
  const struct hd_node *region = ex_node(model, REGION);
  assert_int_equal(ex_overlap(model, a, b), 15);
  assert_int_equal(ex_overlap(model, a, c), 2);
  assert_int_equal(ex_overlap(model, b, c), 5);
  assert_int_equal(ex_overlap(model, region, a), 20); /* thread 2 to 18, thread 1 from 15 on */
  assert_int_equal(ex_overlap(model, region, b), 15 + 5);
  assert_int_equal(ex_overlap(model, region, c), 40 - 18);
  hd_model_free(model);
}

/* Two threads in the one, two in the other: time counts once. */
static void test_overlap_is_wall_time_not_thread_time(void **state) {
  (void)state;
  begin(4);
  loop(0, 0x200, 0, 10);
  loop(1, 0x200, 5, 20);
  loop(2, 0x210, 0, 12);
  loop(3, 0x210, 8, 20);
  struct hd_model *model = end(4, 20);
  const struct hd_node *a = ex_node(model, REGION, LOOP_A);
  assert_int_equal(ex_overlap(model, a, ex_node(model, REGION, LOOP_B)), 20);
  assert_int_equal(a->active_ticks, 20);
  ex_expect_levels(&a->busy_at, 0, 0, 0, 0, 10 + 15);
  hd_model_free(model);
}

static void test_loops_one_after_the_other_do_not_overlap(void **state) {
  (void)state;
  begin(2);
  for (uint32_t i = 0; i < 2; i++) {
    loop(i, 0x200, 0, 10);
    loop(i, 0x210, 10, 20);
  }
  struct hd_model *model = end(2, 20);
  assert_int_equal(model->overlap_count, 0);
  hd_model_free(model);
}

/* A thread that waits inside a construct is not with anybody. */
static void test_wait_does_not_overlap(void **state) {
  (void)state;
  begin(2);
  sc_at(0);
  sc_acquire(ompt_mutex_critical, 1, 0x400);
  sc_at(12);
  sc_acquired(ompt_mutex_critical, 1, 0x400);
  sc_at(17);
  sc_released(ompt_mutex_critical, 1, 0x400);
  struct hd_model *model = end(2, 20);
  const struct hd_node *critical = ex_node(model, REGION, SITE(CRITICAL, 0x400));
  assert_int_equal(critical->active_ticks, 5);
  assert_int_equal(ex_overlap(model, critical, ex_node(model, REGION)), 5);
  hd_model_free(model);
}

/* 200 threads, each alone in a loop of its own: some pairs have to be left out, and what is left out is said. */
static void test_more_callpaths_than_can_be_paired_are_said(void **state) {
  (void)state;
  enum { TEAM = 200 };
  uint64_t unpaired = 0;
  begin(TEAM);
  for (uint32_t i = 0; i < TEAM; i++)
    loop(i, 0x1000 + 16 * i, 0, 100);
  struct hd_model *model = end(TEAM, 100);
  for (uint32_t i = 0; i < model->node_count; i++)
    unpaired += model->nodes[i].unpaired_ticks;
  assert_true(unpaired > 0);
  assert_true(model->overlap_count >= 64 * 63 / 2);
  ex_expect_levels(&ex_node(model, PROGRAM)->busy_at, 0);
  assert_int_equal(hd_levels_at(&model->time_at, TEAM), 100);
  hd_model_free(model);
}

/* 60 threads in ever new loops: 30 000 pairs in all, more than are kept. */
static void test_pairs_that_are_given_up_are_said(void **state) {
  (void)state;
  enum { TEAM = 60, ROUNDS = 18 };
  begin(TEAM);
  for (uint32_t round = 0; round < ROUNDS; round++)
    for (uint32_t i = 0; i < TEAM; i++)
      loop(i, 0x1000 + 16 * (round * TEAM + i), 10 * round, 10 * round + 10);
  struct hd_model *model = end(TEAM, 10 * ROUNDS);
  assert_true(model->header.lost_overlap_ticks >= 10);
  assert_true(model->overlap_count > 1000);
  assert_int_equal(hd_levels_at(&model->time_at, TEAM), 10 * ROUNDS);
  hd_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_loops_without_barrier_overlap),
      cmocka_unit_test(test_pairs_of_three_loops_are_kept_apart),
      cmocka_unit_test(test_overlap_is_wall_time_not_thread_time),
      cmocka_unit_test(test_loops_one_after_the_other_do_not_overlap),
      cmocka_unit_test(test_wait_does_not_overlap),
      cmocka_unit_test(test_more_callpaths_than_can_be_paired_are_said),
      cmocka_unit_test(test_pairs_that_are_given_up_are_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
