/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file values.h
 * Reads thread counts and parameters from the command line.
 */
#ifndef HEDDLE_CLI_SCALE_VALUES_H
#define HEDDLE_CLI_SCALE_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "support/command/texts.h"

enum { HD_SCALE_THREADS_MOST = 65536, HD_SCALE_COUNTS_MOST = 1024 };

/** Thread counts, ascending, each once; `items` is owned. */
struct hd_scale_threads {
  uint32_t *items;
  size_t count;
};

/** --param NAME=a,b,c */
struct hd_scale_parameter {
  char *name;
  struct hd_texts values;
};

/** "1,2,4", "1-8", "2-16:2" and what commas make of them. NULL: taken; else what is wrong, in words. */
const char *hd_scale_parse_threads(const char *text, struct hd_scale_threads *threads);

/** Powers of two up to `processors`, and that number. */
void hd_scale_default_threads(uint32_t processors, struct hd_scale_threads *threads);

/** "NAME=a,b,c", where "\," stands for a comma. NULL: taken; else what is wrong, in words. Free it in any case. */
const char *hd_scale_parse_parameter(const char *text, struct hd_scale_parameter *parameter);
void hd_scale_parameter_free(struct hd_scale_parameter *parameter);

#endif
