/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How long chunks of loops take, and where among the iterations they are. A tick is a nanosecond. */
#include "expect.h"
#include "heddle-chunks.h"
#include "output/model/lengths.h"
#include "output/model/loops.h"
#include "output/model/memory.h"
#include "script.h"

#define REGION SITE(PARALLEL, 0x100)
#define LOOP SITE(LOOP_DYNAMIC, 0x500)

/* A region of one at time 0. */
static void begin(void) {
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  sc_fork(0x100, 1, 1, 0);
}

static struct hd_model *finish(uint64_t time) {
  sc_join(time, time, time);
  sc_finish();
  return ex_play();
}

static void begin_loop(uint64_t time, uint64_t first, int64_t step, uint32_t count) {
  sc_at(time);
  sc_loop_begin(&(struct heddle_iterations){first, step, count});
  sc_work_begin(ompt_work_loop_dynamic, 0x500);
  sc_entry_end(HEDDLE_ENTRY_SCHEDULING, 0);
}

/* Asks at `time`, and gets one `after` that. */
static void get_chunk(uint64_t time, uint64_t after, uint64_t first, int64_t step, uint32_t count) {
  sc_at(time);
  sc_entry_begin(HEDDLE_ENTRY_SCHEDULING);
  sc_at(time + after);
  sc_chunk_end(&(struct heddle_iterations){first, step, count});
}

static void end_loop(uint64_t time) {
  sc_at(time);
  sc_entry_begin(HEDDLE_ENTRY_SCHEDULING);
  sc_work_end(ompt_work_loop_dynamic, 0x500);
  sc_entry_end(HEDDLE_ENTRY_SCHEDULING, 0);
}

static void switch_entries(bool off) {
  struct fk_event event = sc_event(FK_SWITCH);
  event.kind = HD_CLASS_ENTRY;
  event.endpoint = off ? ompt_scope_begin : ompt_scope_end;
  sc_emit(event);
}

static const struct hd_model_loop *loop_of(const struct hd_model *model) {
  const struct hd_model_loop *loop = hd_loops_find(model, ex_node(model, REGION, LOOP)->id);
  assert_non_null(loop);
  return loop;
}

/* In all buckets: as long as all chunks. */
static uint64_t space_ticks(const struct hd_model_loop *loop) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < HD_SPACE_BUCKETS; i++)
    sum += loop->ticks[i];
  assert_int_equal(sum, loop->lengths.ticks);
  return sum;
}

static void expect_bucket(const struct hd_model_loop *loop, uint32_t bucket, uint64_t ticks, uint64_t iterations) {
  if (loop->ticks[bucket] != ticks || loop->iterations[bucket] != iterations)
    fail_msg("bucket %u: %llu ticks, %llu iterations", bucket, (unsigned long long)loop->ticks[bucket],
             (unsigned long long)loop->iterations[bucket]);
}

/* 128 iterations from 10 to 518, every fourth number: two in each bucket. Chunks of 2, 4 and 1 of them. */
static void test_chunks_lie_where_their_iterations_do(void **state) {
  (void)state;
  begin();
  begin_loop(0, 10, 4, 128);
  get_chunk(10, 5, 10, 4, 2);           /* 15 to 25: bucket 0 */
  get_chunk(25, 5, 10 + 4 * 8, 4, 4);   /* 30 to 70: 4 and 5 */
  get_chunk(70, 5, 10 + 4 * 127, 4, 1); /* 75 to 78: the last */
  end_loop(78);
  struct hd_model *model = finish(100);
  const struct hd_model_loop *loop = loop_of(model);
  expect_bucket(loop, 0, 10, 2);
  expect_bucket(loop, 4, 20, 2);
  expect_bucket(loop, 5, 20, 2);
  expect_bucket(loop, 63, 3, 1);
  assert_int_equal(space_ticks(loop), 53);
  assert_int_equal(hd_lengths_count(&loop->lengths), 3);
  assert_int_equal(loop->lengths.longest_ticks, 40);
  assert_int_equal(loop->lengths.counts[1], 1); /* 3 ns */
  assert_int_equal(loop->lengths.counts[3], 1); /* 10 ns */
  assert_int_equal(loop->lengths.counts[5], 1); /* 40 ns */
  assert_int_equal(loop->flags, HD_CHUNKS_BOUNDS);
  assert_int_equal(loop->first, 10);
  assert_int_equal(loop->step, 4);
  assert_int_equal(loop->count, 128);
  hd_model_free(model);
}

/* From -1 down to -10: fewer iterations than buckets. */
static void test_a_short_loop_that_counts_down(void **state) {
  (void)state;
  begin();
  begin_loop(0, (uint64_t)-1, -1, 10);
  get_chunk(10, 0, (uint64_t)-1, -1, 1);
  get_chunk(20, 0, (uint64_t)-6, -1, 5);
  end_loop(70);
  struct hd_model *model = finish(100);
  const struct hd_model_loop *loop = loop_of(model);
  expect_bucket(loop, 0, 10, 1);
  for (uint32_t i = 5; i < 10; i++)
    expect_bucket(loop, i * 64 / 10, 10, 1);
  assert_int_equal(space_ticks(loop), 60);
  hd_model_free(model);
}

/* Any division of any number of iterations adds up. */
static void test_nothing_is_lost_between_buckets(void **state) {
  (void)state;
  static const uint32_t counts[] = {1, 2, 63, 64, 65, 100, 127, 1000, 4000000000u};
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
    begin();
    begin_loop(0, 5, 1, counts[c]);
    uint64_t time = 1, done = 0;
    for (uint32_t size = 1; done < counts[c]; size = size * 3 + 1) {
      const uint32_t part = size < counts[c] - done ? size : (uint32_t)(counts[c] - done);
      get_chunk(time, 1, 5 + done, 1, part);
      time += 1 + 7 * (uint64_t)(part < 1000 ? part : 1000);
      done += part;
    }
    end_loop(time);
    struct hd_model *model = finish(time + 1);
    const struct hd_model_loop *loop = loop_of(model);
    uint64_t iterations = 0;
    for (uint32_t i = 0; i < HD_SPACE_BUCKETS; i++)
      iterations += loop->iterations[i];
    assert_int_equal(iterations, counts[c]);
    assert_int_equal(space_ticks(loop), time - 1 - hd_lengths_count(&loop->lengths));
    for (uint32_t i = 0; i + 1 < HD_SPACE_BUCKETS && counts[c] >= HD_SPACE_BUCKETS; i++)
      assert_in_range(loop->iterations[i], counts[c] / HD_SPACE_BUCKETS, counts[c] / HD_SPACE_BUCKETS + 1);
    hd_model_free(model);
  }
}

static void test_instances_with_other_bounds(void **state) {
  (void)state;
  begin();
  for (uint32_t i = 0; i < 3; i++) {
    begin_loop(100 * i, 0, 1, i < 2 ? 64 : 128);
    get_chunk(100 * i + 10, 0, 0, 1, 1);
    end_loop(100 * i + 20);
  }
  struct hd_model *model = finish(300);
  const struct hd_model_loop *loop = loop_of(model);
  expect_bucket(loop, 0, 30, 3);
  assert_int_equal(loop->flags, HD_CHUNKS_BOUNDS | HD_CHUNKS_VARY);
  assert_int_equal(loop->count, 128);
  hd_model_free(model);
}

/* The runtime gets the first chunk itself, in the entry point that makes the loop ready, as for GCC's code: the thread
 * works on it from that one's end on. */
static void test_a_first_chunk_that_came_with_the_loop(void **state) {
  (void)state;
  begin();
  sc_at(10);
  sc_loop_begin(&(struct heddle_iterations){0, 1, 64});
  sc_work_begin(ompt_work_loop_dynamic, 0x500);
  sc_entry_begin(HEDDLE_ENTRY_SCHEDULING);
  sc_chunk_end(&(struct heddle_iterations){0, 1, 1});
  sc_at(15);
  sc_entry_end(HEDDLE_ENTRY_SCHEDULING, 0);
  end_loop(45);
  struct hd_model *model = finish(100);
  expect_bucket(loop_of(model), 0, 30, 1);
  hd_model_free(model);
}

/* A task is created in a chunk, whose time goes on; while the events are off no chunk has a time. */
static void test_what_is_a_chunks_time(void **state) {
  (void)state;
  begin();
  begin_loop(0, 0, 1, 64);
  get_chunk(10, 0, 0, 1, 1);
  sc_at(12);
  sc_entry_begin(HEDDLE_ENTRY_TASK_CREATION);
  sc_at(16);
  sc_entry_end(HEDDLE_ENTRY_TASK_CREATION, 0);
  get_chunk(20, 0, 1, 1, 1);
  sc_at(25);
  switch_entries(true);
  get_chunk(30, 0, 2, 1, 1);
  sc_at(35);
  switch_entries(false);
  get_chunk(40, 0, 3, 1, 1);
  end_loop(45);
  struct hd_model *model = finish(100);
  const struct hd_model_loop *loop = loop_of(model);
  expect_bucket(loop, 0, 10, 1);
  expect_bucket(loop, 1, 0, 0);
  expect_bucket(loop, 2, 0, 0);
  expect_bucket(loop, 3, 5, 1);
  assert_int_equal(ex_node(model, REGION, LOOP)->shares.chunks, 4);
  hd_model_free(model);
}

/* Bounds that nobody told. */
static void test_a_loop_without_bounds_has_no_space(void **state) {
  (void)state;
  begin();
  sc_work_begin(ompt_work_loop_dynamic, 0x500);
  get_chunk(10, 0, 0, 1, 1);
  end_loop(45);
  struct hd_model *model = finish(100);
  assert_int_equal(model->loop_count, 0);
  assert_int_equal(ex_node(model, REGION, LOOP)->shares.chunks, 1);
  hd_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_chunks_lie_where_their_iterations_do),
      cmocka_unit_test(test_a_short_loop_that_counts_down),
      cmocka_unit_test(test_nothing_is_lost_between_buckets),
      cmocka_unit_test(test_instances_with_other_bounds),
      cmocka_unit_test(test_a_first_chunk_that_came_with_the_loop),
      cmocka_unit_test(test_what_is_a_chunks_time),
      cmocka_unit_test(test_a_loop_without_bounds_has_no_space),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
