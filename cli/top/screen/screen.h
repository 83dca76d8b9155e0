/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file screen.h
 * `heddle top` on a terminal, until the user ends it.
 */
#ifndef HEDDLE_CLI_TOP_SCREEN_SCREEN_H
#define HEDDLE_CLI_TOP_SCREEN_SCREEN_H

#include "cli/watch/watch.h"

struct hd_top_screen_options {
  const char *path; /* of the profile; NULL: the user chooses a program */
  double interval_seconds;
  enum hd_top_sort sort;
};

/** Whether this build has one. */
extern const bool hd_top_has_screen;

/** False: `error` says why there is no screen. */
bool hd_top_screen(const struct hd_top_screen_options *options, char *error, size_t error_bytes);

#endif
