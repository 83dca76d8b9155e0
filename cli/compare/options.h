/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file options.h
 * The options of `heddle compare`, which `heddle scale` has, too: how results are shown and judged, and what is
 * compared with what.
 */
#ifndef HEDDLE_CLI_COMPARE_OPTIONS_H
#define HEDDLE_CLI_COMPARE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/compare/fail_if.h"
#include "cli/compare/jobs.h"
#include "output/views/compare/compare.h"
#include "support/command/options.h"

enum { HD_COMPARE_PREDICTIONS_MOST = 64 };

struct hd_compare_choices {
  struct hd_compare_view_options view;
  struct hd_compare_options compare;
  enum hd_compare_ask ask;
  uint32_t predict[HD_COMPARE_PREDICTIONS_MOST];
  struct hd_fail_if **conditions;
  size_t condition_count;
  double least_share;
  bool failed; /* something is missing that an option needs; said */
};

/** Their choices are a struct hd_compare_choices. */
extern const struct hd_option hd_compare_options[];

/** What holds without any option. The choices stay where they are. */
void hd_compare_choices_init(struct hd_compare_choices *choices);
void hd_compare_choices_free(struct hd_compare_choices *choices);

#endif
