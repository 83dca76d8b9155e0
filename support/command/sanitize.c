/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/command/sanitize.h"

#include <stdbool.h>
#include <stdint.h>

/* By the first byte: how many there are, and the bounds of the second (Unicode, table 3-7), without C1. */
size_t hd_sanitize_character(const char *text) {
  static const struct {
    uint8_t first, last, low, high;
    size_t bytes;
  } forms[] = {{0x20, 0x7e, 0, 0, 1},       {0xc2, 0xc2, 0xa0, 0xbf, 2}, {0xc3, 0xdf, 0x80, 0xbf, 2},
               {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3},
               {0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4},
               {0xf4, 0xf4, 0x80, 0x8f, 4}};
  const uint8_t *at = (const uint8_t *)text;
  size_t form = 0;
  while (form < sizeof forms / sizeof *forms && (at[0] < forms[form].first || at[0] > forms[form].last))
    form++;
  if (form == sizeof forms / sizeof *forms)
    return 0;
  for (size_t i = 1; i < forms[form].bytes; i++) {
    const uint8_t low = i == 1 ? forms[form].low : 0x80;
    const uint8_t high = i == 1 ? forms[form].high : 0xbf;
    if (at[i] < low || at[i] > high)
      return 0;
  }
  return forms[form].bytes;
}

static void make_plain(char *text, bool keeps_lines) {
  while (*text) {
    const size_t bytes = hd_sanitize_character(text);
    if (bytes == 0 && !(keeps_lines && *text == '\n'))
      *text = '?';
    text += bytes > 0 ? bytes : 1;
  }
}

void hd_sanitize(char *text) {
  make_plain(text, false);
}

void hd_sanitize_lines(char *text) {
  make_plain(text, true);
}

void hd_sanitize_write(const char *text, FILE *out) {
  for (; *text; text++) {
    const size_t bytes = hd_sanitize_character(text);
    fwrite(bytes > 0 ? text : "?", bytes > 0 ? bytes : 1, 1, out);
    text += bytes > 0 ? bytes - 1 : 0;
  }
}
