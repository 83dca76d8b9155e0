/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file played_on.h
 * For tests of numbers that depend on how many processors there are.
 */
#ifndef HEDDLE_TESTS_PLAYED_ON_H
#define HEDDLE_TESTS_PLAYED_ON_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "expect.h"
#include "output/reader/open.h"
#include "script.h"
#include "store/seal.h"

/** Plays the script as on a machine of so many processors; 0: not known. */
static inline struct hd_model *play_on_with(uint32_t processors, const struct fk_options *options) {
  struct fk_result result = fk_play(sc_script(), options);
  struct stat status;
  char error[300];
  struct hd_model *model = NULL;
  FILE *file = fopen(result.path, "rb");
  assert_true(file && fstat(fileno(file), &status) == 0);
  char *bytes = malloc((size_t)status.st_size);
  assert_non_null(bytes);
  assert_int_equal(fread(bytes, 1, (size_t)status.st_size, file), status.st_size);
  fclose(file);
  ((struct hd_file_header *)(void *)bytes)->max_threads = processors;
  hd_seal_header(bytes);
  if (!hd_profile_parse("played", bytes, (size_t)status.st_size, &model, error, sizeof error))
    fail_msg("%s", error);
  free(bytes);
  return model;
}

static inline struct hd_model *play_on(uint32_t processors) {
  return play_on_with(processors, &(struct fk_options){0});
}

#endif
