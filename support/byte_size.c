/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/byte_size.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The power of two that a letter stands for; -1: none. */
static int shift_of(char letter) {
  switch (letter) {
  case 'k':
  case 'K':
    return 10;
  case 'm':
  case 'M':
    return 20;
  case 'g':
  case 'G':
    return 30;
  case 't':
  case 'T':
    return 40;
  default:
    return -1;
  }
}

bool hd_byte_size_read(const char *text, uint64_t *bytes) {
  char *end;
  if (*text < '0' || *text > '9')
    return false;
  errno = 0;
  const unsigned long long count = strtoull(text, &end, 10);
  const int shift = shift_of(*end);
  if (shift > 0)
    end++;
  if (shift > 0 && !strcmp(end, "iB"))
    end += 2;
  else if (!strcmp(end, "B"))
    end++;
  if (errno || *end || (shift > 0 && count > UINT64_MAX >> shift))
    return false;
  *bytes = shift > 0 ? (uint64_t)count << shift : count;
  return true;
}
