/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file counts_sample.h
 * A small profile with counts for tests of the reader, and what is expected of numbers.
 */
#ifndef HEDDLE_COUNTS_SAMPLE_H
#define HEDDLE_COUNTS_SAMPLE_H

#include <math.h>
#include <stdio.h>

#include "count_of.h"
#include "profile_builder.h"

enum { PROGRAM, REGION, LOOP, CRITICAL };

/* The program, a region of two threads, a loop in it, a critical section in that: each has 10 ticks of each thread, the
 * program 10 of the first. */
static inline void start(struct builder *builder, uint32_t events, uint32_t slots, enum hd_counters_at at) {
  builder_init(builder);
  builder_counters(builder, events, slots, at);
  builder_profile(builder, 0, HD_KIND_PROGRAM);
  builder_profile(builder, PROGRAM, HD_KIND_PARALLEL);
  builder_profile(builder, REGION, HD_KIND_LOOP_STATIC);
  builder_profile(builder, LOOP, HD_KIND_CRITICAL);
  for (uint32_t thread = 0; thread < 2; thread++) {
    builder_thread(builder, thread == 0 ? HD_THREAD_INITIAL : HD_THREAD_WORKER, 1960 + 10 * thread, 2000)->end_ticks =
        2000;
    for (uint32_t profile = thread == 0 ? PROGRAM : REGION; profile <= CRITICAL; profile++)
      builder_cell(builder_row(builder, profile, thread), HD_BUSY)->ticks = 10;
  }
  for (uint32_t i = 0; i < events; i++) {
    char name[16];
    snprintf(name, sizeof name, "E%u", i);
    builder_event(builder, name, slots > 0 ? i % slots + 1 : 0);
  }
}

static inline struct hd_counts_record *count(struct builder *builder, uint32_t profile, uint32_t thread, uint64_t busy,
                                             uint64_t waiting) {
  struct hd_counts_record *record = builder_counts(builder, profile, thread);
  builder_count(record, 0, HD_COUNT_BUSY, busy);
  builder_count(record, 0, HD_COUNT_WAITING, waiting);
  return record;
}

/* One event, all of it: 1 + 20 + 30 + 200 + 300, waiting 5 + 7. */
static inline void start_whole(struct builder *builder, enum hd_counters_at at) {
  start(builder, 1, 0, at);
  count(builder, LOOP, 1, 300, 7);
  count(builder, LOOP, 0, 200, 5);
  count(builder, PROGRAM, 0, 1, 0);
  count(builder, REGION, 0, 20, 0);
  count(builder, REGION, 1, 30, 0);
}

static inline struct hd_count of(const struct hd_model *model, uint32_t node, uint32_t thread, bool inclusive) {
  return count_of(model, (struct hd_count_of){node, thread, inclusive}, 0, HD_COUNT_BUSY);
}

static inline void expect_exact(struct hd_count count, double value) {
  assert_true(count.known);
  assert_false(count.partial);
  assert_true(count.fraction == 1);
  assert_true(count.value == value);
}

static inline void expect_partial(struct hd_count count, double value) {
  assert_true(count.known && count.partial);
  assert_true(count.value == value);
}

static inline void expect_estimate(struct hd_count count, double value, double fraction) {
  assert_true(count.known && !count.partial);
  assert_true(fabs(count.value - value) < 1e-9 * value);
  assert_true(fabs(count.fraction - fraction) < 1e-9);
}

static inline void expect_unknown(struct hd_count count) {
  assert_false(count.known);
  assert_true(count.value == 0);
}

#endif
