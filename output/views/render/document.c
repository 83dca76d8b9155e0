/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/render/document.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "support/command/memory.h"
#include "support/command/sanitize.h"

/* ---- GitHub's Markdown ---- */

/* What marks text up, in a table or outside, is written as itself. */
static void markdown_text(const char *text, char *clean, size_t bytes) {
  char *to = clean;
  for (const char *at = text; *at && to + 8 < clean + bytes; at++) {
    if (*at == '<')
      to = stpcpy(to, "&lt;");
    else if (strchr("\\|`*_[]~#", *at)) {
      *to++ = '\\';
      *to++ = *at;
    } else
      *to++ = *at;
  }
  *to = '\0';
  hd_sanitize_lines(clean);
}

static void put_cell(const char *cell, const char *end, FILE *out) {
  char clean[2 * HD_PLACE_BYTES + 8];
  markdown_text(cell, clean, sizeof clean);
  fprintf(out, "%s%s", clean, end);
}

static void put_row(const struct hd_table *grid, struct libscols_line *row, FILE *out) {
  for (size_t i = 0; i < grid->column_count; i++)
    put_cell(hd_table_text(row, i), " | ", (fputs(i == 0 ? "| " : "", out), out));
  const struct libscols_line *parent = scols_line_get_parent(row);
  for (const struct libscols_line *above = parent; above && (above = scols_line_get_parent(above));)
    fputs("&emsp;", out);
  fputs(parent ? "└─ " : "", out);
  put_cell(hd_table_text(row, grid->column_count), " |\n", out);
}

static void markdown_table(const struct hd_table *grid, FILE *out) {
  struct libscols_iter *rows = scols_new_iter(SCOLS_ITER_FORWARD);
  struct libscols_line *row;
  hd_need(rows);
  fputs("\n| ", out);
  for (size_t i = 0; i <= grid->column_count; i++)
    put_cell(hd_table_title(grid, i), i < grid->column_count ? " | " : " |\n", out);
  for (size_t i = 0; i < grid->column_count; i++)
    fputs("| ---: ", out);
  fputs("| :--- |\n", out);
  while (scols_table_next_line(grid->table, rows, &row) == 0)
    put_row(grid, row, out);
  scols_free_iter(rows);
}

/* ---- either ---- */

static void plain_text(const char *text, char *clean, size_t bytes) {
  snprintf(clean, bytes, "%s", text);
  hd_sanitize_lines(clean);
}

void hd_document_clean(const struct hd_document *document, const char *text, char *clean, size_t bytes) {
  if (document->markdown)
    markdown_text(text, clean, bytes);
  else
    plain_text(text, clean, bytes);
}

static void put(const struct hd_document *document, enum hd_paint paint, size_t indent, const char *format,
                va_list arguments) {
  char text[HD_SENTENCE_BYTES], clean[2 * HD_SENTENCE_BYTES];
  vsnprintf(text, sizeof text, format, arguments);
  hd_document_clean(document, text, clean, sizeof clean);
  if (document->markdown)
    fputs(clean, document->out);
  else
    hd_print_painted(paint, clean, indent, document->out);
}

void hd_document_title(const struct hd_document *document, int level, const char *format, ...) {
  va_list arguments;
  fprintf(document->out, "%s", document->markdown ? (level == 1 ? "\n## " : level == 2 ? "\n### " : "\n#### ") : "\n");
  if (!document->markdown && level == 1)
    fputs("== ", document->out);
  va_start(arguments, format);
  put(document, HD_PAINT_HEADING, 0, format, arguments);
  va_end(arguments);
  fputs(!document->markdown && level == 1 ? " ==\n" : document->markdown ? "\n\n" : "\n", document->out);
}

void hd_document_fact(const struct hd_document *document, const char *word, const char *format, ...) {
  va_list arguments;
  if (document->markdown && !word[0])
    fputs("  - ", document->out);
  else if (document->markdown)
    fprintf(document->out, "- %s: ", word);
  else
    fprintf(document->out, "%s%-9s%s ", hd_paint_begin(hd_fact_paint(word), document->out), word,
            hd_paint_end(hd_fact_paint(word), document->out));
  va_start(arguments, format);
  put(document, strcmp(word, "findings") == 0 ? HD_PAINT_HEADING : HD_PAINT_NONE, HD_FACT_INDENT, format, arguments);
  va_end(arguments);
  fputc('\n', document->out);
}

void hd_document_say(const struct hd_document *document, const char *format, ...) {
  va_list arguments;
  if (document->markdown)
    fputc('\n', document->out);
  va_start(arguments, format);
  put(document, HD_PAINT_NONE, 0, format, arguments);
  va_end(arguments);
  fputs("\n", document->out);
}

void hd_document_table(struct hd_document *document, struct hd_table *grid) {
  if (document->markdown)
    markdown_table(grid, document->out);
  else
    hd_table_print(grid, document->out);
  hd_table_free(grid);
}
