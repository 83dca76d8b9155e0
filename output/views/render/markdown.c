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

static void put_cell(const char *cell, FILE *out) {
  char clean[2 * HD_CELL_BYTES + 8];
  hd_markdown_text(cell, clean, sizeof clean);
  fprintf(out, "| %s ", clean);
}

static void put_place(const struct hd_grid_row *row, bool tree, FILE *out) {
  char clean[2 * HD_PLACE_BYTES + 8];
  fputs("| ", out);
  for (uint32_t i = 1; tree && i < row->depth; i++)
    fputs("&emsp;", out);
  fputs(tree && row->depth > 0 ? "└─ " : "", out);
  hd_markdown_text(row->place, clean, sizeof clean);
  fprintf(out, "%s |\n", clean);
}

bool hd_markdown_table(const struct hd_grid *grid, const char *title, bool tree, FILE *out) {
  fputc('\n', out);
  for (size_t i = 0; i < grid->column_count; i++)
    put_cell(grid->titles[i], out);
  fprintf(out, "| %s |\n", title);
  for (size_t i = 0; i < grid->column_count; i++)
    fputs("| ---: ", out);
  fputs("| :--- |\n", out);
  for (uint32_t row = 0; row < grid->row_count; row++) {
    for (size_t i = 0; i < grid->column_count; i++)
      put_cell(grid->rows[row].cells[i], out);
    put_place(&grid->rows[row], tree, out);
  }
  return true;
}
