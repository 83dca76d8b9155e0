/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/html/table.h"

#include <math.h>
#include <string.h>

#include "output/analysis/losses/causes.h"

void hd_html_section(const char *id, const char *title, FILE *out) {
  fprintf(out, "<section id=\"%s\">\n<h2>%s</h2>\n", id, title);
}

static const struct hd_column *column_of(const struct hd_html_table *table, size_t index) {
  return &table->columns.items[index];
}

static bool is_word(enum hd_column_kind kind) {
  return kind == HD_WORD || kind == HD_TEXT;
}

/* On narrow screens columns with a rank are left out; scripts leave out those that do not fit (tables.js). */
static void put_classes(const struct hd_column *column, bool has_bar, FILE *out) {
  const char *classes[] = {is_word(column->kind) ? "word" : NULL, column->rank > 0 ? "less" : NULL,
                           has_bar ? "bar" : NULL};
  const char *before = " class=\"";
  for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
    if (!classes[i])
      continue;
    fprintf(out, "%s%s", before, classes[i]);
    before = " ";
  }
  if (*before == ' ' && before[1] == '\0')
    fputc('"', out);
}

/* The help in full: what follows the end of a line is for lists. */
static void put_help(const struct hd_column *column, FILE *out) {
  const char *help = column->help ? column->help : "";
  const size_t first = strcspn(help, "\n");
  const char *rest = help[first] ? help + first + 1 : "";
  if (!*help)
    return;
  fputs(" title=\"", out);
  for (size_t i = 0; i < first; i++)
    hd_html_text((char[]){help[i], '\0'}, out);
  fputs(first > 0 && *rest ? "; " : "", out);
  hd_html_text(rest, out);
  fputc('"', out);
}

void hd_html_table_begin(const struct hd_html_table *table) {
  FILE *out = table->out;
  fprintf(out, "<div class=\"wide\"><table id=\"%s\">\n<thead><tr><th scope=\"col\" class=\"word\">%s</th>", table->id,
          table->place);
  for (size_t i = SIZE_MAX; (i = hd_columns_next(&table->columns, i)) < table->columns.count;) {
    fputs("<th scope=\"col\"", out);
    put_classes(column_of(table, i), false, out);
    if (column_of(table, i)->rank > 0)
      fprintf(out, " data-rank=\"%d\"", column_of(table, i)->rank);
    put_help(column_of(table, i), out);
    fputc('>', out);
    hd_html_text(column_of(table, i)->title, out);
    fputs("</th>", out);
  }
  fputs("</tr></thead>\n<tbody>\n", out);
}

void hd_html_table_end(const struct hd_html_table *table) {
  fputs("</tbody></table></div>\n", table->out);
}

void hd_html_row_begin(const struct hd_html_table *table, const char *attributes) {
  fprintf(table->out, "<tr%s><th scope=\"row\">", attributes);
}

static void put_value(const struct hd_html_table *table, size_t index, const struct hd_value *value) {
  const struct hd_column *column = column_of(table, index);
  const bool has_bar = column->kind == HD_SHARE && value->known && !value->dash && value->whole > 0;
  char cell[HD_MARKED_CELL_BYTES];
  hd_columns_cell(&table->columns, index, value, cell);
  fputs("<td", table->out);
  put_classes(column, has_bar, table->out);
  if (has_bar)
    fprintf(table->out, " style=\"--v:%.1f\"", fmin(100, fmax(0, 100 * value->number / value->whole)));
  fputc('>', table->out);
  hd_html_text(cell, table->out);
  fputs("</td>", table->out);
}

void hd_html_row_values(const struct hd_html_table *table, const struct hd_value *values) {
  fputs("</th>", table->out);
  for (size_t i = SIZE_MAX; (i = hd_columns_next(&table->columns, i)) < table->columns.count;)
    put_value(table, i, &values[i]);
  fputs("</tr>\n", table->out);
}

void hd_html_legend(const struct hd_html_table *table, const char *more) {
  FILE *out = table->out;
  fputs("<details class=\"legend\"><summary>What the columns are</summary>\n<dl>", out);
  for (size_t i = SIZE_MAX; (i = hd_columns_next(&table->columns, i)) < table->columns.count;) {
    const struct hd_column *column = column_of(table, i);
    const char *help = column->help ? column->help : "";
    if (!*help)
      continue;
    fputs("<dt>", out);
    hd_html_text(column->title, out);
    fputs("</dt><dd>", out);
    for (help += *help == '\n'; *help; help++)
      hd_html_text(*help == '\n' ? "; " : (char[]){*help, '\0'}, out);
    fputs("</dd>", out);
  }
  fprintf(out, "</dl>\n<p>%s</p></details>\n", more);
}

void hd_html_states(const struct hd_model *model, const uint64_t ticks[HD_STATE_COUNT], FILE *out) {
  uint64_t all = 0;
  for (int state = 0; state < HD_STATE_COUNT; state++)
    all += ticks[state];
  fputs("<span class=\"states\">", out);
  for (int state = 0; state < HD_STATE_COUNT; state++)
    if (ticks[state] > 0)
      fprintf(out, "<i class=\"%s\" style=\"--v:%.2f\" title=\"%s %s\"></i>", hd_state_id((enum hd_state)state),
              100 * (double)ticks[state] / (double)all, hd_state_words((enum hd_state)state),
              hd_duration_of(model, ticks[state]).text);
  fputs("</span>", out);
}
