/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/render/document.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "output/views/render/markdown.h"
#include "support/command/sanitize.h"

enum { PAGE = 110, FACT_INDENT = 10 };

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

/* Text is broken into lines; Markdown does that itself. Lines after the first begin with `indent` spaces. */
static void put_wrapped(const struct hd_sheet *sheet, const char *text, size_t indent) {
  const size_t width = hd_report_width(sheet->out) < PAGE ? hd_report_width(sheet->out) : PAGE;
  size_t used = indent;
  while (*text) {
    const size_t word = strcspn(text, " \n");
    char kept[HD_SENTENCE_BYTES];
    snprintf(kept, sizeof kept, "%.*s", (int)word, text);
    if (used > indent && used + 1 + hd_text_width(kept) > width)
      used = (size_t)fprintf(sheet->out, "\n%*s", (int)indent, "") - 1;
    if (used > indent)
      used += (size_t)fprintf(sheet->out, " ");
    fputs(kept, sheet->out);
    used += hd_text_width(kept);
    text += word;
    for (; *text == ' ' || *text == '\n'; text++)
      if (*text == '\n')
        used = (size_t)fprintf(sheet->out, "\n%*s", (int)indent, "") - 1;
  }
}

static void put(const struct hd_sheet *sheet, size_t indent, const char *format, va_list arguments) {
  char text[HD_SENTENCE_BYTES], clean[2 * HD_SENTENCE_BYTES];
  vsnprintf(text, sizeof text, format, arguments);
  hd_sheet_clean(sheet, text, clean, sizeof clean);
  if (sheet->markdown)
    fputs(clean, sheet->out);
  else
    put_wrapped(sheet, clean, indent);
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

bool hd_sheet_table(const struct hd_sheet *sheet, struct hd_grid *grid, const char *title, bool tree) {
  return sheet->markdown ? hd_markdown_table(grid, title, tree, sheet->out)
                         : hd_grid_print(grid, title, tree, sheet->out);
}
