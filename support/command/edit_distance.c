/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/command/edit_distance.h"

#include <ctype.h>
#include <string.h>

enum { LENGTH_MOST = 127 };

static unsigned least(unsigned a, unsigned b, unsigned c) {
  const unsigned lesser = a < b ? a : b;
  return lesser < c ? lesser : c;
}

static size_t length_of(const char *text) {
  return strnlen(text, LENGTH_MOST);
}

unsigned hd_edit_distance(const char *a, const char *b) {
  unsigned row[LENGTH_MOST + 1]; /* distances of the beginnings of b to the beginning of a so far */
  const size_t length_a = length_of(a);
  const size_t length_b = length_of(b);
  for (size_t j = 0; j <= length_b; j++)
    row[j] = (unsigned)j;
  for (size_t i = 1; i <= length_a; i++) {
    unsigned diagonal = row[0];
    row[0] = (unsigned)i;
    for (size_t j = 1; j <= length_b; j++) {
      const unsigned changed = diagonal + (tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1]));
      diagonal = row[j];
      row[j] = least(changed, row[j] + 1, row[j - 1] + 1);
    }
  }
  return row[length_b];
}

int hd_edit_is_near(const char *a, const char *b) {
  const size_t length = length_of(a);
  const unsigned distance = hd_edit_distance(a, b);
  return distance <= (length > 6 ? length / 3 : 2) && distance < length;
}
