/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What threads were executing, as a fake kernel samples them: to which callpath and state samples belong, what happens
 * when there is no room for them. */
#include <math.h>
#include <stdlib.h>

#include "counted.h"
#include "heddle-samples.h"
#include "output/analysis/lines/hot_places.h"
#include "output/model/memory.h"

/* No module has these addresses. */
enum { HERE = 0x1111, THERE = 0x2222, RING_SAMPLES = (16 << 10) / 24 };

static const struct fk_options sampled = {.samples = true};
static const char *const traced[] = {"HEDDLE_TRACE=16M", NULL};
static const struct fk_options sampled_and_traced = {.samples = true, .environment = traced};

/* Those of a state and an address at a callpath. */
#define samples_at(model, state, address, ...) samples_of(model, state, address, ex_node(model, __VA_ARGS__))
static uint64_t samples_of(const struct hd_model *model, enum hd_state state, uint64_t address,
                           const struct hd_node *node) {
  uint64_t count = 0;
  for (uint32_t i = 0; i < model->sample_count; i++) {
    const struct hd_model_sample *sample = &model->samples[i];
    if (sample->node == node->id && sample->state == (uint32_t)state && sample->address == address)
      count += sample->count;
  }
  return count;
}

static uint64_t all_samples(const struct hd_model *model) {
  uint64_t count = 0;
  for (uint32_t i = 0; i < model->sample_count; i++)
    count += model->samples[i].count;
  return count;
}

static struct hd_model *finish(uint64_t time) {
  sc_at(time);
  sc_finish();
  hd_model_free(ex_play_exact(&sampled_and_traced)); /* whose trace has the same samples */
  return ex_play_exact(&sampled);
}

/* ---- where they belong ---- */

static void test_samples_belong_to_the_callpath_and_state_at_their_time(void **state) {
  (void)state;
  begin();
  sc_sample(HERE, 3);
  sc_at(10);
  sc_fork(0x100, 1, 1, 12);
  sc_sample(HERE, 5);
  sc_work_begin(ompt_work_loop_static, 0x200);
  sc_sample(HERE, 7);
  sc_sample(THERE, 2);
  sc_at(20);
  sc_acquire(ompt_mutex_critical, 1, 0x400);
  sc_sample(THERE, 11);
  sc_at(25);
  sc_acquired(ompt_mutex_critical, 1, 0x400);
  sc_sample(HERE, 13);
  sc_at(30);
  sc_released(ompt_mutex_critical, 1, 0x400);
  sc_work_end(ompt_work_loop_static, 0x200);
  sc_join(40, 40, 41);
  sc_sample(THERE, 17);
  struct hd_model *model = finish(50);
  assert_int_equal(model->header.sample_period_ns, 10000000);
  assert_int_equal(samples_at(model, HD_BUSY, HERE, PROGRAM), 3);
  assert_int_equal(samples_at(model, HD_BUSY, THERE, PROGRAM), 17);
  assert_int_equal(samples_at(model, HD_BUSY, HERE, REGION), 5);
  assert_int_equal(samples_at(model, HD_BUSY, HERE, REGION, LOOP), 7);
  assert_int_equal(samples_at(model, HD_BUSY, THERE, REGION, LOOP), 2);
  assert_int_equal(samples_at(model, HD_WAIT_CRITICAL, THERE, REGION, LOOP, SITE(CRITICAL, 0x400)), 11);
  assert_int_equal(samples_at(model, HD_BUSY, HERE, REGION, LOOP, SITE(CRITICAL, 0x400)), 13);
  assert_int_equal(all_samples(model), 58);
  hd_model_free(model);
}

/* libomp 14's omp_test_lock: what looked like a wait was none. */
static void test_samples_of_a_failed_test_of_a_lock_belong_to_what_was_before(void **state) {
  (void)state;
  sc_start(SC_LIBOMP_14);
  sc_initial_begin();
  sc_at(10);
  sc_acquire(ompt_mutex_lock, 1, 0x400);
  sc_sample(HERE, 4);
  sc_at(20);
  sc_fork(0x100, 1, 1, 22);
  sc_join(30, 30, 31);
  struct hd_model *model = finish(40);
  assert_int_equal(samples_at(model, HD_BUSY, HERE, PROGRAM), 4);
  hd_model_free(model);
}

static void test_threads_add_to_the_same_records(void **state) {
  (void)state;
  begin();
  sc_fork(0x100, 4, 1, 0);
  for (uint32_t i = 1; i < 4; i++) {
    sc_thread(i);
    sc_sample(HERE, 10 + i);
    sc_at(10);
    sc_join_begin();
  }
  sc_thread(0);
  sc_sample(HERE, 10);
  sc_join(10, 20, 21);
  struct hd_model *model = finish(30);
  assert_int_equal(model->sample_count, 1);
  assert_int_equal(samples_at(model, HD_BUSY, HERE, REGION), 46);
  hd_model_free(model);
}

static void test_address_in_a_module_is_told_by_it(void **state) {
  (void)state;
  begin();
  sc_sample((uint64_t)(uintptr_t)&begin, 3);
  struct hd_model *model = finish(10);
  assert_int_equal(model->sample_count, 1);
  assert_int_not_equal(model->samples[0].module, HD_NONE);
  assert_int_equal(model->samples[0].offset + model->modules[model->samples[0].module].base,
                   (uint64_t)(uintptr_t)&begin);
  hd_model_free(model);
}

static void test_no_samples_without_a_kernel_that_takes_them(void **state) {
  (void)state;
  begin();
  sc_sample(HERE, 3);
  sc_at(10);
  sc_finish();
  struct hd_model *model = ex_play_exact(NULL);
  assert_int_equal(model->header.sample_period_ns, 0);
  assert_int_equal(model->sample_count, 0);
  hd_model_free(model);
}

static void test_samples_switched_off(void **state) {
  (void)state;
  const char *const environment[] = {"HEDDLE_SAMPLES=off", NULL};
  begin();
  sc_sample(HERE, 3);
  sc_at(10);
  sc_finish();
  struct hd_model *model = ex_play_exact(&(struct fk_options){.samples = true, .environment = environment});
  assert_int_equal(model->header.sample_period_ns, 0);
  assert_int_equal(model->sample_count, 0);
  hd_model_free(model);
}

static void test_pause_leaves_its_samples_out(void **state) {
  (void)state;
  begin();
  sc_sample(HERE, 3);
  sc_at(10);
  sc_pause();
  sc_sample(HERE, 5);
  sc_at(20);
  sc_resume();
  sc_sample(HERE, 7);
  struct hd_model *model = finish(30);
  assert_int_equal(all_samples(model), 10);
  hd_model_free(model);
}

static void test_killed_program_keeps_what_threads_have_taken(void **state) {
  (void)state;
  begin();
  sc_sample(HERE, 3);
  sc_at(10);
  sc_fork(0x100, 1, 1, 12);
  sc_sample(HERE, 5);
  sc_at(20);
  sc_emit(sc_event(FK_KILL));
  const struct fk_result result = fk_play(sc_script(), &sampled);
  struct hd_model *model = NULL;
  char error[300] = "";
  assert_true(WIFSIGNALED(result.status));
  assert_true(hd_profile_open(result.path, &model, error, sizeof error));
  assert_int_equal(all_samples(model), 3);
  hd_model_free(model);
}

static void test_forked_child_has_its_own_samples(void **state) {
  (void)state;
  begin();
  sc_sample(HERE, 3);
  sc_at(5);
  sc_emit(sc_event(FK_FORK));
  sc_at(10);
  sc_fork(0x100, 1, 1, 12);
  sc_sample(THERE, 5);
  sc_join(20, 20, 21);
  struct hd_model *model = finish(30);
  assert_int_equal(samples_at(model, HD_BUSY, HERE, PROGRAM), 3);
  assert_int_equal(samples_at(model, HD_BUSY, THERE, REGION), 5);
  assert_int_equal(model->header.children, 1);
  hd_model_free(model);
}

/* ---- asked for while the program runs ---- */

/* Two events look for what is asked, and do it; a third finds samples, and follows. */
static void ask_and_sample(uint32_t hz, uint32_t number, uint64_t time) {
  struct fk_event event = sc_event(FK_ASK);
  event.time = time;
  event.wait_id = hd_control_word(number, HD_CONTROL_SAMPLES, 0, hz);
  sc_emit(event);
  for (int i = 1; i <= 3; i++) {
    sc_at(time + 10 * (uint64_t)i);
    sc_fork(0x100, 1, 1, time + 10 * (uint64_t)i + 1);
    sc_join(time + 10 * (uint64_t)i + 2, time + 10 * (uint64_t)i + 2, time + 10 * (uint64_t)i + 3);
    sc_sample(i < 3 ? HERE : THERE, i < 3 ? 1 : 100);
  }
}

static void test_fewer_samples_none_and_some_again(void **state) {
  (void)state;
  begin();
  ask_and_sample(50, 1, 100);
  ask_and_sample(0, 2, 200);
  ask_and_sample(100, 3, 300);
  struct hd_model *model = finish(400);
  uint64_t taken = 0;
  for (uint32_t i = 0; i < model->sample_count; i++)
    taken += model->samples[i].address == THERE ? model->samples[i].taken : 0;
  assert_int_equal(samples_at(model, HD_BUSY, THERE, PROGRAM), 200);
  assert_int_equal(taken, 50 + 100);
  assert_int_equal(model->header.control.count, 3);
  assert_int_equal(model->header.sample_period_ns, 10000000);
  hd_model_free(model);
}

/* They have one unit of time. The first rate is the unit, also if it comes late. */
static void test_no_more_samples_than_at_first(void **state) {
  (void)state;
  for (uint32_t hz = 200; hz <= 400; hz += 200) {
    const char *const environment[] = {"HEDDLE_SAMPLES=off", NULL};
    begin();
    ask_and_sample(200, 1, 100);
    ask_and_sample(hz, 2, 200);
    sc_at(400);
    sc_finish();
    struct hd_model *model = ex_play_exact(&(struct fk_options){.samples = true, .environment = environment});
    assert_int_equal(model->header.control.refused, hz > 200);
    assert_int_equal(model->header.control.count, hz > 200 ? 1 : 2);
    assert_int_equal(model->header.sample_period_ns, 5000000);
    assert_int_equal(samples_at(model, HD_BUSY, THERE, PROGRAM), 200);
    hd_model_free(model);
  }
}

/* ---- no room ---- */

/* The first ring is full; every 32nd sample after that stands for 32. */
static void test_thread_without_events_is_seen_for_all_its_time(void **state) {
  (void)state;
  begin();
  sc_sample(HERE, 2000);
  sc_sample(THERE, 3000);
  struct hd_model *model = finish(10);
  const uint64_t first_heavy = RING_SAMPLES / HD_SAMPLE_WEIGHT + 1, last = 5000 / HD_SAMPLE_WEIGHT;
  const uint64_t of_here = 2000 / HD_SAMPLE_WEIGHT - first_heavy + 1;
  assert_int_equal(samples_at(model, HD_BUSY, HERE, PROGRAM), RING_SAMPLES + of_here * HD_SAMPLE_WEIGHT);
  assert_int_equal(samples_at(model, HD_BUSY, THERE, PROGRAM), (last - 2000 / HD_SAMPLE_WEIGHT) * HD_SAMPLE_WEIGHT);
  assert_in_range(all_samples(model), 5000 - HD_SAMPLE_WEIGHT, 5000 + HD_SAMPLE_WEIGHT);
  assert_int_equal(model->samples[0].taken + model->samples[1].taken, RING_SAMPLES + last - first_heavy + 1);
  assert_int_equal(model->header.lost_samples, 0);
  hd_model_free(model);
}

/* What the second ring has no room for is lost; the kernel says so when there is room again. */
static void test_samples_that_no_ring_has_room_for_are_counted(void **state) {
  (void)state;
  const uint64_t rare = 30000 / HD_SAMPLE_WEIGHT;
  begin();
  sc_sample(HERE, 30000);
  sc_at(10);
  sc_fork(0x100, 1, 1, 12);
  sc_sample(HERE, HD_SAMPLE_WEIGHT);
  sc_join(20, 20, 21);
  struct hd_model *model = finish(30);
  assert_int_equal(model->header.lost_samples, (rare - RING_SAMPLES) * HD_SAMPLE_WEIGHT);
  assert_int_equal(samples_at(model, HD_BUSY, HERE, REGION), HD_SAMPLE_WEIGHT);
  assert_int_equal(model->notes.count > 0, 1);
  hd_model_free(model);
}

/* In pieces that a ring has room for. */
static void test_addresses_have_bounded_memory(void **state) {
  (void)state;
  enum { ADDRESSES = 25000, PIECE = 500 };
  begin();
  for (uint64_t i = 0; i < ADDRESSES; i++) {
    if (i % PIECE == 0) {
      sc_at(i + 1);
      sc_acquire(ompt_mutex_lock, 1, 0x400);
      sc_acquired(ompt_mutex_lock, 1, 0x400);
    }
    sc_sample(0x1000 + 16 * i, 1);
  }
  struct hd_model *model = finish(ADDRESSES + 10);
  assert_in_range(model->sample_count, 12000, 496 * 1024 / sizeof(struct hd_sample_record));
  assert_int_equal(all_samples(model) + model->header.unplaced_samples, ADDRESSES);
  hd_model_free(model);
}

/* ---- shares ---- */

static void test_shares_have_binomial_intervals(void **state) {
  (void)state;
  const struct hd_sample_sum whole = {1000, 1000};
  struct hd_sample_share share = hd_sample_share_of((struct hd_sample_sum){250, 250}, whole);
  assert_true(share.share == 0.25);
  assert_true(fabs(share.low - 0.2241) < 0.0001 && fabs(share.high - 0.2778) < 0.0001);
  share = hd_sample_share_of((struct hd_sample_sum){0, 0}, whole);
  assert_true(share.share == 0 && share.low < 1e-9 && share.high > 0.003 && share.high < 0.005);
  share = hd_sample_share_of((struct hd_sample_sum){0, 0}, (struct hd_sample_sum){0, 0});
  assert_true(isnan(share.share) && isnan(share.low));
}

/* A thousand samples that count 32 each say as much as a thousand that count one. */
static void test_samples_that_stand_for_several_count_as_one_each(void **state) {
  (void)state;
  const struct hd_sample_share alone =
      hd_sample_share_of((struct hd_sample_sum){250, 250}, (struct hd_sample_sum){1000, 1000});
  const struct hd_sample_share heavy = hd_sample_share_of((struct hd_sample_sum){250 * HD_SAMPLE_WEIGHT, 250},
                                                          (struct hd_sample_sum){1000 * HD_SAMPLE_WEIGHT, 1000});
  assert_true(fabs(alone.low - heavy.low) < 1e-12 && fabs(alone.high - heavy.high) < 1e-12);
}

static void test_places_join_addresses_by_function_or_line(void **state) {
  (void)state;
  const struct hd_model_sample samples[] = {
      {.node = 1,
       .module = 0,
       .offset = 1,
       .count = 5,
       .taken = 5,
       .name = {.function = "f", .file = "a.c", .line = 7}},
      {.node = 1,
       .module = 0,
       .offset = 2,
       .count = 3,
       .taken = 3,
       .name = {.function = "f", .file = "a.c", .line = 8}},
      {.node = 1,
       .module = 0,
       .offset = 3,
       .count = 4,
       .taken = 4,
       .name = {.function = "f", .file = "a.c", .line = 8}},
      {.node = 2, .module = 1, .offset = 9, .count = 2, .taken = 2},
      {.node = 2, .module = 1, .offset = 8, .count = 1, .taken = 1},
  };
  struct hd_hot_places functions = hd_hot_places_new(samples, 5, HD_HOT_CALLPATHS);
  assert_int_equal(functions.count, 2);
  assert_int_equal(functions.items[0].count, 12);
  assert_int_equal(functions.items[1].count, 3);
  hd_hot_places_free(&functions);
  struct hd_hot_places lines = hd_hot_places_new(samples, 5, HD_HOT_LINES);
  assert_int_equal(lines.count, 4);
  assert_int_equal(lines.items[0].count, 7);
  assert_int_equal(lines.items[0].name.line, 8);
  assert_int_equal(lines.items[2].offset, 9);
  hd_hot_places_free(&lines);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_samples_belong_to_the_callpath_and_state_at_their_time),
      cmocka_unit_test(test_samples_of_a_failed_test_of_a_lock_belong_to_what_was_before),
      cmocka_unit_test(test_threads_add_to_the_same_records),
      cmocka_unit_test(test_address_in_a_module_is_told_by_it),
      cmocka_unit_test(test_no_samples_without_a_kernel_that_takes_them),
      cmocka_unit_test(test_samples_switched_off),
      cmocka_unit_test(test_pause_leaves_its_samples_out),
      cmocka_unit_test(test_killed_program_keeps_what_threads_have_taken),
      cmocka_unit_test(test_forked_child_has_its_own_samples),
      cmocka_unit_test(test_fewer_samples_none_and_some_again),
      cmocka_unit_test(test_no_more_samples_than_at_first),
      cmocka_unit_test(test_thread_without_events_is_seen_for_all_its_time),
      cmocka_unit_test(test_samples_that_no_ring_has_room_for_are_counted),
      cmocka_unit_test(test_addresses_have_bounded_memory),
      cmocka_unit_test(test_shares_have_binomial_intervals),
      cmocka_unit_test(test_samples_that_stand_for_several_count_as_one_each),
      cmocka_unit_test(test_places_join_addresses_by_function_or_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
