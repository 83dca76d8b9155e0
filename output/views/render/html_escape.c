/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/render/html_escape.h"

#include <stdbool.h>
#include <string.h>

#include "support/command/sanitize.h"

static const char *entity(char character) {
  switch (character) {
  case '&':
    return "&amp;";
  case '<':
    return "&lt;";
  case '>':
    return "&gt;";
  case '"':
    return "&quot;";
  case '\'':
    return "&#39;";
  case '\t':
    return "&#9;";
  default:
    return NULL;
  }
}

void hd_html_text(const char *text, FILE *out) {
  while (text && *text) {
    const char *escaped = entity(*text);
    const size_t bytes = escaped ? 1 : hd_sanitize_character(text);
    if (escaped)
      fputs(escaped, out);
    else if (bytes > 0)
      fwrite(text, 1, bytes, out);
    else
      fputs("\xef\xbf\xbd", out);
    text += bytes > 0 ? bytes : 1;
  }
}

/* U+2028 and U+2029 end lines in older JavaScript. */
static unsigned line_separator(const char *at, size_t left) {
  if (left < 3 || memcmp(at, "\xe2\x80", 2) != 0)
    return 0;
  return at[2] == '\xa8' ? 0x2028 : at[2] == '\xa9' ? 0x2029 : 0;
}

void hd_html_json(const char *json, size_t bytes, FILE *out) {
  bool in_string = false, escaped = false;
  for (size_t i = 0; i < bytes; i++) {
    const char at = json[i];
    const unsigned separator = line_separator(json + i, bytes - i);
    if (separator) {
      fprintf(out, "\\u%04x", separator);
      i += 2;
    } else if (at == '<' || at == '>' || at == '&') {
      fprintf(out, "\\u%04x", (unsigned)at);
    } else if (in_string || !strchr(" \n", at)) {
      fputc(at, out);
    }
    if (at == '"' && !escaped)
      in_string = !in_string;
    escaped = in_string && at == '\\' && !escaped;
  }
}
