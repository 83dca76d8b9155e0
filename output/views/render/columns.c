/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/render/columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "output/views/render/csv.h"
#include "support/command/memory.h"

struct hd_value hd_number(double number) {
  return (struct hd_value){.known = isfinite(number), .number = number};
}

struct hd_value hd_ticks(const struct hd_model *model, double ticks, bool known) {
  return hd_number(known ? ticks * model->seconds_per_tick : NAN);
}

struct hd_value hd_share(double part, double whole, bool known) {
  return (struct hd_value){.known = known && whole > 0 && isfinite(part), .number = part, .whole = whole};
}

struct hd_value hd_count(uint64_t count, bool known) {
  return (struct hd_value){.known = known, .count = count};
}

struct hd_value hd_word(const char *word, bool known) {
  return (struct hd_value){.known = known, .word = word};
}

struct hd_value hd_decimals(double number, int decimals) {
  struct hd_value value = hd_number(number);
  hd_cell_number(value.text, number, decimals);
  return value;
}

struct hd_value hd_bounded(struct hd_value value, struct hd_bounds bounds) {
  value.mark = hd_bounds_text(bounds);
  return value;
}

/* ---- comma-separated values ---- */

void hd_columns_csv_names(const struct hd_columns *columns, FILE *out) {
  for (size_t i = 0; i < columns->count; i++)
    if (columns->items[i].id)
      fprintf(out, ",%s", columns->items[i].id);
}

static void put_csv(enum hd_column_kind kind, const struct hd_value *value, FILE *out) {
  switch (kind) {
  case HD_COUNT:
    hd_csv_count(value->count, value->known, out);
    break;
  case HD_TICKS:
    fputc(',', out);
    if (value->known)
      fprintf(out, "%lld", (long long)value->count);
    break;
  case HD_FLAG:
    fprintf(out, ",%s", !value->known ? "" : value->count ? "true" : "false");
    break;
  case HD_WORD:
    fputc(',', out);
    hd_csv_text(value->known ? value->word : NULL, out);
    break;
  case HD_INTERVAL:
    hd_csv_number(value->known ? value->number : NAN, out);
    hd_csv_number(value->known ? value->whole : NAN, out);
    break;
  default:
    hd_csv_number(!value->known ? NAN : kind == HD_SHARE ? value->number / value->whole : value->number, out);
  }
}

void hd_columns_csv(const struct hd_columns *columns, const struct hd_value *values, FILE *out) {
  for (size_t i = 0; i < columns->count; i++)
    if (columns->items[i].id)
      put_csv(columns->items[i].kind, &values[i], out);
}

/* ---- text ---- */

static bool is_shown(const struct hd_columns *columns, size_t column) {
  return columns->items[column].title && !(columns->hidden >> column & 1);
}

static bool is_word(const char *word, const char *name, size_t bytes) {
  return word && strlen(word) == bytes && strncasecmp(word, name, bytes) == 0;
}

bool hd_column_has_name(const struct hd_column *column, const char *name, size_t bytes) {
  return column->title && (is_word(column->title, name, bytes) || is_word(column->id, name, bytes));
}

void hd_columns_choose(struct hd_columns *columns, const char *list) {
  uint64_t chosen = 0;
  if (!list)
    return;
  for (const char *name = list; *name; name += *name == ',') {
    const size_t bytes = strcspn(name, ",");
    for (size_t i = 0; i < columns->count; i++)
      chosen |= (uint64_t)hd_column_has_name(&columns->items[i], name, bytes) << i;
    name += bytes;
  }
  columns->hidden = ~chosen;
}

size_t hd_columns_next(const struct hd_columns *columns, size_t last) {
  const struct hd_column *from = last == SIZE_MAX ? NULL : &columns->items[last];
  size_t found = columns->count;
  for (size_t i = 0; i < columns->count; i++) {
    const int order = columns->items[i].order;
    const bool after = !from || order > from->order || (order == from->order && i > last);
    if (is_shown(columns, i) && after && (found == columns->count || order < columns->items[found].order))
      found = i;
  }
  return found;
}

void hd_columns_add(const struct hd_columns *columns, struct hd_table *grid) {
  for (size_t i = SIZE_MAX; (i = hd_columns_next(columns, i)) < columns->count;)
    hd_table_column(grid, columns->items[i].title, columns->items[i].rank);
}

static void cell_text(char cell[HD_CELL_BYTES], const struct hd_columns *columns, enum hd_column_kind kind,
                      const struct hd_value *value) {
  if (value->blank)
    strcpy(cell, "");
  else if (!value->known || value->dash)
    strcpy(cell, "-");
  else if (kind == HD_TEXT || value->text[0])
    strcpy(cell, value->text);
  else if (kind == HD_SECONDS) /* never "-0.000" */
    hd_cell_time(cell, &columns->unit, hd_unit_shows(&columns->unit, fabs(value->number)) ? value->number : 0);
  else if (kind == HD_SHARE)
    hd_cell_number(cell, 100 * value->number / value->whole, 1);
  else if (kind == HD_NUMBER)
    hd_cell_number(cell, value->number, 2);
  else if (kind == HD_WORD)
    snprintf(cell, HD_CELL_BYTES, "%s", value->word);
  else
    snprintf(cell, HD_CELL_BYTES, "%llu", (unsigned long long)value->count);
}

void hd_columns_cell(const struct hd_columns *columns, size_t column, const struct hd_value *value,
                     char cell[HD_MARKED_CELL_BYTES]) {
  char text[HD_CELL_BYTES];
  const bool marked = value->mark && value->known && !value->dash;
  cell_text(text, columns, columns->items[column].kind, value);
  snprintf(cell, HD_MARKED_CELL_BYTES, "%.7s%s", marked ? value->mark : "", text);
}

void hd_columns_cells(const struct hd_columns *columns, const struct hd_value *values, struct hd_table *grid) {
  char cell[HD_MARKED_CELL_BYTES];
  for (size_t i = SIZE_MAX; (i = hd_columns_next(columns, i)) < columns->count;) {
    hd_columns_cell(columns, i, &values[i], cell);
    hd_table_cell(grid, "%s", cell);
  }
}

char *hd_columns_legend_text(const struct hd_columns *columns, const char *more) {
  char *text = NULL;
  size_t bytes = 0;
  FILE *into = open_memstream(&text, &bytes);
  hd_need(into);
  for (size_t i = SIZE_MAX; (i = hd_columns_next(columns, i)) < columns->count;) {
    const char *help = columns->items[i].help ? columns->items[i].help : "";
    const size_t length = strcspn(help, "\n");
    if (length > 0)
      fprintf(into, "%s: %.*s. ", columns->items[i].title, (int)length, help);
  }
  fputs(more, into);
  hd_need(fclose(into) == 0);
  return text;
}

void hd_columns_legend(const struct hd_columns *columns, const char *more, FILE *out) {
  char *text = hd_columns_legend_text(columns, more);
  hd_print_wrapped(text, 0, out);
  fputc('\n', out);
  free(text);
}

/* ---- order ---- */

static double number_of(enum hd_column_kind kind, const struct hd_value *value) {
  if (!value->known || value->dash)
    return NAN;
  if (kind == HD_COUNT || kind == HD_FLAG)
    return (double)value->count;
  if (kind == HD_TICKS)
    return (double)(int64_t)value->count;
  return kind == HD_SHARE ? value->number / value->whole : value->number;
}

static const char *word_of(const struct hd_value *value) {
  return value->known && value->word ? value->word : "\xff"; /* after all others */
}

int hd_value_compare(const struct hd_column *column, const struct hd_value *left, const struct hd_value *right) {
  if (column->kind == HD_WORD)
    return strcmp(word_of(left), word_of(right));
  const double of_left = number_of(column->kind, left), of_right = number_of(column->kind, right);
  if (isnan(of_left) || isnan(of_right))
    return isnan(of_left) - isnan(of_right);
  return (of_left < of_right) - (of_left > of_right);
}
