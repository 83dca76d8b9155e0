/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file merge_sum.h
 * For tests of sums of runs: makes one as `heddle merge` does, and reads it back.
 */
#ifndef HEDDLE_TESTS_MERGE_SUM_H
#define HEDDLE_TESTS_MERGE_SUM_H

#include <stdio.h>
#include <string.h>

#include "expect.h"
#include "output/merge/merge.h"
#include "output/model/lazy_rows.h"
#include "output/model/memory.h"
#include "output/reader/open.h"

/* The sum, read back from a file, with all identities held. The caller frees it. */
static inline struct hd_model *sum_of(struct hd_model *const *models, size_t count) {
  struct hd_writer writer = {0};
  struct hd_model *sum = NULL;
  char error[512] = "";
  char path[600];
  snprintf(path, sizeof path, "%s/sum.heddle", fk_directory());
  if (!hd_merge(models, count, false, &writer, error, sizeof error))
    fail_msg("%s", error);
  assert_true(hd_writer_save(&writer, path, true));
  hd_writer_free(&writer);
  if (!hd_profile_open(path, &sum, error, sizeof error))
    fail_msg("%s", error);
  hd_model_need_rows(sum);
  const char *broken = sum->levels_known ? ex_broken_identity(sum, path) : NULL;
  if (broken)
    fail_msg("%s", broken);
  return sum;
}
#define SUM(...)                                                                                                       \
  sum_of((struct hd_model *[]){__VA_ARGS__}, sizeof((struct hd_model *[]){__VA_ARGS__}) / sizeof(struct hd_model *))

static inline bool has_note(const struct hd_model *model, const char *text) {
  for (size_t i = 0; i < model->notes.count; i++)
    if (strstr(model->notes.items[i], text))
      return true;
  return false;
}

static inline void free_all(struct hd_model **models, size_t count) {
  for (size_t i = 0; i < count; i++)
    hd_model_free(models[i]);
}

#endif
