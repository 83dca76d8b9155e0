/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli/top/screen/screen.h"

const bool hd_top_has_screen = false;

bool hd_top_screen(const struct hd_top_screen_options *options, char *error, size_t error_bytes) {
  (void)options;
  snprintf(error, error_bytes,
           "this heddle was built without ncurses and has no screen; 'heddle top --once' shows the same");
  return false;
}
