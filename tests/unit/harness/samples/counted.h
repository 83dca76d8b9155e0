/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file counted.h
 * For tests of counts on the fake runtime: the stub libpapi counts the script's time, so that every count is known.
 */
#ifndef HEDDLE_TESTS_COUNTED_H
#define HEDDLE_TESTS_COUNTED_H

#include <string.h>
#include <sys/wait.h>

#include "expect.h"
#include "oracle.h"
#include "output/reader/open.h"
#include "script.h"

#define REGION SITE(PARALLEL, 0x100)
#define LOOP SITE(LOOP_STATIC, 0x200)

static const struct fk_options at_all = {.counters = "STUB_CLOCK", .counters_at = "all"};
static const struct fk_options at_loop = {.counters = "STUB_CLOCK"}; /* the default */
static const struct fk_options at_region = {.counters = "STUB_CLOCK", .counters_at = "region"};

static inline const struct hd_counts *counts_at(const struct hd_model *model, uint32_t thread,
                                                const struct ex_site *path, size_t count) {
  const struct hd_node *node = ex_node_at(model, true, path, count);
  for (uint32_t i = 0; i < model->counts_count; i++)
    if (model->counts[i].node == node->id && model->counts[i].thread == thread)
      return &model->counts[i];
  return NULL;
}

/* Fails unless the first event's counts, while busy, waiting and in the runtime, are these. */
#define expect_counts(model, thread, busy, waiting, runtime, ...)                                                      \
  expect_counts_at(model, thread, (const uint64_t[]){busy, waiting, runtime}, EX_SITES(__VA_ARGS__), __FILE__, __LINE__)
static inline void expect_counts_at(const struct hd_model *model, uint32_t thread,
                                    const uint64_t expected[HD_COUNT_CLASSES], const struct ex_site *path, size_t count,
                                    const char *file, int line) {
  static const uint64_t none[HD_COUNT_CLASSES];
  const struct hd_counts *counts = counts_at(model, thread, path, count);
  const uint64_t *found = counts ? counts->counts : none;
  if (!memcmp(found, expected, sizeof none))
    return;
  print_error("busy, waiting, runtime: expected %lu %lu %lu, found %lu %lu %lu\n", expected[0], expected[1],
              expected[2], found[0], found[1], found[2]);
  _fail(file, line);
}

/* Which classes lack some of the first event: bit i, class i. */
#define missing_at(model, thread, ...) missing_bits(counts_at(model, thread, EX_SITES(__VA_ARGS__)))
static inline unsigned missing_bits(const struct hd_counts *counts) {
  unsigned bits = 0;
  for (int c = 0; counts && c < HD_COUNT_CLASSES; c++)
    bits |= (unsigned)(counts->missing[c] & 1) << c;
  return bits;
}
enum { BUSY = 1 << HD_COUNT_BUSY, WAITING = 1 << HD_COUNT_WAITING };

static inline struct hd_model *compared(struct hd_model *model) {
  struct or_result *oracle = or_run(sc_script(), 0);
  const char *difference = or_counts_difference(oracle, model);
  if (difference)
    fail_msg("%s", difference);
  or_free(oracle);
  return model;
}

static inline struct hd_model *play(const struct fk_options *options) {
  return compared(ex_play_exact(options));
}

static inline struct hd_model *play_rough(const struct fk_options *options) {
  return compared(ex_play_exact_rough(options));
}

static inline struct hd_model *play_killed(const struct fk_options *options) {
  const struct fk_result result = fk_play(sc_script(), options);
  struct hd_model *model = NULL;
  char error[300] = "";
  assert_true(WIFSIGNALED(result.status));
  if (!hd_profile_open(result.path, &model, error, sizeof error))
    fail_msg("%s", error);
  return compared(model);
}

static inline void begin(void) {
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
}

static inline struct hd_model *end(uint64_t time, const struct fk_options *options) {
  sc_at(time);
  sc_finish();
  return play(options);
}

/* Thread 0: program to 10, fork to 12, busy to 40, waits to 50, joins to 53. Worker: busy from 14 to 45. */
static inline void one_region(void) {
  sc_at(10);
  const uint32_t region = sc_parallel_begin(0x100, 2);
  sc_at(12);
  sc_implicit_begin(region, 0, 2);
  sc_thread(1);
  sc_at(14);
  sc_implicit_begin(region, 1, 2);
  sc_thread(0);
  sc_at(40);
  sc_join_begin();
  sc_thread(1);
  sc_at(45);
  sc_join_begin();
  sc_thread(0);
  sc_at(50);
  sc_join_end();
  sc_at(53);
  sc_parallel_end();
}

#endif
