/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file group_text.h
 * Groups of events from texts, for tests.
 */
#ifndef GROUP_TEXT_H
#define GROUP_TEXT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "output/metrics/group.h"

#define EVENTS "EVENTSET\nINS  PAPI_TOT_INS\nCYC  PAPI_TOT_CYC\n"

static inline struct hd_group *parse(const char *text) {
  char error[512] = "";
  struct hd_group *group = hd_group_parse("dir/NAME.txt", text, error, sizeof error);
  if (!group)
    fail_msg("%s", error);
  return group;
}

static inline void expect_error(const char *text, const char *expected) {
  char error[512] = "";
  struct hd_group *group = hd_group_parse("G.txt", text, error, sizeof error);
  if (group)
    fail_msg("parsed, but expected: %s", expected);
  assert_string_equal(error, expected);
}

#endif
