/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file profile_pair.h
 * A profile of two threads with nothing in their rows yet.
 */
#ifndef HEDDLE_TESTS_PROFILE_PAIR_H
#define HEDDLE_TESTS_PROFILE_PAIR_H

#include "profile_builder.h"

/* A program with one region (1) and a loop in it (2), run by threads 0 and 1. */
struct pair {
  struct builder builder;
  struct hd_thread_record *threads[2];
  struct hd_row_record *rows[2][3]; /* by thread and profile */
};

static inline void make_pair(struct pair *pair) {
  struct builder *builder = &pair->builder;
  builder_init(builder);
  builder_profile(builder, 0, HD_KIND_PROGRAM);
  builder_profile(builder, 0, HD_KIND_PARALLEL);
  builder_profile(builder, 1, HD_KIND_LOOP_STATIC);
  for (uint32_t i = 0; i < 2; i++) {
    pair->threads[i] = builder_thread(builder, i == 0 ? HD_THREAD_INITIAL : HD_THREAD_WORKER, 1000, 1000);
    for (uint32_t j = 0; j < 3; j++)
      pair->rows[i][j] = builder_row(builder, j, i);
    pair->threads[i]->open_cell = builder_offset(builder, builder_cell(pair->rows[i][0], HD_IDLE));
  }
}

static inline void open_cell(struct pair *pair, int thread, int profile, enum hd_state state) {
  pair->threads[thread]->open_cell = builder_offset(&pair->builder, builder_cell(pair->rows[thread][profile], state));
}

#endif
