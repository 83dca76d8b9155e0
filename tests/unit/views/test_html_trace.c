/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Folding of traces for the page: whatever is folded, each thread has as much of each state, in the order of time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "output/views/html/trace/fold.h"

enum { THREADS = 3, STRETCHES = 5000, LONG = 400 };

struct sums {
  uint64_t ticks[THREADS][HD_STATE_COUNT];
  uint64_t end[THREADS]; /* of the last one taken */
  uint64_t weight, taken, stood_for;
};

static uint64_t drawn;

static uint64_t draw(uint64_t below) {
  drawn = drawn * 6364136223846793005u + 1442695040888963407u;
  return (drawn >> 33) % below;
}

static void add(void *context, const struct hd_stretch *stretch) {
  struct sums *sums = context;
  const uint64_t length = stretch->to_ticks - stretch->from_ticks;
  uint64_t of_states = 0;
  assert_in_range(stretch->from_ticks, sums->end[stretch->thread], UINT64_MAX);
  assert_true(length > 0);
  assert_true((stretch->ticks != NULL) == (stretch->count > 1));
  for (int state = 0; state < HD_STATE_COUNT; state++) {
    const uint64_t ticks = stretch->ticks                            ? stretch->ticks[state]
                           : (uint32_t)state == stretch->place.state ? length
                                                                     : 0;
    sums->ticks[stretch->thread][state] += ticks;
    of_states += ticks;
    assert_true(!stretch->ticks || ticks <= stretch->ticks[stretch->place.state]); /* it is where it was longest */
  }
  assert_int_equal(of_states, length);
  sums->end[stretch->thread] = stretch->to_ticks;
  sums->weight += stretch->ticks ? HD_FOLD_WEIGHT : 1;
  sums->taken++;
  sums->stood_for += stretch->count;
}

/* Threads are away now and then; most stretches are short. */
static void play(struct hd_fold *fold, struct sums *expected) {
  uint64_t now[THREADS] = {0};
  for (int i = 0; i < STRETCHES; i++) {
    const uint32_t thread = (uint32_t)draw(THREADS);
    const uint64_t begin = now[thread] + (draw(50) == 0 ? 30 : 0);
    now[thread] = begin + 1 + draw(draw(10) == 0 ? LONG : 20);
    const struct hd_stretch stretch = {.thread = thread,
                                       .from_ticks = begin,
                                       .to_ticks = now[thread],
                                       .place = {(uint32_t)draw(4), (uint32_t)draw(HD_STATE_COUNT)},
                                       .count = 1};
    add(expected, &stretch);
    hd_fold_take(fold, &stretch);
  }
  hd_fold_finish(fold);
}

static void expect_sums(uint64_t resolution) {
  struct sums expected = {0}, found = {0};
  struct hd_fold *fold = hd_fold_new(THREADS, resolution, add, &found);
  play(fold, &expected);
  assert_memory_equal(found.ticks, expected.ticks, sizeof found.ticks);
  assert_memory_equal(found.end, expected.end, sizeof found.end);
  assert_int_equal(found.stood_for, STRETCHES);
  assert_int_equal(found.weight, hd_fold_weight(fold));
  assert_true(resolution == 0 ? found.taken == STRETCHES : found.taken < STRETCHES);
  hd_fold_free(fold);
}

static void test_folds_keep_the_sums_of_states(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 20; seed++)
    for (uint64_t resolution = 0; resolution < 2 * LONG; resolution = 3 * resolution + (resolution == 0 ? 5 : 0)) {
      drawn = seed;
      expect_sums(resolution);
    }
}

static void test_coarser_folds_weigh_less(void **state) {
  (void)state;
  uint64_t weight = STRETCHES + 1;
  for (uint64_t resolution = 20; resolution < 1000; resolution *= 5) {
    struct sums expected = {0};
    struct hd_fold *fold = hd_fold_new(THREADS, resolution, NULL, NULL);
    drawn = 1;
    play(fold, &expected);
    assert_in_range(hd_fold_weight(fold), 1, weight - 1);
    weight = hd_fold_weight(fold);
    hd_fold_free(fold);
  }
}

/* What is long enough stays; a gap ends what is folded. */
static void test_long_stretches_stay(void **state) {
  (void)state;
  struct sums found = {0};
  struct hd_fold *fold = hd_fold_new(1, 10, add, &found);
  const uint64_t times[][2] = {{0, 3}, {3, 5}, {5, 9}, {9, 100}, {100, 102}, {102, 104}, {110, 112}, {112, 125}};
  for (size_t i = 0; i < sizeof times / sizeof *times; i++)
    hd_fold_take(fold,
                 &(struct hd_stretch){
                     .from_ticks = times[i][0], .to_ticks = times[i][1], .place = {0, (uint32_t)i % 2}, .count = 1});
  hd_fold_finish(fold);
  assert_int_equal(found.taken, 6); /* the first three are one */
  assert_int_equal(hd_fold_weight(fold), 5 + HD_FOLD_WEIGHT);
  hd_fold_free(fold);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_folds_keep_the_sums_of_states),
      cmocka_unit_test(test_coarser_folds_weigh_less),
      cmocka_unit_test(test_long_stretches_stay),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
