/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/render/document.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "output/views/render/markdown.h"
#include "support/command/sanitize.h"

enum { FACT_INDENT = 10 };

static void plain_text(const char *text, char *clean, size_t bytes) {
  snprintf(clean, bytes, "%s", text);
  hd_plain_lines(clean);
}

void hd_sheet_clean(const struct hd_sheet *sheet, const char *text, char *clean, size_t bytes) {
  if (sheet->markdown)
    hd_markdown_text(text, clean, bytes);
  else
    plain_text(text, clean, bytes);
}

static void put(const struct hd_sheet *sheet, size_t indent, const char *format, va_list arguments) {
  char text[HD_SENTENCE_BYTES], clean[2 * HD_SENTENCE_BYTES];
  vsnprintf(text, sizeof text, format, arguments);
  hd_sheet_clean(sheet, text, clean, sizeof clean);
  if (sheet->markdown)
    fputs(clean, sheet->out);
  else
    hd_print_wrapped(clean, indent, sheet->out);
}

void hd_sheet_title(const struct hd_sheet *sheet, int level, const char *format, ...) {
  va_list arguments;
  fprintf(sheet->out, "%s", sheet->markdown ? (level == 1 ? "\n## " : level == 2 ? "\n### " : "\n#### ") : "\n");
  if (!sheet->markdown && level == 1)
    fputs("== ", sheet->out);
  va_start(arguments, format);
  put(sheet, 0, format, arguments);
  va_end(arguments);
  fputs(!sheet->markdown && level == 1 ? " ==\n" : sheet->markdown ? "\n\n" : "\n", sheet->out);
}

void hd_sheet_fact(const struct hd_sheet *sheet, const char *word, const char *format, ...) {
  va_list arguments;
  fprintf(sheet->out, sheet->markdown ? "- %s: " : "%-9s ", word);
  va_start(arguments, format);
  put(sheet, FACT_INDENT, format, arguments);
  va_end(arguments);
  fputc('\n', sheet->out);
}

void hd_sheet_say(const struct hd_sheet *sheet, const char *format, ...) {
  va_list arguments;
  if (sheet->markdown)
    fputc('\n', sheet->out);
  va_start(arguments, format);
  put(sheet, 0, format, arguments);
  va_end(arguments);
  fputs("\n", sheet->out);
}

bool hd_sheet_table(const struct hd_sheet *sheet, struct hd_grid *grid) {
  return sheet->markdown ? hd_markdown_table(grid, sheet->out) : hd_grid_print(grid, sheet->out);
}
