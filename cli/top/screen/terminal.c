/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <curses.h>
#include <term.h> /* defines many short names */
#include <unistd.h>

#include "cli/top/screen/screen_internal.h"

bool hd_screen_can_draw(void) {
  int error;
  return setupterm(NULL, STDOUT_FILENO, &error) == OK && tigetstr("cup") != NULL;
}
