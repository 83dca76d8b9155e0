/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/inprocess/stack_bounds.h"

#include <fcntl.h>
#include <unistd.h>

#include "support/inprocess/seccomp.h"

/* Reads "begin-end ..." lines character by character: there may be thousands, and they come in pieces. */
struct scan {
  uintptr_t numbers[2];
  int field; /* 0, 1: the numbers; 2: the rest of the line */
  uintptr_t last_end;
};

static int digit(char c) {
  return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* True at the end of a line's numbers. */
static bool step(struct scan *scan, char c) {
  if (scan->field < 2 && digit(c) >= 0)
    scan->numbers[scan->field] = scan->numbers[scan->field] << 4 | (uintptr_t)digit(c);
  else if (c == '\n')
    *scan = (struct scan){.last_end = scan->numbers[1]};
  else if (scan->field < 2)
    return ++scan->field == 2;
  return false;
}

bool hd_own_stack(uintptr_t inside, uintptr_t *begin, uintptr_t *end) {
  char text[1024];
  struct scan scan = {0};
  bool found = false;
  int file = hd_seccomp_is_new() ? -1 : open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return false;
  for (ssize_t got = 1; !found && (got = read(file, text, sizeof text)) > 0;)
    for (ssize_t i = 0; i < got && !found; i++)
      found = step(&scan, text[i]) && scan.numbers[0] <= inside && inside < scan.numbers[1];
  close(file);
  *begin = scan.last_end;
  *end = scan.numbers[1];
  return found;
}
