/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/render/document.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "output/views/render/html_escape.h"
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

/* ---- HTML ---- */

static size_t depth_of(struct libscols_line *row) {
  size_t depth = 0;
  while ((row = scols_line_get_parent(row)))
    depth++;
  return depth;
}

/* Whether the cells of a column begin with words, which sort by the alphabet. */
static bool has_words(const struct hd_table *grid, size_t column) {
  struct libscols_iter *rows = scols_new_iter(SCOLS_ITER_FORWARD);
  struct libscols_line *row;
  bool words = false;
  hd_need(rows);
  while (!words && scols_table_next_line(grid->table, rows, &row) == 0) {
    const char *text = hd_table_text(row, column);
    words = isalpha((unsigned char)text[strspn(text, "~?<>= ")]);
  }
  scols_free_iter(rows);
  return words;
}

static void html_cell(const char *element, const char *attributes, const char *text, FILE *out) {
  fprintf(out, "<%s%s>", element, attributes);
  hd_html_text(text, out);
  fprintf(out, "</%s>", element);
}

static void html_row(const struct hd_table *grid, struct libscols_line *row, const bool *words, FILE *out) {
  char indent[64];
  snprintf(indent, sizeof indent, " scope=\"row\" style=\"padding-left:%.1fem\"", 0.5 + 1.2 * (double)depth_of(row));
  fputs("<tr>", out);
  html_cell("th", indent, hd_table_text(row, grid->column_count), out);
  for (size_t i = 0; i < grid->column_count; i++)
    html_cell("td", words[i] ? " class=\"word\"" : "", hd_table_text(row, i), out);
  fputs("</tr>\n", out);
}

/* The place comes first, as in the other tables of pages. */
static void html_table(struct hd_document *document, const struct hd_table *grid) {
  FILE *out = document->out;
  struct libscols_iter *rows = scols_new_iter(SCOLS_ITER_FORWARD);
  struct libscols_line *row;
  bool words[HD_TABLE_COLUMNS];
  char attributes[64];
  hd_need(rows);
  fprintf(out, "<div class=\"wide\"><table id=\"table-%u\">\n<thead><tr>", ++document->table_count);
  html_cell("th", " scope=\"col\" class=\"word\"", hd_table_title(grid, grid->column_count), out);
  for (size_t i = 0; i < grid->column_count; i++) {
    words[i] = has_words(grid, i);
    snprintf(attributes, sizeof attributes, " scope=\"col\"%s data-rank=\"%d\"", words[i] ? " class=\"word\"" : "",
             grid->ranks[i]);
    html_cell("th", attributes, hd_table_title(grid, i), out);
  }
  fputs("</tr></thead>\n<tbody>\n", out);
  while (scols_table_next_line(grid->table, rows, &row) == 0)
    html_row(grid, row, words, out);
  fputs("</tbody></table></div>\n", out);
  scols_free_iter(rows);
}

static void html_text(const struct hd_document *document, const char *before, const char *format, va_list arguments,
                      const char *after) {
  char text[HD_SENTENCE_BYTES];
  vsnprintf(text, sizeof text, format, arguments);
  fputs(before, document->out);
  for (char *at = text; (at = strchr(at, '\n'));)
    *at = ' ';
  hd_html_text(text, document->out);
  fputs(after, document->out);
}

/* A headline needs no word before it. */
static void html_fact(const struct hd_document *document, enum hd_paint paint, const char *word, const char *format,
                      va_list arguments) {
  const char *class = paint == HD_PAINT_HEADING      ? "headline"
                      : strcmp(word, "warning") == 0 ? "warning"
                      : word[0]                      ? "fact"
                                                     : "under";
  fprintf(document->out, "<p class=\"%s\">", class);
  if (word[0] && paint != HD_PAINT_HEADING)
    html_cell("b", "", word, document->out);
  html_text(document, word[0] ? " " : "", format, arguments, "</p>\n");
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
  if (document->html) {
    static const char *const begins[] = {"<h2>", "<h2>", "<h3>", "<h4>"}, *const ends[] = {"</h2>\n", "</h2>\n",
                                                                                           "</h3>\n", "</h4>\n"};
    va_start(arguments, format);
    html_text(document, begins[level], format, arguments, ends[level]);
    va_end(arguments);
    return;
  }
  fprintf(document->out, "%s", document->markdown ? (level == 1 ? "\n## " : level == 2 ? "\n### " : "\n#### ") : "\n");
  if (!document->markdown && level == 1)
    fputs("== ", document->out);
  va_start(arguments, format);
  put(document, HD_PAINT_HEADING, 0, format, arguments);
  va_end(arguments);
  fputs(!document->markdown && level == 1 ? " ==\n" : document->markdown ? "\n\n" : "\n", document->out);
}

static void put_fact(const struct hd_document *document, enum hd_paint paint, const char *word, const char *format,
                     va_list arguments) {
  if (document->html) {
    html_fact(document, paint, word, format, arguments);
    return;
  }
  if (document->markdown && !word[0])
    fputs("  - ", document->out);
  else if (document->markdown)
    fprintf(document->out, "- %s: ", word);
  else
    fprintf(document->out, "%s%-9s%s ", hd_paint_begin(hd_fact_paint(word), document->out), word,
            hd_paint_end(hd_fact_paint(word), document->out));
  put(document, paint, HD_FACT_INDENT, format, arguments);
  fputc('\n', document->out);
}

void hd_document_fact(const struct hd_document *document, const char *word, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  put_fact(document, HD_PAINT_NONE, word, format, arguments);
  va_end(arguments);
}

void hd_document_headline(const struct hd_document *document, const char *word, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  put_fact(document, HD_PAINT_HEADING, word, format, arguments);
  va_end(arguments);
}

void hd_document_facts(const struct hd_document *document, const char *lines) {
  if (!document->html) {
    hd_print_facts(lines, document->out);
    return;
  }
  char word[HD_FACT_INDENT + 1];
  for (size_t length; (length = strcspn(lines, "\n")) > 0; lines += length + (lines[length] == '\n')) {
    const size_t before = length < HD_FACT_INDENT ? length : HD_FACT_INDENT;
    snprintf(word, sizeof word, "%.*s", (int)strcspn(lines, " \n"), lines);
    hd_document_fact(document, word, "%.*s", (int)(length - before), lines + before);
  }
}

void hd_document_say(const struct hd_document *document, const char *format, ...) {
  va_list arguments;
  if (document->html) {
    va_start(arguments, format);
    html_text(document, "<p>", format, arguments, "</p>\n");
    va_end(arguments);
    return;
  }
  if (document->markdown)
    fputc('\n', document->out);
  va_start(arguments, format);
  put(document, HD_PAINT_NONE, 0, format, arguments);
  va_end(arguments);
  fputs("\n", document->out);
}

void hd_document_figure(const struct hd_document *document, const char *name, size_t point) {
  if (document->html)
    fprintf(document->out, "<div class=\"figure\" data-figure=\"%s\" data-part=\"%zu\" data-point=\"%zu\"></div>\n",
            name, document->part, point);
}

void hd_document_legend(const struct hd_document *document, const char *text) {
  if (!document->html) {
    hd_document_say(document, "\n%s", text);
    return;
  }
  fputs("<details class=\"legend\"><summary>What the columns are</summary>", document->out);
  html_cell("p", "", text, document->out);
  fputs("</details>\n", document->out);
}

void hd_document_table(struct hd_document *document, struct hd_table *grid) {
  if (document->html)
    html_table(document, grid);
  else if (document->markdown)
    markdown_table(grid, document->out);
  else
    hd_table_print(grid, document->out);
  hd_table_free(grid);
}
