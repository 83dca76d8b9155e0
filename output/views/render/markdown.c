/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/render/markdown.h"

#include <stdio.h>
#include <string.h>

#include "support/command/sanitize.h"

void hd_markdown_text(const char *text, char *clean, size_t bytes) {
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
  hd_plain_lines(clean);
}

static void put_cell(const char *cell, const char *end, FILE *out) {
  char clean[2 * HD_PLACE_BYTES + 8];
  hd_markdown_text(cell, clean, sizeof clean);
  fprintf(out, "%s%s", clean, end);
}

static void put_row(const struct hd_grid *grid, struct libscols_line *row, FILE *out) {
  for (size_t i = 0; i < grid->column_count; i++)
    put_cell(hd_grid_text(row, i), " | ", (fputs(i == 0 ? "| " : "", out), out));
  const struct libscols_line *parent = scols_line_get_parent(row);
  for (const struct libscols_line *above = parent; above && (above = scols_line_get_parent(above));)
    fputs("&emsp;", out);
  fputs(parent ? "└─ " : "", out);
  put_cell(hd_grid_text(row, grid->column_count), " |\n", out);
}

bool hd_markdown_table(const struct hd_grid *grid, FILE *out) {
  struct libscols_iter *rows = grid->failed ? NULL : scols_new_iter(SCOLS_ITER_FORWARD);
  struct libscols_line *row;
  if (!rows)
    return false;
  fputs("\n| ", out);
  for (size_t i = 0; i <= grid->column_count; i++)
    put_cell(hd_grid_title(grid, i), i < grid->column_count ? " | " : " |\n", out);
  for (size_t i = 0; i < grid->column_count; i++)
    fputs("| ---: ", out);
  fputs("| :--- |\n", out);
  while (scols_table_next_line(grid->table, rows, &row) == 0)
    put_row(grid, row, out);
  scols_free_iter(rows);
  return true;
}
